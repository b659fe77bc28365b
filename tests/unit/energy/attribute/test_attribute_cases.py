"""Cases computed by hand. In the plain model, a CPU millisecond costs 0.1 mJ, and nothing else uses energy."""

from __future__ import annotations

from dataclasses import replace

import pytest
from attribution_maker import (
    J_PER_MS,
    PLAIN,
    WITH_LOSSES,
    Event,
    clock,
    cpu_stat,
    folded,
    manifest,
    nested,
    parsed,
    residency,
    run,
    thread,
)
from support.run_tables import changed

from navitas.energy.analyze.load import profile_of
from navitas.energy.analyze.profile import Profile
from navitas.energy.analyze.records import MethodEnergy, ThreadEnergy
from navitas.energy.analyze.records import TestEnergy as OneTest
from navitas.energy.attribute.analysis_settings import AnalysisSettings
from navitas.energy.attribute.build import merged
from navitas.recording.manifest import Loss, Warning
from navitas.recording.parse.findings import LOST
from navitas.recording.parse.reasons import MergedReason, Reason
from navitas.recording.parse.tables import ENTER, EXIT, RESUME, THROW, RunTables


def analyzed(*runs: RunTables, tests: int = 1, paper1: bool = False) -> Profile:
    result = profile_of(parsed(*runs), manifest(tests), PLAIN, AnalysisSettings("paper1" if paper1 else None))
    assert not [notice for notice in result.warnings if notice.code == "not_conserved"]
    return result


def one_test(*runs: RunTables) -> OneTest:
    return analyzed(*runs).tests[0]


def one_thread(*runs: RunTables) -> ThreadEnergy:
    return one_test(*runs).threads[0]


def by_method(row: ThreadEnergy) -> dict[int, MethodEnergy]:
    return {method.method: method for method in row.methods}


def ms(value: float) -> object:
    """Joules of this CPU time in ms."""
    return pytest.approx(value * J_PER_MS, rel=1e-9, abs=1e-15)


def test_nested_calls_divide_the_callers_energy() -> None:
    events = nested((100, 500, 1), (200, 300, 2))
    row = one_thread(run([thread(1, events, [(100, 0), (200, 100), (300, 150), (500, 350)])]))
    outer, inner = by_method(row)[1], by_method(row)[2]
    assert (outer.inclusive_j, outer.exclusive_j) == (ms(350), ms(300))
    assert (inner.inclusive_j, inner.exclusive_j) == (ms(50), ms(50))
    assert (outer.wall_ns, outer.self_ns, outer.cpu_ns) == (400_000_000, 300_000_000, 350_000_000)
    assert row.untraced_j == ms(0)
    assert [(node.parent, node.method) for node in row.nodes] == [(-1, 1), (0, 2)]


def test_energy_follows_cpu_time_not_wall_time() -> None:
    events = [*nested((0, 400, 1)), *nested((500, 900, 2))]
    row = one_thread(run([thread(1, events, [(0, 0), (400, 100), (500, 100), (900, 400)])]))
    methods = by_method(row)
    assert methods[1].wall_ns == methods[2].wall_ns
    assert methods[2].inclusive_j == pytest.approx(3 * methods[1].inclusive_j)


def test_a_sleeping_method_uses_no_energy() -> None:
    events = [*nested((0, 400, 1)), *nested((500, 900, 2))]
    row = one_thread(run([thread(1, events, [(0, 0), (400, 400), (500, 400), (900, 400)])]))
    assert by_method(row)[2].inclusive_j == 0
    assert by_method(row)[2].calls == 1


def test_two_busy_threads_are_charged_separately() -> None:
    threads = [thread(i, nested((0, 1000, i)), [(0, 0), (1000, 1000)]) for i in (1, 2)]
    test = one_test(run(threads))
    assert [row.energy_j for row in test.threads] == [ms(1000), ms(1000)]
    assert test.energy_j == ms(2000)


