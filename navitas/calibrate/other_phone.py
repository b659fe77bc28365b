"""Make a start for a phone that has no profile of its own, from another phone's profile and the measured points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate

import numpy as np

from navitas.calibrate.operating_points import PointSource, cluster_of
from navitas.cpu_limit import MAX_CPUS
from navitas.errors import UsageError
from navitas.power.model import ClusterPower, CpuPower


def start_for(cpu: CpuPower, cores: Sequence[int], sources: Sequence[PointSource]) -> CpuPower:
    """Return a CPU with clusters of these sizes, and with the frequencies of the points as its speeds.

    Currents are those of the profile's clusters: the fastest cluster's for the fastest cluster, and so on, at equal frequency.
    Raises `UsageError` if a cluster has no points, or a point no cluster.
    """
    if sum(cores) > MAX_CPUS:
        raise UsageError(f"--cores: more than {MAX_CPUS} cores", "Give the cores of each cluster, such as 4,3,1.")
    ends = list(accumulate(cores))
    cpus = [tuple(range(end - count, end)) for end, count in zip(ends, cores, strict=True)]
    speeds: list[set[int]] = [set() for _ in cores]
    for source in sources:
        for point in source.points:
            number = cluster_of(point.cpu, cpus)
            if number is None:
                raise UsageError(
                    f"{source.name}: has points of CPU {point.cpu}, but --cores names {ends[-1]} CPUs",
                    "Give the cores of each cluster, such as 4,3,1.",
                )
            speeds[number].add(point.freq_khz)
    if empty := [number for number, found in enumerate(speeds) if not found]:
        raise UsageError(f"no points of cluster {empty[0]}, whose speeds are unknown", "Measure all clusters of the phone.")
    clusters = []
    for number, own in enumerate(cpus):
        like = cpu.clusters[max(len(cpu.clusters) - len(cores) + number, 0)]
        khz = np.array(sorted(speeds[number]), np.int64)
        clusters.append(ClusterPower(own, khz, like.core_ma_at(khz), like.cluster_ma))
    return replace(cpu, clusters=tuple(clusters))
