"""Read the stack samples of a Perfetto trace: packets `perf_sample` and `stack_sample`, and the data that they refer to.

Source: Perfetto's schema (profile_packet.proto, profile_common.proto, stack_sample.proto, interned_data.proto), and its trace
processor (a packet without the state that it needs keeps its thread and time, and loses its stack).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from navitas.android.perfetto.messages import as_bytes
from navitas.recording.parse.arrays import I64
from navitas.recording.parse.samples_columns import SampleColumns
from navitas.recording.parse.samples_names import function_frame
from navitas.recording.parse.samples_stacks import StackForest
from navitas.recording.parse.stack_samples import NO_STACK, Frame, RawSamples
from navitas.recording.parse.tables import TID_LIMIT
from navitas.recording.parse.trace.perfetto_sample_wire import PlainSamples
from navitas.recording.parse.trace.trace_tables import UNKNOWN

_NS_PER_S = 1e9
_KERNEL_KIND = 2
_CUT_STACK = 6  # UNWIND_ERROR_MAX_FRAMES_EXCEEDED
_UNWOUND = (0, 1, _CUT_STACK)
"""Errors of the unwinder that leave a stack: none, and the limit of depth."""
_GUARDRAIL = 1  # PROFILER_STOP_GUARDRAIL
_CLOCKS = (0, 1, 3)
"""Counters of PerfEvents whose period is CPU time in ns: the default entry, SW_CPU_CLOCK, SW_TASK_CLOCK."""
_CYCLES = (10, 19)
_UNIT_NS, _UNIT_CYCLES = 1, 2
_BREAKPAD_ID = 33
_INTERNED_LIMIT = 1 << 20
_INTERNED_BYTES = 64 << 20
_FRAMES_BYTES = 256 << 20
_TEXT_BYTES = 4096
_PARTS_LIMIT = 64
_INLINED_LIMIT = 64
_ADDRESSES_LIMIT = 1 << 20
_SEQUENCES_LIMIT = 4096


class _RawFrame(NamedTuple):
    """A frame as the trace has it. `address` is kept only where the trace has no name: symbols may follow at its end."""

    name: str
    path: str
    build_id: str
    address: int
    is_kernel: bool
    file: str
    line: int


_LOST_FRAME = _RawFrame("", "", "", 0, False, "", 0)


class _Sampling(NamedTuple):
    """What makes a sequence take samples, and the CPU time between two (None: not known)."""

    event: str
    is_time: bool
    period_ns: float | None


_DEFAULT = _Sampling("", True, None)


class _Interned:
    """What the packets of a sequence refer to, since its state was cleared: how many `entries` with how many `bytes` of text."""

    __slots__ = ("builds", "bytes", "entries", "frames", "mappings", "names", "paths", "sources", "stacks", "tasks")

    def __init__(self) -> None:
        self.entries = self.bytes = 0
        self.names: dict[int, str] = {}
        self.paths: dict[int, str] = {}
        self.sources: dict[int, str] = {}
        self.builds: dict[int, str] = {}
        self.mappings: dict[int, tuple[str, str]] = {}
        self.frames: dict[int, _RawFrame] = {}
        self.stacks: dict[int, int] = {}
        self.tasks: dict[int, tuple[int, int]] = {}


class PerfettoSamples:
    """Collects samples packet by packet. `left_out` counts those that have a thread and a time and are no samples of time."""

    def __init__(self) -> None:
        self.left_out: Counter[str] = Counter()
        self.stopped = False
        """Whether the profiler ended before the trace, since it needed too much of the CPU or of memory."""
        self.is_full = False
        """Whether functions or stacks were left out, since there are more than are kept at a time."""
        self._columns = SampleColumns()
        self._stacks: StackForest[_RawFrame] = StackForest()
        self._of: dict[int, _Interned] = {}
        self._sampling: dict[int, _Sampling] = {}
        self._used: set[_Sampling] = set()
        self._symbols: dict[tuple[str, int], tuple[tuple[str, str, int], ...]] = {}
        self._room, self._bytes, self._frames_bytes = _INTERNED_LIMIT, _INTERNED_BYTES, _FRAMES_BYTES

    def cleared(self, sequence: int) -> None:
        """Forget what a sequence's packets refer to: its writer begins again, or packets of it are missing."""
        if (state := self._of.pop(sequence, None)) is not None:
            self._room += state.entries
            self._bytes += state.bytes

    def defaults(self, sequence: int, defaults: Any) -> None:
        """Keep what samples a sequence has."""
        if len(self._sampling) >= _SEQUENCES_LIMIT:
            return
        if defaults.HasField("perf_sample_defaults"):
            self._sampling[sequence] = _of_timebase(defaults.perf_sample_defaults.timebase)
        elif defaults.HasField("stack_sample_defaults"):
            self._sampling[sequence] = _of_descriptor(defaults.stack_sample_defaults.primary_descriptor)

    def interned(self, sequence: int, data: Any) -> None:
        """Keep the functions, frames and stacks that later packets of a sequence refer to."""
        if not data.ByteSize():  # Most packets of samples intern nothing.
            return
        state = self._of.get(sequence)
        if state is None:
            if len(self._of) >= _SEQUENCES_LIMIT:
                self.is_full = True
                return
            state = self._of[sequence] = _Interned()
        self._texts(state, data)
        for entry in data.mappings:
            path = "/".join(state.paths.get(part, "") for part in entry.path_string_ids[:_PARTS_LIMIT])[:_TEXT_BYTES]
            if self._has_room(state, len(path)):
                module = f"/{path}" if path and not path.startswith("[") else path
                state.mappings[entry.iid] = (module, state.builds.get(entry.build_id, ""))
        for entry in data.frames:
            if self._has_room(state):
                state.frames[entry.iid] = _frame(entry, state)
        for entry in data.callstacks:
            if self._has_room(state):
                state.stacks[entry.iid] = self._row(state.frames.get(iid, _LOST_FRAME) for iid in entry.frame_ids)
        for entry in data.stack_sample_task_contexts:
            if self._has_room(state):
                state.tasks[entry.iid] = (entry.pid, entry.tid)

    def _texts(self, state: _Interned, data: Any) -> None:
        kinds = ((data.function_names, state.names), (data.mapping_paths, state.paths), (data.source_paths, state.sources))
        for texts, kept in kinds:
            for entry in texts:
                if self._has_room(state, len(text := entry.str[:_TEXT_BYTES])):
                    kept[entry.iid] = text.decode("utf-8", "replace")
        for entry in data.build_ids:
            if self._has_room(state, len(text := entry.str[:_TEXT_BYTES])):
                state.builds[entry.iid] = text.decode("utf-8", "replace") if len(text) == _BREAKPAD_ID else text.hex()

    def perf(self, sequence: int, t_ns: int, sample: Any) -> bool:
        """Add a packet `perf_sample`. Returns False if it has no time (`UNKNOWN`) and needs entry."""
        if sample.HasField("kernel_records_lost"):
            self._columns.lost += min(sample.kernel_records_lost, 1 << 40)
            return True
        if sample.HasField("producer_event"):
            self.stopped |= sample.producer_event.source_stop_reason == _GUARDRAIL
            return True
        row, state = NO_STACK, self._of.get(sequence)
        if state is not None and not sample.HasField("sample_skipped_reason"):
            row = state.stacks.get(sample.callstack_iid, NO_STACK)
            self._columns.cut += sample.unwind_error == _CUT_STACK
        self._columns.broken += row == NO_STACK or sample.unwind_error not in _UNWOUND
        return self._add(sequence, t_ns, (sample.pid, sample.tid), row)

    def plain(self, samples: PlainSamples, t_ns: I64) -> I64:
        """Add many packets `perf_sample` with these times. Returns the rows for which `perf` returns False."""
        state, sampling = self._of.get(samples.sequence), self._sampling.get(samples.sequence, _DEFAULT)
        error, tid, pid = samples.unwind_error, samples.tid, samples.pid
        if state is None:
            stack = np.full(len(tid), NO_STACK, np.int32)
        else:
            stack = np.array([state.stacks.get(iid, NO_STACK) for iid in samples.stack_iid.tolist()], np.int32)
            self._columns.cut += int(np.count_nonzero(error == _CUT_STACK))
        self._columns.broken += int(np.count_nonzero((stack == NO_STACK) | (error[:, None] != _UNWOUND).all(axis=1)))
        is_of_thread = (tid > 0) & (tid < TID_LIMIT)
        is_timed = t_ns != UNKNOWN
        is_used = is_of_thread & is_timed
        count = int(np.count_nonzero(is_used))
        if count and not sampling.is_time:
            self.left_out[sampling.event] += count
        elif count:
            self._used.add(sampling)
            self._columns.extend(t_ns[is_used], tid[is_used], stack[is_used], pid[is_used])
        return np.flatnonzero(is_of_thread & ~is_timed)

    def stack(self, sequence: int, t_ns: int, sample: Any) -> bool:
        """Add a packet `stack_sample`. Returns False if it has no time (`UNKNOWN`) and needs entry."""
        if sample.HasField("primary_descriptor"):
            self._sampling.setdefault(sequence, _of_descriptor(sample.primary_descriptor))
        state = self._of.get(sequence) or _Interned()
        context = sample.task_context
        task = (context.pid, context.tid) if context.tid else state.tasks.get(sample.task_context_iid, (0, 0))
        frames = sample.callstack.frames
        row = self._row(map(_inline, frames)) if frames else state.stacks.get(sample.callstack_iid, NO_STACK)
        return self._add(sequence, t_ns, task, row)

    def symbols(self, module: Any) -> None:
        """Keep the names of addresses, which `traceconv` adds to the end of a trace."""
        raw = as_bytes(module.build_id)
        build = raw.decode("utf-8", "replace") if len(raw) == _BREAKPAD_ID else raw.hex()
        for entry in module.address_symbols:
            lines = tuple(
                (
                    as_bytes(line.function_name)[:_TEXT_BYTES].decode("utf-8", "replace"),
                    as_bytes(line.source_file_name)[:_TEXT_BYTES].decode("utf-8", "replace"),
                    line.line_number,
                )
                for line in entry.lines[:_INLINED_LIMIT]
            )
            if lines and len(self._symbols) < _ADDRESSES_LIMIT:
                self._symbols[build, entry.address] = lines

    def table(self) -> RawSamples | None:
        """Return the samples by boottime; None without any."""
        if not len(self._columns):
            return None
        forest, rows = self._stacks.named(self._functions)
        periods = {entry.period_ns for entry in self._used}
        samples = self._columns.table(forest, "boottime", rows, engine="linux.perf")
        return replace(samples, period_ns=periods.pop() if len(periods) == 1 else None)

    def _add(self, sequence: int, t_ns: int, task: tuple[int, int], row: int) -> bool:
        pid, tid = task
        if not 0 < tid < TID_LIMIT:
            return True
        if t_ns == UNKNOWN:
            return False
        sampling = self._sampling.get(sequence, _DEFAULT)
        if not sampling.is_time:
            self.left_out[sampling.event] += 1
            return True
        self._used.add(sampling)
        self._columns.add(t_ns, tid, row)
        self._columns.thread(tid, pid, "")
        return True

    def _row(self, frames: Iterable[_RawFrame]) -> int:
        return self._stacks.stack(map(self._kept, frames))

    def _kept(self, frame: _RawFrame) -> _RawFrame:
        """The frame, or one without a name: stacks keep the texts of their frames when the state of a sequence is cleared."""
        if frame in self._stacks:
            return frame
        size = len(frame.name) + len(frame.path) + len(frame.file)
        if self._frames_bytes < size:
            self.is_full = True
            return _LOST_FRAME
        self._frames_bytes -= size
        return frame

    def _has_room(self, state: _Interned, size: int = 0) -> bool:
        """Whether there is room for an entry of `size` bytes of text, which is then taken until the state is cleared."""
        if self._room <= 0 or self._bytes < size:
            self.is_full = True
            return False
        self._room -= 1
        self._bytes -= size
        state.entries += 1
        state.bytes += size
        return True

    def _functions(self, frame: _RawFrame) -> tuple[Frame, ...]:
        """The functions of a frame, outermost first: several where the compiler has inlined calls."""
        lines = () if frame.name else self._symbols.get((frame.build_id, frame.address), ())
        if not lines:
            lines = ((frame.name, frame.file, frame.line),)
        return tuple(
            function_frame(name, frame.path, build_id=frame.build_id, is_kernel=frame.is_kernel, file=file, line=line)
            for name, file, line in reversed(lines)
        )


