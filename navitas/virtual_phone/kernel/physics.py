"""Physics that a power profile does not hold; switched off unless asked for, so model error can be told from allocation error."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import exp

from navitas.virtual_phone.kernel.task import KernelTask


@dataclass(frozen=True, slots=True)
class Leakage:
    """The share `share` of a core's power is leakage, which grows by e^(k·(T − 25 °C)) with the chip's temperature T.

    T follows a heat capacity behind a thermal resistance: C·dT/dt = P − (T − ambient)/R.
    """

    share: float = 0.2
    per_k: float = 0.02
    ambient_c: float = 25.0
    resistance_k_per_w: float = 12.0
    capacity_j_per_k: float = 8.0


class Physics:
    """Scales the power of running cores by `factor(task)`; without arguments the factor is 1."""

    def __init__(self, leakage: Leakage | None = None, activity: Callable[[KernelTask], float] | None = None) -> None:
        self._leakage = leakage
        self._activity = activity
        self.temperature_c = leakage.ambient_c if leakage else 25.0

    @property
    def off(self) -> bool:
        """Whether every factor is 1."""
        return self._leakage is None and self._activity is None

    def factor(self, task: KernelTask) -> float:
        """By what a core's power differs from the profile's while it runs `task`: activity·(1 − share) + share·e^(k·ΔT)."""
        activity = self._activity(task) if self._activity else 1.0
        if self._leakage is None:
            return activity
        share = self._leakage.share
        return activity * (1 - share) + share * exp(self._leakage.per_k * (self.temperature_c - 25.0))

    def warm(self, dt_ns: int, energy_uj: float) -> None:
        """Let the chip take up the energy of a step and give off heat (exact for constant power)."""
        if self._leakage is None or dt_ns <= 0:
            return
        final_c = self._leakage.ambient_c + energy_uj * 1e3 / dt_ns * self._leakage.resistance_k_per_w
        tau_ns = self._leakage.resistance_k_per_w * self._leakage.capacity_j_per_k * 1e9
        self.temperature_c = final_c + (self.temperature_c - final_c) * exp(-dt_ns / tau_ns)
