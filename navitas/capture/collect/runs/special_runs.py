"""Paper 1's special test runs on a phone: known loads of the CPU, the screen and the radios, one by one; and idle runs."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal

from navitas.android.power_statistics import SERVICE, parse_power_statistics
from navitas.base.errors import DeviceError
from navitas.capture.collect.readings.topology import CPUFREQ, PROC_STAT, RAILS
from navitas.capture.collect.state.condition import parse_battery
from navitas.capture.collect.state.guard import Warn, prepared
from navitas.capture.device.base import Device
from navitas.power.measured_step import GAUGE, MeasuredStep, Meter
from navitas.recording.manifest import Policy

BRIGHTNESS = (10, 70, 130, 190, 255)
PULSES = ((10, 190), (10, 90), (10, 50), (10, 30), (20, 40), (20, 25), (30, 25), (40, 20), (60, 15))
"""Milliseconds of work and of rest. The governor chooses other frequencies for each pair."""
_SAMPLE_S = 0.1
_STARTING_MS = 8
"""About the time in which `sleep` starts, twice."""
_START_S = 0.2
_MOST_LONGER = 4
_MARGIN_S = 60.0
_SETTLE_S = 1.0


def meter_of(device: Device) -> Meter:
    """Return what measures the phone: rails, or else the fuel gauge.

    Raises `DeviceError` if there is neither, or if the phone has only a gauge and is charging.
    """
    if device.shell(f"cat {RAILS}").exit_code == 0:
        return "rails"
    if parse_power_statistics(device.shell(f"dumpsys {SERVICE}").text).meters:
        return "statistics"
    name = f"device {device.info.serial} ({device.info.model})"
    if device.shell(f"cat {GAUGE}/current_now").exit_code != 0:
        raise DeviceError(
            f"{name} has no power rails, and its shell cannot read the fuel gauge", "Use a power meter: --recording and --meter."
        )
    battery = parse_battery(device.shell("dumpsys battery").text)
    if battery.frozen:
        raise DeviceError(f"{name}: its battery's state is frozen", "Run adb shell dumpsys battery reset, then try again.")
    if battery.charging is not False or battery.plugged is not False:
        raise DeviceError(
            f"{name} is charging, or does not say that it is not: its fuel gauge then does not measure what it uses",
            "Unplug it, and connect adb by Wi-Fi.",
        )
    return "gauge"


def rails_text(device: Device, meter: Meter) -> str:
    """Return one reading of the rails, whose names show what they measure."""
    return device.shell(f"cat {RAILS}" if meter == "rails" else f"dumpsys {SERVICE}").text


def special_runs(
    device: Device, policies: Sequence[Policy], meter: Meter, warn: Warn, *, step_s: float, stage: Callable[[str], None]
) -> list[MeasuredStep]:
    """Run all steps. The phone's settings are restored afterwards. Raises `DeviceError` if the device is lost."""
    steps: list[MeasuredStep] = []
    with prepared(device, warn, radios_off=True) as changed:
        with _restoring(device, "settings put system screen_brightness 128"):
            _set(device, f"settings put system screen_brightness {BRIGHTNESS[0]}")
            scripts = list(cpu_loads(policies, step_s))
            for number, load in enumerate(scripts, start=1):
                stage(f"CPU: step {number} of {len(scripts)}")
                steps.append(MeasuredStep("cpu", _run(device, policies, meter, load, step_s), brightness=BRIGHTNESS[0]))
        with _restoring(device, "input keyevent 224; input keyevent 82"):
            stage("screen: off")
            _set(device, "input keyevent 223")
            steps.append(MeasuredStep("screen", _run(device, policies, meter, idle(step_s), step_s), screen_on=False))
        with _restoring(device, "settings put system screen_brightness 128"):
            for level in BRIGHTNESS:
                stage(f"screen: brightness {level}")
                _set(device, f"settings put system screen_brightness {level}")
                text = _run(device, policies, meter, idle(step_s), step_s)
                steps.append(MeasuredStep("screen", text, brightness=level))
        radios = [name for name in ("wifi", "bluetooth") if f"radio/{name}" in changed]
        for on in ("", *radios):
            stage(f"radios: {on or 'off'}")
            steps.append(_radio_step(device, policies, meter, on, step_s))
    return steps


@dataclass(frozen=True, slots=True)
class LoadCommands:
    """Shell commands of a load: what starts it and sets `p` to its processes, what it does during the step, and what ends it."""

    start: str
    during: str
    end: str


def idle(step_s: float) -> LoadCommands:
    """Return a step without a load."""
    return LoadCommands("p=", f"sleep {step_s:g}", ":")


