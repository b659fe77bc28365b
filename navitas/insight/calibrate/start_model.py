"""The model that a calibration starts from, with the clusters and frequencies of the measured phone, or from another phone's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from navitas.base.cpu_limit import MAX_CPUS
from navitas.base.errors import UsageError
from navitas.energy.analyze.load import Loaded
from navitas.insight.calibrate.operating_points import ONE_CPU, OperatingPoint, PointSource, clusters_of, contradiction
from navitas.insight.calibrate.recorded_intervals import policies_of
from navitas.power import cpu_keys
from navitas.power.cpu import needs_frequencies, power_model
from navitas.power.model import ClusterPower, CpuPower, PowerModel
from navitas.power.power_profile import PowerProfile

_REMEDY = (
    "Use measurements that have the phone's frequencies (--recording or --device), or a profile with cpu.core_speeds "
    "(of Android 13 or older)."
)
_CORES_REMEDY = (
    f"Give the cores of each cluster of the measured phone, such as 4,3,1. A policy has the number of its first CPU. {ONE_CPU}"
)


def start_model(profile: PowerProfile, voltage_v: float, sources: Sequence[PointSource], loaded: Sequence[Loaded]) -> PowerModel:
    """Return the model, with the clusters and frequencies of recordings, or else of the profile.

    Profiles of Android 14 and later list currents without frequencies. Then the points must have exactly the frequencies of each
    policy. Raises `UsageError` if they do not.
    """
    if loaded:
        policies, frequencies = policies_of(loaded)
        return power_model(profile, voltage_v, policies or None, frequencies)
    if not needs_frequencies(profile):
        return power_model(profile, voltage_v)
    keys = cpu_keys.by_policy(profile)
    ids = [each.policy for each in keys if each.policy is not None]
    points = _by_policy(profile, ids, sources)
    speeds = {policy: sorted({point.freq_khz for point in own}) for policy, own in points.items()}
    for each, policy in zip(keys, ids, strict=True):
        steps, found = len(profile.values(each.power)), len(speeds[policy])
        if steps != found:
            raise UsageError(
                f"{profile.name}: {each.power} has {steps} currents without frequencies, but the points have {found} different "
                f"frequencies of policy {policy}: which belong together is unknown",
                _REMEDY,
            )
    last = max([ids[-1], *(max(point.cpu, ids[-1] + point.cores - 1) for point in points[ids[-1]])])
    cpus = [list(range(one, two)) for one, two in zip(ids, [*ids[1:], min(last, MAX_CPUS - 1) + 1], strict=True)]
    return power_model(profile, voltage_v, list(zip(ids, cpus, strict=True)), speeds)


def _by_policy(profile: PowerProfile, policies: Sequence[int], sources: Sequence[PointSource]) -> dict[int, list[OperatingPoint]]:
    """The points of each policy. A point's CPU may be any of the policy's: the policy has the number of its first CPU."""
    found: dict[int, list[OperatingPoint]] = {policy: [] for policy in policies}
    for source in sources:
        for point in source.points:
            own = max((policy for policy in policies if policy <= point.cpu), default=None)
            if own is None:
                raise UsageError(
                    f"{source.name}: has points of CPU {point.cpu}, but the first policy of {profile.name} is {policies[0]}",
                    "Give the points of the phone that the profile is of.",
                )
            found[own].append(point)
    return found


def start_for(cpu: CpuPower, cores: Sequence[int], sources: Sequence[PointSource]) -> CpuPower:
    """Return a CPU with clusters of these sizes, and with the frequencies of the points as its speeds.

    Currents are those of the profile's clusters: the fastest cluster's for the fastest cluster, and so on, at equal frequency.
    Raises `UsageError` if the points contradict the clusters, or if a cluster has none.
    """
    clusters = []
    for number, (own, khz) in enumerate(clusters_for(cores, sources, f"--cores {','.join(map(str, cores))}")):
        like = cpu.clusters[max(len(cpu.clusters) - len(cores) + number, 0)]
        clusters.append(ClusterPower(own, khz, like.core_ma_at(khz), like.cluster_ma))
    return replace(cpu, clusters=tuple(clusters))


def clusters_for(
    cores: Sequence[int], sources: Sequence[PointSource], owner: str
) -> list[tuple[tuple[int, ...], NDArray[np.int64]]]:
    """Return the CPUs and the measured frequencies (kHz) of each cluster of these sizes, which are those of `owner`.

    Raises `UsageError` if the points contradict the clusters, or if a cluster has none.
    """
    if sum(cores) > MAX_CPUS:
        raise UsageError(f"--cores: more than {MAX_CPUS} cores", "Give the cores of each cluster, such as 4,3,1.")
    cpus = clusters_of(cores)
    for source in sources:
        if why := contradiction(source, cpus, owner):
            raise UsageError(f"{source.name}: {why}", _CORES_REMEDY)
    clusters = []
    for number, own in enumerate(cpus):
        speeds = {point.freq_khz for source in sources for point in source.points if point.cpu in own}
        if not speeds:
            named = sorted({point.cpu for source in sources for point in source.points})
            points = f"the points are of CPUs {', '.join(map(str, named))}"
            raise UsageError(f"{owner}: no points of cluster {number} (CPUs {own[0]} to {own[-1]}): {points}", _CORES_REMEDY)
        clusters.append((own, np.array(sorted(speeds), np.int64)))
    return clusters
