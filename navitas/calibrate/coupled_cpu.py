"""Power of a CPU whose clusters share voltage: from frequencies and idle states to mW, as Perfetto's Wattson computes it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from navitas.calibrate.operating_points import Dependency
from navitas.calibrate.regularised_fit import F64
from navitas.calibrate.wattson_curves import DSU, CurveRow, WattsonCurves

I64 = NDArray[np.int64]
RUNNING, SHALLOW, DEEP, OFFLINE, UNKNOWN = -1, 0, 1, 2, 3
"""States of a CPU. `UNKNOWN`: it had no idle event yet; it has no power of its own and counts as deep idle."""
_NJ_PER_NS_TO_MW = 1000.0
_NO_ROW = CurveRow(np.nan, np.nan, np.nan, np.nan, np.nan)


@dataclass(frozen=True, slots=True)
class CpuIntervals:
    """Intervals in which no CPU changes frequency or state: a row for each interval, a column for each CPU.

    `dsu_khz`, `l3_hits` and `l3_misses` are by interval. While `suspended`, nothing uses power.
    """

    duration_ns: I64
    freq_khz: I64
    state: I64
    dsu_khz: I64
    l3_hits: F64
    l3_misses: F64
    suspended: NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class CoupledPower:
    """mW of each CPU (NaN: no value), and of what CPUs share: static power, L3 and interconnect (Wattson: `dsu_scu_mw`).

    `total_mw` is their sum: NaN if a CPU that is running or in shallow idle has no value. Others without a value count as 0.
    """

    cpu_mw: F64
    shared_mw: F64
    total_mw: F64


def policy_of(cpu: int, curves: WattsonCurves) -> int:
    """Return the policy of a CPU: policies have the number of their first CPU."""
    return max((policy for policy in curves.policies if policy <= cpu), default=curves.policies[0])


def coupled_power(curves: WattsonCurves, intervals: CpuIntervals) -> CoupledPower:
    """Compute the power of each interval (steps 1 to 5 of Wattson's model, see docs/calibrating.md).

    An unknown frequency gives NaN, also that of a running CPU which could select the second frequency: there is no interpolation.
    """
    count, cpus = intervals.freq_khz.shape
    policies = [policy_of(cpu, curves) for cpu in range(cpus)]
    states = intervals.state
    chosen = [_rows(curves, cpu, policy, intervals, policies) for cpu, policy in enumerate(policies)]
    cpu_mw = np.stack([_own_mw(rows, states[:, cpu]) for cpu, rows in enumerate(chosen)], axis=1)
    shared = np.zeros(count)
    for policy in curves.policies:
        own = [cpu for cpu in range(cpus) if policies[cpu] == policy]
        if own:
            awake = np.isin(states[:, own], (RUNNING, SHALLOW)).any(axis=1)
            shared += np.where(awake, _column(chosen[own[0]], "static"), 0.0)
    if curves.cpu_2d:
        shared += _system_mw(curves, chosen[0], policies, intervals)
    asleep = intervals.suspended
    cpu_mw, shared = np.where(asleep[:, None], 0.0, cpu_mw), np.where(asleep, 0.0, shared)
    counted = np.where(np.isnan(cpu_mw) & ~np.isin(states, (RUNNING, SHALLOW)), 0.0, cpu_mw)
    return CoupledPower(cpu_mw, shared, np.asarray(counted.sum(axis=1) + shared, np.float64))


def _rows(
    curves: WattsonCurves, cpu: int, policy: int, intervals: CpuIntervals, policies: list[int]
) -> tuple[list[CurveRow], list[Dependency | None]]:
    """The row of the curves that counts for a CPU in each interval, and the second frequency that selected it."""
    khz = intervals.freq_khz[:, cpu].tolist()
    dependencies = _dependencies(curves, policy)
    if not dependencies:
        return [curves.cpu_1d.get((policy, each), _NO_ROW) for each in khz], [None] * len(khz)
    if any(each.policy == DSU for each in dependencies):
        selected: list[Dependency | None] = [Dependency(DSU, each) for each in intervals.dsu_khz.tolist()]
    else:
        selected = _voted(curves, intervals, policies, dependencies)
    rows = [
        _NO_ROW if second is None else curves.cpu_2d.get((policy, own, second), _NO_ROW)
        for own, second in zip(khz, selected, strict=True)
    ]
    return rows, selected


def _dependencies(curves: WattsonCurves, policy: int) -> set[Dependency]:
    return {key[2] for key in curves.cpu_2d if key[0] == policy}


def _voted(
    curves: WattsonCurves, intervals: CpuIntervals, policies: list[int], dependencies: set[Dependency]
) -> list[Dependency | None]:
    """The policy and frequency of the running CPU with the most power, among the policies that others depend on.

    Of CPUs with the same power, the first one counts. None if a running one has no value: it could be the one.
    """
    voters = [cpu for cpu, policy in enumerate(policies) if policy in {each.policy for each in dependencies}]
    lowest = min(dependencies, key=lambda each: (each.freq_khz, each.policy))
    if not voters:
        return [lowest] * len(intervals.freq_khz)
    power = np.stack(
        [_vote(curves, policies[cpu], intervals.freq_khz[:, cpu], intervals.state[:, cpu]) for cpu in voters], axis=1
    )
    found: list[Dependency | None] = []
    for row, votes in enumerate(power):
        best = int(np.argmax(votes))  # NaN counts as the largest
        if np.isnan(votes[best]):
            found.append(None)
        elif votes[best] < 0:
            found.append(lowest)
        else:
            cpu = voters[best]
            found.append(Dependency(policies[cpu], int(intervals.freq_khz[row, cpu])))
    return found


def _vote(curves: WattsonCurves, policy: int, khz: I64, state: I64) -> F64:
    """The power of a running CPU by the curve of its own frequency: NaN if it has none; -inf if the CPU is not running."""
    mw = np.array([curves.cpu_1d.get((policy, each), _NO_ROW).active for each in khz.tolist()], np.float64)
    return np.where(state == RUNNING, mw, -np.inf)


def _column(rows: tuple[list[CurveRow], list[Dependency | None]], name: str) -> F64:
    return np.array([getattr(row, name) for row in rows[0]], np.float64)


def _own_mw(rows: tuple[list[CurveRow], list[Dependency | None]], state: I64) -> F64:
    by_state: Mapping[int, str] = {RUNNING: "active", SHALLOW: "idle0", DEEP: "idle1"}
    mw = np.full(len(state), np.nan)
    for value, name in by_state.items():
        mw = np.where(state == value, _column(rows, name), mw)
    return np.where(state == OFFLINE, 0.0, mw)


def _system_mw(
    curves: WattsonCurves,
    first: tuple[list[CurveRow], list[Dependency | None]],
    policies: list[int],
    intervals: CpuIntervals,
) -> F64:
    """The interconnect and the L3, by the row of CPU 0."""
    interconnect = np.array([row.interconnect for row in first[0]])
    if not curves.l3:
        return interconnect
    keys = zip(intervals.freq_khz[:, 0].tolist(), first[1], strict=True)
    found = [curves.l3.get((khz, dependency)) if dependency is not None else None for khz, dependency in keys]
    hit = np.array([np.nan if row is None else row.l3_hit for row in found])
    miss = np.array([np.nan if row is None else row.l3_miss for row in found])
    counted = (intervals.l3_hits > 0) | (intervals.l3_misses > 0)
    nj = np.where(counted, intervals.l3_hits * hit + intervals.l3_misses * miss, 0.0)
    return np.asarray(interconnect + nj * _NJ_PER_NS_TO_MW / np.maximum(intervals.duration_ns, 1), np.float64)
