"""Energy of probes: deducted by call counts, reported if it is large, and compared with baseline runs."""

from __future__ import annotations

from dataclasses import replace
from math import hypot

import numpy as np
import pytest
from attribution_maker import J_PER_MS, MS, PLAIN, T0, folded, manifest, nested, parsed, residency, run, thread
from support.run_tables import changed

from navitas.energy.analyze.conserve import check
from navitas.energy.analyze.load import profile_of
from navitas.energy.analyze.profile import Profile
from navitas.energy.analyze.records_of_tests import by_class
from navitas.energy.attribute.calls.self_totals import NO_COST
from navitas.energy.attribute.compensation import TIMED_LOSS
from navitas.power.model import ClusterPower, CpuPower, PowerModel
from navitas.recording.manifest import Provenance, Run
from navitas.recording.parse.sampled_cost import ProbeSamples
from navitas.recording.parse.tables import CallCost, ProbeCost, RunTables, Thread

COST = CallCost(inside_ns=4 * MS, outside_ns=6 * MS, thrown_inside_ns=0, thrown_outside_ns=0, spread_ns=1 * MS)
BUSY = ((0.0, 0.0), (1000.0, 1000.0))
EVEN = tuple((float(ms), float(ms)) for ms in range(0, 1001, 100))


def calibrated(own: RunTables) -> RunTables:
    return changed(own, probe_cost=ProbeCost(COST, COST))


def analyzed(own: RunTables) -> Profile:
    return profile_of(parsed(own), manifest(), PLAIN)


def test_probe_cost_is_split_between_a_call_and_its_caller() -> None:
    # m0 calls m1 twice, for 20 ms and for 5 ms.
    events = nested((0, 100, 0), (10, 30, 1))[:-1] + nested((50, 55, 1)) + nested((0, 100, 0))[-1:]
    analysis = analyzed(calibrated(run([thread(1, events, BUSY)])))
    assert check(analysis) == [] and NO_COST.code not in {reason.code for reason in analysis.evidence[0].reasons}
    (row,) = analysis.tests[0].threads
    methods = {method.method: method for method in row.methods}
    assert row.probes_j == pytest.approx(30 * J_PER_MS)
    assert row.untraced_j == pytest.approx((900 - 6) * J_PER_MS)
    assert methods[0].exclusive_j == pytest.approx((75 - 4 - 12) * J_PER_MS)
    assert methods[0].inclusive_j == pytest.approx((100 - 4 - 20) * J_PER_MS)
    assert methods[1].exclusive_j == methods[1].inclusive_j == pytest.approx((25 - 8) * J_PER_MS)
    assert (methods[0].raw_inclusive_j, methods[1].raw_exclusive_j) == pytest.approx((100 * J_PER_MS, 25 * J_PER_MS))
    assert methods[1].exclusive_error_j == pytest.approx(hypot(0.1, TIMED_LOSS) * 8 * J_PER_MS)
    # The test lasted a second, including 30 ms of probes.
    passive_j = 0.03 * (analysis.tests[0].base_j + analysis.tests[0].other_processes_j)
    assert analysis.tests[0].compensated_j == pytest.approx(analysis.tests[0].energy_j - 30 * J_PER_MS - passive_j)
    assert [(node.method, node.exclusive_j) for node in row.nodes] == [
        (0, pytest.approx(methods[0].exclusive_j)),
        (1, pytest.approx(methods[1].exclusive_j)),
    ]


@pytest.mark.parametrize("is_folded", [False, True])
def test_probes_cost_the_power_that_their_thread_has_at_their_calls(is_folded: bool) -> None:
    """The thread always runs, and after 500 ms at four times the power."""
    events = [event for start in (100, 600, 700, 800) for event in nested((start, start + 20, 1))]
    folds = folded([(0, 500, 0, -1, 1, 1, 0, 20.0), (500, 1000, 0, -1, 1, 3, 0, 60.0)])
    analysis = at_two_speeds(thread(1, (), EVEN, folds=folds) if is_folded else thread(1, events, EVEN))
    (row,) = analysis.tests[0].threads
    (method,) = row.methods
    assert row.probes_j == pytest.approx((10 + 3 * 10 * 4) * J_PER_MS)
    assert method.exclusive_j == pytest.approx((20 - 4 + 3 * (20 - 4) * 4) * J_PER_MS)
    assert row.untraced_j == pytest.approx((500 - 20 - 6 + (500 - 3 * (20 + 6)) * 4) * J_PER_MS)


