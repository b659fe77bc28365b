"""Probe cost from calibration calls, which have no other effect."""

from __future__ import annotations

import pytest
from support import chunk_writer as cw

from navitas.recording.parse.calibration import probe_cost
from navitas.recording.parse.call_events import encoded_calls
from navitas.recording.parse.chunks import Chunk, scan_chunks
from navitas.recording.parse.folded import decode_folded
from navitas.recording.parse.methodmap import Span
from navitas.recording.parse.tables import ENTER, EXIT, THROW, ProbeCost

WARM_UP, CALLER, CALLED, THROWING = 0x3FFFFC, 0x3FFFFD, 0x3FFFFE, 0x3FFFFF
INSIDE, OUTSIDE, THROWN_OUTSIDE = 17, 23, 40
KNOWN = {0: Span(0, 100)}
Event = tuple[int, int, int]
Row = tuple[int, int, int, int, int, int]
Epoch = tuple[int, int, list[Row]]


def batch(
    start: int, outermost: int, called: int, *, calls: int = 200, inside: int = INSIDE, outside: int = OUTSIDE
) -> list[Event]:
    """An outermost call at `start` that contains `called` calls."""
    events, t = [(start, ENTER, outermost)], start
    for _ in range(calls):
        events += [(t + outside, ENTER, called), (t + outside + inside, THROW if called == THROWING else EXIT, called)]
        t += outside + inside
    return [*events, (t, EXIT, outermost)]


def chunks_of(events: list[Event]) -> list[Chunk]:
    return scan_chunks(cw.chunk(cw.CALLS, cw.calls_payload(events, 0), len(events), serial=2, name="navitas-calibration")).chunks


def folds_of(epochs: list[Epoch]) -> list[Chunk]:
    return scan_chunks(cw.chunk(cw.FOLDED, cw.folded_payload(epochs), len(epochs), serial=2, name="navitas-calibration")).chunks


def cost_of(events: list[Event]) -> ProbeCost:
    cost = probe_cost([{cw.CALLS: chunks_of(events)}])
    assert cost is not None
    return cost


def cost_of_folds(epochs: list[Epoch]) -> ProbeCost:
    cost = probe_cost([{cw.FOLDED: folds_of(epochs)}])
    assert cost is not None
    return cost


def test_events_give_the_cost_inside_and_outside_a_call() -> None:
    events: list[Event] = []
    for i in range(12):
        start = 1_000_000 * i
        events += batch(start, WARM_UP, CALLED, inside=900)
        # Half of the batches are slow, as if preempted or not yet compiled.
        events += batch(start + 250_000, CALLER, CALLED, inside=INSIDE if i % 2 else 400)
        events += batch(start + 500_000, CALLER, THROWING, outside=THROWN_OUTSIDE)
    cost = cost_of(events)
    assert cost.folded == cost.events
    assert (cost.events.inside_ns, cost.events.outside_ns) == pytest.approx((INSIDE, OUTSIDE))
    assert (cost.events.thrown_inside_ns, cost.events.thrown_outside_ns) == pytest.approx((INSIDE, THROWN_OUTSIDE))
    assert cost.events.spread_ns == pytest.approx(0.02 * (INSIDE + OUTSIDE))


def test_nested_calls_give_the_same_cost() -> None:
    events: list[Event] = []
    for i in range(4):
        t = 1_000_000 * i
        events.append((t, ENTER, CALLER))
        for _ in range(100):
            inner = batch(t + OUTSIDE, CALLER, CALLED, calls=1)
            events += [*inner[:-1], (t + 2 * OUTSIDE + 2 * INSIDE, EXIT, CALLER)]
            t += 2 * OUTSIDE + 2 * INSIDE
        events.append((t, EXIT, CALLER))
    cost = cost_of(events)
    assert (cost.events.inside_ns, cost.events.outside_ns) == pytest.approx((INSIDE, OUTSIDE))


