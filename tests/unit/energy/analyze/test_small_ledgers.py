"""Empty and small recordings can be analyzed and reported."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from attribution_maker import MODEL, manifest, parsed, run, thread
from lamp import ABOUT, BOTH
from support.ledger_maker import TestSpec, ThreadSpec, made_ledger
from support.reports import data_of, printed, text_of

from navitas.energy.analyze.conserve import check
from navitas.energy.analyze.load import profile_of
from navitas.energy.analyze.notices import notices
from navitas.energy.analyze.profile import Profile
from navitas.energy.attribute.build import build_ledger
from navitas.energy.attribute.ledger import Evidence
from navitas.recording.manifest import Run
from navitas.recording.parse.reasons import MergedReason
from navitas.recording.parse.tables import MethodTable
from navitas.report import collapsed, json_report, speedscope
from navitas.report.terminal.terminal_report import TerminalReport

NONE = MethodTable((), {})


def no_runs() -> Profile:
    return profile_of(parsed(methods=0), manifest(0), MODEL)


def no_runs_of_two_components() -> Profile:
    return Profile(build_ledger(parsed(methods=0), manifest(2), MODEL, components=BOTH), ABOUT)


def never_ran() -> Profile:
    return profile_of(parsed(), manifest(3, status="ignored"), MODEL)


def no_tests() -> Profile:
    return profile_of(parsed(run([thread(1, samples=[(0, 0), (1000, 500)])], [])), manifest(0), MODEL)


def no_threads() -> Profile:
    return profile_of(parsed(run([])), manifest(1), MODEL)


def made_of_nothing() -> Profile:
    return Profile(made_ledger([], NONE), ABOUT)


def made_of_one_empty_test() -> Profile:
    return Profile(made_ledger([TestSpec("a.CTest", "t", 0, ())], NONE), ABOUT)


def made_of_one_test() -> Profile:
    return Profile(made_ledger([TestSpec("a.CTest", "t", 0, (ThreadSpec(1, "main", 2.0),), base_j=1.0)], NONE), ABOUT)


ALL = (
    no_runs,
    no_runs_of_two_components,
    never_ran,
    no_tests,
    no_threads,
    made_of_nothing,
    made_of_one_empty_test,
    made_of_one_test,
)


@pytest.mark.parametrize("make", ALL)
def test_small_ledgers_are_conserved_and_can_be_reported(make: Callable[[], Profile]) -> None:
    made = make()
    assert check(made) == []
    assert not [notice for notice in notices(made) if notice.code == "not_conserved"]
    totals = made.totals
    parts = totals.threads_j + totals.other_processes_j + totals.base_j + totals.unattributed_j
    assert parts == pytest.approx(totals.energy_j)
    assert sum(test.energy_j for test in made.tests) + totals.outside_tests_j == pytest.approx(totals.energy_j)
    assert sum(each.energy_j for each in made.thread_totals()) <= totals.energy_j
    assert made.method_totals() == ()
    assert "Whole recording" in printed(TerminalReport(), made)
    assert len(data_of(json_report.write, made)["tests"]) == len(made.tests)
    assert len(data_of(speedscope.write, made)["profiles"]) == sum(test.wall_ns > 0 for test in made.tests)
    assert text_of(collapsed.write, made).count("\n") == len(made.thread_totals())


def test_a_recording_without_runs_has_a_warning() -> None:
    assert no_runs().evidence == (Evidence("cpu", "none", (MergedReason("no_runs", "the recording holds no run"),)),)
    assert no_runs().totals.energy_j == 0
    assert [each.level for each in no_runs_of_two_components().evidence] == ["none", "none"]


def test_a_recording_with_only_baseline_runs_has_a_warning() -> None:
    described = Run(id=0, module=":", repeat=0, package="p", map_id="0" * 16, exit="complete", baseline=True)
    only = manifest(1).model_copy(update={"runs": [described]})
    found = profile_of(parsed(run([thread(1, samples=[(0, 0), (1000, 500)])], [(0, 1000)])), only, MODEL)
    (evidence,) = found.evidence
    assert [(reason.code, reason.text) for reason in evidence.reasons] == [
        ("only_baselines", "the recording holds only runs without probes")
    ]
    (notice,) = [each for each in found.warnings if each.code == "only_baselines"]
    assert "only baseline runs" in notice.message and notice.remedy
    assert not [each for each in no_runs().warnings if each.code == "only_baselines"]


def test_tests_that_never_ran_have_no_energy() -> None:
    found = never_ran().tests
    assert [(test.status, test.wall_ns, test.energy_j, len(test.threads)) for test in found] == [("ignored", 0, 0.0, 0)] * 3


def test_without_tests_all_energy_is_outside_of_tests() -> None:
    totals = no_tests().totals
    assert totals.outside_tests_j == totals.energy_j > 0
    assert totals.threads_j > 0


def test_a_single_test_has_all_energy() -> None:
    (test,) = made_of_one_test().tests
    assert (test.energy_j, test.threads_j, test.base_j, test.components) == (3.0, 2.0, 1.0, (3.0,))
    assert [(thread.name, thread.energy_j, thread.untraced_j) for thread in test.threads] == [("main", 2.0, 2.0)]
