"""The rail monitor: the rails of the CPU and of the other components, as a Pixel's ODPM shows them."""

from __future__ import annotations

from navitas.virtual_phone.components.devices import Devices
from navitas.virtual_phone.kernel import procfs
from navitas.virtual_phone.kernel_port import KernelPort


class RailMonitor:
    """All rails of the phone."""

    def __init__(self, kernel: KernelPort, devices: Devices) -> None:
        self._kernel = kernel
        self._devices = devices

    def rails_uj(self) -> dict[str, float]:
        """Return the present energy of every rail in µJ, in the order of channels: the CPU's first."""
        return {**self._kernel.rails_uj(), **self._devices.rails_uj()}

    def energy_value(self) -> str:
        """Return the present text of /sys/bus/iio/devices/iio:device0/energy_value."""
        return procfs.energy_value(self.rails_uj())
