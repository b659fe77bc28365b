"""Threads of a run: join the runtime's data (by serial) with the sampler's data (by tid)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from navitas.recording.parse.anchors import NO_CLOCK
from navitas.recording.parse.arrays import I64
from navitas.recording.parse.call_events import NO_CALLS
from navitas.recording.parse.folded import NO_FOLDED
from navitas.recording.parse.roles import role_of
from navitas.recording.parse.schedstat import TICK_LAG_NS, Lifetime
from navitas.recording.parse.tables import CallStream, CpuClock, Folded, Thread

NO_SERIAL = -1
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
                    others.append(_thread_without_probes(lifetime, clock))
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


def _thread_without_probes(lifetime: Lifetime, clock: CpuClock) -> Thread:
    return Thread(
        serial=NO_SERIAL,
        tid=lifetime.tid,
        name=lifetime.name,
        role=role_of(lifetime.name, False),
        calls=NO_CALLS,
        folded=NO_FOLDED,
        anchors=NO_CLOCK,
        samples=clock,
    )
