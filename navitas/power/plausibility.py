"""Figures of a power profile's CPU that no phone has: by cluster, by unit, by their order, and compared with the phone.

Each message begins with the entry, and names the profile, the values, the likely cause and the remedy.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from navitas.power.cpu_keys import ClusterKeys
from navitas.power.defects import PLACEHOLDER_MA
from navitas.power.power_profile import PowerProfile

_SHARED = ("cpu.suspend", "cpu.idle", "cpu.awake", "cpu.active")
_MOST_CORE_MA, _MOST_SHARED_MA = 4_000, 1_000
"""The cores of phones use up to about 2,300 mA at their highest speed, and what cores share up to about 50 mA."""
_LEAST_TOP_MA = 2.0
"""At its highest speed, a core uses at least 20 mA."""
_LOWEST_KHZ, _LOWEST_TOP_KHZ, _HIGHEST_KHZ = 10_000, 100_000, 10_000_000
_MILLIVOLTS = (400, 1_400)
"""Supply voltages of cores."""
_SAME_SPEED_RATIO = 1.3
"""Cores of one design differ by up to 1.25 (OnePlus 3); a little core never uses more than a big one."""
_TOP_SPEED_RATIO = 1.15
_REMEDY = "correct it, or give another profile with --power-profile"


@dataclass(frozen=True, slots=True)
class ClusterFigures:
    """A cluster's entries, its operating points (kHz, mA) by ascending speed, and its own current."""

    keys: ClusterKeys
    steps: list[tuple[int, float]]
    cluster_ma: float

    @property
    def currents(self) -> list[float]:
        """The currents, by ascending speed."""
        return [ma for _, ma in self.steps]

    @property
    def are_speeds_known(self) -> bool:
        """Whether the speeds are not just the numbers of the steps, as where only the phone knows them."""
        return self.keys.speeds is not None or [khz for khz, _ in self.steps] != [n + 1 for n in range(len(self.steps))]

    def at(self, step: int) -> str:
        """Name a step's current and speed."""
        khz, ma = self.steps[step]
        return f"{ma:,g} mA at {f'{khz / 1000:,g} MHz' if self.are_speeds_known else f'step {khz}'}"


def implausible(
    profile: PowerProfile,
    clusters: Sequence[ClusterFigures],
    policies: Sequence[tuple[int, Sequence[int]]],
    frequencies: Mapping[int, Sequence[int]],
) -> Iterator[str]:
    """Yield what is wrong with the figures. `policies` (id, CPUs) and `frequencies` (kHz by policy id) are the phone's."""
    found: list[tuple[str, str]] = []
    for number, cluster in enumerate(clusters):
        found += [(entry, f"cluster {number}: {text}") for entry, text in (*_currents(cluster), *_speeds(cluster))]
    for entry in (*_SHARED, *(cluster.keys.cluster for cluster in clusters)):
        if (ma := profile.value(entry)) > _MOST_SHARED_MA and not any(entry == cluster.keys.power for cluster in clusters):
            found.append((entry, f"{ma:,g} mA, more than a phone uses for it (in µA?)"))
    for (a, first), (b, second) in combinations(enumerate(clusters), 2):
        found += [*_copied(a, first, b, second), *_order(a, first, b, second), *_order(b, second, a, first)]
    if len(policies) == len(clusters):
        for (policy, _), cluster in zip(policies, clusters, strict=True):
            found += _of_another_phone(cluster, policy, max(frequencies.get(policy, ()), default=0))
    for entry, text in found:
        yield f"{entry} of {profile.name}: {text}: {_REMEDY}"