def test_folds_give_the_cost_per_epoch() -> None:
    def epoch(i: int, outermost: int, called: int, inside: int) -> Epoch:
        rows = [(0, -1, outermost, 1, 0, 200 * OUTSIDE), (1, 0, called, 200, 0, 200 * inside)]
        return 1_000_000 * i, 1_000_000 * (i + 1), rows

    epochs = [
        epoch(3 * i + k, *kind) for i in range(4) for k, kind in enumerate([(WARM_UP, CALLED, 9), (CALLER, CALLED, INSIDE)])
    ]
    cost = cost_of_folds(epochs)
    assert (cost.folded.inside_ns, cost.folded.outside_ns) == pytest.approx((INSIDE, OUTSIDE))
    assert (cost.folded.thrown_inside_ns, cost.folded.thrown_outside_ns) == pytest.approx((INSIDE, OUTSIDE))


def test_work_inside_the_calls_is_not_probe_cost() -> None:
    events: list[Event] = []
    for i in range(8):
        events += batch(1_000_000 * i, CALLER, CALLED, inside=INSIDE + 50)
        events += [(1_000_000 * i + 500_000, ENTER, CALLER), (1_000_000 * i + 500_000 + 200 * 50, EXIT, CALLER)]
        events += batch(1_000_000 * i + 600_000, CALLER, THROWING, inside=INSIDE + 50, outside=THROWN_OUTSIDE)
    cost = cost_of(events)
    assert (cost.events.inside_ns, cost.events.outside_ns) == pytest.approx((INSIDE, OUTSIDE))
    assert (cost.events.thrown_inside_ns, cost.events.thrown_outside_ns) == pytest.approx((INSIDE, THROWN_OUTSIDE))

    def epoch(i: int, start: int, rows: list[Row]) -> Epoch:
        return 1_000_000 * i + start, 1_000_000 * i + start + 200_000, rows

    calls: list[Row] = [(0, -1, CALLER, 1, 0, 200 * OUTSIDE), (1, 0, CALLED, 200, 0, 200 * (INSIDE + 50))]
    work: list[Row] = [(0, -1, CALLER, 1, 0, 200 * 50)]
    cost = cost_of_folds([epoch(i, start, rows) for i in range(8) for start, rows in ((0, calls), (500_000, work))])
    assert (cost.folded.inside_ns, cost.folded.outside_ns) == pytest.approx((INSIDE, OUTSIDE))


def test_uncompiled_work_gives_an_upper_bound_with_an_equal_error() -> None:
    events: list[Event] = []
    for i in range(8):
        events += batch(1_000_000 * i, CALLER, CALLED)
        events += [(1_000_000 * i + 500_000, ENTER, CALLER), (1_000_000 * i + 500_000 + 200 * 90, EXIT, CALLER)]
    cost = cost_of(events)
    assert cost.events.inside_ns + cost.events.outside_ns == pytest.approx(INSIDE + OUTSIDE)
    assert cost.events.spread_ns == pytest.approx(INSIDE + OUTSIDE)


def test_too_few_calls_give_no_cost() -> None:
    assert probe_cost([]) is None
    assert probe_cost([{cw.CALLS: chunks_of(batch(0, CALLER, CALLED))}]) is None
    assert probe_cost([{cw.CALLS: chunks_of([(5, EXIT, CALLED), (9, ENTER, CALLER)])}]) is None


def test_reserved_ids_do_not_count_as_foreign_methods() -> None:
    calls, dropped = encoded_calls(chunks_of([*batch(0, CALLER, CALLED), (9_000_000, ENTER, 7), (9_000_001, EXIT, 500)]), KNOWN)
    assert (len(calls), dropped) == (1, 1)
    rows = [(0, -1, CALLER, 1, 0, 5), (1, 0, CALLED, 3, 0, 5), (2, -1, 7, 1, 0, 5), (3, -1, 500, 1, 0, 5)]
    folded, dropped = decode_folded(folds_of([(0, 20, rows)]), KNOWN)
    assert (folded.method.tolist(), dropped) == ([7], 1)
