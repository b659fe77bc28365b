"""Work that one thread hands to another: its time and energy, by the call that handed it over."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from random import Random
from typing import Any

import numpy as np
import pytest
from attribution_maker import J_PER_MS, PLAIN, T0, folded, manifest, nested, ns, parsed, run, thread
from hardware_maker import hooks, profile_of, random_hardware_run
from hypothesis import given, settings
from hypothesis import strategies as st
from support.run_tables import changed

from navitas.energy.attribute.build import build_ledger
from navitas.energy.attribute.calls import run_calls
from navitas.energy.attribute.calls.paths import OUTSIDE
from navitas.energy.attribute.calls.walk import EventBatch, walk
from navitas.energy.attribute.handed_tasks import innermost_spans
from navitas.energy.attribute.ledger import NO_OWNER, NO_TEST, Ledger
from navitas.recording.parse.hook_calls import NO_NODE, Handoffs, HookKind
from navitas.recording.parse.tables import RunTables

Row = tuple[int, float, float, int, float]
Fact = tuple[int, int, int, tuple[int, ...], int, float, float]


def handoffs(rows: Sequence[Row], nodes: Sequence[int] | None = None) -> Handoffs:
    """Rows of (thread, start ms, end ms, origin, origin's ms), in the order in which they end."""
    order = sorted(range(len(rows)), key=lambda i: rows[i][1])
    node = [NO_NODE] * len(rows) if nodes is None else list(nodes)
    columns = [[rows[i][column] for i in order] for column in range(5)]
    times = [[ns(value) for value in columns[column]] for column in (1, 2, 4)]
    ordered = (columns[0], times[0], times[1], columns[3], times[2], [node[i] for i in order])
    return Handoffs(*(np.array(column, np.int64) for column in ordered))


def ledger_of(made: RunTables, handed: Handoffs) -> Ledger:
    tables = changed(made, handoffs=handed)
    return build_ledger(parsed(tables), manifest(len(made.app.windows)), PLAIN)


def facts(ledger: Ledger) -> list[Fact]:
    """Test, owner, starter, methods of the starter's path, tasks, ms and joules of each row."""
    found = []
    handed = ledger.handed
    for row in range(len(handed)):
        methods, path = [], int(handed.path[row])
        while path > OUTSIDE:
            methods.append(int(ledger.paths.method[path]))
            path = int(ledger.paths.parent[path])
        keys = (int(handed.test[row]), int(handed.owner[row]), int(handed.starter[row]), tuple(methods[::-1]))
        found.append((*keys, int(handed.tasks[row]), handed.run_ns[row] / 1e6, float(handed.energy_j[row].sum())))
    return found


MAIN = thread(1, sorted([*nested((0, 400, 0), (100, 200, 1)), *nested((500, 900, 2))]), [(0, 0), (1000, 10)])
POOL = thread(2, nested((150, 350, 3)), [(0, 0), (1000, 1000)], name="pool")


def test_work_has_the_energy_of_its_thread_and_the_path_of_its_starter() -> None:
    made = run([MAIN, POOL], [(0, 1000)])
    ledger = ledger_of(made, handoffs([(1, 150, 350, 0, 120), (1, 400, 450, 0, 130), (1, 600, 700, 0, 550)]))
    assert facts(ledger) == [
        (0, 1, 0, (0, 1), 2, 250.0, pytest.approx(250 * J_PER_MS)),
        (0, 1, 0, (2,), 1, 100.0, pytest.approx(100 * J_PER_MS)),
    ]


def test_a_folded_starter_is_found_by_its_node() -> None:
    rows = [(0, 500, 0, -1, 0, 1, 0, 400), (0, 500, 1, 0, 4, 1, 0, 100)]
    main = thread(1, (), [(0, 0), (1000, 10)], folds=folded(rows))
    ledger = ledger_of(run([main, POOL]), handoffs([(1, 150, 350, 0, 120), (1, 400, 450, 0, 130)], nodes=[1, 77]))
    assert facts(ledger) == [
        (0, 1, 0, (), 1, 50.0, pytest.approx(50 * J_PER_MS)),
        (0, 1, 0, (0, 4), 1, 200.0, pytest.approx(200 * J_PER_MS)),
    ]


def test_nested_work_is_taken_from_the_outer_one() -> None:
    ledger = ledger_of(run([MAIN, POOL]), handoffs([(1, 200, 300, 1, 160), (1, 150, 350, 0, 120)]))
    assert facts(ledger) == [
        (0, 1, 0, (0, 1), 1, 100.0, pytest.approx(100 * J_PER_MS)),
        (0, 1, 1, (3,), 1, 100.0, pytest.approx(100 * J_PER_MS)),
    ]


def test_unknown_threads_and_calls_have_rows() -> None:
    made = handoffs([(1, 100, 200, -1, 50), (1, 300, 400, 0, 950), (-1, 500, 600, 0, 150), (-1, 600, 700, -1, 150)])
    assert facts(ledger_of(run([MAIN, POOL]), made)) == [
        (0, NO_OWNER, NO_OWNER, (), 1, 0.0, 0.0),
        (0, NO_OWNER, 0, (0, 1), 1, 0.0, 0.0),
        (0, 1, NO_OWNER, (), 1, 100.0, pytest.approx(100 * J_PER_MS)),
        (0, 1, 0, (), 1, 100.0, pytest.approx(100 * J_PER_MS)),
    ]


def test_work_is_split_at_the_edges_of_tests_and_counts_where_it_began() -> None:
    ledger = ledger_of(run([MAIN, POOL], [(100, 300), (300, 400)]), handoffs([(1, 200, 450, 0, 120)]))
    assert facts(ledger) == [
        (NO_TEST, 1, 0, (0, 1), 0, 50.0, pytest.approx(50 * J_PER_MS)),
        (0, 1, 0, (0, 1), 1, 100.0, pytest.approx(100 * J_PER_MS)),
        (1, 1, 0, (0, 1), 0, 100.0, pytest.approx(100 * J_PER_MS)),
    ]


def test_impossible_times_count_as_far_as_the_run_goes() -> None:
    far = Handoffs(*(np.array([value]) for value in (1, 1, 1 << 61, 0, 0, NO_NODE)))
    assert facts(ledger_of(run([MAIN, POOL], [(0, 1000)]), far)) == [
        (NO_TEST, 1, 0, (), 1, 0.0, 0.0),
        (0, 1, 0, (), 0, 1000.0, pytest.approx(1000 * J_PER_MS)),
    ]


def test_serials_of_several_processes_keep_runs_apart() -> None:
    runs = [changed(run([MAIN, POOL]), run_id=number, handoffs=handoffs([(1, 150, 350, 0, 120)])) for number in range(2)]
    made = manifest(1)
    tests = [test.model_copy(update={"run": number, "id": number}) for number in range(2) for test in made.tests]
    runs[1] = changed(runs[1], windows=(replace(runs[1].app.windows[0], test_id=1),))
    ledger = build_ledger(parsed(*runs), made.model_copy(update={"tests": tests}), PLAIN)
    assert [fact[:5] for fact in facts(ledger)] == [(0, 1, 0, (0, 1), 1), (1, 6, 5, (0, 1), 1)]
    assert ledger.owners.run[[1, 6]].tolist() == [0, 1] and ledger.owners.name[6] == "pool"


def test_a_charge_belongs_to_the_work_that_made_the_call() -> None:
    """The download begins in the inner work; its tail flows after the work has ended."""
    pool = thread(2, nested((150, 350, 3), (210, 260, 1)), [(0, 0), (1000, 100)])
    used = hooks([(1, 210, 260, 50_000, HookKind.NET_READ, False, 7)])
    handed = handoffs([(1, 200, 300, 1, 160), (1, 150, 350, 0, 120)])
    ledger = profile_of(changed(run([MAIN, pool]), hooks=used, handoffs=handed), api_kinds=(0, int(HookKind.NET_READ))).ledger
    wifi = ledger.components.index("wifi")
    inner = int(np.flatnonzero(ledger.handed.starter == 1)[0])
    charged_j = ledger.energy.exclusive_j[(ledger.energy.component == wifi) & (ledger.energy.owner == 1)].sum()
    assert ledger.handed.energy_j[inner, wifi] == pytest.approx(charged_j) and charged_j > 0
    assert ledger.handed.energy_j[:, wifi].sum() == pytest.approx(charged_j)


def test_innermost_spans_of_many_threads() -> None:
    spans = innermost_spans(*(np.array(c) for c in ([1, 0, 1, 1, -1, 0], [5, 0, 0, 8, 0, 3], [9, 3, 9, 9, 9, 3])))
    rows = zip(*(getattr(spans, name).tolist() for name in ("thread", "start_ns", "end_ns", "task")), strict=True)
    assert list(rows) == [(0, 0, 3, 1), (1, 0, 5, 2), (1, 5, 8, 0), (1, 8, 9, 3)]
    assert spans.at(np.array([0, 0, 1, 1, 2]), np.array([2, 3, 5, 9, 5])).tolist() == [0, -1, 2, -1, -1]


def test_of_equal_work_the_first_row_is_the_innermost() -> None:
    """A thread records inner work first."""
    spans = innermost_spans(np.array([0, 0]), np.array([4, 4]), np.array([6, 6]))
    assert (spans.task.tolist(), len(spans)) == ([0], 1)


def random_handoffs(random: Random, made: RunTables, count: int) -> Handoffs:
    end = made.end_ns - made.start_ns
    columns = []
    for _ in range(count):
        start = random.randint(-end // 10, end)
        length = random.choice([0, random.randint(0, end // 20), random.randint(0, end)])
        threads = range(-1, len(made.threads))
        node = random.choice([NO_NODE, NO_NODE, 0, 1, 50])
        columns.append((random.choice(threads), start, start + length, random.choice(threads), random.randint(-9, end), node))
    columns.sort(key=lambda row: row[1])
    table = np.array(columns, np.int64).reshape(-1, 6).T
    table[[1, 2, 4]] += T0
    return Handoffs(*table)


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 1 << 32).map(Random))
def test_handed_work_has_at_most_the_energy_of_its_thread(random: Random) -> None:
    made = random_hardware_run(random)
    made = changed(made, handoffs=random_handoffs(random, made, random.randint(0, 30)))
    ledger = profile_of(made, api_kinds=[random.choice([0, 0, 1, 2, 3, 4]) for _ in range(5)]).ledger
    handed, energy = ledger.handed, ledger.energy
    assert made.calls.handoffs is not None and handed.tasks.sum() == len(made.calls.handoffs)
    assert (handed.energy_j >= 0).all() and (handed.run_ns >= 0).all()
    known = handed.owner != NO_OWNER
    assert not handed.energy_j[~known].any()
    shape = (len(ledger.tests) + 1, len(ledger.owners), len(ledger.components))
    handed_j, thread_j = np.zeros(shape), np.zeros(shape)
    np.add.at(handed_j, (handed.test[known], handed.owner[known]), handed.energy_j[known])  # NO_TEST is the last one
    np.add.at(thread_j, (energy.test, energy.owner, energy.component), energy.raw_j)
    scale = np.abs(ledger.run_energy_j).max(initial=0)
    assert (handed_j <= thread_j * (1 + 1e-9) + 1e-9 * scale).all()


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 1 << 32).map(Random))
def test_innermost_spans_are_those_of_a_stack(random: Random) -> None:
    """Properly nested work, as a thread records it."""
    rows: list[tuple[int, int, int]] = []
    for number in range(random.randint(1, 3)):
        now, stack = 0, []
        for _ in range(random.randint(0, 40)):
            now += random.choice([0, 1, 3])
            if stack and random.random() < 0.5:
                rows.append((number, stack.pop(), now))
            else:
                stack.append(now)
        rows += [(number, stack.pop(), now := now + 1) for _ in range(len(stack))]
    order = sorted(range(len(rows)), key=lambda i: rows[i][1])
    table = np.array([rows[i] for i in order], np.int64).reshape(-1, 3)
    spans = innermost_spans(*table.T)
    for number, t in {(row[0], t) for row in rows for t in range(row[1], row[2])}:
        open_rows = [i for i, row in enumerate(table.tolist()) if row[0] == number and row[1] <= t < row[2]]
        shortest = min(open_rows, key=lambda i: (-table[i, 1], table[i, 2], i))
        place = spans.at(np.array([number]), np.array([t]))[0]
        assert spans.task[place] == shortest
    covered = {(row[0], t) for row in rows for t in range(row[1], row[2])}
    assert int((spans.end_ns - spans.start_ns).sum()) == len(covered)


def test_the_events_of_a_run_are_read_once_for_all_who_need_call_paths(monkeypatch: pytest.MonkeyPatch) -> None:
    """The totals, the calls of APIs, and the call paths of hooks and handoffs come from one reading."""
    walked: list[int] = []

    def counted(*arguments: Any) -> Iterator[EventBatch]:
        walked.append(1)
        return walk(*arguments)

    monkeypatch.setattr(run_calls, "walk", counted)
    used = hooks([(0, 210, 220, 100, HookKind.NET_READ, False, 1)])
    tables = changed(run([MAIN, POOL]), hooks=used, handoffs=handoffs([(1, 150, 350, 0, 120)]))
    ledger = profile_of(tables, tables, api_kinds=(0, int(HookKind.NET_READ))).ledger
    assert len(walked) == 2 and ledger.handed.tasks.sum() == 2 and len(ledger.transfers)
