"""Measured operating points: the power of busy cores of one cluster at one frequency."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from navitas.errors import UsageError
from navitas.power.model import CpuPower

LEAST_POINTS = 5
"""The fewest points that are fitted: with fewer, nothing is left to check the fit."""
_SAME_SPEED = 0.01
"""Speeds that differ by less are the same operating point: profiles round them."""
_LEAST_KNOWN = 0.5


class Dependency(NamedTuple):
    """The second frequency that a power depends on: that of the policy (kHz), or of the shared unit with the L3 (255)."""

    policy: int
    freq_khz: int


@dataclass(frozen=True, slots=True)
class OperatingPoint:
    """`cores` cores of the cluster of `cpu` were busy at `freq_khz`, and the phone used `power_mw` more than when it was idle."""

    cpu: int
    freq_khz: int
    power_mw: float
    cores: int = 1
    dependency: Dependency | None = None


@dataclass(frozen=True, slots=True)
class PointSource:
    """The points of one file or measurement. `name` is shown in reports."""

    name: str
    points: tuple[OperatingPoint, ...]


def cluster_of(cpu: int, cpus: Sequence[Sequence[int]]) -> int | None:
    """Return the number of the cluster that has a CPU; None if there is none."""
    return next((number for number, each in enumerate(cpus) if cpu in each), None)


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
        speeds = cpu.clusters[own].freq_khz
        found = {point.freq_khz for point in points if point.cpu == label}
        known = [khz for khz in found if (abs(speeds - khz) <= _SAME_SPEED * khz).any()]
        if len(known) < _LEAST_KNOWN * len(found):
            raise _another_phone(
                name, f"only {len(known)} of {len(found)} frequencies of CPU {label} are speeds of the profile's cluster {own}"
            )


def _another_phone(name: str, why: str) -> UsageError:
    return UsageError(
        f"{name}: the points are of another phone than the profile: {why}",
        "Give the profile of the measured phone (navitas power extract), or name its clusters with --cores.",
    )


def _points(count: int) -> str:
    return f"{count} point{'' if count == 1 else 's'}"
