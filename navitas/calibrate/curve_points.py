"""Wattson's curves as measured points, and calibrated figures as Wattson's curves."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from navitas.calibrate.coupled_fit import Cell, Surface
from navitas.calibrate.operating_points import LEAST_MW, Dependency, OperatingPoint, PointSource
from navitas.calibrate.wattson_curves import Coupled, CurveRow, GpuRow, L3Row, WattsonCurves
from navitas.power.model import CpuPower


def points_of(curves: WattsonCurves, name: str) -> PointSource:
    """Return the power of one running CPU, with all other CPUs in deep idle, at each frequency or pair of frequencies."""
    points = [OperatingPoint(policy, khz, row.active + row.static) for (policy, khz), row in curves.cpu_1d.items()]
    for (policy, khz, dependency), row in curves.cpu_2d.items():
        points.append(OperatingPoint(policy, khz, row.active + row.static + row.interconnect, 1, dependency))
    return PointSource(name, tuple(point for point in points if point.power_mw >= LEAST_MW))


def uncoupled(source: PointSource) -> PointSource:
    """Return the source with one second frequency for each own one, the lowest: as if nothing else ran."""
    lowest: dict[tuple[int, int, int], Dependency] = {}
    for point in source.points:
        if point.dependency is not None:
            key = point.cpu, point.freq_khz, point.cores
            lowest[key] = min(lowest.get(key, point.dependency), point.dependency, key=_by_frequency)
    kept = (
        replace(point, dependency=None)
        for point in source.points
        if point.dependency in (None, lowest.get((point.cpu, point.freq_khz, point.cores)))
    )
    return PointSource(source.name, tuple(kept))


def _by_frequency(dependency: Dependency) -> tuple[int, int]:
    return dependency.freq_khz, dependency.policy


def curves_of(
    device: str, cpu: CpuPower, voltage_v: float, surfaces: Sequence[Surface], known: Iterable[WattsonCurves] = ()
) -> WattsonCurves:
    """Return calibrated figures as curves: 2-D for policies with a surface, which is in its better form, else 1-D.

    Static and idle figures, the L3 and the GPU are those of `known` curves. Without them, `static` is the power of the cluster,
    and idle figures are 0. The power of any running core is paid once, so only the `static` of the first policy has it.
    """
    idle_1d: dict[tuple[int, int], CurveRow] = {}
    idle_2d: dict[Coupled, CurveRow] = {}
    l3: dict[tuple[int, Dependency], L3Row] = {}
    gpu: dict[int, GpuRow] = {}
    for each in known:
        idle_1d |= each.cpu_1d
        idle_2d |= each.cpu_2d
        l3 |= each.l3
        gpu |= each.gpu
    coupled: dict[Coupled, CurveRow] = {}
    single: dict[tuple[int, int], CurveRow] = {}
    tables: Mapping[int, Mapping[Cell, float]] = {each.policy: each.mw for each in surfaces}
    for cluster in cpu.clusters:
        policy, any_core = cluster.cpus[0], cpu.active_ma * voltage_v
        is_first = policy == cpu.clusters[0].cpus[0]
        static, elsewhere = cluster.cluster_ma * voltage_v + any_core * is_first, any_core * (not is_first)
        total = cluster.cluster_ma * voltage_v + any_core
        for (khz, dependency), mw in tables.get(policy, {}).items():
            coupled[policy, khz, dependency] = _row(idle_2d.get((policy, khz, dependency)), mw, static, elsewhere)
        if policy not in tables:
            for khz, core_ma in zip(cluster.freq_khz.tolist(), cluster.core_ma.tolist(), strict=True):
                single[policy, khz] = _row(idle_1d.get((policy, khz)), core_ma * voltage_v + total, static, elsewhere)
    return WattsonCurves(device, single, coupled, l3, gpu)


def _row(known: CurveRow | None, mw: float, static: float, elsewhere: float) -> CurveRow:
    """The row of one running CPU with this power in total. Its static power is known.

    If not, it is that of the profile, and another row has the part of the total that is paid `elsewhere`.
    """
    if known is None:
        mw = max(mw - elsewhere, 0.0)
    row = known or CurveRow(min(static, mw), 0.0, 0.0, 0.0)
    return replace(row, static=_rounded(row.static), active=_rounded(max(mw - row.static - row.interconnect, 0.0)))


def _rounded(mw: float) -> float:
    return round(mw, 4)