def test_half_of_a_calls_probes_is_at_its_end() -> None:
    (row,) = at_two_speeds(thread(1, nested((400, 600, 1)), EVEN)).tests[0].threads
    assert row.probes_j == pytest.approx((5 + 5 * 4) * J_PER_MS)
    assert row.methods[0].exclusive_j == pytest.approx((100 - 2 + (100 - 2) * 4) * J_PER_MS)


def test_probes_that_take_longer_on_a_slow_core_cost_as_much_as_samples_show() -> None:
    """Samples of probes with the same energy at both powers: a call has the cost of 10 ms at the lower power, or of 2.5 ms."""
    t_ns = np.concatenate([np.linspace(10, 490, 200), np.linspace(510, 990, 200)])
    calls = np.tile([16, 64], 200)
    whole_ns = 1_000 + calls * np.repeat([400, 100], 200)
    samples = ProbeSamples((T0 + t_ns * MS).astype(np.int64), calls, whole_ns, np.ones(400, np.int64))
    events = [event for start in (100, 600, 700, 800) for event in nested((start, start + 20, 1))]
    (row,) = at_two_speeds(thread(1, events, EVEN), replace(COST, samples=samples)).tests[0].threads
    # The mean of 4 and 1 is 2.5. So a call's 10 ms are 16 ms at the lower power, or 4 ms at the higher one.
    assert row.probes_j == pytest.approx(4 * 16 * J_PER_MS, rel=0.01)


def at_two_speeds(own: Thread, cost: CallCost = COST) -> Profile:
    speeds = residency(0, [1_000, 2_000], [(0.0, [0, 0]), (500.0, [500, 0]), (1000.0, [500, 500])])
    cluster = ClusterPower((0, 1, 2, 3), np.array([1_000, 2_000]), np.array([100.0, 400.0]), 0.0)
    model = PowerModel("two speeds", 1.0, None, CpuPower(0.0, 0.0, 0.0, (cluster,)))
    tables = changed(run([own], time_in_state=[speeds]), probe_cost=ProbeCost(cost, cost))
    analysis = profile_of(parsed(tables), manifest(), model)
    assert check(analysis) == []
    return analysis


@pytest.mark.parametrize("serials", [(), (2,)])
def test_samples_of_threads_that_the_recording_lacks_show_nothing(serials: tuple[int, ...]) -> None:
    samples = ProbeSamples(T0 + np.arange(400) * MS, np.full(400, 16), np.full(400, MS), np.ones(400, np.int64))
    cost = replace(COST, samples=samples)
    own = run([thread(serial, nested((0, 100, 0)), BUSY) for serial in serials])
    analysis = analyzed(changed(own, probe_cost=ProbeCost(cost, cost)))
    assert check(analysis) == []
    assert [one.probes_j for one in analysis.tests[0].threads] == [pytest.approx(10 * J_PER_MS)] * len(serials)


def test_compensated_energy_may_be_negative() -> None:
    analysis = analyzed(calibrated(run([thread(1, nested((0, 1, 0)), BUSY)])))
    (method,) = analysis.tests[0].threads[0].methods
    assert method.exclusive_j == pytest.approx(-3 * J_PER_MS)
    assert check(analysis) == []


def test_methods_dominated_by_probes_are_proposed_for_exclusion() -> None:
    events = [event for i in range(60) for event in nested((10 * i, 10 * i + 7, 1))]
    costly, notice = analyzed(calibrated(run([thread(1, events, BUSY)]))).warnings
    assert costly.code == "probes_costly" and costly.remedy.endswith("navitas profile --mode sample.")
    assert notice.code == "probes_large"
    assert "a.C.m1 (57%)" in notice.message
    assert notice.remedy.endswith("navitas profile --exclude 'a.C#m1'"), "the command can be copied"


