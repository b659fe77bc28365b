"""The history of a dump → columns of changes with times. Reads whole blocks, because a history has many short lines."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from navitas.android.batterystats.changes import CLEARED, NAME_BITS, NOTE, Changes, Names
from navitas.android.batterystats.clocks import (
    DAY_MS,
    LATEST_MS,
    LONGEST_MS,
    OFFSET,
    STAMP,
    Form,
    date_ms,
    milliseconds,
    offset_token,
    year_days,
)
from navitas.android.batterystats.history_line import CLEARED as CLEARING
from navitas.android.batterystats.history_line import HISTORY_BEGIN, HISTORY_LINE, POOL_NAME
from navitas.android.batterystats.line_counts import LineCounts
from navitas.android.batterystats.numbers import parse_duration_ms
from navitas.android.batterystats.tables import ClockAnchor, Integers

_NS = 1_000_000
_PROBE = re.compile(rb"(?m)^(?:(\d{1,2},h,\d)|( *%s )|( *\+?(?:%s) \(\d))" % (STAMP, OFFSET))
_FORMS = (Form.CHECKIN, Form.DATES, Form.OFFSETS)
_LINES = {
    Form.CHECKIN: re.compile(rb"(?m)^\d\d?,h,(\d{1,15})(|,[^\n]*)\n"),
    Form.OFFSETS: re.compile(rb"(?m)^ *\+?(%s) \(\d{1,6}\) \d{3}(| [^\n]*)\n" % OFFSET),
    Form.DATES: re.compile(rb"(?m)^ *(%s) (?:\(\d{1,6}\) )?\d{3}(| [^\n]*)\n" % STAMP),
}
"""Groups: time, items."""
_GROUPS = 2
_WORDS = re.compile(rb" *(?:(%s)|(\+?[\ddhms]{1,40})) (?:\(\d{1,6}\) )?(\*?[A-Z]+\*?(?::[A-Z]+)*):?(?: *(\d[\d-]*))?\s*" % STAMP)
_LOOSE = re.compile(rb" *(\+?[\ddhms]{1,40}) \(\d{1,6}\) \d{3}(| .*)")
_HEADER = re.compile(rb" *Battery History(?: \[Format: ?(\d+)\])?.*")
_REST = re.compile(rb" *(?:NEXT:|Details:|/proc/stat=)")
_BACK = "the time goes back"
_FAR = "the time jumps by more than 3 years"
_SET = "the clock was set, so the time since the line before is unknown"
_MANY = "more wall clocks than are kept"
CLOCK_REASONS = (_BACK, _FAR, _SET)
"""Reasons in `LineCounts` for times that are unknown, because the clock jumped or a line is damaged."""
_STEP_MS = 3_600_000
_TOGETHER_MS = 2000
"""Phones write lines of one moment in another order, up to about a second apart. Less than this is no step back."""
MOST_ANCHORS = 100_000


@dataclass(frozen=True, slots=True)
class HistoryEvents:
    """Changes, in order of lines: line, series (state << 32 | name), value, time. `end_ms` is the time of the last line."""

    line: Integers
    series: Integers
    value: Integers
    time_ms: Integers
    end_ms: int


class HistoryReader:
    """Reads blocks of a dump's lines in order. Lines that are not of a history go to `other`."""

    def __init__(self, names: Names, counts: LineCounts, other: Callable[[bytes], None]) -> None:
        self.changes = Changes(names, counts)
        self.anchors: list[ClockAnchor] = []
        self._counts = counts
        self._pass_on = other
        self._form = Form.CHECKIN
        self._year = 2000
        self._now_ms = 0
        # By the times that lines say, which can be a moment earlier than those of lines before.
        self._written_ms = 0
        self._last_raw: int | None = None
        self._new_dump = False
        self._done: list[HistoryEvents] = []
        self._empty()

    def read(self, text: bytes) -> list[HistoryEvents]:
        """Return the changes of these whole lines."""
        probe = _PROBE.search(text)
        form = Form.CHECKIN if probe is None else _FORMS[(probe.lastindex or 1) - 1]
        # What is between two matches of a pattern with groups follows the groups.
        parts = _LINES[form].split(text + b"\n")
        between, tokens, items = (parts[group :: _GROUPS + 1] for group in range(_GROUPS + 1))
        begin = 0
        for place in [i for i, lines in enumerate(between) if lines]:
            self._push(form, tokens[begin:place], items[begin:place])
            for line in between[place].split(b"\n"):
                if line:
                    self._other(line)
            begin = place
        self._push(form, tokens[begin:], items[begin:])
        self._flush()
        self.changes.forget()
        done, self._done = self._done, []
        return done

    def _empty(self) -> None:
        self._tokens: list[bytes] = []
        self._numbers: list[int] = []
        self._marks: list[tuple[int, int | None, bool]] = []
        self._begins: list[int] = []

    def _push(self, form: Form, tokens: Sequence[bytes], items: Sequence[bytes]) -> None:
        if not tokens:
            return
        self._use(form)
        if self._new_dump:
            self._new_dump = False
            self._begins.append(len(self._tokens))
            self._tokens.append(b"0" if form is Form.CHECKIN else tokens[0])
            self._numbers.append(self.changes[CLEARED])
        self._tokens.extend(tokens)
        self._numbers.extend(map(self.changes.__getitem__, items))

    def _use(self, form: Form) -> None:
        if form is not self._form:
            self._flush()
            self._form, self._last_raw = form, None

    def _mark(self, wall_ms: int | None, *, is_utc: bool) -> None:
        """Note that the next line may have an earlier time, and its wall clock."""
        self._marks.append((len(self._tokens) + self._new_dump, wall_ms, is_utc))

    def _other(self, line: bytes) -> None:
        if b"," not in line[:3]:
            self._readable(line)
        elif HISTORY_BEGIN.match(line):
            self._checkin(line)
        elif (name := POOL_NAME.fullmatch(line)) is not None:
            self.changes.define(*name.groups())
            self._counts.accept()
        else:
            self._pass_on(line)

    def start_dump(self) -> None:
        """Note that the lines from here are another dump."""
        self._new_dump = True

    def _checkin(self, line: bytes) -> None:
        head = HISTORY_LINE.fullmatch(line)
        if head is None:
            self._counts.refuse("is not a line of a history", line)
            return
        delta, words, wall_ms, items = head.groups(default=b"")
        self._use(Form.CHECKIN)
        if words:
            found = words.decode().split(":")
            self._mark(int(wall_ms) if wall_ms and "TIME" in found else None, is_utc=True)
            clears = any(word in found for word in CLEARING)
            items = (CLEARED if clears else b":") + items
        elif items:
            items = b"," + items
        self._push(Form.CHECKIN, (delta,), (items,))

    def _readable(self, line: bytes) -> None:
        for form in _FORMS[1:]:
            found = _LINES[form].fullmatch(line + b"\n")
            if found is not None:
                self._push(form, (found[1],), (found[2],))
                return
        words, loose = _WORDS.fullmatch(line), _LOOSE.fullmatch(line)
        if words is not None:
            self._words(line, words)
        elif loose is not None and (ms := parse_duration_ms(loose[1].decode())) is not None:
            self._push(Form.OFFSETS, (offset_token(ms),), (loose[2],))
        elif _REST.match(line):
            self._counts.skip("details of the history")
        elif _HEADER.fullmatch(line):
            self._new_dump = True
            self._counts.accept()
        else:
            self._pass_on(line)

    def _words(self, line: bytes, found: re.Match[bytes]) -> None:
        form = Form.OFFSETS if found[1] is None else Form.DATES
        ms = 0 if found[1] else parse_duration_ms(found[2].decode())
        if ms is None:
            self._pass_on(line)
            return
        words = found[3].decode().split(":")
        wall_ms = date_ms(found[4]) if "TIME" in words and found[4] else None
        if "TIME" in words and wall_ms is None:
            self._counts.refuse("TIME: no date", line)
            return
        self._use(form)
        if wall_ms is not None and form is Form.DATES:
            self._set_year(time.gmtime(wall_ms // 1000).tm_year)
        self._mark(wall_ms, is_utc=False)
        clears = any(word in words for word in CLEARING)
        self._push(form, (found[1] or offset_token(ms),), (CLEARED if clears else b":",))

    def _set_year(self, year: int) -> None:
        if year != self._year:
            self._flush()
            self._year = year
            self._last_raw = None

    def _flush(self) -> None:
        if not self._tokens:
            return
        raw = milliseconds(self._tokens, self._form, self._year)
        marked = np.zeros(len(raw), bool)
        marked[[place for place, *_ in self._marks]] = True
        delta = (
            raw.copy()
            if self._form is Form.CHECKIN
            else np.diff(raw, prepend=raw[0] if self._last_raw is None else self._last_raw)
        )
        self._last_raw = int(raw[-1])
        if self._form is Form.DATES:
            delta = np.where(delta < -300 * DAY_MS, delta + year_days(self._year) * DAY_MS, delta)
        delta[self._begins] = 0
        late, back = delta > LONGEST_MS, delta < (0 if self._form is Form.CHECKIN else -_TOGETHER_MS)
        unknown = (delta > _STEP_MS) & marked & (self._form is Form.DATES) & ~late
        written_ms = self._written_ms + np.cumsum(np.where(late | back | unknown, 0, delta))
        at_ms = np.clip(np.maximum.accumulate(written_ms), self._now_ms, LATEST_MS)
        self._now_ms, self._written_ms = int(at_ms[-1]), int(min(written_ms[-1], LATEST_MS))
        for place, wall_ms, is_utc in self._marks:
            if wall_ms is not None and len(self.anchors) >= MOST_ANCHORS:
                self._counts.reasons[self._counts.known(_MANY, self._tokens[place])] += 1
            elif wall_ms is not None:
                self.anchors.append(ClockAnchor(int(at_ms[place]) * _NS, wall_ms, is_utc))
        line, series, value = self.changes.rows(np.array(self._numbers, np.int64))
        damaged = late | unknown | back & ~marked
        is_note = series >> NAME_BITS == NOTE
        self._refuse_all(damaged, line[is_note], value[is_note])
        self._refuse(late, _FAR)
        self._refuse(unknown, _SET)
        self._refuse(back & ~marked, _BACK)
        keep = ~is_note
        line, series, value = line[keep], series[keep], value[keep]
        self._done.append(HistoryEvents(line, series, value, at_ms[line], self._now_ms))
        self._empty()

    def _refuse(self, which: NDArray[np.bool_], reason: str) -> None:
        if which.any():
            example = self._tokens[int(np.flatnonzero(which)[0])]
            self._counts.reasons[self._counts.known(reason, example)] += int(which.sum())

    def _refuse_all(self, damaged: NDArray[np.bool_], lines: Integers, reasons: Integers) -> None:
        """Count the lines, and those with notes as listed."""
        for reason, count in enumerate(np.bincount(reasons, minlength=0)):
            if count:
                self._counts.reasons[self.changes.reasons[reason]] += int(count)
        damaged[lines] = True
        total, listed = len(self._tokens) - len(self._begins), int(damaged.sum())
        self._counts.lines += total
        self._counts.listed += listed
        self._counts.understood += total - listed
