"""Joins a profiler's samples with the run: its clock, its threads, and the recording's methods."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from navitas.android.r8_mapping import SourceNames
from navitas.recording.parse.arrays import I32, I64, Bool, ranks
from navitas.recording.parse.clock_triples import UNJOINED, ClockTriples
from navitas.recording.parse.frame_names import LEFT_OUT, FrameRows
from navitas.recording.parse.stack_samples import NO_STACK, Frame, RawSamples, Stacks, StackSamples
from navitas.recording.parse.tables import TID_LIMIT, TIME_LIMIT_NS, MethodTable, Thread
from navitas.recording.parse.threads import COMM_CHARS, NO_SERIAL, thread_without_probes
from navitas.recording.parse.trace.trace_tables import UNKNOWN, Tasks

_REACH_NS = 100_000_000
"""How far from the readings of a thread's clock a sample of its id is still the thread's: five readings of the sampler."""
_ALWAYS_NS = (np.iinfo(np.int64).min // 2, np.iinfo(np.int64).max // 2)
_SMALL = 1 << 16


def with_processes(raw: RawSamples, tasks: Tasks) -> RawSamples:
    """Return samples with the process of each thread: as the samples have it, else as the trace has."""
    rows = tasks.tgid != UNKNOWN
    of_trace = dict(zip(tasks.tid[rows].tolist(), tasks.tgid[rows].tolist(), strict=True))
    return replace(raw, process_of={**of_trace, **raw.process_of})


def with_source_names(raw: RawSamples, names: SourceNames) -> RawSamples:
    """Return samples whose frames have the names of the source code, as far as R8 has changed them."""
    if not names.classes:
        return raw
    return replace(raw, frames=tuple(_renamed(frame, names) if frame.kind == "java" else frame for frame in raw.frames))


def _renamed(frame: Frame, names: SourceNames) -> Frame:
    class_name, name = names.method(frame.class_name, frame.name, frame.line or None)
    return replace(frame, class_name=class_name, name=name)


def joined_samples(
    raw: RawSamples, threads: Sequence[Thread], clocks: ClockTriples, table: MethodTable, *, pid: int | None = None
) -> tuple[StackSamples, tuple[Thread, ...], MethodTable]:
    """Return the samples of the app by thread, then time, and the threads and methods with those that only samples know.

    Samples of other processes are left out. `pid` is the process of the run, if it is known. Samples whose time is impossible, or
    does not join the run's clock, or whose thread id is impossible, are counted as `StackSamples.unplaced`. Threads of one id
    follow one another: a sample belongs to the one that its time fits. A thread with a Java frame is the app's, as one with
    probes is.
    """
    t_ns, placed = _monotonic(raw, clocks)
    placed &= (raw.tid > 0) & (raw.tid < TID_LIMIT) & (t_ns > 0) & (t_ns < TIME_LIMIT_NS)
    ours = _of_app(raw, threads, pid)
    tid, stack, count, kept = raw.tid, raw.stack, raw.count, placed & ours
    unplaced = int(np.count_nonzero(ours & ~placed) if count is None else count[ours & ~placed].sum())
    if not kept.all():
        t_ns, tid, stack, count = t_ns[kept], tid[kept], stack[kept], None if count is None else count[kept]
    tids, of_tid = ranks(tid)
    order = _by_thread(of_tid, t_ns)
    t_ns, of_tid, stack, count = t_ns[order], of_tid[order], stack[order], None if count is None else count[order]
    del tid
    thread, joined = _threads(t_ns, tids, of_tid, threads, raw.thread_names)
    order = _by_number(thread)
    rows = FrameRows(list(table.methods))
    stacks, stack = _stacks(raw.stacks, rows.rows(raw.frames), stack, rows)
    thread, t_ns, stack = thread[order], t_ns[order], stack[order]
    if count is not None:
        count = count[order]
        thread, t_ns, stack = np.repeat(thread, count), np.repeat(t_ns, count), np.repeat(stack, count)
    samples = StackSamples(thread, t_ns, stack, stacks, raw.period_ns, raw.lost, raw.cut, unplaced, raw.broken, raw.engine)
    is_java = _contain(stacks, np.array([bool(method.class_name) for method in rows.methods], bool)[stacks.frame])
    start = np.searchsorted(thread, np.arange(len(joined) + 1, dtype=thread.dtype)).tolist()
    inherited = next((own.name for own in joined if own.tid == pid), "")
    named = tuple(
        replace(
            own,
            name=_whole_name(own, raw.thread_names, inherited),
            role="app" if own.role == "system" and is_java[stack[low:high]].any() else own.role,
        )
        for own, low, high in zip(joined, start[:-1], start[1:], strict=True)
    )
    return samples, named, replace(table, methods=tuple(rows.methods))


def _whole_name(thread: Thread, names: Mapping[int, str], inherited: str) -> str:
    """The name of a thread by its profiler, if the kernel has a part of it, or only the name that its process began with."""
    name = names.get(thread.tid, "")
    is_cut = len(thread.name) == COMM_CHARS and name.startswith(thread.name)
    return name if name and (is_cut or thread.name == inherited) and thread.serial == NO_SERIAL else thread.name


def merged_samples(parts: Sequence[StackSamples]) -> StackSamples:
    """Return the samples of several profilers of a run, or of several processes. The period is unknown if it differs."""
    if len(parts) == 1:
        return parts[0]
    first = np.cumsum([0, *(len(part.stacks) for part in parts)])[:-1]
    thread, t_ns = (np.concatenate([getattr(part, name) for part in parts]) for name in ("thread", "t_ns"))
    stack = np.concatenate([part.stack + np.int32(low) for part, low in zip(parts, first.tolist(), strict=True)])
    parents = [
        np.where(part.stacks.parent < 0, NO_STACK, part.stacks.parent + np.int32(low))
        for part, low in zip(parts, first.tolist(), strict=True)
    ]
    stacks = Stacks(np.concatenate(parents).astype(np.int32), np.concatenate([part.stacks.frame for part in parts]))
    order, periods = _by_thread(thread, t_ns), {part.period_ns for part in parts}
    lost, cut, unplaced, broken = (sum(getattr(part, name) for part in parts) for name in ("lost", "cut", "unplaced", "broken"))
    period_ns = periods.pop() if len(periods) == 1 else None
    engine = ", ".join(dict.fromkeys(part.engine for part in parts if part.engine))
    columns = thread[order], t_ns[order], stack[order], stacks
    return StackSamples(*columns, period_ns, lost, cut, unplaced, broken, engine)


def _monotonic(raw: RawSamples, clocks: ClockTriples) -> tuple[I64, Bool]:
    """Return the times of samples on CLOCK_MONOTONIC, and which of them are known."""
    if raw.clock == "monotonic":
        return raw.t_ns, np.ones(len(raw), bool)
    if raw.clock == "none":
        return raw.t_ns, np.zeros(len(raw), bool)
    if raw.clock == "boottime":
        joined = clocks.from_boottime(raw.t_ns)
        return (raw.t_ns, np.zeros(len(raw), bool)) if joined is None else (joined, np.ones(len(raw), bool))
    order = np.argsort(raw.t_ns, kind="stable")
    in_order = clocks.from_realtime(raw.t_ns[order])
    t_ns = np.full(len(raw), UNJOINED, np.int64)
    if in_order is not None:
        t_ns[order] = in_order
    return t_ns, t_ns != UNJOINED


def _of_app(raw: RawSamples, threads: Sequence[Thread], pid: int | None) -> Bool:
    """Whether each sample is of the app: of its process, else those of its threads, or of a process that is not known."""
    own = {pid} if pid is not None else {raw.process_of[thread.tid] for thread in threads if thread.tid in raw.process_of}
    if not own or not raw.process_of:
        return np.ones(len(raw), bool)
    foreign = np.array([tid for tid, process in raw.process_of.items() if process not in own], np.int64)
    return ~np.isin(raw.tid, foreign)


def _threads(
    t_ns: I64, tids: I64, of_tid: I32, threads: Sequence[Thread], names: Mapping[int, str]
) -> tuple[I32, tuple[Thread, ...]]:
    """Return the thread of each sample, and all threads: those of the run, then those that only samples know.

    Samples are by id, a place in `tids`, then time.
    """
    places: dict[int, list[int]] = {}
    for number, known_thread in enumerate(threads):
        if known_thread.tid:
            places.setdefault(known_thread.tid, []).append(number)
    first_listing_ns = min((int(thread.samples.t_ns[0]) for thread in threads if len(thread.samples.t_ns)), default=0)
    thread, added = np.empty(len(t_ns), np.int32), list[Thread]()
    start = np.searchsorted(of_tid, np.arange(len(tids) + 1, dtype=of_tid.dtype)).tolist()
    for tid, low, high in zip(tids.tolist(), start[:-1], start[1:], strict=True):
        own_ns, own = t_ns[low:high], thread[low:high]
        candidates = places.get(tid, [])
        own[:] = _fitting(own_ns, [threads[i] for i in candidates], candidates, first_listing_ns) if candidates else -1
        is_other = own < 0
        if is_other.any():
            own[is_other] = len(threads) + len(added)
            added.append(thread_without_probes(tid, names.get(tid, ""), seen_ns=int(own_ns[is_other][0])))
    return thread, (*threads, *added)


def _fitting(t_ns: I64, threads: Sequence[Thread], places: Sequence[int], first_listing_ns: int) -> I64:
    """Return the place of the thread that each time fits, −1 for none. The threads have one id.

    It is the thread whose life has the time, else the nearest one. A thread that the sampler no longer lists has ended. One that
    it lists at its first reading began at an unknown time before.
    """
    low, high = np.array([_life(thread, first_listing_ns) for thread in threads], np.int64).T[:, :, None]
    is_listed = np.array([len(thread.samples.t_ns) > 0 for thread in threads])
    of_thread, fitting = np.array(places, np.int64), np.empty(len(t_ns), np.int64)
    step = max(_SMALL // len(threads), 1)  # An id may be of very many threads.
    for first in range(0, len(t_ns), step):
        block = slice(first, first + step)
        away = np.maximum(np.maximum(low - t_ns[block], t_ns[block] - high), 0)
        nearest = np.argmin(away, axis=0)
        fits = ~is_listed[nearest] | (np.take_along_axis(away, nearest[None, :], 0)[0] <= _REACH_NS)
        fitting[block] = np.where(fits, of_thread[nearest], -1)
    return fitting


def _life(thread: Thread, first_listing_ns: int) -> tuple[int, int]:
    """Return the first and the last time that a thread can have; all times, if none is known."""
    columns = (thread.anchors.t_ns, thread.samples.t_ns, thread.folded.epoch_start_ns, thread.folded.epoch_end_ns)
    ends = [int(column[i]) for column in columns if len(column) for i in (0, -1)]
    ends += thread.calls.span_ns if len(thread.calls) else ()
    is_in_first = len(thread.samples.t_ns) > 0 and thread.samples.t_ns[0] <= first_listing_ns
    return (min(ends) if ends and not is_in_first else _ALWAYS_NS[0], max(ends) if ends else _ALWAYS_NS[1])


def _by_thread(thread: I32, t_ns: I64) -> I64 | slice:
    """Return the order by thread, then time."""
    if not (t_ns[1:] < t_ns[:-1]).any():
        return _by_number(thread)
    if not ((thread[1:] < thread[:-1]) | ((thread[1:] == thread[:-1]) & (t_ns[1:] < t_ns[:-1]))).any():
        return slice(None)
    order = np.argsort(t_ns, kind="stable")
    return np.asarray(order[_by_number(thread[order])], np.int64)


def _by_number(thread: I32) -> I64 | slice:
    """Return the order by thread; rows of one thread keep theirs. Numbers below 2¹⁶ are sorted in linear time."""
    if not (thread[1:] < thread[:-1]).any():
        return slice(None)
    return np.argsort(thread.astype(np.uint16) if thread.max(initial=0) < _SMALL else thread, kind="stable")


def _stacks(stacks: Stacks, row_of_frame: I32, stack: I32, rows: FrameRows) -> tuple[Stacks, I32]:
    """Return the stacks without frames that are left out, and the stack of each sample.

    A sample without a stack, or with none that is kept, gets the stack of an unknown method.
    """
    method = row_of_frame[stacks.frame] if len(stacks) else np.empty(0, np.int32)
    kept = method != LEFT_OUT
    nearest = np.append(_nearest_kept(stacks.parent, kept), NO_STACK)
    new_row = np.append(np.cumsum(kept, dtype=np.int32) - 1, NO_STACK).astype(np.int32)
    parent, method = new_row[nearest[stacks.parent[kept]]], method[kept]
    of_sample = new_row[nearest][stack]
    if (of_sample == NO_STACK).any():
        of_sample[of_sample == NO_STACK] = len(method)
        parent, method = np.append(parent, np.int32(NO_STACK)), np.append(method, np.int32(rows.unknown()))
    return Stacks(parent, method), of_sample


def _contain(stacks: Stacks, is_wanted: Bool) -> Bool:
    """Whether each row of a forest, or one of its callers, is wanted."""
    is_within, up = is_wanted.copy(), stacks.parent.copy()
    while len(going := np.flatnonzero(up >= 0)):
        is_within[going] |= is_within[up[going]]
        up[going] = up[up[going]]
    return is_within


def _nearest_kept(parent: I32, kept: Bool) -> I64:
    """Return for each row of a forest itself if it is kept, else its nearest caller that is; `NO_STACK` without one."""
    up = np.where(kept, np.arange(len(parent)), parent)
    while len(going := np.flatnonzero((up >= 0) & ~np.append(kept, True)[up])):
        up[going] = up[up[going]]
    return up
