"""Build the CPU's power model from a power profile of any generation (AOSP: PowerProfile, CpuPowerCalculator)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING

import numpy as np

from navitas.base.cpu_limit import MAX_CPUS
from navitas.base.errors import PowerProfileError
from navitas.power import cpu_keys
from navitas.power.components.component_power import ComponentPower, filled_profile
from navitas.power.cpu_keys import ClusterKeys
from navitas.power.defects import MAX_MA, PLACEHOLDER_MA, is_capacity
from navitas.power.model import ClusterPower, CpuPower, PowerModel
from navitas.power.plausibility import ClusterFigures, implausible
from navitas.power.power_profile import PowerProfile

if TYPE_CHECKING:
    from navitas.power.fitted_model import FittedModel

Policies = Sequence[tuple[int, Sequence[int]]]
_MAX_KHZ = 100_000_000
_CHOOSE = "Choose another one with --power-profile (see profiles/)."


def power_model(
    profile: PowerProfile,
    voltage_v: float,
    policies: Policies | None = None,
    frequencies: Mapping[int, Sequence[int]] | None = None,
    fitted: FittedModel | None = None,
) -> PowerModel:
    """Build the power model of a phone's CPU.

    `policies` are the device's cpufreq policies (id, CPUs). Clusters are matched to them in order of their first CPU.
    Without policies, CPUs are numbered consecutively. `frequencies` (kHz by policy id) are needed only for profiles of
    Android 14 and later, which list currents by operating point without speeds. `PowerModel.warnings` lists the defects that
    could be repaired. `fitted` gives the figures of other components that the profile lacks.
    Raises PowerProfileError if the CPU's values are missing, are AOSP's placeholders, or belong to another phone.
    """
    filled: tuple[str, ...] = ()
    if fitted is not None:
        profile, filled = filled_profile(profile, fitted, voltage_v)
    warnings = list(profile.warnings)
    ordered = sorted(policies, key=lambda policy: min(policy[1], default=policy[0])) if policies else None
    clusters = _clusters(profile, frequencies or {}, warnings)
    _check(profile, clusters)
    chosen = [cluster.keys for cluster in clusters]
    doubtful = tuple(implausible(profile, clusters, ordered or (), frequencies or {}))
    # In the first generation, `cpu.active` is the cores' current. Later, it is the current added while any core runs.
    active_ma = profile.value("cpu.active") if all(keys.power != "cpu.active" for keys in chosen) else 0.0
    warnings += cpu_keys.unused(profile, chosen)
    matched = tuple(
        ClusterPower(
            cpus,
            np.array([khz for khz, _ in cluster.steps], np.int64),
            np.array([ma for _, ma in cluster.steps], np.float64),
            cluster.cluster_ma,
        )
        for cluster, cpus in _match(profile, clusters, ordered, warnings)
    )
    components = ComponentPower.from_profile(profile)
    cpu = CpuPower(components.idle.suspend_ma, components.idle.idle_ma, active_ma, matched)
    capacity_mah = profile.items.get("battery.capacity", 0.0)
    battery_mah = capacity_mah if is_capacity(capacity_mah) else None
    return PowerModel(profile.name, voltage_v, battery_mah, cpu, (*doubtful, *warnings), doubtful, components, fitted, filled)


def needs_frequencies(profile: PowerProfile) -> bool:
    """Whether the profile lists currents by operating point, so that the speeds must come from the phone."""
    return bool(cpu_keys.by_policy(profile))


def placeholder_frequencies(profile: PowerProfile) -> dict[int, list[int]]:
    """Placeholder speeds in kHz, by policy, to check a profile whose speeds only a phone knows."""
    return {
        keys.policy: list(range(1, len(profile.values(keys.power)) + 1))
        for keys in cpu_keys.by_policy(profile)
        if keys.policy is not None
    }


def _clusters(profile: PowerProfile, frequencies: Mapping[int, Sequence[int]], warnings: list[str]) -> list[ClusterFigures]:
    """The clusters of the entries that hold the CPU's values; empty if the profile has none."""
    policies = cpu_keys.by_policy(profile)
    if policies and all(keys.policy in frequencies for keys in policies):
        for keys in policies:
            values, speeds = len(profile.values(keys.power)), len(frequencies[keys.policy or 0])
            if values != speeds:
                surplus = "the surplus at the high end is ignored"
                warnings.append(f"{keys.power} has {values} values, but the phone has {speeds} speeds: {surplus}")
        return [_cluster(profile, keys, sorted(frequencies[keys.policy or 0])) for keys in policies]
    chosen = cpu_keys.by_cluster(profile) or cpu_keys.single(profile)
    return [_cluster(profile, keys, profile.values(keys.speeds or "")) for keys in chosen]