def _currents(cluster: ClusterFigures) -> Iterator[tuple[str, str]]:
    entry, currents = cluster.keys.power, cluster.currents
    last, lowest, highest = len(currents) - 1, min(currents), max(currents)
    speed_ratio = cluster.steps[-1][0] / cluster.steps[0][0] if cluster.are_speeds_known else np.inf
    unfilled = [step for step, ma in enumerate(currents) if ma <= PLACEHOLDER_MA]
    if len(unfilled) == len(currents):
        what = f"AOSP's placeholder, {PLACEHOLDER_MA} mA" if highest else "0 mA"
        yield entry, f"all currents are {what}, so its cores have next to no energy"
        return
    if unfilled:
        some = f"{len(unfilled)} of {len(currents)} currents are 0 or AOSP's placeholder"
        yield entry, f"{some} (first {cluster.at(unfilled[0])}), so running at these speeds has next to no energy"
    if highest > _MOST_CORE_MA:
        several = f", or the current of all {cluster.keys.cores} cores" if (cluster.keys.cores or 1) > 1 else ""
        yield entry, f"{cluster.at(currents.index(highest))}, more than a core uses (in µA{several}?)"
    elif highest < _LEAST_TOP_MA:
        yield entry, f"at most {cluster.at(currents.index(highest))}, less than a running core uses (in A, or V?)"
    elif last and lowest == highest:
        yield entry, f"{highest:,g} mA at each of {len(currents)} speeds, but faster cores use more"
    elif last and _MILLIVOLTS[0] <= lowest and highest <= _MILLIVOLTS[1] and highest / lowest < speed_ratio**0.8:
        yield entry, f"{cluster.at(0)} to {cluster.at(last)} look like voltages (in mV?)"
    falls = [step for step in range(1, len(currents)) if currents[step] < currents[step - 1] and step not in unfilled]
    if falls:
        first = f"{cluster.at(falls[0] - 1)}, {cluster.at(falls[0])}"
        count = f"the first of {len(falls)} steps at which" if len(falls) > 1 else "here"
        yield entry, f"{first}: {count} the current falls as the speed rises, but faster cores use more"


def _speeds(cluster: ClusterFigures) -> Iterator[tuple[str, str]]:
    if cluster.keys.speeds is None:
        return
    lowest, highest = cluster.steps[0][0], cluster.steps[-1][0]
    if lowest < _LOWEST_KHZ or highest < _LOWEST_TOP_KHZ:
        speed = f"{lowest if lowest < _LOWEST_KHZ else highest:,} kHz"
        yield cluster.keys.speeds, f"{speed} is slower than any core of a phone (in MHz?), so its currents count at wrong speeds"
    if highest > _HIGHEST_KHZ:
        yield cluster.keys.speeds, f"{highest:,} kHz is faster than any core (in Hz?), so its currents count at wrong speeds"


def _copied(a: int, first: ClusterFigures, b: int, second: ClusterFigures) -> Iterator[tuple[str, str]]:
    """The same currents in two clusters are possible only at the same speeds."""
    is_copied = first.currents == second.currents and [khz for khz, _ in first.steps] != [khz for khz, _ in second.steps]
    if is_copied and len(set(first.currents)) > 1 and first.are_speeds_known and second.are_speeds_known:
        yield second.keys.power, f"cluster {b} has the currents of cluster {a}, but other speeds (copied?)"


def _order(a: int, little: ClusterFigures, b: int, big: ClusterFigures) -> Iterator[tuple[str, str]]:
    """A core of the slower cluster uses less than one of the faster cluster."""
    if not (little.are_speeds_known and big.are_speeds_known) or little.steps[-1][0] >= big.steps[-1][0]:
        return
    khz, ma = little.steps[-1]
    speeds = [speed for speed, _ in big.steps]
    there_ma = float(np.interp(khz, speeds, big.currents))
    is_above = khz >= speeds[0] and ma > _SAME_SPEED_RATIO * there_ma and there_ma > PLACEHOLDER_MA
    if is_above or ma > big.currents[-1] > PLACEHOLDER_MA:
        cores = little.keys.cores or 1
        several = f": is this the current of all {cores} cores? One would have {ma / cores:,.4g} mA" if cores > 1 else ""
        there = f"{there_ma:,.4g} mA there" if is_above else big.at(len(speeds) - 1)
        own = little.at(len(little.steps) - 1)
        yield little.keys.power, f"a core of cluster {a} uses {own}, more than one of the faster cluster {b}, {there}{several}"


def _of_another_phone(cluster: ClusterFigures, policy: int, phone_khz: int) -> Iterator[tuple[str, str]]:
    khz = cluster.steps[-1][0]
    if cluster.keys.speeds and phone_khz and not 1 / _TOP_SPEED_RATIO <= khz / phone_khz <= _TOP_SPEED_RATIO:
        speeds = f"up to {khz / 1000:,g} MHz, but policy {policy} of the phone has up to {phone_khz / 1000:,g} MHz"
        yield cluster.keys.speeds, f"{speeds} (of another phone?)"
