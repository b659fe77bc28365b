"""When a radio is awake: during transfers, and for a tail after each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from navitas.energy.attribute.hardware.flows import merged
from navitas.energy.attribute.hardware.traffic import Traffic
from navitas.recording.parse.arrays import I64

_SLOWEST_BIT_S = 1e6


@dataclass(frozen=True, slots=True)
class AirSpans:
    """One row for each transfer. Spans may overlap; `own_ns` and `pause_ns` share the time among them without overlaps.

    `own_ns`: its part of the time in which it and others are on the air, in proportion to their lengths. `pause_ns`: the time
    from its end until another transfer begins, or until the run ends.
    """

    begin_ns: I64
    end_ns: I64
    own_ns: I64
    pause_ns: I64

    @property
    def busy_ns(self) -> int:
        """The time of all transfers."""
        return int(self.own_ns.sum())

    def fitting_tail(self, total_ns: int) -> int:
        """The tail for which all tails together last `total_ns`: the solution of sum(min(pause, tail)) = total."""
        pause = np.sort(self.pause_ns)
        before = np.concatenate([[0], np.cumsum(pause)[:-1]])
        more = np.arange(len(pause), 0, -1)
        place = int(np.searchsorted(before + pause * more, total_ns))
        if place == len(pause):
            return int(pause[-1])
        return max(int((total_ns - before[place]) // more[place]), 0)


def air_spans(traffic: Traffic, run_ns: tuple[int, int]) -> AirSpans:
    """The spans of transfers: up to the end of their calls, and no longer than their bytes take at 1 Mbit/s.

    A call that waits for data is longer than the transfer.
    """
    low, high = run_ns
    longest_ns = np.minimum((traffic.received + traffic.sent) * 8e9 / _SLOWEST_BIT_S, high - low).astype(np.int64)
    end = np.clip(traffic.end_ns, low, high)
    begin = np.clip(np.maximum(traffic.begin_ns, end - longest_ns), low, end)
    blocks, ends = merged(begin, end)
    length = end - begin
    own_ns = length
    if len(blocks):
        block = np.maximum(np.searchsorted(blocks, begin, side="right") - 1, 0)  # spans without length are in no block
        own_ns = np.rint(length * ((ends - blocks) / np.bincount(block, length, len(blocks)))[block])
    order = np.lexsort((begin, end))
    # A transfer that begins before this one ends, and ends later, leaves no pause.
    following = np.minimum.accumulate(np.append(begin[order][1:], high)[::-1])[::-1]
    pause_ns = np.empty(len(order), np.int64)
    pause_ns[order] = np.maximum(following - end[order], 0)
    return AirSpans(begin, end, own_ns.astype(np.int64), pause_ns)
