"""What a device allows to be measured: one check a row, each with what was found and what helps."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from navitas.collect import power, topology
from navitas.collect.options import ProfileOptions
from navitas.collect.state.condition import THERMAL_NAMES, PhoneCondition, parse_battery, parse_thermal
from navitas.collect.state.fitness import unfit
from navitas.collect.state.journal import Journal
from navitas.collect.state.settings import BY_KEY
from navitas.collect.trace import atrace, perfetto
from navitas.device.base import Device
from navitas.errors import DeviceError, PowerProfileError
from navitas.recording.manifest import Policy

Status = Literal["ok", "note", "problem"]
Level = Literal["sched", "thread-freq", "thread-time", "device"]

_SHELL_S = 90.0
_FIRST_SDK, _LAST_SDK = 26, 36
PACKAGE = re.compile(r"[A-Za-z][\w.]{0,254}", re.ASCII)
_DENIED = re.compile(r"Permission denied|not allowed|denied", re.IGNORECASE)
_KERNEL = "the phone's kernel does not offer it"


@dataclass(frozen=True, slots=True)
class Check:
    """One row: `found` says what is there, `remedy` what would help (empty where nothing needs to)."""

    name: str
    status: Status
    found: str
    remedy: str = ""


@dataclass(frozen=True, slots=True)
class Examination:
    """All checks of a device and the evidence levels that a profiling of it can reach, by default and without a trace."""

    serial: str
    model: str
    checks: tuple[Check, ...]
    evidence: Level
    evidence_untraced: Level


@dataclass(frozen=True, slots=True)
class _Answer:
    status: int
    text: str

    @property
    def good(self) -> bool:
        return self.status == 0 and bool(self.text)

    @property
    def why(self) -> str:
        if _DENIED.search(self.text):
            return "may not be read"
        return "is empty" if self.status == 0 else "is not there"


def examine(device: Device, package: str | None = None) -> Examination:
    """Look at a device, and at what an installed debuggable package may read on it; nothing is changed.

    Raises `DeviceError` when the device is lost.
    """
    policies = topology.read_policies(device)
    answers = _ask(device, _questions(policies, package))
    info = device.info
    checks = [
        Check("device", "ok", f"{info.serial}, {info.model or 'no model'} ({info.kind})"),
        _release(answers["release"].text, info.sdk),
        *_kernel(answers, policies, ""),
        *(_package(answers, policies, package) if package else ()),
        _perfetto(answers, info.sdk),
        _atrace(answers),
        _profile(device, policies),
        *_state(device, answers),
    ]
    untraced = _untraced(answers, policies, "app " if package and answers["app id"].good else "")
    traced = policies and (_has_perfetto(answers, info.sdk) or atrace.can_trace(answers["atrace"].text))
    return Examination(info.serial, info.model, tuple(checks), "sched" if traced else untraced, untraced)


def _untraced(answers: Mapping[str, _Answer], policies: list[Policy], side: str) -> Level:
    """The level without a trace: the shell reads threads' frequencies, the app (`side`) or the shell the clusters'."""
    if policies and answers["thread"].good:
        return "thread-freq"
    return "thread-time" if any(answers[f"{side}time_in_state {policy.id}"].good for policy in policies) else "device"


def _questions(policies: list[Policy], package: str | None) -> dict[str, str]:
    """What to ask, by name; those of the app are asked with its rights."""
    both = {f"time_in_state {p.id}": f"cat {topology.CPUFREQ}/policy{p.id}/stats/time_in_state" for p in policies}
    both |= {"schedstat": "cat /proc/self/schedstat"}
    asked = {
        "release": "getprop ro.build.version.release",
        "proc stat": "head -c 200 /proc/stat",
        "perfetto": "which perfetto",
        "traced": "getprop persist.traced.enable",
        "atrace": "atrace --list_categories",
        "battery": "dumpsys battery",
        "thermal": "dumpsys thermalservice",
        "thread": "cat /proc/$$/time_in_state",
        **both,
    }
    if package:
        name = shlex.quote(package)
        asked |= {"path": f"pm path {name}", "app id": f"run-as {name} id -u"}
        asked |= {f"app {key}": f"run-as {name} {command}" for key, command in both.items()}
    return asked


def _ask(device: Device, questions: Mapping[str, str]) -> dict[str, _Answer]:
    """All answers of one call, each with its exit status."""
    script = "; ".join(
        f"echo; echo '@{number}'; {command} 2>&1; echo \"@ $?\"" for number, command in enumerate(questions.values())
    )
    pieces = re.split(r"^@(\d{1,4})\r?$", device.shell(script, timeout_s=_SHELL_S).text, flags=re.MULTILINE)
    found: dict[int, tuple[int, str]] = {}
    for number, piece in zip(pieces[1::2], pieces[2::2], strict=False):
        body, _, status = piece.rstrip().rpartition("@ ")
        if re.fullmatch(r"\d{1,3}", status):
            found[int(number)] = (int(status), body.strip())
    return {name: _Answer(*found.get(number, (255, ""))) for number, name in enumerate(questions)}


def _release(release: str, sdk: int) -> Check:
    found = f"Android {release or '?'}, API level {sdk}"
    if _FIRST_SDK <= sdk <= _LAST_SDK:
        return Check("Android", "ok", found)
    return Check("Android", "note", f"{found}: not tested", f"tested: API level {_FIRST_SDK} to {_LAST_SDK}")


def _kernel(answers: Mapping[str, _Answer], policies: list[Policy], side: str) -> Iterator[Check]:
    """What of the kernel's counters can be read: by the shell, or (`side` is `app `) by the app."""
    who = "in the app" if side else "from the shell"
    if not side:
        cpus = ", ".join(f"policy{policy.id}: {len(policy.cpus)} CPUs" for policy in policies)
        lower = "evidence level device: threads that overlap share alike"
        yield Check("cpufreq", "ok", cpus) if policies else Check("cpufreq", "note", f"no policies can be read; {lower}", _KERNEL)
    bad = [(policy, answer) for policy in policies if not (answer := answers[f"{side}time_in_state {policy.id}"]).good]
    if policies:
        said = "; ".join(f"policy{policy.id} {answer.why}" for policy, answer in bad)
        name = f"time_in_state {who}"
        yield (
            Check(name, "note", said, "its clusters' frequencies are unknown: lower evidence")
            if bad
            else Check(name, "ok", "readable")
        )
    if not side:
        stat = answers["proc stat"]
        yield (
            Check("/proc/stat from the shell", "ok", "readable")
            if stat.good
            else Check("/proc/stat from the shell", "note", f"it {stat.why}", "other processes' shares are unknown")
        )
    rows = [("schedstat", f"thread CPU time {who}", "threads without probes have CPU time in 10 ms steps")]
    if not side:  # the shell reads those of the app's threads, too
        rows.append(
            ("thread", f"per-thread time_in_state {who}", "needed without a trace: frequencies are then shared by overlap")
        )
    for key, name, remedy in rows:
        answer = answers[f"{side}{key}"]
        yield Check(name, "ok", "readable") if answer.good else Check(name, "note", f"it {answer.why}", remedy)


