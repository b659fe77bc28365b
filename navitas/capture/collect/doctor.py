"""Check what can be measured on a device: one row per check, with the finding and a remedy."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from navitas.android.ids import PACKAGE_NAME
from navitas.android.power_statistics import SERVICE, parse_power_statistics
from navitas.base.errors import DeviceError, PowerProfileError
from navitas.capture.collect import power
from navitas.capture.collect.options import ProfileOptions
from navitas.capture.collect.readings import topology
from navitas.capture.collect.state.condition import THERMAL_NAMES, BatteryState, PhoneCondition, parse_battery, parse_thermal
from navitas.capture.collect.state.guard import setting_of
from navitas.capture.collect.state.journal import Journal
from navitas.capture.collect.state.measuring import unfit
from navitas.capture.collect.state.saved_apps import SavedApps
from navitas.capture.collect.state.settings import FINE_MONITORS, HAS_FINE_MONITORS, is_granted, is_requested, reading_command
from navitas.capture.collect.trace import atrace, perfetto
from navitas.capture.collect.trace.stack_sampling import (
    NOT_PROFILEABLE,
    PROFILEABLE_REMEDY,
    flags_command,
    is_profileable,
    perfetto_problem,
)
from navitas.capture.device.base import Device, DeviceInfo
from navitas.power.power_profile import read_power_profile
from navitas.recording.manifest import Policy
from navitas.recording.writer import DEFAULT_VOLTAGE_V

Status = Literal["ok", "note", "problem"]
Level = Literal["sched", "thread-freq", "thread-time", "device"]

_SHELL_S = 90.0
_FIRST_SDK, _LAST_SDK = 26, 36
_DENIED = re.compile(r"Permission denied|not allowed|denied", re.IGNORECASE)
_NOT_DEBUGGABLE = "not debuggable"
"""What `run-as` prints for such an app, in all releases."""
_KERNEL = "the phone's kernel does not offer it"
_RAIL = re.compile(r"^CH\d{1,4}\(T=\d{1,19}\)\[", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Check:
    """One row. `found` describes the finding, `remedy` how to improve it (empty if there is no need)."""

    name: str
    status: Status
    found: str
    remedy: str = ""


@dataclass(frozen=True, slots=True)
class Examination:
    """All checks of a device, and the evidence levels that it can reach by default and without a trace."""

    serial: str
    model: str
    checks: tuple[Check, ...]
    evidence: Level
    evidence_untraced: Level


@dataclass(frozen=True, slots=True)
class _Output:
    status: int
    text: str

    @property
    def has_output(self) -> bool:
        return self.status == 0 and bool(self.text)

    @property
    def problem(self) -> str:
        if _DENIED.search(self.text):
            return "is not readable"
        return "is empty" if self.status == 0 else "does not exist"


def examine(device: Device, package: str | None = None) -> Examination:
    """Examine a device, and what an installed debuggable package can read on it. Changes nothing.

    Raises `DeviceError` if the device is lost.
    """
    policies = topology.read_policies(device)
    outputs = _run_commands(device, _commands(policies, package, device.info.user_flag))
    info = device.info
    checks = [
        Check("device", "ok", f"{info.serial}, {info.model or 'no model'} ({info.kind})"),
        _release(outputs["release"].text, info.sdk),
        *_kernel(outputs, policies, ""),
        *(_package(outputs, policies, package, info) if package else ()),
        _perfetto(outputs, info.sdk),
        _atrace(outputs),
        _stacks(outputs, info.sdk),
        *_power(outputs, info, package),
        _profile(device, policies),
        *_monitors_state(device, outputs),
    ]
    untraced = _untraced(outputs, policies, "app " if package and outputs["app id"].has_output else "")
    traced = policies and (_has_perfetto(outputs, info.sdk) or atrace.can_trace(outputs["atrace"].text))
    return Examination(info.serial, info.model, tuple(checks), "sched" if traced else untraced, untraced)


def _untraced(outputs: Mapping[str, _Output], policies: list[Policy], side: str) -> Level:
    """Return the level without a trace: threads' frequencies from the shell, or clusters' from the app (`side`) or the shell."""
    if policies and outputs["thread"].has_output:
        return "thread-freq"
    return "thread-time" if any(outputs[f"{side}time_in_state {policy.id}"].has_output for policy in policies) else "device"


def _commands(policies: list[Policy], package: str | None, user_flag: str) -> dict[str, str]:
    """Return the commands to run, by name. Those of the app run with its rights."""
    both = {f"time_in_state {p.id}": f"cat {topology.CPUFREQ}/policy{p.id}/stats/time_in_state" for p in policies}
    both |= {"schedstat": "cat /proc/self/schedstat"}
    commands = {
        "release": "getprop ro.build.version.release",
        "proc stat": "head -c 200 /proc/stat",
        "perfetto": "which perfetto",
        "traced": "getprop persist.traced.enable",
        "atrace": "atrace --list_categories",
        "simpleperf": "which simpleperf",
        "battery": "dumpsys battery",
        "thermal": "dumpsys thermalservice",
        "thread": "cat /proc/$$/time_in_state",
        "rails": f"cat {topology.RAILS}",
        "power statistics": f"dumpsys {SERVICE}",
        **both,
    }
    if package:
        name = shlex.quote(package)
        as_app = f"run-as {name}{user_flag}"
        commands |= {"path": f"pm path{user_flag} {name}", "app id": f"{as_app} id -u"}
        commands |= {"fine monitors": reading_command(package), "flags": flags_command(package)}
        commands |= {f"app {key}": f"{as_app} {command}" for key, command in both.items()}
    return commands


def _run_commands(device: Device, commands: Mapping[str, str]) -> dict[str, _Output]:
    """Run all commands in one call; returns each one's output and exit status."""
    script = "; ".join(
        f"echo; echo '@{number}'; {command} 2>&1; echo \"@ $?\"" for number, command in enumerate(commands.values())
    )
    pieces = re.split(r"^@(\d{1,4})\r?$", device.shell(script, timeout_s=_SHELL_S).text, flags=re.MULTILINE)
    found: dict[int, tuple[int, str]] = {}
    for number, piece in zip(pieces[1::2], pieces[2::2], strict=False):
        body, _, status = piece.rstrip().rpartition("@ ")
        if re.fullmatch(r"\d{1,3}", status):
            found[int(number)] = (int(status), body.strip())
    return {name: _Output(*found.get(number, (255, ""))) for number, name in enumerate(commands)}