def test_inclusive_energy_counts_recursion_once() -> None:
    events = nested((0, 900, 1), (100, 800, 2), (200, 700, 1), (300, 600, 1))
    row = one_thread(run([thread(1, events, [(0, 0), (900, 900)])]))
    recursive, other = by_method(row)[1], by_method(row)[2]
    assert (recursive.calls, recursive.inclusive_j, recursive.exclusive_j) == (3, ms(900), ms(700))
    assert recursive.wall_ns == 900_000_000
    assert (other.calls, other.inclusive_j, other.exclusive_j) == (1, ms(700), ms(200))
    assert [node.method for node in row.nodes] == [1, 2, 1, 1]


def test_an_exception_ends_all_calls_that_it_leaves() -> None:
    events: list[Event] = [(0, ENTER, 1), (100, ENTER, 2), (200, ENTER, 3), (300, THROW, 3), (300, THROW, 2), (300, THROW, 1)]
    row = one_thread(run([thread(1, events, [(0, 0), (300, 300)])]))
    assert {m: (e.calls, e.throws, e.cut) for m, e in by_method(row).items()} == {1: (1, 1, 0), 2: (1, 1, 0), 3: (1, 1, 0)}
    assert by_method(row)[1].exclusive_j == ms(100)


def test_a_suspended_call_counts_as_one_call() -> None:
    segments: list[Event] = [(0, ENTER, 1), (100, ENTER, 2), (200, EXIT, 2), (300, EXIT, 1)]
    resumed: list[Event] = [(600, RESUME, 2), (700, EXIT, 2), (800, RESUME, 1), (850, THROW, 1)]
    row = one_thread(run([thread(1, segments + resumed, [(0, 0), (300, 300), (600, 400), (700, 500), (800, 600), (850, 650)])]))
    assert {m: (e.calls, e.throws, e.cut) for m, e in by_method(row).items()} == {1: (1, 1, 0), 2: (1, 0, 0)}
    assert by_method(row)[1].wall_ns == 350_000_000
    assert by_method(row)[2].wall_ns == 200_000_000
    assert (by_method(row)[1].exclusive_j, by_method(row)[2].exclusive_j) == (ms(250), ms(200))
    assert row.untraced_j == ms(200)  # the CPU time while both calls were suspended


def test_open_calls_are_cut_at_the_last_reading() -> None:
    events: list[Event] = [(0, ENTER, 1), (100, ENTER, 2), (200, ENTER, 3), (250, EXIT, 3)]
    row = one_thread(run([thread(1, events, [(0, 0), (250, 250)], [(400, 400)])]))
    assert {m: (e.calls, e.cut) for m, e in by_method(row).items()} == {1: (1, 1), 2: (1, 1), 3: (1, 0)}
    assert by_method(row)[1].inclusive_j == ms(400)
    assert by_method(row)[2].exclusive_j == ms(250)


def test_exits_without_an_entry_are_dropped() -> None:
    events: list[Event] = [
        (50, EXIT, 9),
        (80, EXIT, 8),
        (100, ENTER, 1),
        (200, EXIT, 1),
        (300, EXIT, 7),
        (400, ENTER, 2),
        (500, EXIT, 2),
    ]
    row = one_thread(run([thread(1, events, [(50, 0), (500, 450)])]))
    assert sorted(by_method(row)) == [1, 2]
    assert row.untraced_j == ms(250)


def test_calls_without_an_exit_are_cut_by_their_callers_exit() -> None:
    row = one_thread(run([thread(1, WITH_LOSSES, [(0, 0), (800, 800)])]))
    assert {m: (e.calls, e.cut, e.inclusive_j) for m, e in by_method(row).items()} == {
        1: (1, 0, ms(600)),
        2: (1, 1, ms(500)),
        3: (1, 1, ms(400)),
        4: (1, 0, ms(100)),
    }


