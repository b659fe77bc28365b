"""Read method traces of Android's runtime: `.trace` files of `am profile` and `Debug.startMethodTracing` (ART: runtime/trace.cc).

Up to version 3, a file has a text with the threads and methods, which ends with `*end`, and then binary records. If it was
streamed (`--streaming`), the records come first, with the threads, methods and the text among them. Later versions have
packets only.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from navitas.base.errors import RecordingError
from navitas.base.regular_files import read_regular
from navitas.base.untrusted_text import clean_name
from navitas.recording.importing.art_packets import packed_trace
from navitas.recording.importing.art_records import (
    MAGIC,
    MAX_TEXT,
    ArtHeader,
    Packets,
    ThreadEvents,
    art_header,
    events_of_records,
    split_packets,
)
from navitas.recording.importing.plain_files import plain_file, unreadable
from navitas.recording.importing.recording_parts import MethodName
from navitas.recording.parse.arrays import I64, U8
from navitas.recording.parse.tables import ENTER, EXIT, THROW

MAX_BYTES = 512 << 20
_END = b"*end\n"
_STARTS = (b"*version\n", MAGIC)
_ACTIONS = np.array([ENTER, EXIT, THROW, THROW], np.uint8)
_ID = re.compile(r"(?:0x)?([0-9a-fA-F]{1,16})")
_NO_ACTION = ~3
_USUAL_NAME, _LONGEST_NAME = 200, 4000
_REMEDY = "Make one with: adb shell am profile start PROCESS FILE, and am profile stop PROCESS"


@dataclass(frozen=True, slots=True)
class ArtThread:
    """The events of one thread, in order: wall time since the start (ns), its CPU time (None: not recorded), kind, method.

    `kind` is `ENTER`, `EXIT` or `THROW`, and `method` an index. `number` is that of the file, which can be the thread id.
    """

    number: int
    name: str
    t_ns: I64
    cpu_ns: I64 | None
    kind: U8
    method: I64


@dataclass(frozen=True, slots=True)
class ArtTrace:
    """A method trace. `pid` is None if it does not name its process. `start_ns` is on some clock of the device.

    `methods` are those with events. `shown` is its name in messages. `has_tids`: the numbers of threads are thread ids.
    `is_full`: the buffer was full, so later events are missing. `is_cut`: its summary at the end is missing. `cut_bytes` were
    left over at the end. `unlisted` events have ids of no listed method.
    """

    shown: str
    pid: int | None
    start_ns: int
    threads: tuple[ArtThread, ...]
    methods: tuple[MethodName, ...]
    has_tids: bool
    is_full: bool
    is_cut: bool
    cut_bytes: int
    unlisted: int


def read_art_trace(path: Path, shown: str) -> ArtTrace:
    """Read a method trace. Raises `RecordingError` if it is damaged, has no wall clock, or has a newer format."""
    try:
        with plain_file(path, shown) as plain:
            data = read_regular(plain, MAX_BYTES)
    except OSError as error:
        raise unreadable(shown, error) from error
    if not data.startswith(_STARTS):
        raise RecordingError(f"{shown}: not a method trace of Android's runtime", _REMEDY)
    if not data.startswith(MAGIC):
        end = data.find(_END, 0, MAX_TEXT)
        if end < 0:
            raise RecordingError(f"{shown}: the list of methods is cut off (no {_END.decode().strip()})", _REMEDY)
        text = data[: end + len(_END)]
        header = art_header(data[end + len(_END) :], shown)
        if header.is_packed:
            raise RecordingError(f"{shown}: an early form of the version {header.version}, with text first", _REMEDY)
        records = memoryview(data)[end + len(_END) + header.records_at :]
        cut_bytes = len(records) % header.record_bytes
        packets = Packets(text, b"", b"", records[: len(records) - cut_bytes], cut_bytes)
        return _trace(packets, events_of_records(packets, header, shown), header, shown)
    header = art_header(data, shown)
    if header.is_packed:
        return _trace(*packed_trace(data, header, shown), header, shown)
    packets = split_packets(data, header, shown)
    return _trace(packets, events_of_records(packets, header, shown), header, shown)


def _trace(packets: Packets, events: Iterable[ThreadEvents], header: ArtHeader, shown: str) -> ArtTrace:
    sections = _sections(packets.text)
    facts = dict(line.partition("=")[::2] for line in sections.get("version", ()) if "=" in line)
    clock = facts.get("clock", "dual" if header.has_two_clocks else "wall")
    if clock == "thread-cpu":
        raise RecordingError(f"{shown}: the trace has no wall clock", "Trace with the clock 'dual' or 'wall'.")
    names = _threads([*sections.get("threads", ()), *packets.threads.decode("utf-8", "replace").splitlines()])
    lines = [*sections.get("methods", ()), *packets.methods.decode("utf-8", "replace").split("\n")]
    methods = _UsedMethods(_methods(lines))
    threads = tuple(_of_thread(own, names, methods) for own in events)
    pid = facts.get("pid", "")
    return ArtTrace(
        shown=shown,
        pid=int(pid) if pid.isascii() and pid.isdigit() and len(pid) < 10 else None,
        start_ns=header.start_ns,
        threads=threads,
        methods=tuple(methods.names),
        has_tids=header.is_packed,
        is_full=facts.get("data-file-overflow") == "true",
        is_cut=not packets.text,
        cut_bytes=packets.cut_bytes,
        unlisted=methods.unlisted,
    )


class _UsedMethods:
    """The methods with events. The first one is for ids that are not listed, whose events are counted."""

    def __init__(self, listed: Mapping[int, MethodName]) -> None:
        self._listed = listed
        self._index: dict[int, int] = {}
        self.names = [MethodName("(unknown)", "(unknown)")]
        self.unlisted = 0

    def index(self, number: int, events: int) -> int:
        """Return the index of the method with this id, which has so many events more."""
        if number not in self._listed:
            self.unlisted += events
            return 0
        if number not in self._index:
            self._index[number] = len(self.names)
            self.names.append(self._listed[number])
        return self._index[number]


def _of_thread(own: ThreadEvents, names: Mapping[int, str], methods: _UsedMethods) -> ArtThread:
    ids, inverse, counts = np.unique(own.ids, return_inverse=True, return_counts=True)
    indices = [methods.index(*pair) for pair in zip(ids.tolist(), counts.tolist(), strict=True)]
    name = names.get(own.number, f"thread {own.number}")
    return ArtThread(own.number, name, own.t_ns, own.cpu_ns, _ACTIONS[own.action], np.array(indices, np.int64)[inverse])


def _sections(text: bytes) -> dict[str, list[str]]:
    """The lines of each section: `*version` also has the facts (`clock=dual`)."""
    found: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in text.decode("utf-8", "replace").split("\n"):
        if line.startswith("*"):
            lines = found.setdefault(line[1:].strip(), [])
        elif line:
            lines.append(line)
    return found


def _threads(lines: Sequence[str]) -> dict[int, str]:
    found = {}
    for line in lines:
        number, tab, name = line.partition("\t")
        if tab and number.isascii() and number.isdigit() and len(number) < 10:
            found[int(number)] = _clean(name.strip()) or f"thread {number}"
    return found


def _clean(name: str) -> str:
    is_usual = len(name) <= _USUAL_NAME and name.isascii() and name.isprintable()
    return name if is_usual else clean_name(name[:_LONGEST_NAME])


def _methods(lines: Sequence[str]) -> dict[int, MethodName]:
    """The methods by id."""
    found: dict[int, MethodName] = {}
    for line in lines:
        fields = line.rstrip("\r").split("\t")
        number = _ID.fullmatch(fields[0])
        if number is None or len(fields) < 3:
            continue
        is_usual = len(line) <= _USUAL_NAME and line.isascii() and line.replace("\t", "").isprintable()
        fields = fields if is_usual else [_clean(field) for field in fields[:6]]
        if not fields[1] or not fields[2]:
            continue
        file = fields[4] if len(fields) > 4 and fields[4] else None
        row = fields[5] if len(fields) > 5 else ""
        place = int(row) if row.isascii() and row.isdigit() and len(row) < 7 else None
        descriptor = fields[3] if len(fields) > 3 else ""
        found[int(number[1], 16) & _NO_ACTION] = MethodName(fields[1].replace("/", "."), fields[2], descriptor, file, place)
    return found
