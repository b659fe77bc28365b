"""The CPU's charge from time in state, as Android computes it, for comparison with Android's figures.

Attribution uses a finer model (navitas/attribute/cpu). Columns of `step_ns` are the operating points of all clusters, first
cluster first; `cluster_ns` has a column for each cluster.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from navitas.power.components.allocation import proportional
from navitas.power.components.charge import F64, I64, Column, charge_c, ratio
from navitas.power.model import CpuPower

AOSP_CLUSTER_WEIGHT = 1e-3


def cpu_times_c(cpu: CpuPower, active_ns: Column, cluster_ns: Column, step_ns: Column) -> F64:
    """Return the charge of each row, from time with any core running, time of each cluster, and core time at operating points.

    Source: AOSP 12 – 15, CpuPowerCalculator.calculateUidModeledPowerMah.
    """
    clusters_c: F64 = charge_c(_cluster_ma(cpu), cluster_ns).sum(axis=1)
    steps_c: F64 = charge_c(_step_ma(cpu), step_ns).sum(axis=1)
    return charge_c(cpu.active_ma, active_ns) + clusters_c + steps_c


@dataclass(frozen=True, slots=True, eq=False)
class ClusterUse:
    """Use of the CPU, a row for each user and interval: CPU time (user and system), and time of each cluster.

    `interval[r]` is the interval of row r.
    """

    interval: I64
    cpu_time_ns: Column
    cluster_ns: Column


def share_cluster_rails(
    cpu: CpuPower, rail_c: Column, device_step_ns: Column, use: ClusterUse, cluster_weight: float = 1.0
) -> F64:
    """Split the charge of clusters' rails, shape (intervals, clusters), among rows by their estimates. Returns a charge per row.

    A row's time at an operating point is its CPU time × the point's share of all clusters' time. `cluster_weight`:
    AOSP_CLUSTER_WEIGHT reproduces Android, which adds a cluster's milliseconds to operating points' microseconds
    (AOSP 12 – 15, BatteryStatsImpl.readKernelUidCpuFreqTimesLocked, CpuPowerCalculator).
    """
    steps = np.asarray(device_step_ns, np.float64)
    shares = ratio(steps, steps.sum(axis=1, keepdims=True))[use.interval]
    step_weight = _step_ma(cpu) * np.asarray(use.cpu_time_ns, np.float64)[:, None] * shares
    user_c = np.zeros(len(use.interval))
    for number, points in enumerate(_points(cpu)):
        weight = cluster_weight * cpu.clusters[number].cluster_ma * np.asarray(use.cluster_ns)[:, number]
        weight = weight + step_weight[:, points].sum(axis=1)
        user_c += proportional(np.asarray(rail_c, np.float64)[:, number], weight, use.interval)
    return user_c


def state_steps_c(cpu: CpuPower, step_ns: Column, cluster_ns: Column, uptime_ns: Column) -> F64:
    """Return the charge of each device state (row) at each operating point (column).

    Over all states, an operating point has its own charge, and by its share of time a share of `cpu.active` (all uptime) and of
    its cluster's charge. States share this by their times at the operating point (AOSP 15 QPR and 16, CpuPowerStatsProcessor).
    """
    steps = np.asarray(step_ns, np.float64)
    point_ns = steps.sum(axis=0)
    total_c = charge_c(_step_ma(cpu), point_ns)
    total_c += charge_c(cpu.active_ma, np.sum(uptime_ns)) * ratio(point_ns, point_ns.sum())
    clusters_c = charge_c(_cluster_ma(cpu), np.sum(cluster_ns, axis=0))
    for number, points in enumerate(_points(cpu)):
        total_c[points] += clusters_c[number] * ratio(point_ns[points], point_ns[points].sum())
    return total_c * ratio(steps, point_ns)


def share_brackets(state_c: Column, step_ns: Column, bracket: I64, user_bracket_ns: Column, state: I64) -> F64:
    """Split the charge of each state among rows by their time in brackets of operating points. `state[r]` is the state of row r.

    `bracket[s]` is the bracket of operating point s. A row gets a bracket's charge by its time ÷ the device's time in the bracket
    (AOSP 15 QPR and 16, CpuPowerStatsProcessor).
    """
    member = np.eye(int(np.max(bracket)) + 1)[bracket]
    bracket_c = np.asarray(state_c, np.float64) @ member
    bracket_ns = np.asarray(step_ns, np.float64) @ member
    rows_c: F64 = (bracket_c[state] * ratio(user_bracket_ns, bracket_ns[state])).sum(axis=1)
    return rows_c


def _step_ma(cpu: CpuPower) -> F64:
    return np.concatenate([cluster.core_ma for cluster in cpu.clusters])


def _cluster_ma(cpu: CpuPower) -> F64:
    return np.array([cluster.cluster_ma for cluster in cpu.clusters])


def _points(cpu: CpuPower) -> list[slice]:
    """Return the columns of each cluster's operating points."""
    ends = np.cumsum([len(cluster.core_ma) for cluster in cpu.clusters]).tolist()
    return [slice(end - len(cluster.core_ma), end) for end, cluster in zip(ends, cpu.clusters, strict=True)]
