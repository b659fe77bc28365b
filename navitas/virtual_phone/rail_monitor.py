"""The power statistics of a Pixel: the rails that its monitor (ODPM) measures, and the energy consumers that its HAL derives."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from navitas.virtual_phone.components.devices import Devices
from navitas.virtual_phone.kernel import procfs
from navitas.virtual_phone.kernel_port import KernelPort

# Types of android.hardware.power.stats' EnergyConsumerType, names and rails as in Pixel's power statistics service.
_CONSUMERS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("DISPLAY", "Display", ("VSYS_PWR_DISPLAY",)),
    ("GNSS", "GPS", ("L9S_GNSS_CORE",)),
    ("MOBILE_RADIO", "MODEM", ("VSYS_PWR_MODEM", "VSYS_PWR_RFFE")),
    ("WIFI", "Wifi", ("VSYS_PWR_WLAN_BT",)),
    ("CAMERA", "Camera", ("VSYS_PWR_CAMERA",)),
)
_CPU = "CPU_CLUSTER"


@dataclass(frozen=True, slots=True)
class Consumer:
    """An energy consumer: its total in µJ, and what it attributes to uids (clusters of the CPU only, as on a Pixel)."""

    kind: str
    ordinal: int
    name: str
    energy_uj: float
    by_uid_uj: Mapping[int, float]


class RailMonitor:
    """All rails of the phone."""

    def __init__(self, kernel: KernelPort, devices: Devices, uid_of: Callable[[int], int]) -> None:
        self._kernel = kernel
        self._devices = devices
        self.uid_of = uid_of

    def rails_uj(self) -> dict[str, float]:
        """Return the present energy of every rail in µJ, in the order of channels: the CPU's first."""
        return {**self._kernel.rails_uj(), **self._devices.rails_uj()}

    def sampled_rails_uj(self) -> tuple[dict[str, float], tuple[int, dict[str, float]]]:
        """Return the present energy of the CPU's rails in µJ, and the last sample of the chip that meters the others: its time on
        the host's monotonic clock in ns, and energies."""
        return self._kernel.rails_uj(), self._devices.sampled_rails_uj()

    def energy_value(self) -> str:
        """Return the present text of /sys/bus/iio/devices/iio:device0/energy_value."""
        return procfs.energy_value(self.rails_uj())

    def consumers(self) -> list[Consumer]:
        """Return the present energy of every consumer."""
        cores = self._kernel.core_energies_uj()
        rails_uj = self.rails_uj()
        found = []
        for cluster, (_, total_uj) in enumerate(zip(cores, rails_uj.items(), strict=False)):
            name, energy_uj = total_uj
            by_uid: dict[int, float] = {}
            for pid, spent_uj in cores[cluster].items():
                by_uid[self.uid_of(pid)] = by_uid.get(self.uid_of(pid), 0.0) + spent_uj
            # The cores' common energy is divided like their own, since the HAL knows no more than their times.
            own_uj = sum(by_uid.values())
            shares = {uid: energy_uj * spent_uj / own_uj for uid, spent_uj in by_uid.items()} if own_uj else {}
            found.append(Consumer(_CPU, cluster, name.rpartition("_")[2], energy_uj, shares))
        found += [Consumer(kind, 0, name, sum(rails_uj[rail] for rail in rails), {}) for kind, name, rails in _CONSUMERS]
        return found
