"""The phone's clocks, which are the host's."""

from __future__ import annotations

import time
from typing import NamedTuple

_BOOTTIME = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)


class Moment(NamedTuple):
    """One moment on three clocks, in ns."""

    monotonic_ns: int
    boottime_ns: int
    realtime_ns: int

    @property
    def ahead_ns(self) -> int:
        """The difference of boottime and monotonic."""
        return self.boottime_ns - self.monotonic_ns


def now() -> Moment:
    """Return the present moment."""
    return Moment(time.monotonic_ns(), time.clock_gettime_ns(_BOOTTIME), time.time_ns())
