"""Read the samples of a JFR file."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from navitas.base.errors import RecordingError
from navitas.recording.parse.arrays import I32, I64, Bool
from navitas.recording.parse.jfr.jfr_constants import JfrConstants, jfr_constants
from navitas.recording.parse.jfr.jfr_file import HEADER, REMEDY, JfrChunk, jfr_chunks
from navitas.recording.parse.jfr.jfr_samples import JfrEvents, JfrSamples, jfr_events
from navitas.recording.parse.jfr.jfr_types import Value, jfr_types
from navitas.recording.parse.jfr.stack_forest import JoinedStacks
from navitas.recording.parse.stack_samples import KERNEL, Frame, FrameKind, RawSamples, SampleClock
from navitas.recording.parse.tables import TID_LIMIT

_KINDS: Mapping[str, FrameKind] = {"Native": "native", "C++": "native", "Kernel": "kernel"}
"""Kinds of frames by async-profiler's names of their types. All others are Java's."""
_NOT_JAVA = ("()L;", "(Lk;)L;")
"""Their descriptors by async-profiler. A JDK names Java's native methods as such, with a class and a real descriptor."""
_NO_SYMBOL = re.compile(r"unknown|stale_jmethodID|\[.*\]|(0x)?[0-9a-f]{6,16}")
"""How async-profiler names a frame without a symbol, and a place where it could not unwind."""
_GAP = re.compile(r"\[.*\]")
"""Such a place alone: `[unknown_Java]`, `[not_walkable_Java]`."""
_NO_NAME = re.compile(r"\[tid=\d+\]")
_CPU_ENGINES = ("perf_events", "ctimer")
_CPU_TIME = ("cpu", "cpu-clock", "task-clock", "ctimer")
_NS_PER_S = 1_000_000_000
_SPARSE = 16
_SMALL = 1 << 16
_MOST_DIGITS = 18
_LONGEST_ENGINE = 40


@dataclass(slots=True)
class _Total:
    """What the chunks so far have. `settings` are those of the profiler, by name."""

    forest: JoinedStacks = field(default_factory=JoinedStacks)
    frames: dict[Frame, int] = field(default_factory=dict)
    names: dict[int, str] = field(default_factory=dict)
    settings: dict[str, str] = field(default_factory=dict)
    pid: int | None = None
    of_thread: dict[bool, dict[int, list[tuple[I64, I32]]]] = field(default_factory=lambda: {True: {}, False: {}})
    """Times and stacks of samples, by CPU time (True) and by wall time, by the thread's id."""
    lost: dict[bool, int] = field(default_factory=lambda: {True: 0, False: 0})
    broken: dict[bool, int] = field(default_factory=lambda: {True: 0, False: 0})
    cut: int = 0
    unfinished: int = 0
    chunks: int = 0


def read_jfr(path: Path) -> RawSamples:
    """Return the samples of a JFR file: by CPU time if there are any, else by wall time. Threads that slept are left out.

    `lost` counts samples that cannot be read, those of an unknown thread, and those of a chunk that its profiler did not finish.
    Times are monotonic if async-profiler ran with `clock=monotonic`, else as accurate as the wall clock at the file's beginning.
    Raises `RecordingError` if the file is damaged, or has no finished chunk.
    """
    total = _total_of(path)
    by_cpu = bool(total.of_thread[True]) or not total.of_thread[False]
    tids = list(total.of_thread[by_cpu])
    return RawSamples(
        *_columns(total.of_thread[by_cpu]),
        total.forest.stacks(),
        tuple(total.frames),
        clock=_clock(total),
        period_ns=_period_ns(total.settings) if by_cpu else None,
        thread_names=total.names,
        process_of={} if total.pid is None else dict.fromkeys(tids, total.pid),
        lost=total.lost[by_cpu],
        cut=total.cut,
        broken=total.broken[by_cpu],
        engine=total.settings.get("engine", "")[:_LONGEST_ENGINE],
    )


def _total_of(path: Path) -> _Total:
    """Return what the chunks of a file have. The file takes memory only meanwhile."""
    total = _Total()
    for chunk in jfr_chunks(path):
        total.chunks += 1
        if chunk.is_finished:
            _add_chunk(chunk, total)
        else:
            total.unfinished += 1
            _count_unfinished(chunk, total)
    if total.chunks == total.unfinished:
        raise RecordingError(f"{path}: the profiler did not finish the file, so its samples have no stacks", REMEDY)
    return total


def _columns(of_thread: dict[int, list[tuple[I64, I32]]]) -> tuple[I64, I64, I32]:
    """Return times, threads and stacks, by thread. Empties the lists, so that columns do not need their memory twice."""
    counts = {tid: sum(len(t_ns) for t_ns, _ in parts) for tid, parts in sorted(of_thread.items())}
    size, low = sum(counts.values()), 0
    all_ns, all_stacks = np.empty(size, np.int64), np.empty(size, np.int32)
    for tid in counts:
        for t_ns, stack in of_thread.pop(tid):
            all_ns[low : low + len(t_ns)], all_stacks[low : low + len(t_ns)] = t_ns, stack
            low += len(t_ns)
    return all_ns, np.repeat(np.array(list(counts), np.int64), np.array(list(counts.values()), np.int64)), all_stacks