def _row(name: str, is_good: bool, good: str, bad: str, remedy: str) -> Check:
    return Check(name, "ok", good) if is_good else Check(name, "note", bad, remedy)


def _release(release: str, sdk: int) -> Check:
    found = f"Android {release or '?'}, API level {sdk}"
    tested = f"tested: API level {_FIRST_SDK} to {_LAST_SDK}"
    return _row("Android", _FIRST_SDK <= sdk <= _LAST_SDK, found, f"{found}: not tested", tested)


def _kernel(outputs: Mapping[str, _Output], policies: list[Policy], side: str) -> Iterator[Check]:
    """Check which kernel counters are readable: from the shell, or from the app if `side` is `app `."""
    reader = "in the app" if side else "from the shell"
    rows = [("schedstat", f"thread CPU time {reader}", "the CPU time of threads without probes has a resolution of 10 ms")]
    if not side:
        cpus = ", ".join(f"policy{policy.id}: {len(policy.cpus)} CPUs" for policy in policies)
        lower = "evidence level device: overlapping threads share energy equally"
        yield _row("cpufreq", bool(policies), cpus, f"no policy is readable; {lower}", _KERNEL)
        of_threads = "used without a trace; without it, frequencies are shared by overlap"
        rows.insert(0, ("proc stat", "/proc/stat from the shell", "other processes' shares are unknown"))
        rows.append(("thread", f"per-thread time_in_state {reader}", of_threads))  # also of the app's threads
    if policies:
        states = [(policy.id, outputs[f"{side}time_in_state {policy.id}"]) for policy in policies]
        bad = "; ".join(f"policy{number} {output.problem}" for number, output in states if not output.has_output)
        unknown = "its clusters' frequencies are unknown: lower evidence"
        yield _row(f"time_in_state {reader}", not bad, "readable", bad, unknown)
    for key, name, remedy in rows:
        output = outputs[f"{side}{key}"]
        yield _row(name, output.has_output, "readable", f"it {output.problem}", remedy)


