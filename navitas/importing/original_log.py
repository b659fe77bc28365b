"""Read logs of Navitas-Framework's probes: logcat lines in the formats threadtime and brief.

A message is `Entry|Exit <class>.<method> TimeInStates cpu0 <kHz> <ticks> … ; cpu1 … ;  EndOfData <brightness>`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from navitas.importing.log_dates import LogDates, Written
from navitas.importing.measured_log import LogPart, MeasuredLog, check_count
from navitas.importing.other_forms import log_form
from navitas.importing.probe_event import EventMaker, ProbeEvent, Section
from navitas.parse.logcat import LogRecord, parse_line

TAG = "TEST"
MARK = "TimeInStates"
_LONGEST_LINE = 1 << 16
_MESSAGE = re.compile(r"(Entry|Exit) (\S{1,4000}) TimeInStates\b")
_END = re.compile(r"EndOfData\s+(\d{1,9})\s*$")
_SECTION = re.compile(r"\s*cpu(\d{1,9})((?:\s+\d{1,18}\s+\d{1,18})+)\s*", re.ASCII)
_ESTIMATE = re.compile(r"\s*(?:Wifi|Bluetooth): \d")
_DUMP = "--------- beginning of "
_NO_LOGCAT = "a measurement in an unknown format of log lines"
_NO_TIME = "an impossible time"
_NO_EVENT = "an unreadable measurement"


def read_original_log(lines: Iterable[tuple[int, str]], shown: str, name: str, written: Written, year: int | None) -> MeasuredLog:
    """Read a log's lines with their numbers. `name` is that of its test, and `year` its first year, if known.

    Raises `RecordingError` if the log has no measurement, `UsageError` if its dates do not exist in the year.
    """
    part = LogPart(name)
    found = MeasuredLog(shown, "brief", [part])
    maker, dates = EventMaker(), LogDates()
    dated: list[tuple[ProbeEvent, int]] = []
    text, other = "", None
    buffers: set[str] = set()
    for place, line in lines:
        before, text = text, line
        if MARK not in text:
            found.estimates += _ESTIMATE.match(text) is not None
            if text.startswith(_DUMP):
                # A dump has such a line before the first message of each buffer: main, system, crash.
                if not buffers or text in buffers:
                    part.starts.append(len(part.events))
                    buffers.clear()
                buffers.add(text)
            continue
        record = parse_line(text) if len(text) <= _LONGEST_LINE else None
        if record is None or record.tag != TAG:
            other = other if found.damaged[_NO_LOGCAT] else log_form(text, before)
            found.note_damage(_NO_LOGCAT, place)
            continue
        index = None if record.realtime_ns is not None or not record.stamp else dates.add(record.stamp)
        if record.stamp and record.realtime_ns is None and index is None:
            found.note_damage(_NO_TIME, place)
            continue
        if (event := _event(record, place, maker)) is None:
            found.note_damage(_NO_EVENT, place)
            continue
        check_count(shown, maker.count)
        if record.tid:
            found.format = "threadtime"
        if index is not None:
            dated.append((event, index))
        part.events.append(event)
    if not part.events and other is not None:
        raise other.error(shown)
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
