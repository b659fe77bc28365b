"""Parse the heads of all lines of a block together: core, time, and where the event's name begins."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from navitas.recording.parse.arrays import I64, U8, Bool
from navitas.recording.parse.trace.text_buffer import Places, TextBuffer

_NS_PER_S, _NS_PER_US = 1_000_000_000, 1000
_SECONDS_DIGITS = 9
_BACKSLASH = ord("\\")
_BLANKS = b" \r\t"
_IS_BLANK = np.isin(np.arange(256), list(_BLANKS))
_FEW_BLANKS = 64


@dataclass(frozen=True, slots=True)
class TraceLines:
    """The lines of a block, from `start` to `end` (without trailing blanks).

    The columns `bracket` to `t_ns` have one entry per event line. `row` is its line, `bracket` the position of its core's
    bracket, and `event` the position of its event's name. `other` are the lines that are not events, and `comment` the lines
    that begin with `#`. Empty lines are in neither.
    """

    start: Places
    end: Places
    row: Places
    bracket: Places
    event: Places
    cpu: I64
    t_ns: I64
    other: Places
    comment: Places


class Layout:
    """Finds the heads. A trace has few layouts, so it tries the offsets that matched last first."""

    def __init__(self) -> None:
        self._brackets = list(range(18, 44)) + list(range(4, 18))
        self._colons = list(range(7, 46))

    def heads(self, text: TextBuffer, ends: Places) -> TraceLines:
        """Return the heads of all lines of a block. `ends` are the ends of the lines."""
        data = text.bytes
        start = np.append(text.low, ends[:-1] + 1)
        end = _stripped(text, start, ends)
        filled = end > start
        comment = filled & (data[start] == ord("#"))
        rows = np.flatnonzero(filled & ~comment)
        bracket = self._try(self._brackets, start[rows], end[rows], lambda at: _is_cpu(data, at))
        found = np.flatnonzero(bracket >= 0)
        colon = self._try(self._colons, bracket[found], end[rows[found]], lambda at: _is_time_end(data, at))
        found = found[colon >= 0]
        colon = colon[colon >= 0]
        t_ns, good = _times(text, colon)
        found, colon, t_ns = found[good], colon[good], t_ns[good]
        other = np.ones(len(rows), bool)
        other[found] = False
        bracket = bracket[found]
        hundreds, tens, ones = (data[bracket + place].astype(np.int64) - ord("0") for place in (1, 2, 3))
        cpu = 100 * hundreds + 10 * tens + ones
        return TraceLines(start, end, rows[found], bracket, colon + 2, cpu, t_ns, rows[other], np.flatnonzero(comment))

    def _try(self, offsets: list[int], base: Places, end: Places, fits: Callable[[Places], Bool]) -> Places:
        """Return, for each base, the position at the first matching offset before the line's end; -1 if none matches."""
        place = np.full(len(base), -1, np.int64)
        remaining = np.arange(len(base))
        most, best = 0, 0
        for offset in tuple(offsets):
            if not len(remaining):
                break
            at = base[remaining] + offset
            good = at < end[remaining]
            good &= fits(np.where(good, at, base[remaining]))
            hits = int(np.count_nonzero(good))
            if hits:
                place[remaining[good]] = at[good]
                remaining = remaining[~good]
            if hits > most:
                most, best = hits, offset
        if most:
            offsets.remove(best)
            offsets.insert(0, best)
        return place


def _stripped(text: TextBuffer, start: Places, end: Places) -> Places:
    """Return the lines' ends without trailing blanks and without the end of lines of a JavaScript string (`\\n\\`)."""
    data, end = text.bytes, end.copy()
    last = data[end - 1]
    if np.any(last == _BACKSLASH):
        quoted = (last == _BACKSLASH) & (data[end - 2] == ord("n")) & (data[end - 3] == _BACKSLASH) & (end - 3 >= start)
        end[quoted] -= 3
    blank = np.flatnonzero(_IS_BLANK[data[end - 1]])
    for _ in range(_FEW_BLANKS):
        if not len(blank := blank[(end[blank] > start[blank]) & _IS_BLANK[data[end[blank] - 1]]]):
            return end
        end[blank] -= 1
    for line in blank.tolist():
        low = int(start[line])
        end[line] = low + len(text.buffer[low : int(end[line])].rstrip(_BLANKS))
    return end


def _is_digit(values: U8) -> Bool:
    digit: Bool = (values - np.uint8(ord("0"))) <= 9
    return digit


def _is_cpu(data: U8, at: Places) -> Bool:
    fits: Bool = (data[at] == ord("[")) & (data[at + 4] == ord("]")) & _is_digit(data[at + 1]) & _is_digit(data[at + 2])
    return fits


def _is_time_end(data: U8, at: Places) -> Bool:
    fits: Bool = (data[at] == ord(":")) & (data[at + 1] == ord(" ")) & _is_digit(data[at - 1])
    fits &= (data[at - 7] == ord(".")) | (data[at - 10] == ord("."))
    return fits


def _times(text: TextBuffer, colon: Places) -> tuple[I64, Bool]:
    """Return the times in ns, from seconds with 6 or 9 decimals before the colons, and whether each is valid."""
    fraction, digits = text.number_before(colon)
    seconds, some = text.number_before(colon - digits - 1)
    good = ((digits == 6) | (digits == 9)) & text.has(colon - digits - 1, b".") & (some > 0) & (some <= _SECONDS_DIGITS)
    return np.where(good, seconds, 0) * _NS_PER_S + np.where(digits == 6, fraction * _NS_PER_US, fraction), good
