"""Call paths by running sums, and forests in a logarithmic number of passes, against plain loops."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from random import Random

import numpy as np
import pytest
from attribution_maker import J_PER_MS, PLAIN, WITH_LOSSES, Event, manifest, parsed, run, thread
from hypothesis import given, settings
from hypothesis import strategies as st

from navitas.energy.analyze.load import profile_of
from navitas.energy.attribute.calls import walk
from navitas.energy.attribute.calls.paths import OUTSIDE, Paths
from navitas.energy.attribute.forest import outermost, path_sums, preorder, subtree_sums
from navitas.recording.parse.tables import ENTER, EXIT, THROW, CallEvents, Thread

NO_MARKS = np.empty(0, np.int64)
forests = st.lists(st.floats(0, 1, exclude_max=True), min_size=1, max_size=60).map(
    lambda picks: np.array([int(pick * (i + 1)) - 1 for i, pick in enumerate(picks)], np.int64)
)


@settings(max_examples=40)
@given(forests, st.randoms())
def test_forest_functions_equal_plain_loops(parent: np.ndarray, random: Random) -> None:
    size = len(parent)
    value = np.array([random.randint(0, 9) for _ in range(size)], np.int64)
    label = np.array([random.randint(0, 2) for _ in range(size)], np.int64)
    chains = [chain(parent, i) for i in range(size)]
    assert path_sums(parent, value).tolist() == [sum(value[j] for j in up) for up in chains]
    below = subtree_sums(parent, np.column_stack([value.astype(float), np.ones(size)]))
    assert below[:, 0].tolist() == [sum(value[j] for j in range(size) if i in chains[j]) for i in range(size)]
    place = preorder(parent, label, below[:, 1].astype(np.int64))
    assert sorted(place.tolist()) == list(range(size))
    for i in range(size):
        inside = {int(place[j]) for j in range(size) if i in chains[j]}
        assert inside == set(range(int(place[i]), int(place[i]) + len(inside)))
    order = np.argsort(place)
    free = outermost(label[order], below[order, 1].astype(np.int64))
    assert free.tolist() == [all(label[j] != label[i] for j in chains[i][1:]) for i in order.tolist()]


def chain(parent: np.ndarray, node: int) -> list[int]:
    found = []
    while node >= 0:
        found.append(node)
        node = int(parent[node])
    return found


@settings(max_examples=40)
@given(st.randoms(), st.integers(1, 40))
def test_paths_equal_those_of_a_stack_for_any_block_size(random: Random, block: int) -> None:
    events = some_calls(random, random.randint(0, 200))
    assert walked_paths([thread(1, events)], block) == repaired_paths(events)


@settings(max_examples=60)
@given(st.integers(0, 1 << 32).map(Random), st.sampled_from([3, 40, 1 << 17]))
def test_lost_events_leave_consistent_paths(random: Random, block: int) -> None:
    """Several threads whose events are lost in stretches, so that exits mismatch in several ways."""
    threads = []
    expected: list[tuple[int, ...]] = []
    for serial in range(1, random.randint(3, 6)):
        events = some_calls(random, random.randint(0, 60))
        for _ in range(random.randint(0, 4)):
            at = random.randint(0, len(events))
            del events[at : at + random.randint(0, 12)]
        threads.append(thread(serial, events))
        expected += repaired_paths(events)
    assert walked_paths(threads, block) == expected


def walked_paths(threads: Sequence[Thread], block: int) -> list[tuple[int, ...]]:
    """The path after each event, as `walk` finds them with events in pieces of this size."""
    paths = Paths(4)
    found: list[tuple[int, ...]] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(walk, "PIECE_EVENTS", block)
        for batch in walk.walk(threads, paths, NO_MARKS):
            happened = batch.kind != walk.POINT
            found += [tuple(paths.methods_of(path)) for path in batch.path[happened].tolist()]
            assert batch.depth.tolist() == [len(paths.methods_of(path)) for path in batch.path.tolist()]
    return found


def some_calls(random: Random, count: int) -> list[Event]:
    events: list[Event] = []
    stack: list[int] = []
    for t in range(count):
        if not stack or random.random() < 0.55:
            stack.append(random.randint(0, 3))
            events.append((t, ENTER, stack[-1]))
        else:
            events.append((t, random.choice([EXIT, THROW]), stack.pop()))
    return events


def repaired_paths(events: list[Event]) -> list[tuple[int, ...]]:
    """The path after each event. Exits without an entry are dropped; an exit also ends open callees, one by one."""
    found: list[tuple[int, ...]] = []
    stack: list[int] = []
    for _, kind, method in events:
        if kind == ENTER:
            stack.append(method)
            found.append(tuple(stack))
        elif method in stack:
            ends = False
            while not ends:
                ends = stack.pop() == method
                found.append(tuple(stack))
    return found


@pytest.mark.parametrize("block", [3, 1 << 17])
def test_block_size_changes_no_result(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(walk, "PIECE_EVENTS", block)
    tables = run([thread(1, WITH_LOSSES, [(0, 0), (800, 800)])], [(50, 150), (150, 1000)])
    first, second = profile_of(parsed(tables), manifest(2), PLAIN).tests
    counts = [{m.method: (m.calls, m.cut) for m in test.threads[0].methods} for test in (first, second)]
    assert counts == [{1: (0, 0), 2: (1, 1)}, {1: (0, 0), 2: (0, 0), 3: (1, 1), 4: (1, 0)}]
    assert second.threads[0].energy_j == pytest.approx(650 * J_PER_MS)


@settings(max_examples=20)
@given(st.randoms(), st.integers(1, 40))
def test_path_numbers_do_not_depend_on_random_words(random: Random, block: int) -> None:
    """Words are random, and the result does not depend on them."""
    threads = [thread(serial, some_calls(random, random.randint(0, 100))) for serial in (1, 2)]
    one, two = Paths(4), Paths(4)
    assert one.words(np.arange(4), np.zeros(4, np.int64)).tolist() != two.words(np.arange(4), np.zeros(4, np.int64)).tolist()
    found = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(walk, "PIECE_EVENTS", block)
        for paths in (one, two):
            of_events = [batch.path.tolist() for batch in walk.walk(threads, paths, NO_MARKS)]
            found.append((of_events, paths.method.tolist(), paths.parent.tolist(), paths.depth.tolist()))
    assert found[0] == found[1]


def test_very_deep_paths_are_numbered() -> None:
    depth = 200_000
    methods = np.arange(depth, dtype=np.int32) % 7
    t_ns = np.arange(2 * depth, dtype=np.int64)
    kinds = np.repeat(np.array([ENTER, EXIT], np.uint8), depth)
    deep = replace(thread(1), calls=CallEvents(t_ns, kinds, np.concatenate([methods, methods[::-1]])))
    paths = Paths(7)
    last = [int(batch.path[-1]) for batch in walk.walk([deep], paths, NO_MARKS)][-1]
    assert (last, len(paths), int(paths.depth.max())) == (OUTSIDE, depth + 2, depth)