@pytest.mark.parametrize("skipped", [False, True])
def test_on_a_phone_trivial_methods_are_proposed_too(skipped: bool) -> None:
    events = [event for i in range(60) for event in nested((10 * i, 10 * i + 7, 1))]
    known = manifest()
    command = ["navitas", "profile", *(["--skip-trivial"] if skipped else [])]
    recorded = known.model_copy(
        update={
            "device": known.device.model_copy(update={"kind": "phone"}),
            "provenance": Provenance(command_line=command),
        }
    )
    warnings = profile_of(parsed(calibrated(run([thread(1, events, BUSY)]))), recorded, PLAIN).warnings
    assert "probes_costly" not in {notice.code for notice in warnings}, "no samples on a phone"
    (notice,) = [found for found in warnings if found.code == "probes_large"]
    assert "inlines fewer small methods" in notice.remedy
    assert notice.remedy.endswith(f"navitas profile {'' if skipped else '--skip-trivial '}--exclude 'a.C#m1'")
    assert ("getters, setters" in notice.remedy) is not skipped


@pytest.mark.parametrize(("tick_ns", "proposed"), [(None, True), (1e6, False)])
def test_mode_tick_is_proposed_only_for_a_run_without_ticks(tick_ns: float | None, proposed: bool) -> None:
    events = [event for i in range(40) for event in nested((20 * i, 20 * i + 17, 1))]
    own = changed(calibrated(run([thread(1, events, BUSY)])), tick_ns=tick_ns)
    (notice,) = [found for found in analyzed(own).warnings if found.code == "probes_large"]
    assert ("--mode tick" in notice.remedy) is proposed
    assert "--granularity test" in notice.remedy


def test_a_missing_calibration_is_reported() -> None:
    analysis = analyzed(run([thread(1, nested((0, 100, 0)), BUSY)]))
    assert NO_COST.code in {reason.code for reason in analysis.evidence[0].reasons}
    (row,) = analysis.tests[0].threads
    assert row.probes_j == 0 and row.methods[0].raw_exclusive_j is None


def test_a_baseline_is_compared_with_its_repeat_and_counts_nowhere_else() -> None:
    probed = calibrated(run([thread(1, nested((0, 100, 0)), BUSY)]))
    bare = replace(run([thread(1, (), ((0.0, 0.0), (1000.0, 700.0)))]), run_id=1)
    bare = changed(bare, windows=(replace(bare.app.windows[0], test_id=1),))
    fields = {"module": ":", "repeat": 0, "package": "a", "map_id": "0", "exit": "complete"}
    runs = [Run.model_validate({"id": i, "baseline": bool(i), **fields}) for i in range(2)]
    known = manifest()
    tests = [known.tests[0], known.tests[0].model_copy(update={"id": 1, "run": 1})]
    recorded = known.model_copy(update={"runs": runs, "tests": tests})
    both = profile_of(parsed(probed, bare), recorded, PLAIN)
    alone = analyzed(probed)
    assert both.totals == alone.totals and both.evidence == alone.evidence
    (test,) = both.tests
    assert test.unprobed_j == test.unprobed_threads_j == pytest.approx(700 * J_PER_MS)
    assert replace(test, unprobed_j=None, unprobed_threads_j=None).energy_j == alone.tests[0].energy_j
    for status in ("cut", "failed"):
        ended = [tests[0], tests[1].model_copy(update={"status": status})]
        (test,) = profile_of(parsed(probed, bare), recorded.model_copy(update={"tests": ended}), PLAIN).tests
        assert test.unprobed_j is None


def test_the_threads_of_a_classs_tests_are_summed() -> None:
    own = run([thread(1, (), BUSY)], ((0, 300), (400, 1000)))
    analysis = profile_of(parsed(own), manifest(2), PLAIN)
    (whole,) = by_class(analysis.tests)
    assert (whole.class_name, whole.method, whole.status) == ("a.CTest", "*", "passed")
    assert whole.energy_j == pytest.approx(900 * J_PER_MS) and whole.wall_ns == 900 * MS
    (row,) = whole.threads
    assert (row.serial, row.methods) == (1, ()) and row.energy_j == pytest.approx(900 * J_PER_MS)
