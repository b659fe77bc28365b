"""The power statistics of a Pixel: the rails that its monitor (ODPM) measures, the energy consumers that its HAL derives, and
the text of `dumpsys android.hardware.power.stats.IPowerStats/default` (PowerStats::dump), with energies in float32.
"""

from __future__ import annotations

import struct
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from navitas.virtual_phone.components.devices import Devices
from navitas.virtual_phone.kernel.live_kernel import Kernel

# Types of android.hardware.power.stats' EnergyConsumerType, names and rails as in Pixel's power statistics service.
_CONSUMERS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("DISPLAY", "Display", ("VSYS_PWR_DISPLAY",)),
    ("GNSS", "GPS", ("L9S_GNSS_CORE",)),
    ("MOBILE_RADIO", "MODEM", ("VSYS_PWR_MODEM", "VSYS_PWR_RFFE")),
    ("WIFI", "Wifi", ("VSYS_PWR_WLAN_BT",)),
    ("CAMERA", "Camera", ("VSYS_PWR_CAMERA",)),
)
_CPU = "CPU_CLUSTER"
POWER_STATISTICS = "android.hardware.power.stats.IPowerStats/default"


@dataclass(frozen=True, slots=True)
class Consumer:
    """An energy consumer: its total in µJ, and what it attributes to uids (clusters of the CPU only, as on a Pixel)."""

    kind: str
    ordinal: int
    name: str
    energy_uj: float
    by_uid_uj: Mapping[int, float]


@dataclass(frozen=True, slots=True)
class _Read:
    """A cluster at the last call: its energy, its cores' own energy by process, and the energy of uids."""

    energy_uj: float
    spent_uj: Mapping[int, float]
    by_uid_uj: Mapping[int, float]


_NOTHING = _Read(0.0, {}, {})


class RailMonitor:
    """All rails of the phone."""

    def __init__(self, kernel: Kernel, devices: Devices, uid_of: Callable[[int], int]) -> None:
        self._kernel = kernel
        self._devices = devices
        self.uid_of = uid_of
        self._lock = threading.Lock()
        self._last: dict[int, _Read] = {}

    def rails_uj(self) -> dict[str, float]:
        """Return the present energy of every rail in µJ, in the order of channels: the CPU's first."""
        return {**self._kernel.rails_uj(), **self._devices.rails_uj()}

    def sampled_rails_uj(self) -> tuple[dict[str, float], tuple[int, dict[str, float]]]:
        """Return the present energy of the CPU's rails in µJ, and the last sample of the chip that meters the others: its time on
        the host's monotonic clock in ns, and energies."""
        return self._kernel.rails_uj(), self._devices.sampled_rails_uj()

    def consumers(self) -> list[Consumer]:
        """Return the present energy of every consumer.

        A cluster's energy since the last call is divided by what each uid's threads spent on its cores since then, since the HAL
        knows no more than their times. So the uids together never have more than the cluster.
        """
        with self._lock:
            cores = self._kernel.core_energies_uj()
            rails_uj = self.rails_uj()
            found = [
                self._cluster(cluster, rail.rpartition("_")[2], energy_uj, cores[cluster])
                for cluster, (rail, energy_uj) in enumerate(rails_uj.items())
                if cluster in cores
            ]
        found += [Consumer(kind, 0, name, sum(rails_uj[rail] for rail in rails), {}) for kind, name, rails in _CONSUMERS]
        return found

    def _cluster(self, ordinal: int, name: str, energy_uj: float, spent_uj: Mapping[int, float]) -> Consumer:
        """Continue a cluster's energies by uid. `spent_uj` is by process."""
        last = self._last.get(ordinal, _NOTHING)
        new_uj = {pid: uj - last.spent_uj.get(pid, 0.0) for pid, uj in spent_uj.items()}
        all_uj = sum(new_uj.values())
        by_uid_uj = dict(last.by_uid_uj)
        if all_uj > 0:
            for pid, uj in new_uj.items():
                uid = self.uid_of(pid)
                by_uid_uj[uid] = by_uid_uj.get(uid, 0.0) + (energy_uj - last.energy_uj) * uj / all_uj
        self._last[ordinal] = _Read(energy_uj, spent_uj, by_uid_uj)
        return Consumer(_CPU, ordinal, name, energy_uj, by_uid_uj)


def dump_power_statistics(rails_uj: Mapping[str, float], consumers: Sequence[Consumer]) -> str:
    """Return the sections of state residencies (empty: the phone has no such entities), consumers and rails."""
    lines = ["", _title("state residencies", begins=True), _title("state residencies"), ""]
    lines.append(_title("energy consumers", begins=True))
    for one in consumers:
        lines.append(f"{one.name:<12} : {_mws(one.energy_uj):14.2f} mWs")
        lines += [f"  {uid:>10} - {_mws(energy_uj):14.2f} mWs" for uid, energy_uj in one.by_uid_uj.items()]
    lines += [_title("energy consumers"), "", _title("energy meter", begins=True)]
    lines.append(f"  {'Channel':>32}   {'Cumulative Energy':>18}")
    lines += [f"  {f'[{name}]:{subsystem(name)}':>32}   {_mws(energy_uj):14.2f} mWs" for name, energy_uj in rails_uj.items()]
    lines.append(_title("energy meter"))
    return "\n".join(lines) + "\n"


def _title(name: str, *, begins: bool = False) -> str:
    if begins:
        ends = "=" * (15 if name == "state residencies" else 14)
        return f"{'=' * 13} PowerStats HAL 2.0 {name} {ends}"
    return f"{'=' * 10} End of PowerStats HAL 2.0 {name} {'=' * 10}"


def _mws(energy_uj: float) -> float:
    (single,) = struct.unpack("f", struct.pack("f", int(energy_uj)))
    return float(single) / 1000.0


def subsystem(rail: str) -> str:
    """Return the subsystem that the phone names for a rail."""
    return rail.rpartition("_")[2].capitalize()
