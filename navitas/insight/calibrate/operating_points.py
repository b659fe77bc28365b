"""Measured operating points: the power of busy cores of one cluster at one frequency."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, pairwise

import numpy as np

from navitas.base.errors import UsageError
from navitas.base.units import counted
from navitas.power.model import CpuPower

LEAST_MW = 1e-3
"""Smaller powers are no measurements."""
LEAST_POINTS = 5
"""The fewest points, and different frequencies, that are fitted: with fewer, nothing is left to check the fit."""
_SAME_SPEED = 0.01
"""Speeds that differ by less are the same operating point: profiles round them."""
_LEAST_KNOWN = 0.5
"""The least share of frequencies that are known or in a common range if they are of the same cluster."""
_OTHER_POWER, _OTHER_HIGHEST = 0.2, 0.12
"""Logarithms of ratios by which powers (their median) and highest frequencies of two CPUs of one cluster do not differ.

Halves of the points of one measured cluster differ by up to 0.12 in power and 0.09 in the highest frequency, if each has points
of the whole range. Two clusters of one chip differ by more than 0.2 or 0.15.
"""
ONE_CPU = "If the clusters are right, use one CPU's number for each of them in the points."


@dataclass(frozen=True, slots=True)
class OperatingPoint:
    """`cores` cores of the cluster of `cpu` were busy at `freq_khz`, and the phone used `power_mw` more than when it was idle.

    `line` is that of the file, for messages.
    """

    cpu: int
    freq_khz: int
    power_mw: float
    cores: int = 1
    line: int | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class PointSource:
    """The points of one file or measurement. `name` is shown in reports.

    `names_policies`: the CPUs are those that policies are named by, the first ones. Otherwise, they can be any of a cluster.
    `soc` is the known system on a chip that the source names.
    """

    name: str
    points: tuple[OperatingPoint, ...]
    names_policies: bool = False
    soc: str | None = None


def clusters_of(cores: Sequence[int]) -> list[tuple[int, ...]]:
    """Return the CPUs of each cluster by the number of its cores."""
    ends = list(accumulate(cores))
    return [tuple(range(end - count, end)) for end, count in zip(ends, cores, strict=True)]


def cluster_of(cpu: int, cpus: Sequence[Sequence[int]]) -> int | None:
    """Return the number of the cluster that has a CPU; None if there is none."""
    return next((number for number, each in enumerate(cpus) if cpu in each), None)


def contradiction(source: PointSource, cpus: Sequence[Sequence[int]], owner: str) -> str | None:
    """Return how the points contradict these clusters, which are those of `owner`; None if they do not."""
    labels, firsts = sorted({point.cpu for point in source.points}), [own[0] for own in cpus]
    for label in labels:
        if cluster_of(label, cpus) is None:
            return f"has points of CPU {label}, but {owner} has {sum(map(len, cpus))} CPUs"
    if source.names_policies:
        if not set(labels) <= set(firsts):
            return f"has policies {_numbers(labels)}, but the clusters of {owner} begin at CPUs {_numbers(firsts)}"
        return None
    for one, two in pairwise(labels):
        number = cluster_of(one, cpus)
        if number == cluster_of(two, cpus) and (what := _difference(source.points, one, two)):
            return f"has different {what} of CPUs {one} and {two}, but both are in cluster {number} of {owner}"
    return None


def _difference(points: Sequence[OperatingPoint], one: int, two: int) -> str | None:
    """What two CPUs of one cluster would not differ in. They can have been measured at different frequencies of it."""
    for cores in {point.cores for point in points}:
        curves = [
            np.array(sorted((point.freq_khz, point.power_mw) for point in points if (point.cpu, point.cores) == (cpu, cores)))
            for cpu in (one, two)
        ]
        if not all(map(len, curves)):
            continue
        (khz, power_mw), (other_khz, other_mw) = (curve.T for curve in curves)
        low = max(khz[0], other_khz[0]) * (1 - _SAME_SPEED)
        high = min(khz[-1], other_khz[-1]) * (1 + _SAME_SPEED)
        shared, of_other = (low <= khz) & (khz <= high), (low <= other_khz) & (other_khz <= high)
        ratios = np.interp(other_khz[of_other], khz, power_mw) / other_mw[of_other]
        if len(ratios) and np.median(np.abs(np.log(ratios))) > _OTHER_POWER:
            return "powers at the same frequencies"
        is_same_range = shared.mean() >= _LEAST_KNOWN and of_other.mean() >= _LEAST_KNOWN
        if is_same_range and abs(np.log(khz[-1] / other_khz[-1])) > _OTHER_HIGHEST:
            return "highest frequencies"
    return None


def _numbers(values: Iterable[int]) -> str:
    return ", ".join(map(str, values))


def measured_at(points: Sequence[OperatingPoint], cpus: Sequence[Sequence[int]]) -> list[tuple[int, int]]:
    """Return each point's cluster, and the lowest measured frequency (kHz) of the same operating point: within 1 %."""
    clusters = [cluster_of(point.cpu, cpus) or 0 for point in points]
    lowest: dict[tuple[int, int], int] = {}
    first = (-1, 0)
    for number, khz in sorted(set(zip(clusters, (point.freq_khz for point in points), strict=True))):
        if number != first[0] or khz > first[1] * (1 + _SAME_SPEED):
            first = number, khz
        lowest[number, khz] = first[1]
    return [(number, lowest[number, point.freq_khz]) for number, point in zip(clusters, points, strict=True)]


