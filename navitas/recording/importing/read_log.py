"""Opens files of measurements, and reads each by its content. What several dumps of a log buffer have counts once."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Literal, NamedTuple

from navitas.base.errors import RecordingError, UsageError
from navitas.base.line_blocks import blocks_of
from navitas.base.regular_files import as_utf8, open_regular, read_regular
from navitas.recording.importing.log_forms import MARK, STUDIO_JSON, is_studio_log, studio_lines
from navitas.recording.importing.measured_log import MAX_BYTES, LogPart, MeasuredLog
from navitas.recording.importing.original_json import MAX_JSON_BYTES, json_document, read_original_json
from navitas.recording.importing.original_log import read_original_log, written_by
from navitas.recording.importing.other_forms import KERNEL_TRACE, STACKS, OtherForm, is_kernel_text, trace_form
from navitas.recording.importing.plain_files import content_name, plain_file, unreadable
from navitas.recording.importing.probe_event import ProbeEvent
from navitas.recording.importing.sample_forms import has_samples

LogFormat = Literal["auto", "log", "json"]
_HEAD_BYTES = 4096


def read_log(path: Path, shown: str, *, year: int | None, log_format: LogFormat = "auto") -> MeasuredLog:
    """Read a log, or JSON of Navitas-Framework or Android Studio, packed or not. `shown` is its name in messages.

    Its test is named after its file. Line ends can be those of Windows, and text UTF-16 (PowerShell).

    Raises `RecordingError` if the file cannot be read or has no measurement.
    """
    name = content_name(path)
    try:
        changed_s = path.stat().st_mtime
        with plain_file(path, shown) as plain, open_regular(plain) as stream:
            head = as_utf8(stream.peek(_HEAD_BYTES)[:_HEAD_BYTES])
            written = written_by(name, changed_s)
            if log_format == "json" or (log_format == "auto" and head.lstrip()[:1] == b"{"):
                document = json_document(read_regular(plain, MAX_JSON_BYTES), shown)
                if not is_studio_log(document):
                    return read_original_json(document, shown)
                return read_original_log(studio_lines(document), shown, name, written, year, form=STUDIO_JSON)
            if os.fstat(stream.fileno()).st_size > MAX_BYTES:
                raise RecordingError(f"{shown}: larger than 1 GiB", "Cut the log into parts, and import each of them.")
            if MARK.encode() not in head and (other := _other_form(head)) is not None:
                raise other.error(shown)
            return read_original_log(_lines(stream), shown, name, written, year)
    except OSError as error:
        raise unreadable(shown, error) from error


def _other_form(head: bytes) -> OtherForm | None:
    """The form of a file that is no log, by how it begins."""
    if is_kernel_text(head):
        return KERNEL_TRACE
    return STACKS if has_samples(head) else trace_form(head)


def _lines(stream: IO[bytes]) -> Iterator[tuple[int, str]]:
    """Yield lines with their numbers, without blank ones. Of longer ones than 1 MiB, only the beginning."""
    for block in blocks_of(stream):
        for number, line in zip(block.numbers, block.lines, strict=True):
            yield number, line.decode("utf-8", "replace")
        for refusal in block.refused:
            yield refusal.row, refusal.text.decode("utf-8", "replace")


class _Test(NamedTuple):
    log: MeasuredLog
    part: LogPart


def count_once(logs: Sequence[MeasuredLog]) -> None:
    """Leave each event only in the first dump that has it, and later events of the same process there, too.

    The first dump is that with the earliest end, or the first given one if some log has no times. Each log counts what was left
    out. Events that one dump has several times stay.

    Raises `UsageError` for a log that has nothing else: it is given twice.
    """
    tests = [_Test(log, part) for log in logs for part in log.parts]
    dumps = [(test, events) for test in tests for events in test.part.take_dumps()]
    if all(event.realtime_ns is not None for _, events in dumps for event in events):
        dumps.sort(key=lambda dump: max(event.realtime_ns or 0 for event in dump[1]))
    counts: Counter[int] = Counter()
    homes: dict[int, _Test] = {}
    earlier: dict[int, tuple[_Test, int]] = {}
    for test, events in dumps:
        own: Counter[int] = Counter()
        continued: dict[int, _Test] = {}
        for event in events:
            if (identity := _identity(event)) is None:
                test.part.events.append(event)
                continue
            own[identity] += 1
            if own[identity] <= counts[identity]:
                test.log.repeated[test.part.name] += 1
                continued.setdefault(event.pid, homes[identity])
                earlier.setdefault(id(test.log), (homes[identity], event.pid))
            else:
                # Without process ids, the rest can be of any process.
                home = homes.setdefault(identity, continued.get(event.pid, test) if event.pid else test)
                home.part.events.append(event)
        counts |= own
    for log in logs:
        if not any(part.events for part in log.parts) and (found := earlier.get(id(log))):
            raise _same(found[0].log, log, found[1])


def _identity(event: ProbeEvent) -> int | None:
    """Return the same number for the same entry or exit in another dump: at the same counters, or times. None without both."""
    reading = (event.layout, event.ticks.tobytes()) if event.layout else event.realtime_ns
    return None if reading is None else hash((event.pid, event.tid, event.is_entry, event.method, reading))


def _same(first: MeasuredLog, other: MeasuredLog, pid: int) -> UsageError:
    if first.shown == other.shown:
        return UsageError(f"{first.shown} is given twice", "Give each log once.")
    return UsageError(
        f"{first.shown} and {other.shown} have the same measurements of process {pid}",
        "Give one of them. A copy, or a later dump of the same log buffer, is not another repeat.",
    )
