"""Formula (1) of paper 1: every core is charged for all time that its policy spent at a frequency, idle or not."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from navitas.attribute.cpu.frequency import Cluster
from navitas.attribute.curves import EMPTY_CURVE, Curve
from navitas.power.model import PowerModel


def paper1_curve(clusters: Sequence[Cluster], model: PowerModel) -> Curve:
    """W(t) = Σ cores Σ frequencies time_in_state × C, with C = `cpu.core_power` × voltage; joules since the first sample.

    A method's energy is W(exit) − W(enter), regardless of other threads (Navitas Framework, section IV.C).
    """
    tables = [(cluster, cluster.residency) for cluster in clusters if cluster.residency is not None]
    if not tables:
        return EMPTY_CURVE
    grid = np.unique(np.concatenate([table.t_ns for _, table in tables]))
    joules = np.zeros(len(grid))
    for cluster, table in tables:
        t_ns, last = np.unique(table.t_ns[::-1], return_index=True)
        spent = (table.ns - table.ns[0])[::-1][last]
        milliamp_ns = spent @ cluster.power.core_ma_at(table.freq_khz)
        per_core = Curve(t_ns, np.maximum.accumulate(milliamp_ns)).at(grid)
        joules += len(cluster.cpus) * per_core * model.voltage_v / 1e12
    return Curve(grid, joules)