def _package(outputs: Mapping[str, _Output], policies: list[Policy], package: str, info: DeviceInfo) -> Iterator[Check]:
    if not PACKAGE_NAME.fullmatch(package) or not outputs["path"].has_output:
        where = "" if info.named_user is None else f" for user {info.named_user}"
        listing = f"adb shell pm list packages{info.user_flag} lists all names"
        yield Check("package", "problem", f"{package} is not installed{where}", f"install it; {listing}")
        return
    if not outputs["app id"].has_output:
        problem = (outputs["app id"].text.splitlines() or ["run-as failed"])[-1][:200]
        if _NOT_DEBUGGABLE in problem:
            yield Check("package", "note", problem, "its events go to its media folder; what it can read is not checked")
        else:
            yield Check("package", "problem", problem, "install a debuggable build, or use --transport logcat")
        may_sample = is_profileable(outputs["flags"].text)
        yield _row("stacks of the package", may_sample, "profileable by the shell", NOT_PROFILEABLE, PROFILEABLE_REMEDY)
        return
    yield Check("package", "ok", f"{package}, debuggable")
    yield from _kernel(outputs, policies, "app ")


def _has_perfetto(outputs: Mapping[str, _Output], sdk: int) -> bool:
    return outputs["perfetto"].has_output and not perfetto.is_off(sdk, outputs["traced"].text)


def _perfetto(outputs: Mapping[str, _Output], sdk: int) -> Check:
    if not outputs["perfetto"].has_output:
        return Check("perfetto", "note", "not on this phone", "not needed; Android 9 and later have it")
    on = _has_perfetto(outputs, sdk)
    return Check("perfetto", "ok" if on else "note", outputs["perfetto"].text.splitlines()[0], "" if on else perfetto.ENABLE)


def _atrace(outputs: Mapping[str, _Output]) -> Check:
    can = atrace.can_trace(outputs["atrace"].text)
    remedy = "not needed if the phone has perfetto"
    return _row("atrace", can, "can trace the scheduler", "cannot trace the scheduler", remedy)


def _stacks(outputs: Mapping[str, _Output], sdk: int) -> Check:
    """Check what samples stacks for `--mode sample`."""
    traced = "" if _has_perfetto(outputs, sdk) else "it cannot trace here"
    problem = perfetto_problem(sdk, traced)
    if not problem:
        return Check("stack samples", "ok", "by perfetto, in the trace")
    why = f"perfetto: {problem}"
    nothing = f"nothing takes them ({why}; no simpleperf)"
    return _row("stack samples", outputs["simpleperf"].has_output, f"by simpleperf ({why})", nothing, "use --mode tick")


def _power(outputs: Mapping[str, _Output], info: DeviceInfo, package: str | None) -> Iterator[Check]:
    """Check what measures the phone's components: rails, consumers, and the monitors that apps can read."""
    found = parse_power_statistics(outputs["power statistics"].text)
    rails = max(len(found.meters), _sysfs_rails(outputs))
    readers = [
        *(["perfetto"] if found.meters and _has_perfetto(outputs, info.sdk) else []),
        *(["the shell"] if _sysfs_rails(outputs) else []),
        *(["dumpsys"] if found.meters else []),
    ]
    by = f"{rails} rails, by {', '.join(readers)}"
    yield _row("power rails", bool(rails), by, "none: the power profile gives the energy of components", _NO_RAILS)
    if found.consumers:
        users = len(found.by_uid)
        by_app = f", {users} of them by app" if users else ", none of them by app"
        yield Check("energy consumers", "ok", f"{len(found.consumers)} consumers{by_app}")
    if info.sdk >= topology.HAS_POWER_MONITORS:
        yield _monitors(outputs, info, package, has_rails=bool(rails))


_NO_RAILS = "with a power meter, fit a model: navitas power fit --meter FILE"


def _sysfs_rails(outputs: Mapping[str, _Output]) -> int:
    return len(_RAIL.findall(outputs["rails"].text)) if outputs["rails"].has_output else 0


def _monitors(outputs: Mapping[str, _Output], info: DeviceInfo, package: str | None, *, has_rails: bool) -> Check:
    """The API for apps (PowerMonitor), which Navitas reads if nothing else shows rails."""
    name, use = "power monitors in apps", "not needed: other sources show the rails" if has_rails else "used with --record"
    found = outputs["fine monitors"].text if package else ""
    is_fine = info.sdk >= HAS_FINE_MONITORS and (is_granted(found, info.user) or is_requested(found))
    remedy = "" if has_rails or is_fine else _LONG_TESTS if info.sdk < HAS_FINE_MONITORS else _REQUEST
    return Check(name, "ok", f"new readings every {'250 ms' if is_fine else '20 s'}; {use}", remedy)


