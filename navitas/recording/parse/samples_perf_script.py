"""Reads the samples of `perf script`: one line for each sample, with its call chain below, innermost frame first.

Source: linux, tools/perf/builtin-script.c. The clock is that of the recording: `perf record -k CLOCK_MONOTONIC`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from navitas.base.regular_files import open_regular
from navitas.recording.parse.samples_columns import SampleColumns, is_clock, is_of_time
from navitas.recording.parse.samples_names import function_frame
from navitas.recording.parse.samples_stacks import StackForest, stack_key
from navitas.recording.parse.stack_samples import Frame, RawSamples, SampleClock
from navitas.recording.raw import readable

_PIECE_BYTES = 1 << 20
_LONGEST_BYTES = 4 << 20
_SAMPLE = re.compile(
    rb"^[ ]*(\S[^\n]{0,60}?)[ \t]+(?:(-?\d{1,7})/)?(-?\d{1,7})[ \t]+(?:\[\d{1,4}\][ \t]+)?(\d{1,9})\.(\d{6}(?:\d{3})?):"
    rb"[ \t]+(?:(\d{1,18})[ \t]+)?([^\s:][^\s]{0,100}?):(?:[ \t][^\n]*)?(?:\n((?:[ \t]+[0-9a-f]{1,16}[ \t][^\n]*\n)*)|\Z)",
    re.MULTILINE,
)
_LOST = re.compile(rb"PERF_RECORD_LOST(?:_SAMPLES)? lost[ ]+(\d{1,12})")
_FRAME = re.compile(r"[ \t]+([0-9a-f]+)[ \t]+(.*)[ \t]\((.*)\)")
_DELETED_FRAME = re.compile(r"[ \t]+([0-9a-f]+)[ \t]+(.*)[ \t]\((.* \(deleted\))\)")
_OFFSET = re.compile(r"\+0x[0-9a-f]+$")
_INLINED = re.compile(r"->(?=L[^;]+;)")
"""Between methods that a JVM's compiler has put into each other, the outermost first, as perf-map-agent names them."""
_KERNEL_SPACE = 1 << 63
_DEEPEST = 127
"""The limit of the depth of call chains that the kernel walks (kernel.perf_event_max_stack)."""
_STACKS_LIMIT = 1 << 18


def read_perf_script(path: Path, clock: SampleClock | None = None) -> RawSamples:
    """Return the samples of a text of `perf script`, by default on the clock that the file's name has (`.boottime`).

    Samples of events other than time are left out. Raises `RecordingError` if the file cannot be read.
    """
    reader = _PerfReader()
    with readable(path, "Check the file."):
        for text in _pieces(path):
            reader.read(text)
    clock = clock or ("boottime" if ".boottime" in path.suffixes else "monotonic")
    return reader.columns.table(reader.forest, clock, engine="perf")


def is_perf_script(head: bytes) -> bool:
    """Whether a text begins like one of `perf script` with times, of any event: samples of time can follow later."""
    return _SAMPLE.search(head) is not None


def _pieces(path: Path) -> Iterator[bytes]:
    """Yield the text in pieces that end with an empty line, as samples with a call chain do."""
    rest = b""
    with open_regular(path) as stream:
        while data := stream.read(_PIECE_BYTES):
            whole, gap, rest = (rest + data.replace(b"\r\n", b"\n")).rpartition(b"\n\n")
            if gap:
                yield whole + gap
            elif len(rest) > _LONGEST_BYTES:
                yield rest
                rest = b""
    yield rest + b"\n"


class _PerfReader:
    def __init__(self) -> None:
        self.columns = SampleColumns()
        self.forest: StackForest[Frame] = StackForest()
        self._stacks: dict[bytes, int] = {}
        self._is_of_time: dict[bytes, tuple[bool, bool]] = {}

    def read(self, text: bytes) -> None:
        """Add the samples of a piece of text."""
        columns = self.columns
        for match in _SAMPLE.finditer(text):
            comm, pid, tid, seconds, fraction, period, event, stack = match.groups()
            of_time, of_clock = self._is_of_time.get(event) or self._judged(event)
            if not of_time:
                columns.leave_out(event.decode("utf-8", "replace"))
                continue
            thread = int(tid)
            if thread not in columns.process_of and thread not in columns.names:
                columns.thread(thread, int(pid or 0), comm.decode("utf-8", "replace"))
            key = stack_key(stack or b"")
            row = self._stacks.get(key)
            t_ns = int(seconds) * 1_000_000_000 + int(fraction.ljust(9, b"0"))
            columns.add(t_ns, thread, self._stack(stack or b"", key) if row is None else row)
            if of_clock and period:
                columns.period(int(period))
        columns.lost += sum(int(lost) for lost in _LOST.findall(text))

    def _judged(self, event: bytes) -> tuple[bool, bool]:
        name = event.decode("utf-8", "replace")
        judged = is_of_time(name), is_clock(name)
        if len(self._is_of_time) < _STACKS_LIMIT:
            self._is_of_time[event] = judged
        return judged

    def _stack(self, text: bytes, key: bytes) -> int:
        lines = text.decode("utf-8", "replace").splitlines()
        frames, path = [], ""
        for line in reversed(lines):
            match = _DELETED_FRAME.fullmatch(line) or _FRAME.fullmatch(line)
            if match is None:
                continue
            name = _OFFSET.sub("", match[2])
            # Functions that the compiler has put into others have the file of their caller.
            path = path if match[3] == "inlined" else match[3]
            is_kernel = int(match[1], 16) >= _KERNEL_SPACE
            frames += [function_frame(part, path, is_kernel=is_kernel) for part in _INLINED.split(name)]
        self.columns.cut += len(lines) >= _DEEPEST
        row = self.forest.stack(frames)
        if len(self._stacks) < _STACKS_LIMIT:
            self._stacks[key] = row
        return row
