"""Android's power monitors for apps (AOSP: PowerStatsService, IntervalRandomNoiseGenerator): cached readings with noise.

An app asks by a report to the phone. The answer is a file below the phone's root, since an app's JVM opens files itself.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from navitas.virtual_phone.rail_monitor import Consumer, RailMonitor, subsystem

REPORT = "powermonitors"
"""The kind of an app's request (app_reports.py). The answer has lines `type timestamp_ms energy_uws name`."""
CONSUMER, MEASUREMENT = 0, 1
"""Types of monitors (AOSP: PowerMonitor)."""
_MOST_AGE_MS, _MOST_FINE_AGE_MS = 20_000, 250
_MOST_NOISE_UWS = 10_000_000
_ALPHA = 50.0
_SAMPLES = 17
_NAMES = ("BLUETOOTH", "DISPLAY", "GNSS", "MOBILE_RADIO", "WIFI", "CAMERA")


@dataclass(frozen=True, slots=True)
class MonitorReading:
    """A reading of one monitor, as an app gets it."""

    kind: int
    t_ms: int
    energy_uws: int
    name: str


_Readings: TypeAlias = Mapping[tuple[int, str], tuple[int, int]]
"""Times in ms and energies in µWs, by kind and name."""


@dataclass(slots=True)
class _Cache:
    """The newest readings by monitor, and those before them."""

    most_age_ms: int
    t_ms: int = 0
    newest: _Readings | None = None
    before: _Readings | None = None


class IntervalNoise:
    """Samples of Beta(50, 1), one for each uid modulo 17. A sample holds until `refresh`."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._samples = [-1.0] * _SAMPLES

    def refresh(self) -> None:
        """Draw new samples."""
        self._samples = [-1.0] * _SAMPLES

    def between(self, low: int, high: int, uid: int) -> int:
        """Return a value from `low` to `high`, most likely near `high`."""
        place = uid % _SAMPLES
        if self._samples[place] < 0:
            self._samples[place] = self._random.random() ** (1 / _ALPHA)  # the inverse of the distribution function x ** 50
        return int(low + (high - low) * self._samples[place])


class PowerMonitorService:
    """The service: one cache for all apps, and another one for those with ACCESS_FINE_POWER_MONITORS."""

    def __init__(
        self,
        rails: RailMonitor,
        seed: int,
        clock_ms: Callable[[], int] = lambda: time.monotonic_ns() // 1_000_000,
    ) -> None:
        """`clock_ms` is the clock of the apps: `elapsedRealtime`."""
        self._rails = rails
        self._clock_ms = clock_ms
        self._noise = IntervalNoise(seed)
        self._coarse, self._fine = _Cache(_MOST_AGE_MS), _Cache(_MOST_FINE_AGE_MS)

    def read(self, uid: int, *, fine: bool) -> list[MonitorReading]:
        """Return the readings that an app gets: new ones if the cached ones are too old. The first ever have no noise."""
        cache = self._fine if fine else self._coarse
        now_ms = self._clock_ms()
        if cache.newest is None or now_ms - cache.t_ms > cache.most_age_ms:
            cache.before, cache.newest, cache.t_ms = cache.newest, self._present(now_ms), now_ms
            self._noise.refresh()
        before = cache.before
        return [
            MonitorReading(
                kind,
                t_ms,
                high if before is None else self._noise.between(max(before[kind, name][1], high - _MOST_NOISE_UWS), high, uid),
                name,
            )
            for (kind, name), (t_ms, high) in cache.newest.items()
        ]

    def answer(self, uid: int, *, fine: bool) -> str:
        """Return the answer to an app's request."""
        return "".join(f"{one.kind} {one.t_ms} {one.energy_uws} {one.name}\n" for one in self.read(uid, fine=fine))

    def _present(self, now_ms: int) -> _Readings:
        """Return all monitors: rails first, as `[NAME]:SUBSYSTEM`, then consumers. Rails of a second chip have its own time."""
        cpu_uj, (sampled_ns, others_uj) = self._rails.sampled_rails_uj()
        found: dict[tuple[int, str], tuple[int, int]] = {}
        for t_ms, rails_uj in ((now_ms, cpu_uj), (sampled_ns // 1_000_000, others_uj)):
            found |= {(MEASUREMENT, f"[{rail}]:{subsystem(rail)}"): (t_ms, int(uj)) for rail, uj in rails_uj.items()}
        consumers = self._rails.consumers()
        return found | {(CONSUMER, _consumer_name(one, consumers)): (now_ms, int(one.energy_uj)) for one in consumers}


def _consumer_name(one: Consumer, every: list[Consumer]) -> str:
    name = "CPU" if one.kind == "CPU_CLUSTER" else one.kind if one.kind in _NAMES else one.name.upper()
    has_ordinal = any(other.ordinal for other in every if other.kind == one.kind)
    return f"{name}/{one.ordinal}" if has_ordinal else name
