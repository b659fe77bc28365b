"""The hardware: clusters, operating points and currents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random

FULL_CAPACITY = 1024.0


@dataclass(frozen=True, slots=True)
class Cluster:
    """CPUs that share a frequency. `core_ma[j]` is a running core's current at `freq_khz[j]`, `cluster_ma` the cluster's own.

    `work_per_mhz` is a core's work per cycle, relative to the other clusters.
    """

    cpus: tuple[int, ...]
    freq_khz: tuple[int, ...]
    core_ma: tuple[float, ...]
    cluster_ma: float
    work_per_mhz: float


@dataclass(frozen=True, slots=True)
class Phone:
    """All clusters. `base_ma` is always drawn, `active_ma` while any core runs."""

    voltage_v: float
    base_ma: float
    active_ma: float
    clusters: tuple[Cluster, ...]

    @property
    def cluster_of(self) -> tuple[int, ...]:
        """Each CPU's cluster."""
        return tuple(k for k, cluster in enumerate(self.clusters) for _ in cluster.cpus)

    def speeds(self, k: int) -> tuple[float, ...]:
        """Work per ns at each operating point of cluster k. The fastest core at its highest frequency does 1."""
        strongest = max(cluster.work_per_mhz * cluster.freq_khz[-1] for cluster in self.clusters)
        return tuple(self.clusters[k].work_per_mhz * khz / strongest for khz in self.clusters[k].freq_khz)

    def capacity(self, k: int) -> float:
        """The computing power of a core of cluster k (kernel: cpu_capacity)."""
        return FULL_CAPACITY * self.speeds(k)[-1]


def _khz(mhz: str) -> tuple[int, ...]:
    return tuple(1000 * int(one) for one in mhz.split())


def _ma(currents: str) -> tuple[float, ...]:
    return tuple(map(float, currents.split()))


# Currents and speeds: power_profile.xml in LineageOS' device tree for the Pixel 6. Work per MHz: freqbench's CoreMark on gs101.
PIXEL_6 = Phone(
    voltage_v=3.85,
    base_ma=38.6,
    active_ma=12.37,
    clusters=(
        Cluster(
            (0, 1, 2, 3),
            _khz("300 574 738 930 1098 1197 1328 1401 1598 1704 1803"),
            _ma("1.89 6.15 9.34 14.22 18.94 21.98 26.83 30.17 41.55 48.36 58.45"),
            cluster_ma=0.24,
            work_per_mhz=3.71,
        ),
        Cluster(
            (4, 5),
            _khz("400 553 696 799 910 1024 1197 1328 1491 1663 1836 1999 2130 2253"),
            _ma("3.71 6.16 8 10.94 12.73 14.4 21.39 24.1 30.42 42.49 49.37 58.09 67.54 79.04"),
            cluster_ma=3.23,
            work_per_mhz=7.75,
        ),
        Cluster(
            (6, 7),
            _khz("500 851 984 1106 1277 1426 1582 1745 1826 2048 2188 2252 2401 2507 2630 2704 2802"),
            _ma("8.36 16.33 19.44 36.71 41.42 48.24 54.77 65.32 69.58 128.49 142.15 149.74 164.78 188.68 193.15 227.98 254.25"),
            cluster_ma=5.94,
            work_per_mhz=9.29,
        ),
    ),
)


def profile_xml(phone: Phone) -> bytes:
    """The phone's power_profile.xml (AOSP's schema)."""
    lines = ['<?xml version="1.0" encoding="utf-8"?>', '<device name="Android">', _item("battery.capacity", 4614.0)]
    lines += [_item("cpu.suspend", 0.0), _item("cpu.idle", phone.base_ma), _item("cpu.active", phone.active_ma)]
    lines.append(_array("cpu.clusters.cores", [len(cluster.cpus) for cluster in phone.clusters]))
    for k, cluster in enumerate(phone.clusters):
        lines.append(_item(f"cpu.cluster_power.cluster{k}", cluster.cluster_ma))
        lines.append(_array(f"cpu.core_speeds.cluster{k}", cluster.freq_khz))
        lines.append(_array(f"cpu.core_power.cluster{k}", cluster.core_ma))
    return "\n".join([*lines, "</device>", ""]).encode()


def mistaken(phone: Phone, seed: int | str, by: float = 0.2) -> Phone:
    """The phone with currents that are wrong by up to ± `by`, by a random factor per cluster and end of its frequency range."""
    random = Random(seed)
    clusters = []
    for cluster in phone.clusters:
        low, high = random.uniform(1 - by, 1 + by), random.uniform(1 - by, 1 + by)
        last = max(len(cluster.core_ma) - 1, 1)
        core_ma = tuple(ma * (low + (high - low) * j / last) for j, ma in enumerate(cluster.core_ma))
        clusters.append(replace(cluster, core_ma=core_ma, cluster_ma=cluster.cluster_ma * random.uniform(1 - by, 1 + by)))
    return replace(phone, active_ma=phone.active_ma * random.uniform(1 - by, 1 + by), clusters=tuple(clusters))


def _item(name: str, value: float) -> str:
    return f'  <item name="{name}">{value:.6g}</item>'


def _array(name: str, values: Sequence[float]) -> str:
    return f'  <array name="{name}">' + "".join(f"<value>{value:.9g}</value>" for value in values) + "</array>"