def _add_chunk(chunk: JfrChunk, total: _Total) -> None:
    types = jfr_types(chunk)
    constants = jfr_constants(chunk, types)
    tids = _threads(constants, total)
    frames = _frames(constants, total)
    ids = constants.stacks.ids
    rows, cut = total.forest.add(constants.stacks.start, frames)
    rows, is_broken = np.append(rows, np.int32(-1)), np.append(_have_gaps(constants.stacks.start, frames, total), False)
    states = _States.of(constants)
    for events in jfr_events(chunk, types):
        _note_settings(events, total)  # They come before samples.
        for by_cpu, samples in _of_running(events, states):
            if len(samples.ticks):
                t_ns, stack = _times(chunk, samples.ticks, total), _places_of(samples.stack, ids)
                for tid, own in _by_thread(samples.thread, tids):
                    if not tid:
                        total.lost[by_cpu] += len(own)
                        continue
                    total.of_thread[by_cpu].setdefault(tid, []).append((t_ns[own], rows[stack[own]]))
                    total.broken[by_cpu] += int(np.count_nonzero(is_broken[stack[own]]))
        for by_cpu, count in events.damaged.items():
            total.lost[by_cpu] += count
    is_cut = constants.stacks.truncated != 0
    if depth := _number(total.settings.get("jstackdepth", "")):
        is_cut |= np.diff(constants.stacks.start) >= depth
    total.cut += cut + int(np.count_nonzero(is_cut))


@dataclass(frozen=True, slots=True)
class _States:
    """Ids of states: that of a thread that slept, and that of one that ran when a wall-clock sample was taken. -2: none.

    async-profiler gives the state to wall-clock samples alone, since those of CPU time show threads that run: they have its
    `STATE_DEFAULT`. Before 4.0, and with `nobatch`, both are `jdk.ExecutionSample`. Before 3.0, and in a JDK's own recordings,
    there is no such state: who ran is `STATE_RUNNABLE`.
    """

    slept: int
    by_wall: int

    @staticmethod
    def of(constants: JfrConstants) -> _States:
        """Return the ids of a chunk."""
        name = "jdk.types.ThreadState"
        ids = {constants.text(constants.fields(name, key).get("name")): key for key in constants.values[name]}
        return _States(ids.get("STATE_SLEEPING", -2), ids.get("STATE_RUNNABLE", -2) if "STATE_DEFAULT" in ids else -2)


def _of_running(events: JfrEvents, states: _States) -> Iterator[tuple[bool, JfrSamples]]:
    """Yield samples by CPU time (True) and by wall time, without those of threads that slept.

    These have used no energy since they began to wait: if they counted, most of a thread's energy would be what it waits for.
    """
    for is_cpu_event, samples in events.samples.items():
        by_wall, slept = samples.state == states.by_wall, samples.state == states.slept
        if not (by_wall.any() or slept.any()):
            yield is_cpu_event, samples
            continue
        yield False, samples.chosen(by_wall)
        yield is_cpu_event, samples.chosen(~(by_wall | slept))


def _have_gaps(start: I64, frame: I64, total: _Total) -> Bool:
    """Whether each stack has a frame that says why the profiler could not unwind it."""
    is_gap = np.array([entry.kind == "unknown" and bool(_GAP.fullmatch(entry.name)) for entry in total.frames], bool)
    before = np.concatenate([[0], np.cumsum(is_gap[frame])]) if len(frame) else np.zeros(1, np.int64)
    return np.asarray(before[start[1:]] > before[start[:-1]], bool)


def _by_thread(key: I64, tids: Mapping[int, int]) -> Iterator[tuple[int, I64]]:
    """Yield the id of each thread that has samples, 0 if it is unknown, and their rows. `key` has the threads of samples."""
    number = _places_of(key, np.array(list(tids), np.int64)) + np.int32(1)
    # Small numbers are sorted in linear time.
    order = np.argsort(number.astype(np.uint16) if len(tids) < _SMALL else number, kind="stable")
    low = 0
    for tid, count in zip([0, *tids.values()], np.bincount(number, minlength=len(tids) + 1).tolist(), strict=True):
        if count:
            yield tid, order[low : low + count]
            low += count


def _places_of(wanted: I64, ids: I64) -> I32:
    """Return the place of each wanted id in `ids`, -1 if it is not there."""
    if not len(ids):
        return np.full(len(wanted), -1, np.int32)
    low, span = int(ids.min()), int(ids.max()) - int(ids.min())
    if span < _SPARSE * len(ids):  # a table is ten times as fast as a search
        table = np.full(span + 2, -1, np.int32)
        table[ids - low] = np.arange(len(ids))
        return table[np.where((wanted >= low) & (wanted <= low + span), wanted - low, span + 1)]
    order = np.argsort(ids, kind="stable")
    at = np.minimum(np.searchsorted(ids[order], wanted), len(ids) - 1)
    return np.where(ids[order][at] == wanted, order[at], -1).astype(np.int32)


