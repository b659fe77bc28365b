"""Energy of probes: deducted by call counts, reported if it is large, and compared with baseline runs."""

from __future__ import annotations

from dataclasses import replace
from math import hypot

import pytest
from attribution_maker import J_PER_MS, MS, PLAIN, manifest, nested, parsed, run, thread

from navitas.analyze.classes import by_class
from navitas.analyze.conserve import check
from navitas.analyze.load import profile_of
from navitas.analyze.profile import Profile
from navitas.attribute.calls.overhead import NO_COST
from navitas.attribute.compensation import TIMED_LOSS
from navitas.parse.tables import CallCost, ProbeCost, RunTables
from navitas.recording.manifest import Provenance, Run

COST = CallCost(inside_ns=4 * MS, outside_ns=6 * MS, thrown_inside_ns=0, thrown_outside_ns=0, spread_ns=1 * MS)
BUSY = ((0.0, 0.0), (1000.0, 1000.0))


def calibrated(own: RunTables) -> RunTables:
    return replace(own, probe_cost=ProbeCost(COST, COST))


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


def test_compensated_energy_may_be_negative() -> None:
    analysis = analyzed(calibrated(run([thread(1, nested((0, 1, 0)), BUSY)])))
    (method,) = analysis.tests[0].threads[0].methods
    assert method.exclusive_j == pytest.approx(-3 * J_PER_MS)
    assert check(analysis) == []


def test_methods_dominated_by_probes_are_proposed_for_exclusion() -> None:
    events = [event for i in range(60) for event in nested((10 * i, 10 * i + 7, 1))]
    (notice,) = analyzed(calibrated(run([thread(1, events, BUSY)]))).warnings
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
    (notice,) = [found for found in warnings if found.code == "probes_large"]
    assert "inlines fewer small methods" in notice.remedy
    assert notice.remedy.endswith(f"navitas profile {'' if skipped else '--skip-trivial '}--exclude 'a.C#m1'")
    assert ("getters, setters" in notice.remedy) is not skipped


@pytest.mark.parametrize(("tick_ns", "proposed"), [(None, True), (1e6, False)])
def test_mode_tick_is_proposed_only_for_a_run_without_ticks(tick_ns: float | None, proposed: bool) -> None:
    events = [event for i in range(40) for event in nested((20 * i, 20 * i + 17, 1))]
    own = replace(calibrated(run([thread(1, events, BUSY)])), tick_ns=tick_ns)
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
    bare = replace(bare, windows=(replace(bare.windows[0], test_id=1),))
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
