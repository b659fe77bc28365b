"""Samples in the measured threads give the probe cost there, whatever the calibration before the first test found."""

from __future__ import annotations

import pytest
from support import chunk_writer as cw

from navitas.recording.parse.calibration import find_samples, probe_cost
from navitas.recording.parse.call_events import encoded_calls
from navitas.recording.parse.chunks import Chunk, scan_chunks
from navitas.recording.parse.methodmap import Span
from navitas.recording.parse.tables import ENTER, EXIT, THROW

LINK, CALLER, CALLED, THROWING = 0x3FFFFB, 0x3FFFFD, 0x3FFFFE, 0x3FFFFF
WORK, CONSTANT, COST = 10, 500, 60
Event = tuple[int, int, int]
Row = tuple[int, int, int, int, int, int]


def whole_ns(probed: int, cost: int) -> int:
    return CONSTANT + 64 * WORK + probed * cost


def sample(start: int, probed: int, cost: int = COST) -> list[Event]:
    """A sample inside a call of the app."""
    inner = [
        (start + i * (WORK + cost) + CONSTANT + d, kind, CALLED) for i in range(probed) for d, kind in ((0, ENTER), (WORK, EXIT))
    ]
    return [(start, ENTER, CALLER), *inner, (start + whole_ns(probed, cost), EXIT, CALLER)]


def run_of(samples: int, cost: int = COST) -> list[Event]:
    """One call of the app with `samples` samples, a few of them preempted, and a call of the app between each two."""
    events: list[Event] = [(0, ENTER, 7)]
    for i in range(samples):
        slow = 40 if i % 25 == 5 else 1
        events += [(1_000_000 * i + 10, ENTER, 8), (1_000_000 * i + 60, EXIT, 8)]
        events += sample(1_000_000 * i + 100, (16, 64)[i % 2], slow * cost)
    return [*events, (1_000_000 * samples, EXIT, 7)]


def chunks_of(events: list[Event], *, name: str = "main", cut: int | None = None) -> list[Chunk]:
    parts = [events] if cut is None else [events[i : i + cut] for i in range(0, len(events), cut)]
    data = b"".join(
        cw.chunk(cw.CALLS, cw.calls_payload(part, 0), len(part), serial=2, seq=seq, name=name) for seq, part in enumerate(parts)
    )
    return scan_chunks(data).chunks


