"""Readings of special test runs: how long each CPU ran at which frequency, the power that the phone's
meters showed, and the currents of the screen and of radios that follow.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from navitas.android.power_statistics import parse_power_statistics
from navitas.base.errors import DeviceError
from navitas.energy.analyze.fitting.least_squares import non_negative
from navitas.insight.calibrate.cpu_coefficients import CpuCoefficients
from navitas.insight.calibrate.fit_rows import IntervalSource
from navitas.insight.calibrate.operating_points import LEAST_MW
from navitas.power.measured_step import MeasuredStep, Meter
from navitas.recording.parse.arrays import F64, I64
from navitas.recording.parse.clock_triples import ClockTriples
from navitas.recording.parse.procstat import parse_cpu_stat
from navitas.recording.parse.rail_readings import parse_rails
from navitas.recording.parse.time_in_state import parse_time_in_state

_PART = re.compile(r"^@(\w+)(?:[ \t]+(.*))?\r?$", re.MULTILINE)
_NO_CLOCKS = ClockTriples(*(np.empty(0, np.int64) for _ in range(3)))
_LEAST_S = 0.05
_NS_PER_S = 1e9
_MOSTLY = 0.5
_MICRO_FROM = 10_000
"""No phone uses 10 A, and one that is awake uses more than 10 mA. So larger readings are µA, smaller ones mA."""
_VOLTS = ((1e6, 1e-6), (1e3, 1e-3), (1.0, 1.0))
_READING = re.compile(r"(-?\d{1,12})[ \t]+(\d{1,12})[ \t]*")
_LEAST_ALIKE = 0.9
_MOST_BRIGHTNESS = 255
_LEAST_STEPS = 4


@dataclass(frozen=True, slots=True)
class StepUse:
    """A step's length, the busy seconds of each CPU, and power by meter.

    By policy, with its frequencies: `mix` has their shares of all time, idle time included, and `ran_s` the seconds for which the
    processes of the load ran at each of them, 0 if unknown.
    """

    step: MeasuredStep
    seconds: float
    busy_s: Mapping[int, float]
    mix: Mapping[int, tuple[I64, F64]]
    ran_s: Mapping[int, F64]
    power_mw: Mapping[str, float]


def read_steps(steps: Sequence[MeasuredStep], meter: Meter) -> list[StepUse]:
    """Read all steps. `power_mw` is by rail, or of the whole phone by `gauge`.

    Steps whose readings are torn are left out. Raises `DeviceError` if all are, or if the gauge's sign changes.
    """
    gauges = (
        gauge_power_mw([[rest for name, rest in _PART.findall(step.text) if name == "gauge"] for step in steps])
        if meter == "gauge"
        else [None] * len(steps)
    )
    found = [_read(step, gauge) for step, gauge in zip(steps, gauges, strict=True)]
    usable = [each for each in found if each is not None]
    if not usable:
        raise DeviceError("the phone's counters could not be read in any step", "Check with navitas doctor what it can read.")
    return usable


def _read(step: MeasuredStep, gauge_mw: float | None) -> StepUse | None:
    parts: dict[str, list[str]] = {}
    pieces = _PART.split(step.text)
    for name, body in zip(pieces[1::3], pieces[3::3], strict=True):
        parts.setdefault(name, []).append(body.lstrip("\r\n"))
    try:
        begin, end = (float(text) for text in parts["time"])
    except (KeyError, ValueError):
        return None
    seconds = end - begin
    stat, _ = parse_cpu_stat([0, 1], parts.get("stat", ["", ""])[:2])
    if stat is None or len(stat.t_ns) < 2 or not seconds > _LEAST_S:
        return None
    busy_s = dict(zip(stat.cpus, ((stat.busy_ns[-1] - stat.busy_ns[0]) / _NS_PER_S).tolist(), strict=True))
    mix, ran_s = {}, {}
    for name, texts in parts.items():
        if name.startswith("policy"):
            policy = int(name.removeprefix("policy"))
            table, _ = parse_time_in_state(policy, [policy], [0, 1], [text.encode() for text in texts[:2]])
            if table is None or len(table.t_ns) < 2:
                return None
            growth = (table.ns[-1] - table.ns[0]).astype(np.float64)
            if growth.sum() > 0:
                mix[policy] = table.freq_khz, np.asarray(growth / growth.sum(), np.float64)
                ran_s[policy] = _ran(parts, policy, table.freq_khz)
    power = {"gauge": gauge_mw} if gauge_mw is not None else _rails(parts, seconds)
    return StepUse(step, seconds, busy_s, mix, ran_s, power) if power else None


def _ran(parts: Mapping[str, list[str]], policy: int, freq_khz: I64) -> F64:
    """The seconds for which the load's processes ran at each frequency of a policy."""
    total = np.zeros(len(freq_khz))
    for name, texts in parts.items():
        if name.startswith("task") and len(texts) == 2 and all(f"cpu{policy}" in text.split() for text in texts):
            table, _ = parse_time_in_state(policy, [policy], [0, 1], [text.encode() for text in texts])
            if table is not None and len(table.t_ns) == 2 and np.array_equal(table.freq_khz, freq_khz):
                total += (table.ns[1] - table.ns[0]) / _NS_PER_S
    return total


