"""Make a start for a phone that has no profile of its own, from another phone's profile and the measured points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from navitas.calibrate.operating_points import ONE_CPU, PointSource, clusters_of, contradiction
from navitas.cpu_limit import MAX_CPUS
from navitas.errors import UsageError
from navitas.power.model import ClusterPower, CpuPower

_REMEDY = (
    f"Give the cores of each cluster of the measured phone, such as 4,3,1. A policy has the number of its first CPU. {ONE_CPU}"
)


def start_for(cpu: CpuPower, cores: Sequence[int], sources: Sequence[PointSource]) -> CpuPower:
    """Return a CPU with clusters of these sizes, and with the frequencies of the points as its speeds.

    Currents are those of the profile's clusters: the fastest cluster's for the fastest cluster, and so on, at equal frequency.
    Raises `UsageError` if the points contradict the clusters, or if a cluster has none.
    """
    if sum(cores) > MAX_CPUS:
        raise UsageError(f"--cores: more than {MAX_CPUS} cores", "Give the cores of each cluster, such as 4,3,1.")
    owner, cpus = f"--cores {','.join(map(str, cores))}", clusters_of(cores)
    for source in sources:
        if why := contradiction(source, cpus, owner):
            raise UsageError(f"{source.name}: {why}", _REMEDY)
    clusters = []
    for number, own in enumerate(cpus):
        speeds = {point.freq_khz for source in sources for point in source.points if point.cpu in own}
        if not speeds:
            named = sorted({point.cpu for source in sources for point in source.points})
            points = f"the points are of CPUs {', '.join(map(str, named))}"
            raise UsageError(f"{owner}: no points of cluster {number} (CPUs {own[0]} to {own[-1]}): {points}", _REMEDY)
        like = cpu.clusters[max(len(cpu.clusters) - len(cores) + number, 0)]
        khz = np.array(sorted(speeds), np.int64)
        clusters.append(ClusterPower(own, khz, like.core_ma_at(khz), like.cluster_ma))
    return replace(cpu, clusters=tuple(clusters))
