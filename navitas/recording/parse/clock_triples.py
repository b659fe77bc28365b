"""Clock triples (chunk type 8): convert realtime and boottime to CLOCK_MONOTONIC."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from navitas.recording.parse.arrays import I64, Bool
from navitas.recording.parse.chunks import Chunk, integer_rows

_UNKNOWN = -1
UNJOINED = -1
# A larger change of the offset (20 ms, or 0.5 % of the time between) means that the clock was set: adjtime(3) slews more slowly.
_STEP_NS = 20_000_000
_STEP_SHARE = 0.005
# If readings of the same clock are further apart, or further away from an app's triples, it was set in between.
_REACH_NS = 120_000_000_000
# More steps than this are damage. Each reading tries this many parts (the times between two steps), in blocks of readings.
_MAX_STEPS = 10_000
_PARTS_AHEAD = 64
_BLOCK = 1024


@dataclass(frozen=True, slots=True)
class ClockTriples:
    """Simultaneous readings of three clocks in ns, in monotonic order. Boottime is -1 where it is unknown."""

    monotonic_ns: I64
    boottime_ns: I64
    realtime_ns: I64

    @property
    def realtime_offset_ns(self) -> int | None:
        """Realtime minus monotonic at the first triple; None if there is none."""
        return int(self.realtime_ns[0] - self.monotonic_ns[0]) if len(self.monotonic_ns) else None

    def from_realtime(self, t_ns: I64) -> I64 | None:
        """Return the monotonic times of realtimes, which must be in reading order. Returns None if there are no triples.

        Interpolates linearly between triples, and uses the nearest triple's offset outside them. If the clock was set between two
        triples, each reading takes the offset, from before or after, that keeps readings in order and at an even pace.
        `UNJOINED` marks readings that no offset fits.
        """
        if not len(self.monotonic_ns):
            return None
        steps = self._steps()
        if len(steps):
            return self._across_steps(t_ns, steps)
        joined = _convert(t_ns, self.realtime_ns, self.monotonic_ns)
        is_near = (joined >= self.monotonic_ns[0] - _REACH_NS) & (joined <= self.monotonic_ns[-1] + _REACH_NS)
        return np.where(_led_to(is_near, joined), joined, UNJOINED)

    def from_boottime(self, t_ns: I64) -> I64 | None:
        """Return the monotonic times of boottimes, or None if no triple has a boottime."""
        known = self.boottime_ns != _UNKNOWN
        return _convert(t_ns, self.boottime_ns[known], self.monotonic_ns[known]) if known.any() else None

    def to_boottime(self, t_ns: I64) -> I64:
        """Return the boottimes of monotonic times, which count while the device sleeps; the same times if none is known."""
        known = self.boottime_ns != _UNKNOWN
        return _convert(t_ns, self.monotonic_ns[known], self.boottime_ns[known]) if known.any() else t_ns

    def _steps(self) -> NDArray[np.intp]:
        """Return the indexes of the triples before which realtime was set."""
        passed = np.diff(self.monotonic_ns)
        jumped = np.abs(np.diff(self.realtime_ns) - passed) > _STEP_NS + _STEP_SHARE * passed
        return np.flatnonzero(jumped) + 1

    def _across_steps(self, t_ns: I64, steps: NDArray[np.intp]) -> I64:
        """Readings begin near the triples, or long before them: of these two, take what joins more readings."""
        if len(steps) > _MAX_STEPS or not len(t_ns):
            return np.full(len(t_ns), UNJOINED, np.int64)
        by_first, by_last = (
            _convert(t_ns, self.realtime_ns[rows], self.monotonic_ns[rows]) for rows in (slice(steps[0]), slice(steps[-1], None))
        )
        is_near = (by_first >= self.monotonic_ns[0] - _REACH_NS) & (by_first <= self.monotonic_ns[steps[0]] + _STEP_NS)
        reading = np.arange(len(t_ns))
        is_long_before = _led_to(is_near, by_first) & (reading < np.argmax(is_near))
        joined = self._at_even_pace(t_ns, steps, 0, int(self.monotonic_ns[0]) - _REACH_NS)
        if is_long_before.any():
            begin = int(np.flatnonzero(is_long_before)[-1]) + 1
            later = self._at_even_pace(t_ns, steps, begin, int(by_first[begin - 1]))
            both = joined, np.where(is_long_before, by_first, later)
            joined = max(both, key=lambda times: np.count_nonzero(times != UNJOINED))
        is_joined = joined != UNJOINED
        is_long_after = _led_to(is_joined & (joined == by_last), by_last) & (reading > np.max(reading[is_joined], initial=-1))
        return np.where(is_long_after, by_last, joined)

    def _at_even_pace(self, t_ns: I64, steps: NDArray[np.intp], begin: int, before: int) -> I64:
        """Convert the readings from `begin` on, the first of which is after `before`, up to `_REACH_NS` away from the triples."""
        joined = np.full(len(t_ns), UNJOINED, np.int64)
        starts, ends = [0, *steps.tolist()], [*steps.tolist(), len(self.monotonic_ns)]
        blocks: dict[int, tuple[int, I64]] = {}

        def by_part(k: int, i: int) -> int:
            """Return reading `i` converted by the offset of part `k`."""
            low = i - i % _BLOCK
            if k not in blocks or blocks[k][0] != low:
                rows = slice(starts[k], ends[k])
                blocks[k] = low, _convert(t_ns[low : low + _BLOCK], self.realtime_ns[rows], self.monotonic_ns[rows])
            return int(blocks[k][1][i - low])

        # A part's offset may hold from the last triple before it to the first triple after it.
        earliest = [self.monotonic_ns[0] - _REACH_NS, *(self.monotonic_ns[start - 1] for start in starts[1:])]
        latest = [*(self.monotonic_ns[end] for end in ends[:-1]), self.monotonic_ns[-1] + _REACH_NS]
        pace = float(np.median(np.diff(t_ns))) if len(t_ns) > 1 else 0.0
        part = 0
        for i in range(begin, len(t_ns)):
            fitting = [
                (k, t)
                for k in range(part, min(part + _PARTS_AHEAD, len(starts)))
                if max(earliest[k], before) - _STEP_NS <= (t := by_part(k, i)) <= latest[k] + _STEP_NS
            ]
            if fitting:
                expected = before + pace
                best, before = min(fitting, key=lambda each: abs(each[1] - expected)) if i else fitting[0]
                joined[i] = before
                for passed in range(part, best):
                    blocks.pop(passed, None)
                part = best
        return joined


NO_TRIPLES = ClockTriples(*np.empty((3, 0), np.int64))


def decode_triples(chunks: Iterable[Chunk]) -> ClockTriples:
    """Return all triples of a run. Triples with negative times are dropped."""
    triples = integer_rows(chunks, 3)
    triples = triples[(triples[:, 0] >= 0) & (triples[:, 1] >= _UNKNOWN) & (triples[:, 2] >= 0)]
    triples = triples[np.argsort(triples[:, 0], kind="stable")]
    return ClockTriples(triples[:, 0], triples[:, 1], triples[:, 2])


def _led_to(is_near: Bool, t_ns: I64) -> Bool:
    """Whether the times of readings lead to a reading that is near without a jump: a recording can begin long before the app."""
    series = np.cumsum(np.abs(np.diff(t_ns, prepend=t_ns[:1])) > _REACH_NS)
    return np.asarray(np.bincount(series, is_near)[series] > 0, np.bool_)


def _convert(t_ns: I64, source: I64, target: I64) -> I64:
    """Convert by interpolating the offset. Offsets are small, so float64 keeps them exact enough."""
    order = np.argsort(source, kind="stable")
    source, target = source[order], target[order]
    offset = target - source
    drift = np.interp((t_ns - source[0]).astype(np.float64), (source - source[0]).astype(np.float64), offset - offset[0])
    monotonic: I64 = t_ns + offset[0] + np.rint(drift).astype(np.int64)
    return monotonic
