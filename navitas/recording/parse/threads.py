"""Threads of a run: join the runtime's data (by serial) with the sampler's data (by tid)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from navitas.recording.parse.arrays import I64
from navitas.recording.parse.call_events import NO_CALLS, encoded_calls
from navitas.recording.parse.chunks import (
    ANCHORS,
    BLOCK_COUNTS,
    CALLS,
    COMMUNICATIONS,
    FOLDED,
    HANDOFFS,
    HOOKS,
    MOUNTS,
    Chunk,
    by_thread_and_type,
    integer_rows,
)
from navitas.recording.parse.findings import LOST, TORN, Findings
from navitas.recording.parse.folded import NO_FOLDED, decode_folded
from navitas.recording.parse.methodmap import Span
from navitas.recording.parse.roles import role_of
from navitas.recording.parse.schedstat import TICK_LAG_NS, Lifetime
from navitas.recording.parse.tables import TID_LIMIT, CallStream, CpuClock, Folded, Thread

NO_CLOCK = CpuClock(np.empty(0, np.int64), np.empty(0, np.int64))


def decode_anchors(anchors: Sequence[Chunk], mounts: Sequence[Chunk] = ()) -> CpuClock:
    """Return one thread's readings from its chunks, which must be in order. Negative readings are dropped."""
    pairs = integer_rows(anchors, 2)
    if mounts:
        pairs = np.concatenate([pairs, integer_rows(mounts, 3)[:, :2]])
        pairs = pairs[np.argsort(pairs[:, 0], kind="stable")]
    pairs = pairs[(pairs >= 0).all(axis=1)]
    return cpu_clock(pairs[:, 0], pairs[:, 1])


def cpu_clock(t_ns: I64, cpu_ns: I64) -> CpuClock:
    """Return a clock from readings in recording order. Both columns become non-decreasing."""
    return CpuClock(np.maximum.accumulate(t_ns), np.maximum.accumulate(cpu_ns))


NO_SERIAL = -1
COMM_CHARS = 15
"""What the kernel keeps of a thread's name (Linux: TASK_COMM_LEN)."""
NO_OWNER = -1


@dataclass(slots=True)
class ProbedThread:
    """The runtime's data of one thread, from `start_ns` to `end_ns`."""

    serial: int
    tid: int
    name: str
    calls: CallStream
    folded: Folded
    anchors: CpuClock
    lost_events: int

    start_ns: int = field(init=False)
    end_ns: int = field(init=False)

    def __post_init__(self) -> None:
        columns = (self.anchors.t_ns, self.folded.epoch_start_ns, self.folded.epoch_end_ns)
        ends = [int(column[i]) for column in columns if len(column) for i in (0, -1)]
        ends += self.calls.span_ns if len(self.calls) or not ends else ()
        self.start_ns, self.end_ns = min(ends), max(ends)


def join_threads(probed: Sequence[ProbedThread], lifetimes: dict[int, list[Lifetime]], records_ns: I64) -> tuple[Thread, ...]:
    """Return all threads of a run. `records_ns` are the sampler's times.

    Several threads may use one tid in sequence, so each sample goes to the thread whose lifetime and CPU clock it fits.
    Within a thread's anchors, it goes to that thread. Between two threads' anchors, it goes to the earlier thread if it
    continues that thread's clock, otherwise to the later thread. Other samples go to a thread without probes (serial -1).
    Samples lag, so their values are clipped to those of the neighbouring anchors.
    """
    by_tid: dict[int, list[ProbedThread]] = {}
    for thread in sorted(probed, key=lambda thread: thread.start_ns):
        by_tid.setdefault(thread.tid, []).append(thread)
    samples: dict[int, list[CpuClock]] = {}
    others: list[Thread] = []
    for tid, of_tid in lifetimes.items():
        owners = by_tid.get(tid, []) if tid else []
        last = NO_OWNER
        for lifetime in of_tid:
            for k, clock in _split_by_owner(lifetime, owners, last):
                if k == NO_OWNER:
                    others.append(thread_without_probes(lifetime.tid, lifetime.name, clock))
                else:
                    samples.setdefault(owners[k].serial, []).append(clock)
                    last = k
    joined = [_joined(thread, samples.get(thread.serial, []), records_ns) for thread in probed]
    return (*joined, *others)


