"""The frequency of each cluster: schedutil's rule with rate limits (kernel: cpufreq_schedutil.c)."""

from __future__ import annotations

from bisect import bisect_left

from navitas.virtual_phone.kernel.spec import ClusterSpec

_HEADROOM = 1.25
UP_LIMIT_NS = 500_000
DOWN_LIMIT_NS = 20_000_000


class Governor:
    """One policy. `index` is the present operating point. It rises at once, and falls at the earliest 20 ms after a change."""

    def __init__(self, cluster: ClusterSpec) -> None:
        self._cluster = cluster
        self._cpus = slice(cluster.cpus[0], cluster.cpus[-1] + 1)
        self._changed_ns = 0
        self.index = 0

    def update(self, now_ns: int, core_utils: list[float]) -> None:
        """Choose the lowest operating point at or above 1.25 × fmax × util / capacity of the cluster's busiest core."""
        cluster = self._cluster
        util = max(core_utils[self._cpus])
        if util == 0.0 and self.index == 0:
            return
        target_khz = _HEADROOM * cluster.freq_khz[-1] * util / cluster.capacity
        index = min(bisect_left(cluster.freq_khz, target_khz), len(cluster.freq_khz) - 1)
        limit_ns = UP_LIMIT_NS if index > self.index else DOWN_LIMIT_NS
        if index != self.index and now_ns - self._changed_ns >= limit_ns:
            self.index = index
            self._changed_ns = now_ns