def within_speeds(source: PointSource, cpu: CpuPower) -> tuple[PointSource, int]:
    """Return the points between the lowest and the highest speed of their cluster (within 1 %), and how many are not."""
    clusters = [cluster.cpus for cluster in cpu.clusters]

    def is_within(point: OperatingPoint) -> bool:
        number = cluster_of(point.cpu, clusters)
        if number is None:
            return False
        speeds = cpu.clusters[number].freq_khz
        return bool(speeds[0] * (1 - _SAME_SPEED) <= point.freq_khz <= speeds[-1] * (1 + _SAME_SPEED))

    kept = tuple(filter(is_within, source.points))
    return replace(source, points=kept), len(source.points) - len(kept)


def another_phone(source: PointSource, cpu: CpuPower) -> str | None:
    """Return why the points are of a phone with other clusters or speeds than the profile's; None if they can be of its phone."""
    clusters = [cluster.cpus for cluster in cpu.clusters]
    if why := contradiction(source, clusters, "the profile"):
        return why
    for number, cluster in enumerate(cpu.clusters):
        found = {point.freq_khz for point in source.points if point.cpu in cluster.cpus}
        known = [khz for khz in found if (abs(cluster.freq_khz - khz) <= _SAME_SPEED * khz).any()]
        if len(known) < _LEAST_KNOWN * len(found):
            return f"only {len(known)} of {len(found)} frequencies of cluster {number} are speeds of the profile"
    return None


def check_points(source: PointSource, cpu: CpuPower) -> None:
    """Raise `UsageError` if there are too few points, or if they are of a phone with other clusters or speeds."""
    name, points = source.name, source.points
    if len(points) < LEAST_POINTS:
        raise UsageError(
            f"{name}: has {counted(len(points), 'point')}, but a calibration needs {LEAST_POINTS}", "Measure more frequencies."
        )
    if why := another_phone(source, cpu):
        raise UsageError(
            f"{name}: the points are of another phone than the profile: {why}",
            f"Give the profile of the measured phone (navitas power extract), or name its clusters with --cores. {ONE_CPU}",
        )
    clusters = [cluster.cpus for cluster in cpu.clusters]
    for point in points:
        own = cluster_of(point.cpu, clusters) or 0
        if point.cores > (size := len(clusters[own])):
            where = f"{name}: line {point.line}" if point.line is not None else name
            raise UsageError(f"{where}: {point.cores} busy cores, but cluster {own} has {size}", "Correct the line.")
    kept, _ = within_speeds(source, cpu)
    distinct = set(measured_at(kept.points, clusters))
    if len(distinct) < LEAST_POINTS:
        count = counted(len(distinct), "different frequency", "different frequencies")
        raise UsageError(
            f"{name}: has points at {count} of the profile's, but a calibration needs {LEAST_POINTS}", "Measure more frequencies."
        )