def _joined(thread: ProbedThread, pieces: Sequence[CpuClock], records_ns: I64) -> Thread:
    birth = _birth(thread, pieces, records_ns)
    whole = [*([birth] if birth else []), *pieces] or [NO_CLOCK]
    t_ns, cpu_ns = np.concatenate([piece.t_ns for piece in whole]), np.concatenate([piece.cpu_ns for piece in whole])
    samples = CpuClock(t_ns, np.maximum.accumulate(_between_anchors(t_ns, cpu_ns, thread.anchors)))
    return Thread(
        serial=thread.serial,
        tid=thread.tid,
        name=thread.name,
        role=role_of(thread.name, True),
        calls=thread.calls,
        folded=thread.folded,
        anchors=thread.anchors,
        samples=samples,
        lost_events=thread.lost_events,
    )


def _birth(thread: ProbedThread, pieces: Sequence[CpuClock], records_ns: I64) -> CpuClock | None:
    """Return a reading of 0 at the last record before the thread started, if no record lists it before its first anchor."""
    if not thread.tid or not len(thread.anchors.t_ns):
        return None
    start, used = thread.anchors.t_ns[0], thread.anchors.cpu_ns[0]
    if pieces and pieces[0].t_ns[0] <= start:
        return None
    before = records_ns.searchsorted(start - used, "right") - 1
    return CpuClock(records_ns[before : before + 1], np.zeros(1, np.int64)) if before >= 0 else None


def _between_anchors(t_ns: I64, cpu_ns: I64, anchors: CpuClock) -> I64:
    if not len(anchors.t_ns):
        return cpu_ns
    place = np.searchsorted(anchors.t_ns, t_ns, "right")
    low = np.concatenate([[0], anchors.cpu_ns])[place]
    high = np.concatenate([anchors.cpu_ns, [np.iinfo(np.int64).max]])[place]
    return np.clip(cpu_ns, low, high)


def _split_by_owner(lifetime: Lifetime, owners: Sequence[ProbedThread], earlier: int) -> Iterator[tuple[int, CpuClock]]:
    """Yield a lifetime's readings in pieces with one owner each: its index, or `NO_OWNER`.

    `earlier` is the owner of the previous lifetime.
    """
    t_ns, cpu_ns = lifetime.clock.t_ns, lifetime.clock.cpu_ns
    if not owners:
        yield NO_OWNER, lifetime.clock
        return
    owner = np.full(len(t_ns), NO_OWNER, np.int64)
    starts = np.array([thread.start_ns for thread in owners], np.int64)
    latest = np.searchsorted(starts, t_ns, "right") - 1
    for i, (t, cpu, k) in enumerate(zip(t_ns.tolist(), cpu_ns.tolist(), latest.tolist(), strict=True)):
        if k >= 0 and (t <= owners[k].end_ns or (k != earlier and _continues(owners[k], lifetime, cpu))):
            owner[i] = k
        elif k + 1 < len(owners) and _leads_to(owners[k + 1], t, cpu):
            owner[i] = k + 1
    if len(t_ns) > 1 and t_ns[0] == lifetime.since_ns:
        # The derived reading of 0 from before the thread existed belongs to the same owner as the next reading.
        owner[0] = owner[1]
    cuts = [0, *(np.nonzero(np.diff(owner))[0] + 1).tolist(), len(owner)]
    for begin, end in pairwise(cuts):
        yield int(owner[begin]), CpuClock(t_ns[begin:end], cpu_ns[begin:end])


def _continues(thread: ProbedThread, lifetime: Lifetime, cpu_ns: int) -> bool:
    """Whether a reading after a thread's last anchor may be the thread's: its lifetime fits and its clock has not fallen."""
    return lifetime.since_ns < thread.end_ns and (
        not len(thread.anchors.cpu_ns) or cpu_ns >= thread.anchors.cpu_ns[-1] - TICK_LAG_NS
    )


def _leads_to(thread: ProbedThread, t_ns: int, cpu_ns: int) -> bool:
    """Whether a reading before a thread's first anchor may be the thread's: the remaining CPU time fits in between."""
    if not len(thread.anchors.t_ns):
        return True
    rest = int(thread.anchors.cpu_ns[0]) - cpu_ns
    return -TICK_LAG_NS <= rest <= int(thread.anchors.t_ns[0]) - t_ns + TICK_LAG_NS