def _package(answers: Mapping[str, _Answer], policies: list[Policy], package: str) -> Iterator[Check]:
    if not PACKAGE.fullmatch(package) or not answers["path"].good:
        yield Check(
            "package", "problem", f"{package} is not installed", "install it, and see its name by adb shell pm list packages"
        )
        return
    if not answers["app id"].good:
        why = (answers["app id"].text.splitlines() or ["run-as failed"])[-1][:200]
        yield Check("package", "problem", why, "install a debuggable build, or use --transport logcat")
        return
    yield Check("package", "ok", f"{package}, debuggable")
    yield from _kernel(answers, policies, "app ")


def _has_perfetto(answers: Mapping[str, _Answer], sdk: int) -> bool:
    return answers["perfetto"].good and not perfetto.is_off(sdk, answers["traced"].text)


def _perfetto(answers: Mapping[str, _Answer], sdk: int) -> Check:
    if not answers["perfetto"].good:
        return Check("perfetto", "note", "none on this phone", "not needed: from Android 9")
    on = _has_perfetto(answers, sdk)
    return Check("perfetto", "ok" if on else "note", answers["perfetto"].text.splitlines()[0], "" if on else perfetto.ENABLE)


def _atrace(answers: Mapping[str, _Answer]) -> Check:
    if atrace.can_trace(answers["atrace"].text):
        return Check("atrace", "ok", "can trace the scheduler")
    return Check("atrace", "note", "cannot trace the scheduler", "not needed where there is perfetto")


def _profile(device: Device, policies: list[Policy]) -> Check:
    try:
        supply = power.choose(device, ProfileOptions(voltage_v=power.DEFAULT_VOLTAGE_V), policies)
    except (PowerProfileError, DeviceError) as error:
        return Check("power profile", "problem", error.message, error.remedy)
    return Check("power profile", "ok", supply.profile_source)


def _state(device: Device, answers: Mapping[str, _Answer]) -> Iterator[Check]:
    battery, thermal = parse_battery(answers["battery"].text), parse_thermal(answers["thermal"].text)
    why = unfit(PhoneCondition(battery, thermal)) if device.info.kind == "phone" else None
    empty = why is not None and "battery is" in why[0]
    remedy = why[1] if why else ""
    told = {
        "level": battery.level_percent and f"{battery.level_percent:.0f} %",
        "temperature": battery.temperature_c and f"{battery.temperature_c:.1f} °C",
        "voltage": battery.voltage_v and f"{battery.voltage_v:.2f} V",
    }
    found = ", ".join(text for text in told.values() if text) or "the phone does not tell"
    yield Check("battery", "problem" if empty else "ok" if any(told.values()) else "note", found, remedy if empty else "")
    if battery.frozen:
        yield Check("charging", "note", "frozen by dumpsys battery", "adb shell dumpsys battery reset")
    else:
        said = {True: "charging", False: "not charging", None: "unknown"}[battery.charging]
        yield Check("charging", "ok", f"{said}{', plugged in' if battery.plugged else ''}")
    if thermal.status is None:
        hot = why is not None and not empty
        yield Check(
            "heat",
            "problem" if hot else "note",
            why[0] if hot and why else "no thermal status (Android 10 and later have one)",
            remedy if hot else "",
        )
    else:
        hot = why is not None and not empty
        name = f"thermal status {thermal.status} ({THERMAL_NAMES[thermal.status]})"
        skin = "" if thermal.skin_c is None else f", skin {thermal.skin_c:.1f} °C"
        yield Check("heat", "problem" if hot else "ok", f"{name}{skin}", remedy if hot else "")
    yield _left(device)


def _left(device: Device) -> Check:
    try:
        left = Journal(device.info).read()
    except DeviceError as error:
        return Check("settings", "problem", error.message, error.remedy)
    except OSError as error:
        return Check("settings", "problem", f"{error.filename}: {error.strerror}", "make that folder readable and writable")
    if not left:
        return Check("settings", "ok", "nothing is left changed by a measurement")
    names = ", ".join(BY_KEY[key].name if key in BY_KEY else key for key in left)
    return Check(
        "settings", "note", f"left changed by a measurement: {names}", f"navitas doctor --device {device.info.serial} --restore"
    )
