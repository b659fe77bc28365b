"""Random runs of a phone with two clusters: nested and recursive calls, exceptions, lagging and quantized counters."""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random

import numpy as np
from attribution_maker import MS, POLICIES, T0, folded
from support.thread_events import clock_reads, epochs_of

from navitas.recording.parse.tables import (
    ENTER,
    EXIT,
    RESUME,
    THROW,
    AppTables,
    CallEvents,
    CpuClock,
    CpuStat,
    CpuTables,
    Folded,
    RunTables,
    Thread,
    TimeInState,
    Window,
)

METHODS = 5
TICK = 10 * MS
EVENT = tuple[int, int, int]


@dataclass(frozen=True)
class Work:
    """CPU time used: a share of a core in each interval."""

    spans: tuple[tuple[int, int, float], ...]

    def until(self, t: int) -> int:
        return round(sum(max(0, min(b, t) - a) * share for a, b, share in self.spans))


def random_run(random: Random, *, with_stat: bool = True, with_process: bool = True, cut: bool = False) -> RunTables:
    """A run of 100 to 400 ms with three tests. Calls may extend over their edges."""
    end = random.randint(100, 400) * MS
    works = [_work(random, end) for _ in range(random.randint(1, 3))]
    others, hidden = _work(random, end), _work(random, end)
    threads = [_thread(random, serial, work, end, cut) for serial, work in enumerate(works, start=1)]
    ticks = [*range(0, end, 20 * MS), end]

    def process(t: int) -> int:
        return sum(work.until(t) for work in works) + hidden.until(t) // 20

    grid = np.array([T0 + t for t in ticks])
    stat_times = [*range(0, end, random.choice([60, 100, 200]) * MS), end]
    weights = [random.random() for _ in range(4)]
    busy = [[int((process(t) + others.until(t)) * w / sum(weights)) // TICK * TICK for w in weights] for t in stat_times]
    a, b = sorted(random.randint(0, end) for _ in range(2))
    return RunTables(
        run_id=0,
        start_ns=T0,
        end_ns=T0 + end,
        threads=tuple(threads),
        cpu=CpuTables(
            time_in_state=tuple(_residency(random, policy.id, ticks) for policy in POLICIES),
            process=CpuClock(grid, np.array([process(t) // TICK * TICK for t in ticks])) if with_process else None,
            stat=CpuStat((0, 1, 2, 3), np.array([T0 + t for t in stat_times]), np.array(busy)) if with_stat else None,
        ),
        app=AppTables((Window(0, T0 + a // 2, T0 + a), Window(1, T0 + a, T0 + b), Window(2, T0 + b, T0 + b + (end - b) // 2))),
    )


def as_folded(thread: Thread) -> Thread:
    """The thread as recorded if it had folded from its first call."""
    calls = thread.calls.whole()
    if not len(calls):
        return thread
    columns = (calls.t_ns.tolist(), calls.kind.tolist(), calls.method.tolist())
    anchors = list(zip(thread.anchors.t_ns.tolist(), thread.anchors.cpu_ns.tolist(), strict=True))
    rows = [(start, end, *row) for start, end, rows in epochs_of(list(zip(*columns, strict=True)), anchors) for row in rows]
    columns_of = [np.array(column, np.int64) for column in zip(*rows, strict=True)]
    empty = np.empty(0, np.int64)
    table = folded() if not rows else Folded(*columns_of)
    return replace(thread, folded=table, calls=CallEvents(empty, empty.astype(np.uint8), empty.astype(np.int32)))


def _work(random: Random, end: int) -> Work:
    edges = sorted(random.randint(0, end) for _ in range(2 * random.randint(1, 4)))
    return Work(tuple((a, b, random.choice([0.0, 0.25, 1.0])) for a, b in zip(edges[::2], edges[1::2], strict=True)))


def _thread(random: Random, serial: int, work: Work, end: int, cut: bool) -> Thread:
    events: list[EVENT] = []
    at = random.randint(0, end // 4)
    while at < end * 3 // 4 and len(events) < 200:
        until = at + random.randint(1, end // 3)
        events += _calls(random, at, min(until, end), 0)
        at = until + random.randint(1, end // 4)
    if cut and events:
        events = events[: random.randint(1, len(events))]
    times = [events[number][0] for number in clock_reads((t, kind) for t, kind, _ in events)]
    anchors = [(t, work.until(t)) for t in times]
    samples = [(t, work.until(max(0, t // (4 * MS) * 4 * MS))) for t in range(random.randint(0, 20) * MS, end, 20 * MS)]
    return Thread(
        serial=serial,
        tid=100 + serial,
        name=f"thread-{serial}",
        role="app",
        calls=CallEvents(
            np.array([T0 + t for t, _, _ in events], np.int64),
            np.array([kind for _, kind, _ in events], np.uint8),
            np.array([method for _, _, method in events], np.int32),
        ),
        folded=folded(),
        anchors=_clock(anchors),
        samples=_clock(samples if random.random() < 0.7 else []),
    )


def _calls(random: Random, start: int, end: int, depth: int) -> list[EVENT]:
    """A call, or the continuation of a suspended call, from start to end with random callees."""
    method = random.randrange(METHODS)
    inner: list[EVENT] = []
    at = start
    while depth < 4 and random.random() < 0.6 and end - at > 10:
        a = random.randint(at + 1, end - 6)
        b = random.randint(a + 1, end - 1)
        inner += _calls(random, a, b, depth + 1)
        at = b
    begin = random.choice([ENTER, ENTER, RESUME])
    return [(start, begin, method), *inner, (end, THROW if random.random() < 0.2 else EXIT, method)]


def _residency(random: Random, policy: int, ticks: list[int]) -> TimeInState:
    freqs = [500_000, 1_000_000] if policy == 0 else [800_000, 1_500_000, 2_000_000]
    spent, rows = [0.0] * len(freqs), []
    before = 0
    for t in ticks:
        mix = [random.random() * random.choice([0, 1, 1]) + 1e-6 for _ in freqs]
        spent = [value + (t - before) * share / sum(mix) for value, share in zip(spent, mix, strict=True)]
        rows.append([int(value) // TICK * TICK for value in spent])
        before = t
    return TimeInState(policy, np.array([T0 + t for t in ticks]), np.array(freqs), np.array(rows))


def _clock(readings: list[tuple[int, int]]) -> CpuClock:
    return CpuClock(np.array([T0 + t for t, _ in readings], np.int64), np.array([cpu for _, cpu in readings], np.int64))
