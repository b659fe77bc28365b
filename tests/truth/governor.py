"""The frequency of each cluster: schedutil (kernel: cpufreq_schedutil.c)."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from truth.cores import Core
from truth.phone import Phone

_HEADROOM = 1.25
_UP_LIMIT_NS = 500_000
_DOWN_LIMIT_NS = 10_000_000
# An idle cluster is updated when another core notices that its load has decayed (kernel: nohz.next_blocked).
BLOCKED_PERIOD_NS = 32_000_000


class Governor:
    """The governor of one policy. It is updated at ticks and when a thread comes or leaves, but not while all cores are idle."""

    def __init__(self, phone: Phone, k: int, cores: Sequence[Core]) -> None:
        self.cores = [core for core in cores if core.cluster == k]
        self.index = 0
        self._speeds = phone.speeds(k)
        self._changed_ns = -_DOWN_LIMIT_NS
        self._apply()

    def update(self, now_ns: int) -> bool:
        """Choose the lowest operating point at which the busiest core is idle for a fifth of its time; return if it changed."""
        for core in self.cores:
            core.sync(now_ns)
        busiest = max(core.demand / core.capacity for core in self.cores)
        index = min(bisect_left(self._speeds, _HEADROOM * self._speeds[-1] * busiest), len(self._speeds) - 1)
        limit_ns = _UP_LIMIT_NS if index > self.index else _DOWN_LIMIT_NS
        if index == self.index or now_ns - self._changed_ns < limit_ns:
            return False
        self.index, self._changed_ns = index, now_ns
        self._apply()
        return True

    def _apply(self) -> None:
        for core in self.cores:
            core.speed = self._speeds[self.index]
