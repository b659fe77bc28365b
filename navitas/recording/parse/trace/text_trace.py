"""Read text traces: the kernel's (`trace`, `trace_pipe`, atrace), systrace pages, and the output of `trace-cmd report`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from navitas.recording.parse.trace.blocks import BLOCK_BYTES, Block, Layout, TraceLines, read_blocks
from navitas.recording.parse.trace.build_trace import build_trace
from navitas.recording.parse.trace.single_lines import CLOCK_SYNC, SingleLines, Switch
from navitas.recording.parse.trace.switch_lines import SwitchLines, decode_ends, decode_power, decode_starts
from navitas.recording.parse.trace.text_buffer import Places, TextBuffer
from navitas.recording.parse.trace.trace_builder import CPU_LIMIT, TraceBuilder
from navitas.recording.parse.trace.trace_tables import UNKNOWN, RawTrace

_RARE = (b"sched_process_fo", b"task_rename:", b"suspend_resume:", b"sched_cpu_hotplu", b"cpuhp_enter:")
_MARKS = (b"tracing_mark_write", b"print", b"0:")
_UNDECODED = b"[FAILED TO PARSE]"
_LINE_BYTES = 1024


def read_text(source: Path | bytes, block_bytes: int = BLOCK_BYTES) -> RawTrace:
    """Read a text trace of any size, block by block. A line must fit into a block.

    Unusable lines are counted by reason, and the first of them are kept. A file without events yields empty tables.
    Raises `RecordingError` if the file cannot be read.
    """
    reader = _LineReader()
    for block in read_blocks(source, block_bytes):
        reader.read(block)
    return reader.close()


class _LineReader:
    def __init__(self) -> None:
        self._into = TraceBuilder()
        self._layout, self._switches = Layout(), SwitchLines()
        self._single, self._losses = SingleLines(self._into), TextLosses(self._into)

    def read(self, block: Block) -> None:
        """Decode a block."""
        text, into, before = block.text, self._into, block.lines_before
        lines = self._layout.heads(text, block.ends)

        def content(line: int) -> bytes:
            start = int(lines.start[line])
            return bytes(text.buffer[start : min(int(lines.end[line]), start + _LINE_BYTES)])

        if block.overlong:
            into.skip(before + 1, content(0), "longer than any event's line")
            return
        for line in lines.comment.tolist():
            self._single.comment(content(line))
        results = [(line, self._single.other(before + line + 1, content(line))) for line in lines.other.tolist()]
        self._losses.block(lines, [(line, cpu) for line, cpu in results if cpu is not None])
        if not len(lines.row):
            return
        into.extend_span(int(lines.t_ns.min()), int(lines.t_ns.max()))
        undecoded = set(_lines_with(text, lines, _UNDECODED))
        for line in sorted(undecoded):
            into.skip(before + line + 1, content(line), "trace-cmd could not decode the event")

        def switch(row: int) -> Switch | None:
            line = int(lines.row[row])
            return None if line in undecoded else self._single.switch(before + line + 1, content(line))

        remaining = [lines.row[rows] for rows in _frequent(text, lines, self._switches, switch, into)]
        rare = np.unique(np.concatenate(remaining))
        for line in rare.tolist():
            if line not in undecoded:
                self._single.event(before + line + 1, content(line))

    def close(self) -> RawTrace:
        """Return the whole trace."""
        self._losses.close()
        return build_trace(self._into)


def _frequent(
    text: TextBuffer, lines: TraceLines, switches: SwitchLines, single: Callable[[int], Switch | None], into: TraceBuilder
) -> Iterator[Places]:
    """Decode the frequent events; switches in other formats by `single`. Yields the remaining event lines."""
    name, more = text.words(lines.event), text.words(lines.event + 8)
    is_switch = (name == _word(b"sched_sw")) & ((more & _mask(b"itch:")) == _word(b"itch:"))
    switches.decode(text, lines, np.flatnonzero(is_switch), single, into)
    rest = np.flatnonzero(~is_switch)
    name, more = name[rest], more[rest]

    def named(event: bytes) -> Places:
        chosen: Places = rest[(name == _word(event[:8])) & ((more & _mask(event[8:])) == _word(event[8:]))]
        return chosen

    yield decode_power(text, lines, named(b"cpu_idle:"), True, into)
    yield decode_power(text, lines, named(b"cpu_frequency:"), False, into)
    yield decode_starts(text, lines, named(b"task_newtask:"), into)
    yield decode_ends(text, lines, named(b"sched_process_ex"), into)
    yield decode_ends(text, lines, named(b"sched_process_fr"), into)
    for event in _RARE:
        yield named(event)
    if np.isin(name & _mask(b"0:"), [_word(event[:2]) for event in _MARKS]).any():
        yield np.searchsorted(lines.row, np.fromiter(_lines_with(text, lines, CLOCK_SYNC), np.int64))


def _word(text: bytes) -> np.uint64:
    return np.uint64(int.from_bytes(text, "little"))


def _mask(text: bytes) -> np.uint64:
    return np.uint64((1 << 8 * len(text)) - 1)


def _lines_with(text: TextBuffer, lines: TraceLines, mark: bytes) -> Iterator[int]:
    """Yield the event lines that contain a mark."""
    at = text.buffer.find(mark, text.low, text.high)
    while at >= 0:
        line = int(np.searchsorted(lines.start, at, side="right")) - 1
        if (row := int(np.searchsorted(lines.row, line))) < len(lines.row) and lines.row[row] == line:
            yield line
        at = text.buffer.find(mark, max(at + 1, int(lines.end[line])), text.high)


class TextLosses:
    """Converts the positions of such lines to time spans, over several blocks."""

    def __init__(self, into: TraceBuilder) -> None:
        self._into = into
        self._last_at = np.full(CPU_LIMIT, UNKNOWN, np.int64)
        self._open: dict[int, int] = {}
        self._begin_ns: int | None = None

    def block(self, lines: TraceLines, lost: list[tuple[int, int]]) -> None:
        """Add a block's events, and the (line, core) of each such line in order."""
        if self._begin_ns is None and len(lines.t_ns):
            self._begin_ns = int(lines.t_ns.min())
        if not lost and not self._open:
            self._last_at[lines.cpu] = lines.t_ns
            return
        lost_lines: dict[int, list[int]] = {}
        for line, cpu in lost:
            lost_lines.setdefault(cpu, []).append(line)
        for cpu in np.unique(lines.cpu).tolist():
            of_cpu = np.flatnonzero(lines.cpu == cpu)
            row, t_ns = lines.row[of_cpu], lines.t_ns[of_cpu]
            if cpu in self._open:
                self._into.losses.row(cpu=cpu, from_ns=self._open.pop(cpu), to_ns=int(t_ns[0]))
            for at in np.unique(np.searchsorted(row, lost_lines.pop(cpu, []))).tolist():
                from_ns = int(t_ns[at - 1]) if at else self._before(cpu, int(t_ns[0]))
                if at < len(t_ns):
                    self._into.losses.row(cpu=cpu, from_ns=from_ns, to_ns=int(t_ns[at]))
                else:
                    self._open[cpu] = from_ns
            self._last_at[cpu] = t_ns[-1]
        for cpu in lost_lines:
            self._open.setdefault(cpu, self._before(cpu, 0))

    def _before(self, cpu: int, otherwise: int) -> int:
        begin = self._begin_ns if self._begin_ns is not None else otherwise
        return int(self._last_at[cpu]) if cpu < CPU_LIMIT and self._last_at[cpu] != UNKNOWN else begin

    def close(self) -> None:
        """End the trace. Losses without a next event last until the end of the trace."""
        for cpu, from_ns in self._open.items():
            end_ns = self._into.span_ns[1] if self._into.span_ns else from_ns
            self._into.losses.row(cpu=cpu, from_ns=from_ns, to_ns=max(from_ns, end_ns))