def test_calls_are_clipped_to_tests_and_count_where_they_began() -> None:
    events = nested((100, 900, 1), (350, 750, 2))
    tables = run([thread(1, events, [(100, 0), (900, 800)])], [(200, 400), (600, 700)])
    result = analyzed(tables, tests=2)
    first, second = (by_method(test.threads[0]) for test in result.tests)
    assert (first[1].calls, first[1].inclusive_j, first[1].exclusive_j) == (0, ms(200), ms(150))
    assert (first[2].calls, first[2].inclusive_j) == (1, ms(50))
    assert (second[1].calls, second[1].inclusive_j, second[1].exclusive_j) == (0, ms(100), ms(0))
    assert (second[2].calls, second[2].wall_ns) == (0, 100_000_000)
    assert result.totals.outside_tests_j == ms(500)


def test_samples_assign_cpu_time_to_tests() -> None:
    samples = [(t, max(0, t - 500)) for t in range(20, 1000, 20)]
    tables = run([thread(1, nested((10, 1000, 1)), [(10, 0), (1000, 500)], samples)], [(0, 500), (500, 1000)])
    first, second = analyzed(tables, tests=2).tests
    assert sum(row.energy_j for row in first.threads) == ms(0)
    assert second.threads[0].energy_j == ms(500)


def test_tests_without_a_window_are_listed_without_energy() -> None:
    result = analyzed(run([thread(1, nested((0, 10, 1)), [(0, 0), (10, 10)])]), tests=2)
    assert (result.tests[1].wall_ns, result.tests[1].energy_j, result.tests[1].threads) == (0, 0.0, ())


def test_only_the_largest_threads_of_a_stem_have_separate_rows() -> None:
    threads = [
        thread(i + 1, nested((i, i + 0.5, 1), (i + 0.1, i + 0.2, 2)), [(i, 0), (i + 0.5, 0.1 + i / 1000)], name=f"pool-{i}-x")
        for i in range(100)
    ]
    test = one_test(run([*threads, thread(500, nested((0, 50, 3)), [(0, 0), (50, 50)], name="main")]))
    assert len(test.threads) == 1 + 64 + 1
    assert [row.name for row in test.threads[:3]] == ["main", "pool-#-x", "pool-99-x"]
    shared = next(row for row in test.threads if row.count > 1)
    assert (shared.name, shared.count, shared.serial) == ("pool-#-x", 36, -1)
    assert shared.energy_j == ms(sum(0.1 + i / 1000 for i in range(36)))
    assert by_method(shared)[1].calls == by_method(shared)[2].calls == 36
    assert len(shared.nodes) == 2


@pytest.mark.parametrize("count", [1_000, pytest.param(20_000, marks=pytest.mark.extended)])
def test_many_short_lived_threads_are_attributed(count: int) -> None:
    threads = [
        thread(i + 1, nested((i / 20, i / 20 + 0.04, 1)), [(i / 20, 0.01), (i / 20 + 0.04, 0.04)], [(i / 20 - 0.02, 0)])
        for i in range(count)
    ]
    test = one_test(run(threads, [(-1, 1000)]))
    assert sum(row.energy_j for row in test.threads) == ms(count * 0.04)
    assert sum(row.count for row in test.threads) == count


