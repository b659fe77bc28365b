"""All components. To add one, implement `Component` in a new module and list it here."""

from __future__ import annotations

from navitas.energy.attribute.component import Component
from navitas.energy.attribute.cpu.cpu_component import Cpu
from navitas.energy.attribute.hardware.radio_components import MODEM, WIFI
from navitas.energy.attribute.hardware.rail_only import Gpu, Storage
from navitas.energy.attribute.hardware.screen_component import ScreenEnergy
from navitas.energy.attribute.hardware.started_devices import (
    AUDIO,
    BLUETOOTH,
    CAMERA,
    FLASHLIGHT,
    VIDEO,
    Gnss,
    Sensors,
    WakeLocks,
)

COMPONENTS: tuple[Component, ...] = (
    Cpu(),
    ScreenEnergy(),
    WIFI,
    MODEM,
    BLUETOOTH,
    Gnss(),
    CAMERA,
    FLASHLIGHT,
    AUDIO,
    VIDEO,
    Sensors(),
    WakeLocks(),
    Storage(),
    Gpu(),
)
