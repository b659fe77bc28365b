"""All components. To add one, implement `Component` in a new module and list it here."""

from __future__ import annotations

from navitas.attribute.component import Component
from navitas.attribute.cpu.cpu_component import Cpu

COMPONENTS: tuple[Component, ...] = (Cpu(),)