def _rails(parts: Mapping[str, list[str]], seconds: float) -> dict[str, float]:
    if len(texts := parts.get("rails", [])) == 2:
        rails, _ = parse_rails([0, 1], texts, _NO_CLOCKS)
        if rails is None or len(rails.t_ns) < 2:
            return {}
        growth = rails.energy_j[-1] - rails.energy_j[0]
        return dict(zip(rails.names, (growth / seconds * 1e3).tolist(), strict=True))
    before, after = (parse_power_statistics(text).meters for text in (*parts.get("statistics", []), "", "")[:2])
    return {name: (after[name] - before[name]) / seconds * 1e3 for name in before if name in after}


def rail_names(meter: Meter, text: str) -> list[str]:
    """Return the names of all rails of one reading."""
    if meter == "rails":
        rails, _ = parse_rails([0], [text], _NO_CLOCKS)
        return [] if rails is None else list(rails.names)
    return list(parse_power_statistics(text).meters)


def cpu_intervals(uses: Sequence[StepUse], coefficients: CpuCoefficients, rails: Sequence[str], name: str) -> IntervalSource:
    """Return the steps with a load of the CPU as intervals, with the power of these rails."""
    rows, powers = [], []
    for use in uses:
        power_mw = sum(use.power_mw.get(rail, 0.0) for rail in rails)
        if use.step.kind == "cpu" and power_mw > LEAST_MW:
            rows.append(_row(use, coefficients))
            powers.append(power_mw)
    width = len(coefficients.unit_ma)
    return IntervalSource(name, np.array(rows, np.float64).reshape(-1, width), np.array(powers, np.float64), is_continuous=False)


def _row(use: StepUse, coefficients: CpuCoefficients) -> F64:
    """mW of each coefficient alone, at a scale of 1. CPUs are busy independently of each other."""
    row = np.zeros(len(coefficients.unit_ma))
    idle = 1.0
    for place, cluster in zip(coefficients.firsts, coefficients.cpu.clusters, strict=True):
        busy = np.minimum([use.busy_s.get(cpu, 0.0) / use.seconds for cpu in cluster.cpus], 1.0)
        awake = 1 - float(np.prod(1 - busy))
        idle *= 1 - awake
        row[place] = awake
        policy = next((cpu for cpu in cluster.cpus if cpu in use.mix), None)
        if policy is None:
            continue
        speeds, shares = use.mix[policy]
        ran = use.ran_s[policy] / use.seconds
        # If the kernel does not count the load by process, it ran as long at each frequency as the policy was there.
        mix = ran / ran.sum() if ran.sum() > busy.sum() * _MOSTLY else shares
        # Time at a frequency between two of the profile's operating points is divided.
        points, own = np.eye(len(cluster.freq_khz)), slice(place + 1, place + 1 + len(cluster.freq_khz))
        row[own] = np.stack([np.interp(speeds, cluster.freq_khz, point) for point in points]) @ (busy.sum() * mix)
    row[0] = 1 - idle
    return np.asarray(row * coefficients.unit_ma * coefficients.voltage_v, np.float64)


