"""Dates of a log: logcat leaves out the year, and a log can pass the turn of a year."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime
from typing import NamedTuple

from navitas.errors import UsageError

FIRST_YEAR, LAST_YEAR = 1970, 2115
_STAMP = re.compile(r"(?:(\d{4})-)?(\d\d)-(\d\d) ([01]\d|2[0-3]):([0-5]\d):([0-5]\d|60)\.(\d{3,9})")
_EPOCH = date(1970, 1, 1).toordinal()
_DAY_NS = 86_400_000_000_000
_NAMED_S = 90 * 86_400
"""A log is at most this much newer than the date in its name."""
_LEAP_YEAR = 2000
_HALF_YEAR_DAYS = 183
_LEAP_YEARS_APART = 8


class _Stamp(NamedTuple):
    """`turns` of the year precede it in the log. `year` is None if the log has none."""

    turns: int
    month: int
    day: int
    of_day_ns: int
    year: int | None


class Written(NamedTuple):
    """A time (s) before which a log was written, and how that is known."""

    latest_s: float
    source: str


def written_by(name: str, changed_s: float) -> Written:
    """Return until when a file was written: until soon after the date with which its name begins, if any, or its last change."""
    try:
        named = datetime.strptime(name[:10], "%Y-%m-%d").replace(tzinfo=UTC)
    except ValueError:
        return Written(changed_s, "when the file was last changed")
    return Written(named.timestamp() + _NAMED_S, "the date in the file's name")


class LogDates:
    """Converts the stamps of a log, in the order of its lines, to ns since 1970. Times are local, and are read as UTC.

    Without years, a date that falls by more than half a year begins the next year.
    """

    def __init__(self) -> None:
        self._stamps: list[_Stamp] = []
        self._last_day: int | None = None
        self.turns = 0
        """The number of turns of the year so far."""
        self.lacks_year = False
        """Whether a stamp has no year."""

    def add(self, stamp: str) -> int | None:
        """Return the index of a stamp, such as `05-03 15:27:34.794`, among the results, or None if it is no date."""
        match = _STAMP.fullmatch(stamp)
        if match is None:
            return None
        year = int(match[1]) if match[1] else None
        month, day = int(match[2]), int(match[3])
        if not _exists(_LEAP_YEAR if year is None else year, month, day) or not FIRST_YEAR <= (year or FIRST_YEAR) <= LAST_YEAR:
            return None
        if year is None:
            self.lacks_year = True
            self._count_turn(date(_LEAP_YEAR, month, day).toordinal())
        of_day_s = (int(match[4]) * 60 + int(match[5])) * 60 + int(match[6])
        of_day_ns = of_day_s * 1_000_000_000 + int(match[7].ljust(9, "0"))
        self._stamps.append(_Stamp(self.turns, month, day, of_day_ns, year))
        return len(self._stamps) - 1

    def realtime_ns(self, first_year: int) -> list[int]:
        """Return the time of each stamp if the log begins in this year.

        Raises `UsageError` if the log has a 29 February and its year has none, or if a year is out of range.
        """
        found = []
        for turns, month, day, of_day_ns, year in self._stamps:
            full = first_year + turns if year is None else year
            if not FIRST_YEAR <= full <= LAST_YEAR:
                raise UsageError(f"the log would reach the year {full}", f"Give a --year from {FIRST_YEAR} to {LAST_YEAR}.")
            if not _exists(full, month, day):
                raise UsageError(
                    f"the log has a 29 February, and {full} has none", "Give the year in which the log begins: --year"
                )
            found.append((date(full, month, day).toordinal() - _EPOCH) * _DAY_NS + of_day_ns)
        return found

    def first_year(self, written_s: float) -> int:
        """Return the latest year in which a file of this log can begin that was written at this time.

        All of its dates exist then, and the last one is not after the file.
        """
        written = datetime.fromtimestamp(written_s, UTC).date()
        days = {(turns, month, day) for turns, month, day, _, year in self._stamps if year is None}
        turns, month, day = max(days, default=(0, 1, 1))
        latest = written.year - turns
        for first in range(latest, latest - _LEAP_YEARS_APART - 1, -1):
            has_all = all(_exists(first + turn, *of_year) for turn, *of_year in days)
            if has_all and date(first + turns, month, day).toordinal() <= written.toordinal() + 1:
                return first
        return latest

    def _count_turn(self, day: int) -> None:
        moved = 0 if self._last_day is None else day - self._last_day
        if moved < -_HALF_YEAR_DAYS:
            self.turns += 1
        elif moved > _HALF_YEAR_DAYS and self.turns:
            self.turns -= 1  # lines of several processes can be out of order
        self._last_day = day


def _exists(year: int, month: int, day: int) -> bool:
    try:
        date(year, month, day)
    except ValueError:
        return False
    return True