_LONG_TESTS = "rails need runs of more than 40 s"
_REQUEST = f'for readings every 250 ms, add <uses-permission android:name="{FINE_MONITORS}"/> to src/debug/AndroidManifest.xml'


def _profile(device: Device, policies: list[Policy]) -> Check:
    try:
        supply, model = power.choose(device, ProfileOptions(voltage_v=DEFAULT_VOLTAGE_V), policies)
        model = model or power.model_on(device, read_power_profile(supply.profile_xml, name=supply.profile_source), policies)
    except (PowerProfileError, DeviceError) as error:
        return Check("power profile", "problem", error.message, error.remedy)
    found = f"{supply.profile_source} is implausible: {'; '.join(model.implausible)}"
    show = f"navitas power show --device {device.info.shell_serial}"
    return _row("power profile", not model.implausible, supply.profile_source, found, show)


def _monitors_state(device: Device, outputs: Mapping[str, _Output]) -> Iterator[Check]:
    battery, thermal = parse_battery(outputs["battery"].text), parse_thermal(outputs["thermal"].text)
    problem = unfit(PhoneCondition(battery, thermal)) if device.info.kind == "phone" else None
    empty = problem is not None and "battery is" in problem[0]
    remedy = problem[1] if problem else ""
    readings = {
        "level": battery.level_percent and f"{battery.level_percent:.0f} %",
        "temperature": battery.temperature_c and f"{battery.temperature_c:.1f} °C",
        "voltage": battery.voltage_v and f"{battery.voltage_v:.2f} V",
    }
    found = ", ".join(text for text in readings.values() if text) or "the phone reports nothing"
    yield Check("battery", "problem" if empty else "ok" if any(readings.values()) else "note", found, remedy if empty else "")
    if battery.frozen:
        yield Check("charging", "note", "frozen by dumpsys battery", "adb shell dumpsys battery reset")
    else:
        meters = parse_power_statistics(outputs["power statistics"].text).meters
        yield _charging(battery, has_rails=bool(_sysfs_rails(outputs) or meters))
    hot = problem[0] if problem is not None and not empty else ""
    heat = hot or "no thermal status (Android 10 and later have one)"
    if thermal.status is not None:
        skin = "" if thermal.skin_c is None else f", skin {thermal.skin_c:.1f} °C"
        heat = f"thermal status {thermal.status} ({THERMAL_NAMES[thermal.status]}){skin}"
    status: Status = "problem" if hot else "note" if thermal.status is None else "ok"
    yield Check("heat", status, heat, remedy if hot else "")
    yield _unrestored("settings", device.info, _changed_settings, "no setting is left changed", "left changed")
    yield _unrestored("apps", device.info, _left_apps, "no app is left replaced", "left on the phone")


def _charging(battery: BatteryState, *, has_rails: bool) -> Check:
    """Rails lie behind the charger, so charging does not change them. The battery's own figures include the charger."""
    text = {True: "charging", False: "not charging", None: "unknown"}[battery.charging]
    text += ", plugged in" if battery.plugged else ""
    if battery.charging is not True:
        return Check("charging", "ok", text)
    if has_rails:
        return Check("charging", "ok", f"{text}: rails are not affected")
    spoiled = "the fuel gauge shows the charger's current, and a higher voltage than in use"
    return Check("charging", "note", f"{text}: {spoiled}", "unplug the phone and use adb over Wi-Fi, or give --voltage V")


def _unrestored(name: str, info: DeviceInfo, read: Callable[[DeviceInfo], list[str]], nothing: str, left: str) -> Check:
    """Check what measurements that were interrupted left on the phone."""
    try:
        names = ", ".join(read(info))
    except DeviceError as error:
        return Check(name, "problem", error.message, error.remedy)
    except OSError as error:
        return Check(name, "problem", f"{error.filename}: {error.strerror}", "make that folder readable and writable")
    restore = f"navitas doctor --device {info.shell_serial} --restore"
    return _row(name, not names, f"{nothing} by a measurement", f"{left} by a measurement: {names}", restore)


def _changed_settings(info: DeviceInfo) -> list[str]:
    return [setting.name if (setting := setting_of(key)) else key for key in Journal(info).read() or ()]


def _left_apps(info: DeviceInfo) -> list[str]:
    apps = SavedApps(info)
    return [*apps.read(), *(f"{app.package} (not yours)" for app in apps.added.read())]
