"""Readings of special test runs: how long each CPU ran at which frequency, and the power that the phone's meters showed."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from navitas.calibrate.cpu_coefficients import CpuCoefficients
from navitas.calibrate.fit_rows import IntervalSource
from navitas.calibrate.fuel_gauge import gauge_power_mw
from navitas.calibrate.operating_points import LEAST_MW
from navitas.calibrate.regularised_fit import F64
from navitas.errors import DeviceError
from navitas.parse.clock_triples import ClockTriples
from navitas.parse.procstat import parse_cpu_stat
from navitas.parse.rail_readings import parse_rails
from navitas.parse.time_in_state import parse_time_in_state
from navitas.power.measured_step import MeasuredStep, Meter
from navitas.power_statistics import parse_power_statistics

_PART = re.compile(r"^@(\w+)(?:[ \t]+(.*))?\r?$", re.MULTILINE)
_NO_CLOCKS = ClockTriples(*(np.empty(0, np.int64) for _ in range(3)))
_LEAST_S = 0.05
_NS_PER_S = 1e9
_MOSTLY = 0.5


@dataclass(frozen=True, slots=True)
class StepUse:
    """A step's length, the busy seconds of each CPU, and power by meter.

    By policy, with its frequencies: `mix` has their shares of all time, idle time included, and `ran_s` the seconds for which the
    processes of the load ran at each of them, 0 if unknown.
    """

    step: MeasuredStep
    seconds: float
    busy_s: Mapping[int, float]
    mix: Mapping[int, tuple[NDArray[np.int64], F64]]
    ran_s: Mapping[int, F64]
    power_mw: Mapping[str, float]


def read_steps(steps: Sequence[MeasuredStep], meter: Meter) -> list[StepUse]:
    """Read all steps. `power_mw` is by rail, or of the whole phone by `gauge`.

    Steps whose readings are torn are left out. Raises `DeviceError` if all are, or if the gauge's sign changes.
    """
    gauges = gauge_power_mw([_gauge_lines(step.text) for step in steps]) if meter == "gauge" else [None] * len(steps)
    found = [_read(step, gauge) for step, gauge in zip(steps, gauges, strict=True)]
    usable = [each for each in found if each is not None]
    if not usable:
        raise DeviceError("the phone's counters could not be read in any step", "Check with navitas doctor what it can read.")
    return usable


def _gauge_lines(text: str) -> list[str]:
    return [rest for name, rest in _PART.findall(text) if name == "gauge"]


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


def _ran(parts: Mapping[str, list[str]], policy: int, freq_khz: NDArray[np.int64]) -> F64:
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
        row[place + 1 : place + 1 + len(cluster.freq_khz)] = _on_points(cluster.freq_khz, speeds, busy.sum() * mix)
    row[0] = 1 - idle
    return np.asarray(row * coefficients.unit_ma * coefficients.voltage_v, np.float64)


def _on_points(points: NDArray[np.int64], speeds: NDArray[np.int64], time: F64) -> F64:
    """Time at the profile's operating points. That at a frequency between two of them is divided."""
    columns = [np.interp(speeds, points, np.eye(len(points))[place]) for place in range(len(points))]
    return np.asarray(np.stack(columns) @ time, np.float64)
