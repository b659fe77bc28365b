"""Reads the samples of `simpleperf report-sample --protobuf --show-callchain`.

Records are messages with their length. Those of files, with the names of functions, follow those of samples. Source: AOSP,
system/extras/simpleperf/cmd_report_sample.proto. The clock is CLOCK_MONOTONIC on Android 8 and later (simpleperf's `--clockid`).
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from io import BufferedIOBase
from pathlib import Path
from typing import Any, Final, NamedTuple

from navitas.android.simpleperf import SIMPLEPERF
from navitas.base.errors import RecordingError
from navitas.base.regular_files import open_regular
from navitas.recording.parse.samples_columns import SampleColumns, is_clock, is_of_time
from navitas.recording.parse.samples_names import function_frame
from navitas.recording.parse.samples_stacks import StackForest, stack_key
from navitas.recording.parse.stack_samples import NO_STACK, Frame, RawSamples, SampleClock
from navitas.recording.raw import readable

MAGIC: Final = b"SIMPLEPERF"
_HEAD = struct.Struct("<10sH")
_SIZE = struct.Struct("<I")
_VERSION = 1
_RECORD_BYTES = 64 << 20
_CHAINS_LIMIT = 1 << 18
_UNWOUND, _MAX_FRAMES = 0, 6  # ERROR_NONE, ERROR_MAX_FRAME_EXCEEDED
_FILES_LIMIT = 1 << 16
_TABLES_BYTES = 256 << 20
_EVENTS_LIMIT = 256
_AGAIN = "Make it again: simpleperf report-sample --protobuf --show-callchain -i perf.data -o samples.simpleperf"


class _Function(NamedTuple):
    """A function: the number of its file, and of its name there (-1: not known)."""

    file: int
    symbol: int


def read_simpleperf(path: Path, clock: SampleClock = "monotonic") -> RawSamples:
    """Return the samples of a file of simpleperf.

    Samples of events other than time, such as those of `--trace-offcpu`, are left out. Raises `RecordingError` if the file cannot
    be read, is cut off or damaged, or of another version.
    """
    reader = _Reader(path)
    with readable(path, "Check the file."), open_regular(path) as stream:
        for data in _records(stream, path):
            reader.record(data)
    return reader.table(clock)


def _records(stream: BufferedIOBase, path: Path) -> Iterator[bytes]:
    head = stream.read(_HEAD.size)
    if len(head) < _HEAD.size or not head.startswith(MAGIC):
        raise RecordingError(f"{path}: not a report of simpleperf", _AGAIN)
    if (version := _HEAD.unpack(head)[1]) != _VERSION:
        raise RecordingError(f"{path}: a report of simpleperf in version {version}; version {_VERSION} is read", _AGAIN)
    number = 0
    while len(prefix := stream.read(_SIZE.size)) == _SIZE.size:
        (size,) = _SIZE.unpack(prefix)
        if not size:
            return
        number += 1
        if size > _RECORD_BYTES:
            raise RecordingError(f"{path}: record {number} is damaged: it has {size:,} bytes", _AGAIN)
        if len(data := stream.read(size)) < size:
            break
        yield data
    raise RecordingError(f"{path}: cut off after {number:,} records, so the names of functions at its end are missing", _AGAIN)


class _Reader:
    def __init__(self, path: Path) -> None:
        self._path = path
        self._columns = SampleColumns()
        self._functions: StackForest[_Function] = StackForest()
        self._chains: dict[bytes, int] = {}
        self._files: dict[int, tuple[str, Any]] = {}
        self._events: list[str] = []
        self._room = _TABLES_BYTES
        self._number = 0

    def record(self, data: bytes) -> None:
        """Add a record."""
        self._number += 1
        record = self._decoded("Record", data)
        if record.HasField("sample"):
            self._sample(record.sample)
        elif record.HasField("thread"):
            thread = record.thread
            self._columns.thread(thread.thread_id, thread.process_id, thread.thread_name[:256].decode("utf-8", "replace"))
        elif record.HasField("lost"):
            self._columns.lost += min(record.lost.lost_count, 1 << 40)
        elif record.HasField("file"):
            self._file(record.file, len(data))
        elif record.HasField("meta_info"):
            self._events += [name[:256].decode("utf-8", "replace") for name in record.meta_info.event_type[:_EVENTS_LIMIT]]
            del self._events[_EVENTS_LIMIT:]

    def table(self, clock: SampleClock) -> RawSamples:
        """Return all samples, once all names are known."""
        forest, rows = self._functions.named(self._named)
        return self._columns.table(forest, clock, rows, engine="simpleperf")

    def _sample(self, sample: Any) -> None:
        number = sample.event_type_id
        event = self._events[number] if number < len(self._events) else "cpu-clock"
        if not is_of_time(event):
            self._columns.leave_out(event)
            return
        self._columns.add(sample.time, sample.thread_id, self._stack(sample.callchain))
        if is_clock(event):
            self._columns.period(sample.event_count)
        error = sample.unwinding_result.error_code
        self._columns.cut += error == _MAX_FRAMES
        self._columns.broken += error not in (_UNWOUND, _MAX_FRAMES)

    def _stack(self, chain: Any) -> int:
        key = stack_key(b"\0".join(chain))
        row = self._chains.get(key)
        if row is None:
            entries = (self._decoded("Entry", entry) for entry in reversed(chain))
            functions = (_Function(entry.file_id, entry.symbol_id) for entry in entries)
            row = self._functions.stack(functions) if chain else NO_STACK
            if len(self._chains) < _CHAINS_LIMIT:
                self._chains[key] = row
        return row

    def _file(self, file: Any, size: int) -> None:
        self._room -= size
        if self._room < 0 or len(self._files) >= _FILES_LIMIT:
            raise RecordingError(f"{self._path}: its tables of names are larger than {_TABLES_BYTES >> 20} MiB", _AGAIN)
        self._files[file.id] = (file.path.decode("utf-8", "replace"), file.symbol)

    def _named(self, function: _Function) -> tuple[Frame, ...]:
        path, symbols = self._files.get(function.file, ("", ()))
        name = symbols[function.symbol].decode("utf-8", "replace") if 0 <= function.symbol < len(symbols) else ""
        return (function_frame(name, path),)

    def _decoded(self, kind: str, data: bytes) -> Any:
        try:
            return SIMPLEPERF.decoded(kind, data)
        except ValueError as error:
            raise RecordingError(f"{self._path}: record {self._number} is damaged: {error}", _AGAIN) from error
