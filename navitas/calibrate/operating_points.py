"""Measured operating points: the power of busy cores of one cluster at one frequency."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from navitas.errors import UsageError
from navitas.power.model import CpuPower

LEAST_MW = 1e-3
"""Smaller powers are no measurements."""
LEAST_POINTS = 5
"""The fewest points, and different frequencies, that are fitted: with fewer, nothing is left to check the fit."""
_SAME_SPEED = 0.01
"""Speeds that differ by less are the same operating point: profiles round them."""
_LEAST_KNOWN = 0.5


class Dependency(NamedTuple):
    """The second frequency that a power depends on: that of the policy (kHz), or of the shared unit with the L3 (255)."""

    policy: int
    freq_khz: int


@dataclass(frozen=True, slots=True)
class OperatingPoint:
    """`cores` cores of the cluster of `cpu` were busy at `freq_khz`, and the phone used `power_mw` more than when it was idle.

    `line` is that of the file, for messages.
    """

    cpu: int
    freq_khz: int
    power_mw: float
    cores: int = 1
    dependency: Dependency | None = None
    line: int | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class PointSource:
    """The points of one file or measurement. `name` is shown in reports."""

    name: str
    points: tuple[OperatingPoint, ...]


def cluster_of(cpu: int, cpus: Sequence[Sequence[int]]) -> int | None:
    """Return the number of the cluster that has a CPU; None if there is none."""
    return next((number for number, each in enumerate(cpus) if cpu in each), None)


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
    return PointSource(source.name, kept), len(source.points) - len(kept)


def check_points(source: PointSource, cpu: CpuPower) -> None:
    """Raise `UsageError` if there are too few points, or if they are of a phone with other clusters or speeds."""
    name, points = source.name, source.points
    if len(points) < LEAST_POINTS:
        raise UsageError(
            f"{name}: has {_points(len(points))}, but a calibration needs {LEAST_POINTS}", "Measure more frequencies."
        )
    clusters = [cluster.cpus for cluster in cpu.clusters]
    for label in sorted({point.cpu for point in points}):
        own = cluster_of(label, clusters)
        if own is None:
            raise _another_phone(name, f"has points of CPU {label}, but the profile has {sum(map(len, clusters))} CPUs")
        size = len(clusters[own])
        if more := [point for point in points if point.cpu == label and point.cores > size]:
            where = f"{name}: line {more[0].line}" if more[0].line is not None else name
            raise UsageError(f"{where}: {more[0].cores} busy cores, but cluster {own} has {size}", "Correct the line.")
        speeds = cpu.clusters[own].freq_khz
        found = {point.freq_khz for point in points if point.cpu == label}
        known = [khz for khz in found if (abs(speeds - khz) <= _SAME_SPEED * khz).any()]
        if len(known) < _LEAST_KNOWN * len(found):
            raise _another_phone(
                name, f"only {len(known)} of {len(found)} frequencies of CPU {label} are speeds of the profile's cluster {own}"
            )
    kept, _ = within_speeds(source, cpu)
    distinct = set(measured_at(kept.points, clusters))
    if len(distinct) < LEAST_POINTS:
        count = f"{len(distinct)} different frequenc{'y' if len(distinct) == 1 else 'ies'}"
        raise UsageError(
            f"{name}: has points at {count} of the profile's, but a calibration needs {LEAST_POINTS}", "Measure more frequencies."
        )


def _another_phone(name: str, why: str) -> UsageError:
    return UsageError(
        f"{name}: the points are of another phone than the profile: {why}",
        "Give the profile of the measured phone (navitas power extract), or name its clusters with --cores.",
    )


def _points(count: int) -> str:
    return f"{count} point{'' if count == 1 else 's'}"