def _cluster(profile: PowerProfile, keys: ClusterKeys, speeds: Sequence[float]) -> ClusterFigures:
    return ClusterFigures(keys, _steps(speeds, profile.values(keys.power)), profile.value(keys.cluster))


def _check(profile: PowerProfile, clusters: Sequence[ClusterFigures]) -> None:
    name = profile.name
    if not clusters and needs_frequencies(profile):
        raise PowerProfileError(
            f"{name}: the profile lists currents by operating point, but the phone's frequencies are not known.",
            "Record on a phone whose cpufreq policies are readable, or choose a profile with cpu.core_speeds.",
        )
    empty = [k for k, cluster in enumerate(clusters) if not cluster.steps]
    if empty or not clusters:
        raise PowerProfileError(
            f"{name}: no speeds and currents for {f'CPU cluster {empty[0]}' if empty else 'the CPU'}.", _CHOOSE
        )
    currents = [ma for cluster in clusters for _, ma in cluster.steps]
    if not any(currents):
        raise PowerProfileError(f"{name}: all currents of the CPU are 0.", _CHOOSE)
    if all(0 <= ma <= PLACEHOLDER_MA for ma in currents):
        raise PowerProfileError(
            f"{name}: all currents are AOSP's placeholder, {PLACEHOLDER_MA} mA: the vendor has not filled in the profile.",
            _CHOOSE,
        )
    shared = [profile.value(key) for key in ("cpu.suspend", "cpu.idle", "cpu.awake", "cpu.active")]
    if any(ma < 0 for ma in [*currents, *shared, *(cluster.cluster_ma for cluster in clusters)]):
        raise PowerProfileError(f"{name}: a current of the CPU is negative.", _CHOOSE)
    if any(not 0 < khz <= _MAX_KHZ for cluster in clusters for khz, _ in cluster.steps):
        raise PowerProfileError(f"{name}: a speed of the CPU is not between 0 and {_MAX_KHZ:,} kHz.", _CHOOSE)
    if any(ma > MAX_MA for ma in [*currents, *shared, *(cluster.cluster_ma for cluster in clusters)]):
        raise PowerProfileError(f"{name}: a current of the CPU is above {MAX_MA:,} mA.", _CHOOSE)
    if sum(cluster.keys.cores or 1 for cluster in clusters) > MAX_CPUS:
        raise PowerProfileError(f"{name}: the CPU has more than {MAX_CPUS} cores.", _CHOOSE)


def _match(
    profile: PowerProfile, clusters: list[ClusterFigures], policies: Policies | None, warnings: list[str]
) -> list[tuple[ClusterFigures, tuple[int, ...]]]:
    """Assign CPUs to every cluster."""
    if policies is None:
        if any(cluster.keys.cores is None for cluster in clusters):
            warnings.append(f"{profile.name}: the cores of a cluster are not stated, 1 is assumed")
        counts = [cluster.keys.cores or 1 for cluster in clusters]
        ends = list(accumulate(counts))
        return [(cluster, tuple(range(end - n, end))) for cluster, n, end in zip(clusters, counts, ends, strict=True)]
    if len(clusters) == 1 and len(policies) > 1:
        warnings.append(f"{profile.name}: has one cluster, the phone {len(policies)}: it is used for all of them")
        clusters = clusters * len(policies)
    if len(clusters) != len(policies):
        raise PowerProfileError(
            f"{profile.name}: {len(clusters)} CPU clusters, but the phone has {len(policies)}: the profile is for another phone.",
            f"{_CHOOSE} On the virtual phone, --phone sets the phone and its profile together.",
        )
    pairs = [(cluster, tuple(sorted(cpus))) for cluster, (_, cpus) in zip(clusters, policies, strict=True)]
    for k, (cluster, cpus) in enumerate(pairs):
        if cluster.keys.cores is not None and cluster.keys.cores != len(cpus):
            warnings.append(f"{profile.name}: cluster {k} has {cluster.keys.cores} cores, but {len(cpus)} on the phone")
    return pairs


def _steps(speeds: Sequence[float], currents: Sequence[float]) -> list[tuple[int, float]]:
    """Operating points (kHz, mA) by ascending speed. Surplus values are dropped; of equal speeds the last one is kept."""
    return sorted({round(khz): ma for khz, ma in zip(speeds, currents, strict=False)}.items())
