"""Physics that a power profile does not contain: temperature, leakage, and the activity of a thread's code."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp


@dataclass(frozen=True, slots=True)
class Hidden:
    """The share `leakage` of a core's power grows by e^(per_k·(T − 25 °C)). The rest is proportional to the thread's activity.

    The temperature T follows C·dT/dt = P − (T − ambient)/R (heat capacity C, thermal resistance R).
    """

    leakage: float = 0.2
    per_k: float = 0.02
    ambient_c: float = 30.0
    resistance_k_per_w: float = 12.0
    capacity_j_per_k: float = 3.0


class Chip:
    """The chip's temperature. Without hidden physics, every factor is 1."""

    def __init__(self, hidden: Hidden | None) -> None:
        self._hidden = hidden
        self.temperature_c = hidden.ambient_c if hidden else 25.0
        self._leaking = hidden.leakage * exp(hidden.per_k * (self.temperature_c - 25.0)) if hidden else 0.0

    def factor(self, activity: float) -> float:
        """A core's power relative to the profile's, while it runs code of this activity."""
        return activity * (1.0 - self._hidden.leakage) + self._leaking if self._hidden else 1.0

    def warm(self, span_ns: int, watts: float) -> None:
        """Update the temperature for a span of constant power (exact)."""
        hidden = self._hidden
        if hidden is None:
            return
        final_c = hidden.ambient_c + watts * hidden.resistance_k_per_w
        keep = exp(-span_ns / 1e9 / (hidden.resistance_k_per_w * hidden.capacity_j_per_k))
        self.temperature_c = final_c + (self.temperature_c - final_c) * keep
        self._leaking = hidden.leakage * exp(hidden.per_k * (self.temperature_c - 25.0))
