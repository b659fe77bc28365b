"""Energy of stack samples: neighbors own the same CPU time of their thread, with its power at each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from random import Random

import numpy as np
import pytest
from attribution_maker import J_PER_MS, PLAIN, manifest, nested, parsed, residency, run, thread
from hypothesis import given, settings
from hypothesis import strategies as st
from sample_maker import sampled, samples

from navitas.energy.analyze.conserve import check
from navitas.energy.analyze.load import profile_of
from navitas.energy.analyze.profile import Profile
from navitas.energy.attribute.calls import sample_totals, short_threads
from navitas.energy.attribute.calls.self_totals import AMOUNTS, CPU_NS, SelfTotals
from navitas.power.model import ClusterPower, CpuPower
from navitas.recording.parse.tables import RunTables

BUSY = ((0.0, 0.0), (1000.0, 1000.0))
Row = tuple[int, float, Sequence[int]]
randoms = st.integers(0, 1 << 32).map(Random)


def analyzed(made: RunTables, tests: int = 1) -> Profile:
    return profile_of(parsed(made), manifest(tests), PLAIN)


def of_rows(
    rows: Sequence[Row], period_ms: float | None = None, windows: Sequence[tuple[float, float]] = ((0, 1000),)
) -> Profile:
    return analyzed(sampled(run([thread(1, (), BUSY), thread(2, (), BUSY)], windows), samples(rows, period_ms)), len(windows))


def self_ms(profile: Profile, test: int = 0) -> dict[int, float]:
    """Self energy of each method, as the milliseconds of CPU time that use it."""
    found: dict[int, float] = {}
    for own in profile.tests[test].threads:
        for method in own.methods:
            found[method.method] = found.get(method.method, 0.0) + method.exclusive_j / J_PER_MS
    return found


def test_the_samples_of_a_stretch_own_the_same_time_up_to_the_edges_of_the_test() -> None:
    profile = of_rows([(0, 100, [0, 1]), (0, 300, [0, 2]), (0, 400, [0])])
    assert self_ms(profile) == pytest.approx({1: 1000 / 3, 2: 1000 / 3, 0: 1000 / 3})
    (own, other) = sorted(profile.tests[0].threads, key=lambda one: one.tid)
    assert own.untraced_j == pytest.approx(0) and other.untraced_j == pytest.approx(1000 * J_PER_MS)
    by_method = {method.method: method for method in own.methods}
    assert by_method[0].inclusive_j == pytest.approx(1000 * J_PER_MS)
    assert [(by_method[i].samples, by_method[i].calls) for i in range(3)] == [(1, 0), (1, 0), (1, 0)]
    assert by_method[1].cpu_ns == by_method[1].self_ns == 333_333_333
    assert [(node.method, node.samples) for node in own.nodes] == [(0, 1), (1, 1), (2, 1)]
    assert check(profile) == []


def test_of_a_long_thread_each_stretch_owns_up_to_the_midpoints_to_the_next_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sample_totals, "STRETCH", 2)
    rows = [(0, t, [number]) for number, t in enumerate((100, 200, 400, 900, 950))]
    assert self_ms(of_rows(rows)) == pytest.approx({0: 150, 1: 150, 2: 700 / 3, 3: 700 / 3, 4: 700 / 3})


def test_a_sample_has_the_power_of_its_thread_there() -> None:
    cluster = ClusterPower((0, 1, 2, 3), np.array([1_000, 2_000]), np.array([100.0, 300.0]), 0.0)
    model = replace(PLAIN, cpu=CpuPower(0.0, 0.0, 0.0, (cluster,)))
    faster = residency(0, [1_000, 2_000], [(0, (0, 0)), (500, (500, 0)), (1000, (500, 500))])
    taken = samples([(0, 100, [0]), (0, 200, [0]), (0, 700, [1])])
    busy = thread(1, (), ((0.0, 0.0), (500.0, 500.0), (1000.0, 1000.0)))
    profile = profile_of(parsed(sampled(run([busy], time_in_state=[faster]), taken)), manifest(), model)
    assert self_ms(profile) == pytest.approx({0: 800, 1: 1200})
    assert {method.method: method.cpu_ns for method in profile.tests[0].threads[0].methods} == {0: 666_666_667, 1: 333_333_333}


def test_one_sample_owns_all_of_its_thread_and_test() -> None:
    assert self_ms(of_rows([(0, 1, [3])])) == pytest.approx({3: 1000})


def test_neighbors_are_those_in_the_same_test() -> None:
    profile = of_rows([(0, 10, [0]), (0, 90, [1]), (0, 210, [2]), (0, 550, [3])], windows=((0, 100), (200, 500)))
    assert self_ms(profile, 0) == pytest.approx({0: 50, 1: 50})
    assert self_ms(profile, 1) == pytest.approx({2: 300})


def test_samples_at_the_end_of_a_test_are_outside_of_it() -> None:
    assert self_ms(of_rows([(0, 0, [0]), (0, 100, [1])], windows=((0, 100),))) == pytest.approx({0: 100})


def test_samples_at_one_time_share_what_they_own() -> None:
    assert self_ms(of_rows([(0, 100, [0]), (0, 500, [1]), (0, 500, [2])])) == pytest.approx({0: 500, 1: 250, 2: 250})


def test_where_samples_are_missing_neighbors_own_half_a_period() -> None:
    made = run([thread(1, (), ((0, 0), (2, 2), (500, 500), (1000, 1000)))])
    profile = analyzed(sampled(made, samples([(0, 1, [0]), (0, 1.5, [0]), (0, 2, [1]), (0, 500, [2])], 1.0)))
    assert self_ms(profile) == pytest.approx({0: 1.75, 1: 0.875, 2: 0.875})
    assert profile.tests[0].threads[0].untraced_j == pytest.approx(996.5 * J_PER_MS)
    assert check(profile) == []


READ = tuple((float(t), float(t)) for t in range(0, 1001, 20))


def test_where_samples_are_missing_is_known_only_between_readings_of_the_clock() -> None:
    taken = [(0, float(t), [0]) for t in range(2, 210)] + [(0, float(t), [1]) for t in range(225, 1000)]
    made = run([thread(1, (), READ)])
    assert self_ms(analyzed(sampled(made, samples(taken, 1.0)))) == pytest.approx({0: 213.25, 1: 786.75})
    late = samples([row for row in taken if not 209 < row[1] < 260], 1.0)
    profile = analyzed(sampled(made, late))
    assert self_ms(profile) == pytest.approx({0: 209.5, 1: 740.5})
    assert profile.tests[0].threads[0].untraced_j == pytest.approx(50 * J_PER_MS)


def test_the_period_is_the_one_that_samples_have() -> None:
    rows = [(0, float(t), [t % 3]) for t in range(4, 1000, 4)]
    profile = analyzed(sampled(run([thread(1, (), READ)]), samples(rows, 0.5)))
    assert profile.tests[0].threads[0].untraced_j == pytest.approx(0, abs=1e-9)


def test_waiting_is_no_missing_sample() -> None:
    waits = thread(1, (), ((0, 0), (10, 10), (900, 10), (1000, 110)))
    taken = samples([(0, 5, [0]), (0, 950, [1])], period_ms=50.0)
    assert self_ms(analyzed(sampled(run([waits]), taken))) == pytest.approx({0: 55, 1: 55})


def test_samples_of_a_thread_with_recorded_calls_are_not_used() -> None:
    probed = thread(1, nested((0, 400, 4)), BUSY)
    profile = analyzed(sampled(run([probed, thread(2, (), BUSY)]), samples([(0, 500, [5]), (1, 500, [6])])))
    assert self_ms(profile) == pytest.approx({4: 400, 6: 1000})
    methods = {method.method: method for own in profile.tests[0].threads for method in own.methods}
    assert (methods[4].calls, methods[4].samples) == (1, 0) and (methods[6].calls, methods[6].samples) == (0, 1)


def of_short_threads(count: int) -> Profile:
    """A run of threads of 1.5 ms: half of them have one sample in the middle, half of them two near the ends."""
    threads = [thread(serial, (), ((0.0, 0.0), (1000.0, 1.5))) for serial in range(count)]
    other = [thread(1000 + serial, (), ((0.0, 0.0), (1000.0, 1.5)), name=f"other-{serial}") for serial in range(count)]
    rows: list[Row] = [(serial, 500, [0, 1]) for serial in range(0, 2 * count, 2)]
    rows += [(serial, t, [0, 2]) for serial in range(1, count, 2) for t in (250, 750)]
    rows += [(serial, t, [3]) for serial in range(count + 1, 2 * count, 2) for t in (250, 750)]
    profile = analyzed(sampled(run([*threads, *other]), samples(rows, 1.0)))
    assert check(profile) == []
    for own in profile.tests[0].threads:
        assert own.energy_j == pytest.approx(1.5 * own.count * J_PER_MS)
        assert sum(method.exclusive_j for method in own.methods) == pytest.approx(own.energy_j)
    return profile


def test_samples_of_many_short_threads_of_a_kind_stand_for_the_same_time() -> None:
    profile = of_short_threads(80)
    assert self_ms(profile) == pytest.approx({0: 0, 1: 80, 2: 80, 3: 80})
    by_name = {True: set(), False: set()}
    for own in profile.tests[0].threads:
        by_name[own.name.startswith("other")] |= {method.method for method in own.methods}
    assert by_name == {True: {0, 1, 3}, False: {0, 1, 2}}


def test_few_short_threads_have_their_own_samples_alone() -> None:
    assert self_ms(of_short_threads(64)) == pytest.approx({0: 0, 1: 96, 2: 48, 3: 48})


def test_short_threads_share_with_those_of_like_power() -> None:
    """Two kinds of work, in threads of one name, whose powers differ by a factor of three: each kind has its energy."""
    owner = np.repeat(np.arange(160), np.tile([1, 2, 1, 2], 40))  # one sample or two, at high power, low power, low, high
    power, count = np.tile([3.0, 1.0, 1.0, 3.0], 40)[owner], np.bincount(owner)[owner]
    amounts = np.zeros((AMOUNTS, len(owner)))
    amounts[CPU_NS] = 1.5e6 / count
    joules = {0: power * amounts[CPU_NS]}
    zeros = np.zeros((3, len(owner)), np.int64)
    owned = SelfTotals(np.zeros_like(owner), owner, power.astype(np.int64), zeros, amounts, joules)
    shared = short_threads.shared_by_kind(owned, np.zeros_like(owner), np.ones(len(owner), bool))
    found = np.bincount(shared.kept.path, shared.kept.joules[0]) + np.bincount(shared.given.path, shared.given.joules[0])
    assert len(shared.given) and found == pytest.approx(np.bincount(owned.path, joules[0]))


def test_recursion_counts_once_in_inclusive_energy() -> None:
    profile = of_rows([(0, 100, [0, 0, 1]), (0, 500, [0, 0])])
    own = {method.method: method for one in profile.tests[0].threads for method in one.methods}
    assert own[0].inclusive_j == pytest.approx(1000 * J_PER_MS)
    assert own[0].exclusive_j == pytest.approx(500 * J_PER_MS)


def made_of(random: Random) -> tuple[RunTables, list[Row]]:
    threads = []
    for serial in (1, 2, 3):
        t, cpu, readings = 0.0, 0.0, [(0.0, 0.0)]
        while t < 1000:
            step = random.uniform(1, 200)
            t, cpu = t + step, cpu + random.choice([0.0, 0.5, 1.0]) * step
            readings.append((t, cpu))
        threads.append(thread(serial, (), readings))
    windows = [(0, 200), (200, 450), (500, 990)]
    count = random.choice([1, 3, 60])
    rows: list[Row] = [
        (
            random.randrange(3),
            random.choice([0, 200, 450, round(random.uniform(-20, 1020), 3)]),
            random.choices(range(9), k=random.randint(1, 5)),
        )
        for _ in range(count)
    ]
    return run(threads, windows), rows


@settings(max_examples=50, deadline=None)
@given(
    randoms, st.sampled_from([None, 0.5, 20.0]), st.sampled_from([2, 1 << 17]), st.sampled_from([3, 64]), st.sampled_from([1, 64])
)
def test_energy_is_conserved(random: Random, period_ms: float | None, block: int, stretch: int, alone: int) -> None:
    made, rows = made_of(random)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sample_totals, "BLOCK", block)
        patch.setattr(sample_totals, "STRETCH", stretch)
        patch.setattr(short_threads, "OWN_ROWS", alone)
        profile = analyzed(sampled(made, samples(rows, period_ms)), 3)
    assert check(profile) == []
    plain = analyzed(made, 3)
    for one, other in zip(profile.tests, plain.tests, strict=True):
        assert one.energy_j == pytest.approx(other.energy_j, rel=1e-12)
        for own in one.threads:
            assert own.untraced_j >= -1e-9 * own.energy_j
            self_j = sum(method.exclusive_j for method in own.methods)
            assert self_j + own.untraced_j == pytest.approx(own.energy_j, rel=1e-9, abs=1e-15)
            if period_ms is None and len(own.methods):
                assert own.untraced_j == pytest.approx(0, abs=1e-9)
            for method in own.methods:
                assert method.inclusive_j >= method.exclusive_j - 1e-12
                assert method.exclusive_standard_j >= 0 and np.isfinite(method.inclusive_standard_j)
    total = sum(method.samples or 0 for test in profile.tests for own in test.threads for method in own.methods)
    inside = sum(any(low <= ms < high for low, high in ((0, 200), (200, 450), (500, 990))) for _, ms, _ in rows)
    assert total == inside


def test_very_many_samples_at_one_time_are_summed_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those without times are all at one."""
    made, rows = made_of(Random(3))
    many = [(0, 100.0, (number % 5,)) for number in range(50)]
    monkeypatch.setattr(sample_totals, "STRETCH", 1)  # Blocks divide longer ones.
    whole = analyzed(sampled(made, samples([*rows, *many])), 3)
    monkeypatch.setattr(sample_totals, "BLOCK", 7)
    for one, other in zip(whole.tests, analyzed(sampled(made, samples([*rows, *many])), 3).tests, strict=True):
        for own, same in zip(one.threads, other.threads, strict=True):
            energies = {method.method: method.exclusive_j for method in own.methods}
            assert {method.method: method.exclusive_j for method in same.methods} == pytest.approx(energies)


