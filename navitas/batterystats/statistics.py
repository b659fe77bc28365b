"""Collects what the statistics of a dump say, in bounded memory."""

from __future__ import annotations

from dataclasses import dataclass, field

from navitas.batterystats.tables import PowerUse, UsageCounter

MOST_ROWS = 200_000


@dataclass(slots=True)
class Statistics:
    """Counters, estimates and packages, at most `MOST_ROWS` of each. `dropped` counts the others.

    `is_begun`: whether the dump has statistics since the last charge, even if no counter follows.
    """

    counters: list[UsageCounter] = field(default_factory=list)
    power: list[PowerUse] = field(default_factory=list)
    packages: list[tuple[int, str]] = field(default_factory=list)
    dropped: int = 0
    is_begun: bool = False

    def add_counter(self, uid: int, name: str, tag: str, value: float) -> None:
        """Add a counter."""
        if len(self.counters) < MOST_ROWS:
            self.counters.append(UsageCounter(uid, name, tag, value))
        else:
            self.dropped += 1

    def add_power(self, scope: str, uid: int, component: str, state: str, charge_mah: float) -> None:
        """Add an estimate."""
        if len(self.power) < MOST_ROWS:
            self.power.append(PowerUse(scope, uid, component, state, charge_mah))
        else:
            self.dropped += 1

    def add_package(self, uid: int, name: str) -> None:
        """Add a package of an app."""
        if len(self.packages) < MOST_ROWS:
            self.packages.append((uid, name))
        else:
            self.dropped += 1
