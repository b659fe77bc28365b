"""The radio controllers of Wi-Fi and Bluetooth: receiving, transmitting and idle."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ControllerPower:
    """Currents of a controller, of transmitting also by level. `voltage_mv` is that of the energy which it reports itself."""

    idle_ma: float
    rx_ma: float
    tx_ma: float
    tx_level_ma: tuple[float, ...] = ()
    voltage_mv: float = 0.0
