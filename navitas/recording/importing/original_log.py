"""Read logs of Navitas-Framework's probes: lines of logcat.

logcat leaves out the year, and a log can pass the turn of a year. A message is
`Entry|Exit <class>.<method> TimeInStates cpu0 <kHz> <ticks> … ; cpu1 … ;  EndOfData <brightness>`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, date, datetime
from typing import NamedTuple

from navitas.base.errors import UsageError
from navitas.recording.importing.log_forms import MARK, TAG, LogLines
from navitas.recording.importing.measured_log import LogPart, MeasuredLog, check_count
from navitas.recording.importing.probe_event import EventMaker, ProbeEvent, Section
from navitas.recording.parse.run_chunks import LogRecord

_LONGEST_LINE = 1 << 16
_MESSAGE = re.compile(r"(Entry|Exit) (\S{1,4000}) TimeInStates\b")
_END = re.compile(r"EndOfData\s+(\d{1,9})\s*$")
_SECTION = re.compile(r"\s*cpu(\d{1,9})((?:\s+\d{1,18}\s+\d{1,18})+)\s*", re.ASCII)
_ESTIMATE = re.compile(r"\s*(?:Wifi|Bluetooth): \d")
_DUMP = "--------- beginning of "
_NO_LOGCAT = "a measurement in an unknown format of log lines"
_NO_TIME = "an impossible time"
_NO_EVENT = "an unreadable measurement"
FIRST_YEAR, LAST_YEAR = 1970, 2115
_STAMP = re.compile(r"(?:(\d{4})-)?(\d\d)-(\d\d) ([01]\d|2[0-3]):([0-5]\d):([0-5]\d|60)\.(\d{3,9})")
_EPOCH = date(1970, 1, 1).toordinal()
_DAY_NS = 86_400_000_000_000
_NAMED_S = 90 * 86_400
"""A log is at most this much newer than the date in its name."""
_LEAP_YEAR = 2000
_HALF_YEAR_DAYS = 183
_LEAP_YEARS_APART = 8


def read_original_log(
    lines: Iterable[tuple[int, str]], shown: str, name: str, written: Written, year: int | None, *, form: str = ""
) -> MeasuredLog:
    """Read a log's lines with their numbers. `name` is that of its test, and `year` its first year, if known. `form` is that of
    the log if its lines do not show it.

    Raises `RecordingError` if the log has no measurement, `UsageError` if its dates do not exist in the year.
    """
    part = LogPart(name)
    found = MeasuredLog(shown, form or "brief", [part])
    maker, dates = EventMaker(), LogDates()
    dated: list[tuple[ProbeEvent, int]] = []
    reader = LogLines()
    buffers: set[str] = set()
    for place, text in lines:
        formed = reader.record(text) if len(text) <= _LONGEST_LINE else None
        if MARK not in text:
            found.estimates += _ESTIMATE.match(text) is not None
            if text.startswith(_DUMP):
                # A dump has such a line before the first message of each buffer: main, system, crash.
                if not buffers or text in buffers:
                    part.starts.append(len(part.events))
                    buffers.clear()
                buffers.add(text)
            continue
        if formed is None or formed.record.tag != TAG:
            found.note_damage(_NO_LOGCAT, place)
            continue
        record = formed.record
        index = None if record.realtime_ns is not None or not record.stamp else dates.add(record.stamp)
        if record.stamp and record.realtime_ns is None and index is None:
            found.note_damage(_NO_TIME, place)
            continue
        if (event := _event(record, place, maker)) is None:
            found.note_damage(_NO_EVENT, place)
            continue
        check_count(shown, maker.count)
        if record.tid or not part.events:
            found.format = form or formed.form
        if index is not None:
            dated.append((event, index))
        part.events.append(event)
    if not part.events:
        raise found.nothing_usable(f"no line has a measurement of Navitas-Framework ({MARK})")
    found.first_defect = maker.first_defect
    _set_times(found, dates, dated, written, year)
    return found


def _event(record: LogRecord, place: int, maker: EventMaker) -> ProbeEvent | None:
    match = _MESSAGE.match(record.message)
    if match is None:
        return None
    end = _END.search(record.message, match.end())
    # logcat cuts messages at about 4,000 characters. Their readings are incomplete, and the entry or exit still counts.
    return maker.event(
        place,
        is_entry=match[1] == "Entry",
        method=match[2],
        ids=(record.pid, record.tid),
        realtime_ns=record.realtime_ns,
        sections=None if end is None else _sections(record.message[match.end() : end.start()]),
        brightness=0 if end is None else int(end[1]),
    )


def _sections(text: str) -> list[Section] | None:
    """The CPUs' frequencies and ticks; None if something else is between them."""
    found: list[Section] = []
    for part in text.split(";"):
        if match := _SECTION.fullmatch(part):
            numbers = list(map(int, match[2].split()))
            found.append((int(match[1]), numbers[::2], numbers[1::2]))
        elif part.strip():
            return None
    return found


def _set_times(
    found: MeasuredLog, dates: LogDates, dated: list[tuple[ProbeEvent, int]], written: Written, year: int | None
) -> None:
    first = 0
    if dates.lacks_year:
        first = dates.first_year(written.latest_s) if year is None else year
        found.year, found.year_turns = first, dates.turns
        found.year_source = written.source if year is None else "--year"
    times = dates.realtime_ns(first)
    for event, index in dated:
        event.realtime_ns = times[index]


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
