"""The CPU's figures of a power profile as a vector of coefficients, which a fit can change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from navitas.base.errors import UsageError
from navitas.insight.calibrate.operating_points import OperatingPoint, cluster_of
from navitas.power.model import ClusterPower, CpuPower
from navitas.recording.parse.arrays import F64, Bool

_MOST_SPEEDS = 200
_SCALE_OF_ZERO = 0.1
"""The unit of a figure that the profile lacks, relative to the lowest current of a core."""


@dataclass(frozen=True, slots=True)
class CpuCoefficients:
    """Currents in mA: `cpu.active`, then for each cluster its own and those of a core by ascending frequency.

    `unit_ma` is the current at a scale of 1: the profile's, or a small one where the profile has none. `target` is 1, or 0 where
    the profile has none. `voltage_v` converts mA to mW.
    """

    cpu: CpuPower
    voltage_v: float
    unit_ma: F64
    target: F64

    @classmethod
    def of(cls, cpu: CpuPower, voltage_v: float) -> CpuCoefficients:
        """The coefficients of a profile. Raises `UsageError` if a cluster has more than 200 speeds."""
        for number, cluster in enumerate(cpu.clusters):
            if len(cluster.freq_khz) > _MOST_SPEEDS:
                raise UsageError(
                    f"cluster {number} has {len(cluster.freq_khz):,} speeds, and a calibration takes {_MOST_SPEEDS}",
                    "Give the speeds of one phone.",
                )
        start_ma = np.concatenate([[cpu.active_ma], *(np.append(each.cluster_ma, each.core_ma) for each in cpu.clusters)])
        lowest = min(float(each.core_ma[each.core_ma > 0].min(initial=np.inf)) for each in cpu.clusters)
        small = _SCALE_OF_ZERO * (lowest if np.isfinite(lowest) else 1.0)
        return cls(cpu, voltage_v, np.where(start_ma > 0, start_ma, small), (start_ma > 0).astype(np.float64))

    @property
    def firsts(self) -> list[int]:
        """The place of each cluster's own current. Those of its cores follow."""
        sizes = [1 + len(cluster.freq_khz) for cluster in self.cpu.clusters]
        return [1 + sum(sizes[:number]) for number in range(len(sizes))]

    @property
    def pull(self) -> F64:
        """How strongly a fit holds each coefficient near the profile.

        The currents of a cluster's cores are usually wrong by about the same factor. So all of them together are held as strongly
        as one other coefficient.
        """
        found = np.ones(len(self.unit_ma))
        for place, cluster in zip(self.firsts, self.cpu.clusters, strict=True):
            count = len(cluster.freq_khz)
            found[place + 1 : place + 1 + count] = count**-0.5
        return found

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all coefficients, as in reports."""
        found = ["any core"]
        for number, cluster in enumerate(self.cpu.clusters):
            found += [
                f"cluster {number} (shared)",
                *(f"cluster {number} at {khz / 1000:g} MHz" for khz in cluster.freq_khz.tolist()),
            ]
        return tuple(found)

    def links(self, prior: Sequence[float], measured: Bool) -> F64:
        """What a fit without measurements makes 0, as rows: it gives currents that were not measured, by those next to them.

        `prior` is the weight of the profile's curve in each cluster. In gaps between measured operating points, currents follow
        this curve (1), a straight line (0), or a curve between these. Beyond them, the line goes on as far as the last two are
        apart. Measured ones next to each other follow the profile's curve: it divides their power between cluster and core.
        """
        rows = [np.zeros((0, len(self.unit_ma)))]
        for place, cluster, weight in zip(self.firsts, self.cpu.clusters, prior, strict=True):
            own = slice(place + 1, place + 1 + len(cluster.freq_khz))
            rows.append(np.zeros((len(cluster.freq_khz), len(self.unit_ma))))
            rows[-1][:, own] = _links(
                cluster.freq_khz.astype(np.float64), self.unit_ma[own], weight, np.flatnonzero(measured[own])
            )
        return np.concatenate(rows)

    def use_of(self, points: Sequence[OperatingPoint]) -> F64:
        """mW of each point from each coefficient alone, at a scale of 1. Between operating points, power changes linearly."""
        found = np.zeros((len(points), len(self.unit_ma)))
        clusters = [cluster.cpus for cluster in self.cpu.clusters]
        for row, point in enumerate(points):
            number = cluster_of(point.cpu, clusters)
            if number is None:
                raise ValueError(f"no cluster has CPU {point.cpu}")
            place, speeds = self.firsts[number], self.cpu.clusters[number].freq_khz
            right = int(np.clip(np.searchsorted(speeds, point.freq_khz), 0, len(speeds) - 1))
            left = max(right - 1, 0) if point.freq_khz < speeds[right] else right
            share = 0.0 if left == right else (speeds[right] - point.freq_khz) / (speeds[right] - speeds[left])
            found[row, 0] = found[row, place] = 1.0
            found[row, place + 1 + right] += (1 - share) * point.cores
            found[row, place + 1 + left] += share * point.cores
        return np.asarray(found * self.unit_ma * self.voltage_v, np.float64)

    def scaled(self, scales: F64) -> CpuPower:
        """The profile with coefficients of these scales."""
        milliamps = scales * self.unit_ma
        clusters: list[ClusterPower] = []
        for place, cluster in zip(self.firsts, self.cpu.clusters, strict=True):
            core_ma = milliamps[place + 1 : place + 1 + len(cluster.freq_khz)]
            clusters.append(replace(cluster, cluster_ma=float(milliamps[place]), core_ma=core_ma))
        return replace(self.cpu, active_ma=float(milliamps[0]), clusters=tuple(clusters))


def _links(khz: F64, curve: F64, prior: float, measured: NDArray[np.intp]) -> F64:
    """The links of one cluster, whose profile has this curve. Each is weighted by the distance of its operating points."""
    rows = np.zeros((len(khz), len(khz)))
    bent = (curve / np.exp(np.log(curve).mean())) ** (1 - prior)
    first, last = (measured[0], measured[-1]) if len(measured) else (0, 0)
    inside = set(measured.tolist())
    for place in range(len(khz)):
        if place == last:
            continue
        if first <= place < last:
            near = place + 1
            is_gap = not {place, near} <= inside
            rows[place, [place, near]] = (bent[place], -bent[near]) if is_gap else (1.0, -1.0)
        else:
            near, following = (first, measured[1:2]) if place < first else (last, measured[-2:-1])
            rows[place, [place, near]] = 1.0, -1.0
            for other in following:
                steps = (khz[place] - khz[near]) / (khz[near] - khz[other])
                line = (1 - prior) / max(steps, 1.0)
                rows[place, near] += line * (1 - (1 + steps) * curve[near] / curve[place])
                rows[place, other] += line * steps * curve[other] / curve[place]
        rows[place] *= (khz.mean() / abs(khz[place] - khz[near])) ** 0.5
    return rows
