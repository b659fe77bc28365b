"""Find the entries of a power profile that hold the CPU's values.

Source: AOSP, PowerProfile.initCpuClusters and initCpuScalingPolicies.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from navitas.power.power_profile import PowerProfile

STEPS = "cpu.scaling_step_power.policy"
_POLICY = "cpu.scaling_policy_power.policy"
_BRACKETS = re.compile(r"cpu\.power_brackets\.policy\d+")
_SHARED = ("cpu.suspend", "cpu.idle", "cpu.active")
_MAX_NAMED = 50


@dataclass(frozen=True, slots=True)
class ClusterKeys:
    """The names of one cluster's entries.

    `cores` and `policy` are None if the profile does not state them, `speeds` is None if they come from the phone.
    """

    power: str
    speeds: str | None
    cluster: str
    cores: int | None = None
    policy: int | None = None


def by_policy(profile: PowerProfile) -> list[ClusterKeys]:
    """Entries of Android 14 and later. If the profile has one, Android ignores all older entries. Speeds are the kernel's."""
    numbers: set[int] = set()
    for key in (*profile.items, *profile.arrays):
        if key.startswith((STEPS, _POLICY)):
            text = key.removeprefix(STEPS).removeprefix(_POLICY)
            if not text.isdecimal() or len(text) > 4:
                return []
            numbers.add(int(text))
    return [ClusterKeys(f"{STEPS}{number}", None, f"{_POLICY}{number}", policy=number) for number in sorted(numbers)]


def by_cluster(profile: PowerProfile) -> list[ClusterKeys]:
    """Entries of Android 7 to 13. `cpu.clusters.cores` lists the clusters; from Android 9 on, its default is one cluster."""
    cores: Sequence[float | None] = profile.values("cpu.clusters.cores")
    if not cores and "cpu.core_power.cluster0" in {*profile.items, *profile.arrays}:
        cores = [None]
    return [
        ClusterKeys(
            _first(profile, f"cpu.core_power.cluster{k}", f"cpu.active.cluster{k}"),
            _first(profile, f"cpu.core_speeds.cluster{k}", f"cpu.speeds.cluster{k}"),
            f"cpu.cluster_power.cluster{k}",
            None if count is None else max(1, round(count)),
        )
        for k, count in enumerate(cores)
    ]


def single(profile: PowerProfile) -> list[ClusterKeys]:
    """Entries of the first generation: `cpu.active` lists the current of a running core at each of `cpu.speeds`."""
    return [ClusterKeys("cpu.active", "cpu.speeds", "")] if profile.values("cpu.speeds") and profile.values("cpu.active") else []


def unused(profile: PowerProfile, chosen: Sequence[ClusterKeys]) -> list[str]:
    """Name every CPU entry that is not used because the chosen entries take precedence."""
    used = {*_SHARED, "cpu.clusters.cores", *(key for keys in chosen for key in (keys.power, keys.speeds, keys.cluster))}
    if "cpu.suspend" not in profile.items:
        used.add("cpu.awake")
    if any(keys.policy is not None for keys in chosen):
        used.discard("cpu.clusters.cores")
    powers = [keys.power for keys in chosen]
    where = ", ".join(powers[:3]) + (", …" if len(powers) > 3 else "")
    warnings = [
        f"{key}: not used, the CPU's values come from {where}"
        for key in dict.fromkeys((*profile.items, *profile.arrays))
        if key.startswith("cpu.") and key not in used and not (chosen[0].policy is not None and _BRACKETS.fullmatch(key))
    ]
    more = len(warnings) - _MAX_NAMED
    return [*warnings[:_MAX_NAMED], *([f"and {more} more CPU entries are not used"] if more > 0 else [])]


def _first(profile: PowerProfile, key: str, older: str) -> str:
    names = {*profile.items, *profile.arrays}
    return older if key not in names and older in names else key
