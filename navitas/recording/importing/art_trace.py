"""Read method traces of Android's runtime: `.trace` files of `am profile` and `Debug.startMethodTracing` (ART: runtime/trace.cc).

A file has a text with the threads and methods, which ends with `*end`, and then binary records. If it was streamed
(`--streaming`), the records come first, with the threads, methods and the text among them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from navitas.base.errors import RecordingError
from navitas.base.regular_files import read_regular
from navitas.base.untrusted_text import clean_name
from navitas.recording.importing.art_records import MAGIC, MAX_TEXT, ArtHeader, Packets, art_header, record_type, split_packets
from navitas.recording.importing.plain_files import plain_file, unreadable
from navitas.recording.importing.recording_parts import MethodName
from navitas.recording.parse.arrays import I64, U8
from navitas.recording.parse.tables import ENTER, EXIT, THROW

MAX_BYTES = 512 << 20
MAX_THREADS = 10_000
_END = b"*end\n"
_STARTS = (b"*version\n", MAGIC)
_ACTIONS = np.array([ENTER, EXIT, THROW, THROW], np.uint8)
_WRAP_US = 1 << 32
_OLD_US = 1 << 31
_ID = re.compile(r"(?:0x)?([0-9a-fA-F]{1,8})")
_USUAL_NAME, _LONGEST_NAME = 200, 4000
_REMEDY = "Make one with: adb shell am profile start PROCESS FILE, and am profile stop PROCESS"


@dataclass(frozen=True, slots=True)
class ArtThread:
    """The events of one thread, in order: wall time since the start (ns), its CPU time (None: not recorded), kind, method.

    `kind` is `ENTER`, `EXIT` or `THROW`, and `method` an index. `number` is that of the file: on older releases the thread id.
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

    `shown` is its name in messages. `is_full`: the buffer was full, so later events are missing. `is_cut`: it was streamed, and
    its summary at the end is missing. `cut_bytes` were left over at the end. `unlisted` events have ids of no listed method.
    """

    shown: str
    pid: int | None
    start_ns: int
    threads: tuple[ArtThread, ...]
    methods: tuple[MethodName, ...]
    is_full: bool
    is_cut: bool
    cut_bytes: int
    unlisted: int


def is_art_trace(head: bytes) -> bool:
    """Whether a file begins like a method trace."""
    return head.startswith(_STARTS)


def read_art_trace(path: Path, shown: str) -> ArtTrace:
    """Read a method trace. Raises `RecordingError` if it cannot be read, has no wall clock, or has a newer format."""
    try:
        with plain_file(path, shown) as plain:
            data = read_regular(plain, MAX_BYTES)
    except OSError as error:
        raise unreadable(shown, error) from error
    if not is_art_trace(data[:16]):
        raise RecordingError(f"{shown}: not a method trace of Android's runtime", _REMEDY)
    if data.startswith(MAGIC):
        header = art_header(data, shown)
        packets = split_packets(data, header, shown)
    else:
        end = data.find(_END, 0, MAX_TEXT)
        if end < 0:
            raise RecordingError(f"{shown}: the list of methods is cut off (no {_END.decode().strip()})", _REMEDY)
        text = data[: end + len(_END)]
        header = art_header(data[end + len(_END) :], shown)
        records = memoryview(data)[end + len(_END) + header.records_at :]
        cut_bytes = len(records) % header.record_bytes
        packets = Packets(text, b"", b"", records[: len(records) - cut_bytes], cut_bytes)
    return _trace(packets, header, shown)


def _trace(packets: Packets, header: ArtHeader, shown: str) -> ArtTrace:
    sections = _sections(packets.text)
    facts = dict(line.partition("=")[::2] for line in sections.get("version", ()) if "=" in line)
    clock = facts.get("clock", "dual" if header.has_two_clocks else "wall")
    if clock == "thread-cpu":
        raise RecordingError(f"{shown}: the trace has no wall clock", "Trace with the clock 'dual' or 'wall'.")
    threads = _threads([*sections.get("threads", ()), *packets.threads.decode("utf-8", "replace").splitlines()])
    lines = [*sections.get("methods", ()), *packets.methods.decode("utf-8", "replace").splitlines()]
    names, index = _methods(lines)
    records = np.frombuffer(packets.records, record_type(header))
    records = records[np.argsort(records["thread"], kind="stable")]
    numbers, first = np.unique(records["thread"], return_index=True)
    if len(numbers) > MAX_THREADS:
        raise RecordingError(f"{shown}: events of more than {MAX_THREADS:,} threads", "Trace a shorter time.")
    ids, counts = np.unique(records["method"] & ~np.uint32(3), return_counts=True)
    parts = zip(numbers.tolist(), np.split(records, first[1:]), strict=True) if len(numbers) else ()
    pid = facts.get("pid", "")
    return ArtTrace(
        shown=shown,
        pid=int(pid) if pid.isascii() and pid.isdigit() and len(pid) < 10 else None,
        start_ns=header.start_us * 1000,
        threads=tuple(_of_thread(own, number, threads, index) for number, own in parts),
        methods=tuple(names),
        is_full=facts.get("data-file-overflow") == "true",
        is_cut=not packets.text,
        cut_bytes=packets.cut_bytes,
        unlisted=sum(count for one, count in zip(ids.tolist(), counts.tolist(), strict=True) if one not in index),
    )


def _of_thread(own: np.ndarray, number: int, threads: Mapping[int, str], index: Mapping[int, int]) -> ArtThread:
    found, inverse = np.unique(own["method"] & ~np.uint32(3), return_inverse=True)
    method = np.array([index.get(one, 0) for one in found.tolist()], np.int64)[inverse]
    two = "cpu" in (own.dtype.names or ())
    kind = _ACTIONS[own["method"] & np.uint32(3)]
    return ArtThread(
        number=number,
        name=threads.get(number, f"thread {number}"),
        t_ns=_unwrapped(own["wall"]),
        cpu_ns=_unwrapped(own["cpu"]) if two else None,
        kind=kind,
        method=method,
    )


def _unwrapped(us: np.ndarray) -> I64:
    """Times in ns that never fall. The file has the lower 32 bits of µs: 71 minutes."""
    times = us.astype(np.int64)
    turns = np.cumsum(np.diff(times, prepend=times[:1]) < -_OLD_US)
    return np.asarray(np.maximum.accumulate(times + turns * _WRAP_US) * 1000, np.int64)


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


def _methods(lines: Sequence[str]) -> tuple[list[MethodName], dict[int, int]]:
    """The methods, and the index of each id. The first one is for ids that are not listed."""
    names = [MethodName("(unknown)", "(unknown)")]
    index: dict[int, int] = {}
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
        index[int(number[1], 16) & 0xFFFFFFFC] = len(names)
        names.append(MethodName(fields[1].replace("/", "."), fields[2], fields[3] if len(fields) > 3 else "", file, place))
    return names, index