def test_folding_that_begins_in_open_calls_continues_their_paths() -> None:
    # Events until 300 ms with two calls open, folded until 600 ms, events again after the outermost return.
    events: list[Event] = [(100, ENTER, 1), (200, ENTER, 2), (700, ENTER, 1), (800, EXIT, 1)]
    rows = [
        (300, 400, 0, -1, 1, 0, 0, 0),
        (300, 400, 1, 0, 2, 0, 0, 50),
        (300, 400, 2, 1, 3, 4, 1, 50),
        (400, 600, 0, -1, 1, 0, 0, 100),
        (400, 600, 1, 0, 2, 0, 1, 100),
    ]
    anchors = [(100, 0), (200, 100), (300, 200), (400, 250), (600, 450), (700, 450), (800, 550)]
    row = one_thread(run([thread(1, events, anchors, folds=folded(rows))]))
    assert {m: (e.calls, e.throws, e.cut) for m, e in by_method(row).items()} == {1: (2, 0, 0), 2: (1, 1, 0), 3: (4, 1, 0)}
    assert by_method(row)[3].inclusive_j == ms(25)
    assert by_method(row)[2].inclusive_j == ms(100 + 25 + 25 + 100)
    assert by_method(row)[1].inclusive_j == ms(550)
    assert by_method(row)[1].exclusive_j == ms(100 + 100 + 100)
    assert [(node.parent, node.method, node.wall_ns) for node in row.nodes] == [
        (-1, 1, 600_000_000),
        (0, 2, 400_000_000 - 100_000_000),
        (1, 3, 50_000_000),
    ]


def test_folded_calls_count_in_the_test_in_which_their_epoch_begins() -> None:
    # The last two calls of the first test have no anchor; the thread's first probe in the second test ends their epoch.
    rows = [
        (0, 100, 0, -1, 1, 1, 0, 100),
        (100, 500, 0, -1, 1, 2, 1, 0),
        (500, 600, 0, -1, 1, 3, 0, 100),
    ]
    anchors = [(0, 0), (100, 100), (500, 100), (600, 200)]
    tables = run([thread(1, (), anchors, folds=folded(rows))], [(0, 200), (400, 700)])
    first, second = (by_method(test.threads[0]) for test in analyzed(tables, tests=2).tests)
    assert (first[1].calls, first[1].throws, first[1].inclusive_j) == (3, 1, ms(100))
    assert (second[1].calls, second[1].throws, second[1].inclusive_j) == (3, 0, ms(100))