def _frame(entry: Any, state: _Interned) -> _RawFrame:
    name = state.names.get(entry.function_name_id, "")
    path, build = state.mappings.get(entry.mapping_id, ("", ""))
    address = 0 if name else entry.rel_pc
    return _RawFrame(
        name, path, build, address, entry.kind == _KERNEL_KIND, state.sources.get(entry.source_path_iid, ""), entry.line_number
    )


def _inline(entry: Any) -> _RawFrame:
    name, file = (as_bytes(text)[:_TEXT_BYTES].decode("utf-8", "replace") for text in (entry.function_name, entry.source_file))
    return _RawFrame(name, "", "", 0, False, file, entry.line_number)


def _of_timebase(timebase: Any) -> _Sampling:
    if timebase.HasField("tracepoint"):
        return _Sampling(f"the trace point {timebase.tracepoint.name}"[: _BREAKPAD_ID * 2], False, None)
    if timebase.HasField("raw_event"):
        return _Sampling("a raw event", False, None)
    if timebase.counter not in (*_CLOCKS, *_CYCLES):
        names = timebase.DESCRIPTOR.fields_by_name["counter"].enum_type.values_by_number
        return _Sampling(f"the event {names[timebase.counter].name}", False, None)
    if timebase.counter in _CYCLES:
        return _Sampling("", True, None)
    if timebase.HasField("period"):
        return _Sampling("", True, float(timebase.period) or None)
    return _Sampling("", True, _NS_PER_S / timebase.frequency if timebase.frequency else None)


def _of_descriptor(descriptor: Any) -> _Sampling:
    unit = descriptor.unit
    is_time = unit in (_UNIT_NS, _UNIT_CYCLES) or not (unit or descriptor.unit_str or descriptor.name)
    name = as_bytes(descriptor.name)[:100].decode("utf-8", "replace")
    return _Sampling("" if is_time else f"the event {name}", is_time, None)