def gauge_power_mw(readings: Sequence[Sequence[str]]) -> list[float | None]:
    """Return the mean power of each step from its readings `CURRENT VOLTAGE`, positive for a discharge; None without a reading.

    The kernel's documentation asks for µA and µV, but some drivers give mA or mV, and the sign of a discharge differs. The phone
    must not be charging. Raises `DeviceError` if there are no readings, or if the sign changes between them.
    """
    parsed = [[(int(found[1]), int(found[2])) for text in step if (found := _READING.fullmatch(text))] for step in readings]
    currents = np.array([current for step in parsed for current, _ in step], np.float64)
    moving = currents[currents != 0]
    if not len(moving):
        raise DeviceError("the phone's fuel gauge shows no current", "Use a power meter: --recording and --meter.")
    share = float(np.mean(moving < 0))
    if max(share, 1 - share) < _LEAST_ALIKE:
        raise DeviceError(
            "the sign of the fuel gauge's current changes, so the phone was charging in between", "Unplug it, and try again."
        )
    sign = -1.0 if share > 0.5 else 1.0
    to_ma = sign * (1e-3 if float(np.median(np.abs(moving))) >= _MICRO_FROM else 1.0)
    return [float(np.mean([current * to_ma * _volts(reading) for current, reading in step])) if step else None for step in parsed]


def _volts(reading: int) -> float:
    """Volts of a battery with one cell, whose reading may be in µV, mV or V."""
    return next((reading * scale for least, scale in _VOLTS if reading >= least), 0.0)


@dataclass(frozen=True, slots=True)
class ComponentCurrents:
    """Entries of a profile in mA, for one component. `held_out` is the median error at steps that were left out of the fit."""

    component: str
    entries: dict[str, float]
    steps: int
    held_out: float | None


def screen_currents(uses: Sequence[StepUse], is_own: Callable[[str], bool], voltage_v: float) -> ComponentCurrents | None:
    """Fit the display's rails, or the whole phone's power, to on and brightness. None if there are too few steps."""
    steps = [use for use in uses if use.step.kind == "screen"]
    if len(steps) < _LEAST_STEPS:
        return None
    power = np.array([_power(use, is_own) for use in steps])
    on = np.array([float(use.step.screen_on) for use in steps])
    brightness = np.array([use.step.brightness / _MOST_BRIGHTNESS for use in steps]) * on
    columns = np.column_stack([np.ones(len(steps)), on, brightness])
    _, on_mw, full_mw = non_negative(columns, power).tolist()
    entries = {"screen.on": on_mw / voltage_v, "screen.full": full_mw / voltage_v}
    return ComponentCurrents("screen", entries, len(steps), _held_out(columns, power))


def radio_currents(
    uses: Sequence[StepUse], name: str, entry: str, is_own: Callable[[str], bool], voltage_v: float
) -> ComponentCurrents | None:
    """The current of a radio that is on, over that with all radios off. None if it was never on, or never off."""
    steps = [use for use in uses if use.step.kind == "radios"]
    on = [_power(use, is_own) for use in steps if getattr(use.step, name)]
    off = [_power(use, is_own) for use in steps if not use.step.wifi and not use.step.bluetooth]
    if not on or not off:
        return None
    more_mw = max(float(np.mean(on) - np.mean(off)), 0.0)
    return ComponentCurrents(name, {entry: more_mw / voltage_v}, len(on) + len(off), None)


def _power(use: StepUse, is_own: Callable[[str], bool]) -> float:
    return sum(mw for rail, mw in use.power_mw.items() if rail == "gauge" or is_own(rail))


def _held_out(columns: F64, power: F64) -> float:
    """The median error of the steps with a screen, each predicted by a fit without it."""
    errors = []
    for row in range(1, len(power)):
        others = np.arange(len(power)) != row
        predicted = float(columns[row] @ non_negative(columns[others], power[others]))
        errors.append(abs(predicted / power[row] - 1) if power[row] > 0 else np.inf)
    return float(np.median(errors))