def test_cpu_time_of_unknown_threads_and_of_other_processes() -> None:
    process = clock([(t, t // 10 * 10) for t in range(0, 1001, 20)])
    stat = cpu_stat([(t, [t * 0.5, t, 0, 0]) for t in range(0, 1001, 200)])
    tables = run([thread(1, (), (), [(t, t * 0.75) for t in range(0, 1001, 20)])], process=process, stat=stat)
    test = one_test(tables)
    assert test.threads[0].energy_j == ms(750)
    assert test.unattributed_j == ms(250)
    assert test.other_processes_j == ms(500)
    assert test.threads[0].untraced_j == ms(750)


def test_tick_noise_does_not_add_unattributed_time() -> None:
    times = [t * 21.3 for t in range(47)]
    process = clock([(t, (t * 0.37) // 10 * 10) for t in times])
    test = one_test(run([thread(1, (), (), [(t, t * 0.37) for t in times])], process=process))
    assert test.unattributed_j < 10 * J_PER_MS


def test_a_clock_that_decreases_never_gives_negative_energy() -> None:
    test = one_test(run([thread(1, nested((0, 300, 1), (100, 200, 2)), [(0, 50), (100, 20), (200, 90), (300, 80)])]))
    assert test.threads[0].energy_j == ms(40)
    assert all(node.exclusive_j >= 0 for node in test.threads[0].nodes)


def test_without_thread_clocks_threads_in_calls_share_equally() -> None:
    threads = [thread(1, nested((0, 600, 1), (100, 200, 3))), thread(2, nested((200, 1000, 2))), thread(3)]
    process = clock([(t, t) for t in range(0, 1001, 20)])
    result = analyzed(run(threads, process=process))
    assert result.evidence[0].level == "device"
    test = result.tests[0]
    energies = {row.serial: row.energy_j for row in test.threads}
    assert energies == {1: ms(200 + 200), 2: ms(200 + 400)}
    assert by_method(next(row for row in test.threads if row.serial == 1))[3].inclusive_j == ms(100)
    assert all(row.untraced_j == ms(0) for row in test.threads)


def test_without_cpu_times_the_device_level_uses_paper_1() -> None:
    threads = [thread(1, nested((0, 400, 1))), thread(2, nested((200, 400, 2)))]
    test = one_test(run(threads))
    # Four cores at 100 mA and 1 V, idle or not.
    assert {row.serial: row.energy_j for row in test.threads} == {1: ms(4 * 300), 2: ms(4 * 100)}
    assert test.unattributed_j == ms(4 * 600)


def test_paper_1_charges_every_core_for_all_time() -> None:
    threads = [thread(i, nested((0, 400, i), (100, 300, 3), (150, 250, 3)), [(0, 0), (400, 100)]) for i in (1, 2)]
    result = analyzed(run(threads), paper1=True)
    for row in result.tests[0].threads:
        methods = by_method(row)
        assert methods[row.serial].alternative_j == ms(4 * 400)
        assert methods[3].alternative_j == ms(4 * 200)
    assert result.tests[0].alternative_j == ms(4 * 1000)
    assert analyzed(run(threads)).tests[0].alternative_j is None


def test_idle_and_base_power_are_constant() -> None:
    model = replace(PLAIN, cpu=replace(PLAIN.cpu, suspend_ma=2.0, idle_ma=5.0))
    result = profile_of(parsed(run([thread(1, (), (), [(0, 0), (1000, 100)])], [(0, 400)])), manifest(), model)
    assert result.tests[0].base_j == pytest.approx(0.4 * 7e-3)
    assert result.totals.base_j == pytest.approx(7e-3)
    assert result.totals.charge_mah == pytest.approx(result.totals.energy_j / 3.6)


def test_missing_evidence_is_a_reason() -> None:
    tables = run([thread(1, (), (), [(0, 0), (1000, 500)])], time_in_state=[])
    evidence = analyzed(tables).evidence[0]
    assert evidence.level == "device"
    assert any("time_in_state" in reason.text and "0-3" in reason.text for reason in evidence.reasons)
    assert any("/proc/stat" in reason.text for reason in evidence.reasons)


def test_every_warning_has_a_remedy() -> None:
    tables = parsed(run([thread(1, nested((0, 10, 1)), [(0, 0), (10, 10)])]))
    odd = Warning(code="odd", message="something odd", remedy="Look at it.")
    warned = replace(tables, warnings=(odd,), losses=(Loss(what="chunks", count=3),))
    notices = profile_of(warned, manifest(), PLAIN).warnings
    assert [(notice.code, notice.remedy) for notice in notices] == [("odd", odd.remedy), ("loss", LOST)]


def test_an_empty_run_is_not_an_error() -> None:
    tables = changed(run([], []), time_in_state=(), end_ns=run([]).start_ns)
    result = analyzed(tables)
    assert result.totals.energy_j == 0


def test_constant_residency_counts_as_missing() -> None:
    still = residency(0, [1_000], [(0, [70]), (500, [70]), (1000, [70])])
    assert analyzed(run([thread(1, (), (), [(0, 0), (1000, 5)])], time_in_state=[still])).evidence[0].level == "device"


def test_equal_reasons_of_several_runs_merge_with_a_range_of_shares() -> None:
    text, other = (
        "of the threads' CPU time is at level thread-freq: the trace does not show these threads run",
        Reason("b", "other"),
    )
    runs = [(Reason("a", text, 0.017), other), (Reason("a", text, 0.008),), (other, Reason("a", text, 0.119))]
    assert tuple(map(str, merged(runs))) == (f"0.8% to 11.9% {text} (in 3 of 3 runs)", "other")
    assert tuple(map(str, merged([runs[0], ()]))) == (f"1.7% {text}", "other")
    assert merged([runs[1], runs[1], ()]) == (MergedReason("a", text, 0.008, 0.008, 2, 3),)
    assert tuple(map(str, merged([runs[1], runs[1], ()]))) == (f"0.8% {text} (in 2 of 3 runs)",)