def thread_without_probes(tid: int, name: str, clock: CpuClock = NO_CLOCK, *, seen_ns: int | None = None) -> Thread:
    """Return a thread that only readings of its clock show, or only stack samples: the first was at `seen_ns`."""
    return Thread(NO_SERIAL, tid, name, role_of(name, False), NO_CALLS, NO_FOLDED, NO_CLOCK, clock, seen_ns=seen_ns)


_OF_ANY_THREAD = (HOOKS, HANDOFFS, COMMUNICATIONS)
"""Types that threads without probes have, too."""
VIRTUAL_THREAD = "VirtualThread"
"""The name of a virtual thread without one. It has neither a kernel thread nor a clock."""
Groups = dict[int, dict[int, list[Chunk]]]
"""Chunks by the serial of their thread, then by type."""


def of_threads(groups: Groups, kind: int) -> list[Chunk]:
    """Return the chunks of one type of all threads."""
    return [chunk for by_type in groups.values() for chunk in by_type.get(kind, ())]


def by_thread(chunks: list[Chunk], findings: Findings) -> Groups:
    """Group the threads' chunks. Lost chunks go to `findings`."""
    groups: Groups = {}
    lost_records = 0
    missing_chunks: Counter[int] = Counter()
    for serial, kind, ordered, missing in by_thread_and_type(chunks):
        missing_chunks[serial] += missing
        if serial:
            groups.setdefault(serial, {})[kind] = ordered
        else:
            lost_records += sum(chunk.lost_before for chunk in ordered)
    names = {serial: name_of(by_type) for serial, by_type in groups.items()}
    message = "{count} chunks of events are missing from the event files"
    findings.add_losses_by_thread("chunks", missing_chunks, names, message, LOST)
    message = "{count} markers, clock or counter readings were lost while recording"
    findings.add_loss("records", lost_records, message, f"{TORN} A test without its end has the status 'cut'.")
    return groups


def name_of(by_type: Mapping[int, Sequence[Chunk]]) -> str:
    """Return the last name of a thread, or an empty string if it has none."""
    return next((chunk.name for ordered in reversed(tuple(by_type.values())) for chunk in reversed(ordered) if chunk.name), "")


def probed_threads(groups: Groups, known: dict[int, Span], findings: Findings) -> list[ProbedThread]:
    """Return the threads by serial. Lost and dropped events go to `findings`."""
    probed = []
    impossible: dict[int, int] = {}
    dropped = 0
    for serial, by_type in groups.items():
        all_chunks = [chunk for kind, ordered in by_type.items() if kind not in _OF_ANY_THREAD for chunk in ordered]
        if not all_chunks:
            continue  # a thread without probes that ran work of another one
        calls, bad_calls = encoded_calls(by_type.get(CALLS, ()), known)
        folded, bad_rows = decode_folded(by_type.get(FOLDED, ()), known)
        lost_events = sum(chunk.lost_before for chunk in all_chunks if chunk.type != BLOCK_COUNTS)
        tid, bad_tids = _tid(all_chunks)
        impossible[serial] = bad_tids
        anchors = decode_anchors(by_type.get(ANCHORS, ()), by_type.get(MOUNTS, ()))
        name = name_of(by_type) or ("" if tid or len(anchors.t_ns) else VIRTUAL_THREAD)
        probed.append(ProbedThread(serial, tid, name, calls, folded, anchors, lost_events))
        dropped += bad_calls + bad_rows
    names = {thread.serial: thread.name for thread in probed}
    lost = {thread.serial: thread.lost_events for thread in probed}
    findings.add_losses_by_thread("events", lost, names, "{count} events were lost while recording", LOST)
    message = "{count} chunks of events have an impossible thread id, which is ignored"
    findings.add_losses_by_thread("thread_ids", impossible, names, message, "Copy the recording again, or record again.")
    message = "{count} events were left out: their method ids are not in the map, or their times are impossible"
    findings.add_loss("foreign_methods", dropped, message, "Their time counts as their callers' time or as untraced.")
    return sorted(probed, key=lambda thread: thread.serial)


def _tid(chunks: Sequence[Chunk]) -> tuple[int, int]:
    """Return the thread id that most chunks name (0 if none), and the number of chunks with an impossible thread id."""
    named = Counter(chunk.tid for chunk in chunks if chunk.tid)
    impossible = sum(count for tid, count in named.items() if tid >= TID_LIMIT)
    ranked = sorted((-count, tid) for tid, count in named.items() if tid < TID_LIMIT)
    return (ranked[0][1] if ranked else 0), impossible