def _count_unfinished(chunk: JfrChunk, total: _Total) -> None:
    """Count the samples of a chunk whose profiler died. Its metadata follow the header, as async-profiler writes them."""
    begun = JfrChunk(chunk.data, chunk.name, 0, HEADER.size, chunk.start_ns, chunk.start_ticks, chunk.ticks_per_s, False)
    # Of a damaged chunk, the number of samples is unknown. The file has finished chunks, or is refused.
    with suppress(RecordingError):
        for events in jfr_events(begun, jfr_types(begun)):
            for by_cpu, samples in events.samples.items():
                total.lost[by_cpu] += len(samples) + events.damaged[by_cpu]


def _note_settings(events: JfrEvents, total: _Total) -> None:
    for name, values in events.others:
        if name == "jdk.JVMInformation":
            pid = values.get("pid")
            total.pid = pid if isinstance(pid, int) and 0 < pid < TID_LIMIT else total.pid
        elif isinstance(key := values.get("name"), str) and isinstance(value := values.get("value"), str):
            total.settings.setdefault(key, value)


def _threads(constants: JfrConstants, total: _Total) -> dict[int, int]:
    """Return the kernel's id of each thread, 0 if it is unknown, and note their names."""
    tids = {}
    for key, fields in constants.values["java.lang.Thread"].items():
        thread: dict[str, Value] = fields if isinstance(fields, dict) else {}
        tid = thread.get("osThreadId", 0)
        tids[key] = tid if isinstance(tid, int) and 0 < tid < TID_LIMIT else 0
        name = constants.text(thread.get("javaName")) or constants.text(thread.get("osName"))
        if tids[key] and name and not _NO_NAME.fullmatch(name):
            total.names[tids[key]] = name
    return tids


def _frames(constants: JfrConstants, total: _Total) -> I64:
    """Return the number in `total.frames` of each frame of the chunk's stacks."""
    stacks = constants.stacks
    methods, method = np.unique(stacks.method, return_inverse=True)
    kinds, kind = np.unique(stacks.frame_type, return_inverse=True)
    pairs, row = np.unique(method * len(kinds) + kind, return_inverse=True)
    kind_names = [constants.text(constants.fields("jdk.types.FrameType", number).get("description")) for number in kinds.tolist()]
    numbers = [
        total.frames.setdefault(
            _frame(constants, int(methods[pair // len(kinds)]), kind_names[pair % len(kinds)]), len(total.frames)
        )
        for pair in pairs.tolist()
    ]
    return np.array(numbers, np.int64)[row] if numbers else np.empty(0, np.int64)


def _frame(constants: JfrConstants, method_id: int, kind_name: str) -> Frame:
    method = constants.fields("jdk.types.Method", method_id)
    owner = constants.symbol(constants.fields("java.lang.Class", method.get("type")).get("name"))
    name = constants.symbol(method.get("name"))
    descriptor = constants.symbol(method.get("descriptor"))
    kind = _KINDS.get(kind_name, "java") if descriptor in _NOT_JAVA else "java"
    if kind == "java" and method:
        return Frame("java", "", owner.replace("/", "."), name, "" if descriptor in _NOT_JAVA else descriptor)
    if not method or not name or (not owner and _NO_SYMBOL.fullmatch(name)):
        return Frame("unknown", owner, "", name)
    if not owner and name.startswith("/"):  # The path of a library that has no symbol there.
        return Frame("unknown", name.rpartition("/")[2], "", "")
    return Frame(kind, KERNEL if kind == "kernel" else owner, "", name)


def _clock(total: _Total) -> SampleClock:
    return "monotonic" if total.settings.get("clock") == "monotonic" else "realtime"


def _times(chunk: JfrChunk, ticks: I64, total: _Total) -> I64:
    if _clock(total) == "monotonic" and chunk.ticks_per_s == _NS_PER_S:
        return ticks
    since = ticks - chunk.start_ticks
    if chunk.ticks_per_s == _NS_PER_S:
        return chunk.start_ns + since
    seconds, rest = np.divmod(since, chunk.ticks_per_s)
    return chunk.start_ns + seconds * _NS_PER_S + np.round(rest * (_NS_PER_S / chunk.ticks_per_s)).astype(np.int64)


def _number(text: str) -> int:
    """Return a number of a setting; 0 if it is none, or too long for one."""
    return int(text) if text.isdecimal() and len(text) <= _MOST_DIGITS else 0


def _period_ns(settings: Mapping[str, str]) -> float | None:
    """Return the requested CPU time of a thread between two samples; None if samples are of something else, or it is unknown.

    The kernel checks CPU timers (`ctimer`) at its ticks alone, every 1 to 10 ms. Then it is longer: threads' clocks show it.
    """
    interval = _number(settings.get("interval", ""))
    is_cpu_time = settings.get("engine") in _CPU_ENGINES and settings.get("event") in _CPU_TIME
    return float(interval) if is_cpu_time and 0 < interval < _NS_PER_S else None