@settings(max_examples=20, deadline=None)
@given(randoms)
def test_the_order_of_samples_changes_nothing(random: Random) -> None:
    made, rows = made_of(random)
    one = self_of(analyzed(sampled(made, samples(rows)), 3))
    random.shuffle(rows)
    other = self_of(analyzed(sampled(made, samples(rows)), 3))
    assert one.keys() == other.keys()
    for key, energy_j in one.items():
        assert other[key] == pytest.approx(energy_j, rel=1e-9, abs=1e-15)


def self_of(profile: Profile) -> dict[tuple[int, int, int], float]:
    return {
        (test.id, own.serial, method.method): method.exclusive_j
        for test in profile.tests
        for own in test.threads
        for method in own.methods
    }


def test_a_run_without_samples_has_no_column_of_samples() -> None:
    profile = analyzed(run([thread(1, nested((0, 400, 4)), BUSY)]))
    assert not profile.is_sampled and profile.ledger.calls.samples is None


def test_runs_with_and_without_samples_are_one_recording() -> None:
    one = sampled(run([thread(1, (), BUSY)]), samples([(0, 500, [5])]))
    other = replace(run([thread(1, nested((0, 400, 4)), BUSY)]), run_id=1)
    profile = profile_of(parsed(one, other), manifest(1), PLAIN)
    assert profile.is_sampled and check(profile) == []
