"""Cumulative times in the states of a phone's history: screen, networks, and apps that run or are in the foreground."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

_MOST_PACKAGES = 1000
"""Most packages in a sample's counters."""


@dataclass(slots=True)
class PackageTimes:
    """How long each package was in a state, which several of its parts may have at once. Times are in ms."""

    known: bool = False
    total_ms: Counter[str] = field(default_factory=Counter)
    parts: Counter[str] = field(default_factory=Counter)
    since_ms: dict[str, int] = field(default_factory=dict)

    def begin(self, package: str, now_ms: int) -> None:
        """A part of the package enters the state."""
        self.parts[package] += 1
        self.since_ms.setdefault(package, now_ms)

    def end(self, package: str, now_ms: int) -> None:
        """A part of the package leaves the state."""
        self.parts[package] -= 1
        if self.parts[package] <= 0:
            del self.parts[package]
            self.total_ms[package] += now_ms - self.since_ms.pop(package, now_ms)

    def at(self, now_ms: int) -> list[str] | None:
        """`package=seconds` up to a time, the longest ones; None if the history never reported the state."""
        if not self.known:
            return None
        total = self.total_ms + Counter({package: now_ms - since for package, since in self.since_ms.items()})
        return [f"{package}={ms / 1000:.3f}" for package, ms in total.most_common(_MOST_PACKAGES)]


@dataclass(slots=True)
class StateCounters:
    """Times in ms since the history was cleared."""

    screen_ms: int = 0
    network_ms: Counter[str] = field(default_factory=Counter)
    running: PackageTimes = field(default_factory=PackageTimes)
    foreground: PackageTimes = field(default_factory=PackageTimes)

    def pass_time(self, passed_ms: int, *, screen: bool | None, network: str | None) -> None:
        """Count time in the current states."""
        self.screen_ms += passed_ms * bool(screen)
        if network is not None:
            self.network_ms[network] += passed_ms

    def columns(self, now_ms: int, *, screen: bool | None) -> dict[str, object]:
        """Columns of a sample. Unknown ones are None."""
        return {
            "screen_on_s": None if screen is None else self.screen_ms / 1000,
            "mobile_s": self.network_ms["mobile"] / 1000 if self.network_ms else None,
            "wifi_s": self.network_ms["wifi"] / 1000 if self.network_ms else None,
            "foreground_s": self.foreground.at(now_ms),
            "running_s": self.running.at(now_ms),
        }