def cpu_loads(policies: Sequence[Policy], step_s: float) -> Iterator[LoadCommands]:
    """Yield all loads: none; in each policy one CPU in pulses, one CPU, and all CPUs; one CPU of each policy."""
    yield idle(step_s)
    for policy in policies:
        for work_ms, rest_ms in PULSES:
            pulse = f"kill -CONT $p; sleep {work_ms / 1000:g}; kill -STOP $p; sleep {rest_ms / 1000:g}"
            yield _busy(policy.cpus[:1], step_s, _repeated(pulse, step_s, (work_ms + rest_ms + _STARTING_MS) / 1000))
        yield _busy(policy.cpus[:1], step_s, f"sleep {step_s:g}")
        if len(policy.cpus) > 1:
            yield _busy(policy.cpus, step_s, f"sleep {step_s:g}")
    if len(policies) > 1:
        yield _busy([policy.cpus[0] for policy in policies], step_s, f"sleep {step_s:g}")


def _busy(cpus: Sequence[int], step_s: float, during: str) -> LoadCommands:
    """Keep CPUs busy. `timeout` ends the processes if the connection is lost.

    `$!` is the process of `timeout`, not that of its load. So `p` has all processes of the load's name that are new, and others
    of this name go on.
    """
    most_s = step_s * _MOST_LONGER + _MARGIN_S
    start = " ".join(f"taskset {1 << cpu:x} timeout {most_s:g} yes >/dev/null &" for cpu in cpus)
    new = 'p=; for q in $(pidof yes); do case "$o" in *" $q "*) ;; *) p="$p $q" ;; esac; done'
    return LoadCommands(f'o=" $(pidof yes) "; {start} sleep {_START_S:g}; {new}', during, "kill -9 $p; wait")


def _repeated(command: str, step_s: float, each_s: float) -> str:
    return f"i=0; while [ $i -lt {max(1, round(step_s / each_s))} ]; do {command}; i=$((i+1)); done"


def _run(device: Device, policies: Sequence[Policy], meter: Meter, load: LoadCommands, step_s: float) -> str:
    """Run a load, and read everything at the begin and the end of its step, in one command: delays of adb do not count."""
    parts = ["echo @time; date +%s.%N", f"echo @stat; cat {PROC_STAT}"]
    parts += [f"echo @policy{policy.id}; cat {CPUFREQ}/policy{policy.id}/stats/time_in_state" for policy in policies]
    parts.append("for q in $p; do echo @task$q; cat /proc/$q/time_in_state; done")
    during = load.during
    if meter == "gauge":
        sample = f'echo "@gauge $(cat {GAUGE}/current_now) $(cat {GAUGE}/voltage_now)"; sleep {_SAMPLE_S:g}'
        during = f"( {_repeated(sample, step_s, _SAMPLE_S)} ) & {during}"
    else:
        parts.append(f"echo @rails; cat {RAILS}" if meter == "rails" else f"echo @statistics; dumpsys {SERVICE}")
    reading = "; ".join(parts)
    script = f"{load.start}; {reading}; {during}; {reading}; echo @end; {load.end}"
    return device.shell(script, timeout_s=step_s * _MOST_LONGER + _MARGIN_S).text


def _radio_step(device: Device, policies: Sequence[Policy], meter: Meter, on: str, step_s: float) -> MeasuredStep:
    if not on:
        return MeasuredStep("radios", _run(device, policies, meter, idle(step_s), step_s))
    with _restoring(device, f"svc {on} disable"):
        _set(device, f"svc {on} enable")
        text = _run(device, policies, meter, idle(step_s), step_s)
        return MeasuredStep("radios", text, wifi=on == "wifi", bluetooth=on == "bluetooth")


@contextmanager
def _restoring(device: Device, command: str) -> Iterator[None]:
    """Send a command at the end, also after an error. `prepared` then restores what the phone had before."""
    try:
        yield
    finally:
        _set(device, command)


def _set(device: Device, command: str) -> None:
    device.shell(command)
    time.sleep(_SETTLE_S)


@dataclass(frozen=True, slots=True)
class IdleReadings:
    """Text of the rails before and after a time without tests, with the device's uptime and UNIX time in seconds.

    `kind`: the rail monitor's file, the text of the power statistics, or `none` if the shell may read neither.
    """

    kind: Literal["rails", "statistics", "none"]
    before: str
    after: str
    uptime_s: tuple[float, float]
    unix_s: tuple[float, float]


def read_idle(device: Device, seconds: float) -> IdleReadings:
    """Read the rails, wait, and read them again. Raises `DeviceError` if the device does not answer."""
    kind, command = _idle_source(device)
    before, up, unix = _reading(device, command)
    time.sleep(seconds)
    after, up_after, unix_after = _reading(device, command)
    return IdleReadings(kind, before, after, (up, up_after), (unix, unix_after))


def _idle_source(device: Device) -> tuple[Literal["rails", "statistics", "none"], str]:
    if device.shell(f"cat {RAILS}").exit_code == 0:
        return "rails", f"cat {RAILS}"
    if "mWs" in device.shell(f"dumpsys {SERVICE}").text:
        return "statistics", f"dumpsys {SERVICE}"
    return "none", "true"


def _reading(device: Device, command: str) -> tuple[str, float, float]:
    """The text of one reading, the uptime and the UNIX time."""
    text = device.shell(f"cat /proc/uptime; date +%s.%N; {command}").text
    uptime, unix, rest = (*text.split("\n", 2), "", "")[:3]
    return rest, _number(uptime.split(" ")[0]), _number(unix)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0