def calibration(cost: int = 30) -> list[Chunk]:
    """Calibration calls with half the cost, a third of it inside the call. Calls that throw cost twice that."""
    events: list[Event] = []
    for called, each in ((CALLED, cost), (THROWING, 2 * cost)):
        for _ in range(4):
            start = events[-1][0] + 100_000 if events else 0
            last = EXIT if called == CALLED else THROW
            calls = [
                (start + (i + 1) * each + d, kind, called) for i in range(200) for d, kind in ((0, ENTER), (each // 3, last))
            ]
            events += [(start, ENTER, CALLER), *calls, (start + 202 * each, EXIT, CALLER)]
    return chunks_of(events, name="navitas-calibration")


@pytest.mark.parametrize("cut", [None, 1000])
def test_samples_take_precedence_over_the_calibration(cut: int | None) -> None:
    cost = probe_cost([{cw.CALLS: calibration()}, {cw.CALLS: chunks_of(run_of(200), cut=cut)}])
    assert cost is not None
    assert (cost.events.inside_ns, cost.events.outside_ns) == pytest.approx((COST / 3, 2 * COST / 3))
    assert cost.events.thrown_inside_ns + cost.events.thrown_outside_ns == pytest.approx(2 * COST)
    assert cost.events.spread_ns == pytest.approx(0.02 * COST)
    assert cost.folded.inside_ns + cost.folded.outside_ns == pytest.approx(30)


def test_the_spread_is_the_variation_over_the_run() -> None:
    events = run_of(100)[:-1] + [(t + 200_000_000, kind, method) for t, kind, method in run_of(100, 2 * COST)[1:]]
    cost = probe_cost([{cw.CALLS: calibration()}, {cw.CALLS: chunks_of(events)}])
    assert cost is not None
    assert cost.events.spread_ns == pytest.approx(COST / 2)


def test_few_samples_are_not_used() -> None:
    cost = probe_cost([{cw.CALLS: calibration()}, {cw.CALLS: chunks_of(run_of(40))}])
    assert cost is not None
    assert cost.events.inside_ns + cost.events.outside_ns == pytest.approx(30)
    assert probe_cost([{cw.CALLS: chunks_of(run_of(200))}]) is None, "not compiled before: what was not calibrated has no samples"


def test_only_epochs_with_exactly_one_sample_count() -> None:
    def rows(probed: int) -> list[Row]:
        inside = probed * (WORK + COST // 2)
        own: list[Row] = [(1, 0, CALLER, 1, 0, whole_ns(probed, COST) - inside), (2, 1, CALLED, probed, 0, inside)]
        return [(0, -1, 7, 1, 0, 900_000), *own]

    epochs = [(1_000_000 * i, 1_000_000 * (i + 1), rows((16, 64)[i % 2])) for i in range(100)]
    torn = [(1_000_000 * i, 1_000_000 * (i + 1), [(0, -1, 7, 1, 0, 5), (1, 0, CALLER, 1, 0, 5)]) for i in range(100, 140)]
    folds = scan_chunks(cw.chunk(cw.FOLDED, cw.folded_payload([*epochs, *torn]), 140, serial=2, name="main")).chunks
    cost = probe_cost([{cw.CALLS: calibration()}, {cw.FOLDED: folds}])
    assert cost is not None
    assert cost.folded.inside_ns + cost.folded.outside_ns == pytest.approx(COST)
    assert cost.events.inside_ns + cost.events.outside_ns == pytest.approx(30)


def test_calls_within_the_calls_of_a_sample_count_too() -> None:
    def nested(start: int, probed: int) -> list[Event]:
        pair = 2 * (WORK + COST)
        ends = [(0, ENTER, LINK), (20, ENTER, CALLED), (30, EXIT, CALLED), (50, EXIT, LINK)]
        inner = [(start + i * pair + CONSTANT + d, kind, method) for i in range(probed // 2) for d, kind, method in ends]
        return [(start, ENTER, CALLER), *inner, (start + whole_ns(probed, COST), EXIT, CALLER)]

    events = [event for i in range(200) for event in nested(1_000_000 * i, (16, 64)[i % 2])]
    found, _ = find_samples([{cw.CALLS: chunks_of(events)}])
    assert found.calls.tolist() == [16, 64] * 100
    cost = found.cost()
    assert cost is not None and cost[0] == pytest.approx(COST)

    def rows(probed: int) -> list[Row]:
        each = probed // 2 * (WORK + COST // 2)
        own: list[Row] = [(1, 0, CALLER, 1, 0, whole_ns(probed, COST) - 2 * each), (2, 1, LINK, probed // 2, 0, each)]
        return [(0, -1, 7, 1, 0, 900_000), *own, (3, 2, CALLED, probed // 2, 0, each)]

    epochs = [(1_000_000 * i, 1_000_000 * (i + 1), rows((16, 64)[i % 2])) for i in range(100)]
    folds = scan_chunks(cw.chunk(cw.FOLDED, cw.folded_payload(epochs), 100, serial=2, name="main")).chunks
    _, of_folds = find_samples([{cw.FOLDED: folds}])
    cost = of_folds.cost()
    assert cost is not None and cost[0] == pytest.approx(COST)


def test_samples_are_not_calls_of_the_app() -> None:
    chunks = chunks_of(run_of(10))
    calls, dropped = encoded_calls(chunks, {0: Span(0, 100)})
    assert (len(calls), dropped) == (22, 0)
    found, folds = find_samples([{cw.CALLS: chunks}])
    assert found.calls.tolist() == [16, 64] * 5
    assert len(folds.t_ns) == 0 and folds.cost() is None
