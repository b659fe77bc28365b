"""The runtime's data of a scenario's thread: events, anchors and fold tables, by simple and slow code."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from support.scenario import Call, ThreadSpec

Event = tuple[int, int, int]
Anchor = tuple[int, int]
Row = tuple[int, int, int, int, int, int]
Epoch = tuple[int, int, list[Row]]

ENTER, EXIT, THROW, RESUME = 0, 1, 2, 3


def ns(ms: float) -> int:
    """Milliseconds as whole nanoseconds."""
    return round(ms * 1e6)


def events_of(thread: ThreadSpec, ids: Mapping[str, int]) -> list[Event]:
    """Return (t_ns from the run's start, kind, method id) in order. A cut call has no exit."""
    return [event for top in thread.calls for event in _events(top, ids)]


def _events(call: Call, ids: Mapping[str, int]) -> Iterator[Event]:
    yield ns(call.start_ms), ENTER, ids[call.method]
    for callee in call.callees:
        yield from _events(callee, ids)
    if call.end_ms is not None:
        yield ns(call.end_ms), THROW if call.throws else EXIT, ids[call.method]


def clock_reads(events: Iterable[tuple[int, int]], interval_ns: int = 1_000_000) -> list[int]:
    """Return the numbers of the events (time, kind) at which the runtime reads the thread's clock.

    These are outermost entries and exits, and probes when the last reading is old enough.
    """
    found: list[int] = []
    depth, last_ns = 0, 0
    for number, (t_ns, kind) in enumerate(events):
        outermost = depth == (0 if kind in (ENTER, RESUME) else 1)
        depth += 1 if kind in (ENTER, RESUME) else -1
        if outermost or t_ns - last_ns >= interval_ns:
            found.append(number)
            last_ns = t_ns
    return found


def anchors_of(thread: ThreadSpec, events: list[Event], anchor_ms: float) -> list[Anchor]:
    """Return the readings of the thread's clock."""
    times = [events[number][0] for number in clock_reads(((t, kind) for t, kind, _ in events), ns(anchor_ms))]
    return [(t, thread.cpu_ns(t / 1e6)) for t in times]


def epochs_of(events: list[Event], anchors: list[Anchor]) -> list[Epoch]:
    """Fold a thread's events into one row for each node and epoch. Epochs end at anchors."""
    ends = [t for t, _ in anchors]
    nodes: dict[tuple[int, int], int] = {}
    methods: dict[int, tuple[int, int]] = {}
    stack: list[int] = []
    epochs: list[Epoch] = []
    sums: dict[int, tuple[int, int, int]] = {}
    last = start = ends[0]
    for t, kind, method in events:
        if stack:
            calls, throws, self_ns = sums.get(stack[-1], (0, 0, 0))
            sums[stack[-1]] = calls, throws, self_ns + t - last
        if kind in (ENTER, RESUME):
            parent = stack[-1] if stack else -1
            node = nodes.setdefault((parent, method), len(nodes))
            methods[node] = (parent, method)
            stack.append(node)
            calls, throws, self_ns = sums.get(node, (0, 0, 0))
            sums[node] = calls + (kind == ENTER), throws, self_ns
        else:
            node = stack.pop()
            calls, throws, self_ns = sums.get(node, (0, 0, 0))
            sums[node] = calls, throws + (kind == THROW), self_ns
        last = t
        if t in ends and t > start:
            epochs.append((start, t, [(n, methods[n][0], methods[n][1], *values) for n, values in sums.items()]))
            start, sums = t, {}
    return epochs
