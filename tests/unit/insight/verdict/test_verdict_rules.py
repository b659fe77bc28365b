"""What each rule of the verdict says, and when it says nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import get_args

import pytest
from support.ledger_maker import NodeSpec, TestSpec, ThreadSpec
from support.messenger_profile import SECOND_NS, messenger, polls, waits, with_call_steps

from navitas.base.units import UNBROKEN
from navitas.energy.analyze.profile import Profile
from navitas.energy.analyze.records import Notice
from navitas.energy.analyze.spread import Interval
from navitas.energy.attribute.build import merged
from navitas.energy.attribute.calls.self_totals import NO_COST
from navitas.insight.verdict import limits, usage
from navitas.insight.verdict.figures import ComponentFigures, Figures
from navitas.insight.verdict.statement import LimitCode, Statement, UsageCode, energy_of, percent_of
from navitas.insight.verdict.verdict import MOST_STATEMENTS, verdict_of
from navitas.recording.parse.findings import ParsedLoss

DOCS = Path(__file__).parents[4] / "docs/verdict.md"


def text_of(statement: Statement | None) -> str | None:
    return None if statement is None else statement.text.replace(UNBROKEN, " ")


def said(rule: Callable[[Figures], Statement | None], *tests: TestSpec, level: str = "sched") -> str | None:
    return text_of(rule(Figures(messenger(*tests, level=level))))


def test_the_largest_method_is_named_as_people_say_it() -> None:
    statement = usage.largest_method(Figures(messenger()))
    assert statement is not None
    assert text_of(statement) == ("Inbox.poll uses 6.00 ± 0.12 J of the app's 11.0 ± 0.2 J (55 ± 2 %), in one call on main.")
    assert (statement.rule, statement.kind, statement.name) == ("largest_method", "method", "org.example.Inbox.poll")
    assert statement.energy_j == 6.0 and statement.share == pytest.approx(6 / 11)


def test_a_method_is_busy_only_where_the_recording_shows_its_cpu_time() -> None:
    assert said(usage.when) == "All of it is in InboxTest#polls. The method keeps a core busy for 500 ms."
    assert said(usage.when, level="device") == "All of it is in InboxTest#polls."
    assert said(usage.when, polls(), level="device") is None, "the only test"


def test_a_method_that_waits_is_not_said_to_be_busy() -> None:
    assert said(usage.largest_method, waits()) == (
        "org.other.Photos.blur uses 900 ± 18 mJ of the app's 1.00 ± 0.02 J (90 ± 2 %), in 2 calls on main."
    )
    assert said(usage.when, waits()) == "The method runs for 10.0 ms of the 500 ms that it takes."


def test_a_method_that_calls_others_is_meant_without_them() -> None:
    assert said(usage.largest_method, polls(poll_j=0.1), waits(threads=())) == (
        "org.example.Photos.blur uses 2.00 ± 0.04 J of the app's 4.10 ± 0.08 J (49 ± 1 %), in 4 calls on main."
    )
    figures = Figures(messenger())
    test = next(method for method in figures.methods if method.total.method.name == "polls")
    assert "polls itself uses 1.00 ± 0.02 J of the app's 11.0 ± 0.2 J" in (text_of(usage.method_statement(figures, test)) or "")


def test_one_call_is_said_only_if_each_run_that_counts_has_one() -> None:
    def called(*counts: int) -> str:
        runs = []
        for number, count in enumerate(counts):
            main, *others = polls(number).threads
            nodes = tuple(replace(node, calls=count) if node.method == 1 else node for node in main.nodes)
            runs.append(polls(number, threads=(replace(main, nodes=nodes), *others)))
        return said(usage.largest_method, *runs) or ""

    assert "in one call on main" in called(1, 1, 1, 1)
    assert "in 1.25 calls a run on main" in called(1, 1, 1, 2)
    assert "in 3 calls on main" in called(3, 3)
    assert "in 200 calls a run on" in called(100, 300)
    assert "in one call on main" in (said(usage.largest_method, polls(0), polls(1, status="cut", threads=())) or "")


def threads_of(*energies_j: float, calls: int = 1) -> TestSpec:
    """Return a run in which `poll` runs on as many threads."""
    threads = [
        ThreadSpec(number, f"pool-7-thread-{number}", energy_j, nodes=(NodeSpec(-1, 1, calls, energy_j),))
        for number, energy_j in enumerate(energies_j, 1)
    ]
    return polls(threads=tuple(threads))


def test_the_thread_or_call_with_most_of_the_energy_is_named() -> None:
    assert "in 2 calls, 89 % of it in one call on pool-7-thread-1." in (said(usage.largest_method, threads_of(0.89, 0.11)) or "")
    assert "in 4 calls on 2 threads, 89 % of it on pool-7-thread-1." in (
        said(usage.largest_method, threads_of(0.89, 0.11, calls=2)) or ""
    )
    assert (said(usage.largest_method, threads_of(0.4, 0.3, 0.3, calls=2)) or "").endswith(" in 6 calls on 3 threads.")


def test_when_a_method_used_its_energy_is_said_where_it_was_computed() -> None:
    figures = Figures(with_call_steps(messenger()))
    assert text_of(usage.when(figures)) == (
        "All of it is in InboxTest#polls, from 200 ms to 500 ms after its start. The method keeps a core busy for 500 ms."
    )
    blur = next(method for method in figures.methods if method.total.method.name == "blur")
    assert (
        text_of(usage.when_statement(figures, blur))
        == "All of it is in InboxTest#polls. The method keeps a core busy for 200 ms."
    )


def test_a_verdict_has_at_most_four_short_statements() -> None:
    for verdict in (
        verdict_of(Figures(messenger())),
        verdict_of(Figures(with_call_steps(messenger(polls(), waits(base_j=30.0))))),
    ):
        assert 1 < len(verdict.statements) <= MOST_STATEMENTS
        for statement in (*verdict.statements, *verdict.limits):
            sentences = statement.text.replace(UNBROKEN, "").split(". ")
            assert max(len(sentence.split()) for sentence in sentences) <= 25, statement.text


def test_methods_that_follow_have_shares() -> None:
    assert said(usage.next_methods) == "Then follow org.example.Photos.blur (18 ± 1 %) and InboxTest.polls (9.1 ± 0.3 %)."
    assert said(usage.next_methods, waits()) is None


def test_energy_outside_of_methods_is_said() -> None:
    assert said(usage.outside_methods) is None
    idle = polls(threads=(replace(polls().threads[1], energy_j=3.0), replace(polls().threads[0], energy_j=9.0)))
    assert said(usage.outside_methods, idle) == (
        "3.00 J (25 %) of the app's energy is outside all recorded methods, so no method explains it."
    )


def test_the_largest_of_several_tests_is_named() -> None:
    assert said(usage.largest_test) == "Of 2 tests, InboxTest#polls uses the most: 10.0 ± 0.2 J (91 ± 2 %)."
    assert said(usage.largest_test, polls()) is None


def test_tests_of_the_same_simple_name_have_their_packages() -> None:
    other = replace(waits(), class_name="org.other.InboxTest")
    assert "org.example.InboxTest#polls uses" in (said(usage.largest_test, polls(), other) or "")


def test_the_largest_of_several_threads_is_named() -> None:
    assert said(usage.largest_thread) == "Most of the app's energy is used on the thread main: 10.0 ± 0.2 J (91 ± 2 %)."
    assert said(usage.largest_thread, waits()) is None


def test_components_are_named_only_if_there_are_several() -> None:
    figures = Figures(messenger())
    assert usage.largest_component(figures) is None
    figures.components = (
        ComponentFigures("screen", 20.0, Interval(19.0, 21.0), 0.0),
        ComponentFigures("cpu", 5.0, Interval(4.9, 5.1), 4.0),
    )
    assert text_of(usage.largest_component(figures)) == (
        "While tests ran, the component screen used 20.0 ± 1.0 J of the 25.0 J of all recorded components (80 ± 4 %). The app"
        " itself used most in the CPU: 4.00 J."
    )
    assert text_of(usage.component_statement(figures, figures.components[1])) == (
        "While tests ran, the CPU used 5.00 ± 0.10 J of the 25.0 J of all recorded components (20.0 ± 0.4 %), 4.00 J of it"
        " for the app."
    )
    figures.components = figures.components[1:]
    assert text_of(usage.component_statement(figures, figures.components[0])) == (
        "While tests ran, the CPU used 5.00 ± 0.10 J, 4.00 J of it for the app."
    )


def test_base_energy_is_said_where_it_is_most() -> None:
    assert said(usage.base_energy) is None
    assert said(usage.base_energy, waits(base_j=9.0)) == (
        "While tests ran, 90 % of the CPU's energy was base energy: it depends on time, not on what the app does."
    )


def test_nothing_is_said_of_what_was_not_measured() -> None:
    never = replace(waits(), wall_ns=0, threads=(), base_j=0.0, status="skipped")
    idle = waits(threads=())
    for tests, rule in ((never, "no_tests"), (idle, "no_app_energy")):
        verdict = verdict_of(Figures(messenger(tests)))
        assert [statement.rule for statement in verdict.statements if statement.rule != "base_energy"] == [rule]


def test_runs_without_app_energy_are_below_the_noise() -> None:
    assert said(limits.noise) is None
    tiny = polls(threads=(replace(polls().threads[1], energy_j=0.001, cpu_ns=1),))
    figures = Figures(messenger(tiny))
    figures.app_interval = Interval(-0.001, 0.003)
    assert text_of(limits.noise(figures)) == ("The app's energy (1.00 ± 2.00 mJ) is not larger than its error.")
    figures.app_interval = Interval(0.0001, 0.1)
    assert limits.noise(figures) is None, "a wide interval can lie above zero"


def test_failed_and_cut_tests_limit_the_verdict() -> None:
    assert said(limits.failed) is None
    assert said(limits.failed, polls(status="failed"), waits(status="cut")) == (
        "2 tests failed or did not end: their energy may be that of a part of their work."
    )


def test_failed_tests_that_never_ran_have_no_energy_of_their_work() -> None:
    never = waits(status="failed", wall_ns=0, threads=(), base_j=0.0)
    assert said(limits.failed, polls(), never) == "1 test did not run."
    assert said(limits.failed, polls(status="cut"), never) == (
        "1 test failed or did not end: their energy may be that of a part of their work. 1 test did not run."
    )


def test_runs_that_waited_for_others_limit_the_verdict() -> None:
    assert said(limits.starved, polls(starved_ns=SECOND_NS, waited_ns=SECOND_NS), waits()) == (
        "1 of 2 tests waited for a CPU that other programs used: on an idle computer, its energy differs."
    )
    waiting = [polls(number, starved_ns=SECOND_NS, waited_ns=SECOND_NS) for number in range(3)]
    assert "2 of 3 runs waited for a CPU" in (said(limits.starved, *waiting[:2], polls(2)) or "")
    assert "1 of 2 tests, in 3 of 6 runs, waited for a CPU" in (said(limits.starved, *waiting, *map(waits, range(3))) or "")
    starved = polls(starved_ns=SECOND_NS, waited_ns=SECOND_NS)
    assert said(limits.starved, starved) == (
        "The test waited for a CPU that other programs used: on an idle computer, its energy differs."
    )
    assert said(limits.starved) is None


def test_hot_runs_limit_the_verdict() -> None:
    made = messenger()
    made.ledger = replace(made.ledger, runs=tuple(replace(run, unfit=("hot",)) for run in made.ledger.runs))
    hot = Profile(made.ledger, made.about)
    assert text_of(limits.hot(Figures(hot))) == "The phone was hot in 2 runs: its CPU may have been slowed down."
    assert said(limits.hot) is None


def test_lost_data_and_partial_recordings_limit_the_verdict() -> None:
    made = messenger()
    assert limits.lost(Figures(made)) is None and limits.partial(Figures(made)) is None
    lossy = Profile(made.ledger, made.about, [Notice("partial_recording", "", "")], [ParsedLoss("chunks", 3)])
    assert text_of(limits.lost(Figures(lossy))) == "Data is missing from the recording (1 kind of loss): see the warnings."
    assert text_of(limits.partial(Figures(lossy))) == "The recording is partial: tests may be missing."


def test_methods_of_about_the_same_size_are_not_ranked() -> None:
    assert said(limits.same_size) is None
    assert said(limits.same_size, polls(poll_j=2.01)) == (
        "Inbox.poll and org.example.Photos.blur differ by less than their errors: either can be the larger one."
    )


def with_main(repeat: int, main_j: float, worker_j: float) -> TestSpec:
    """Return a run of which two threads use this energy, without methods."""
    main, worker, _ = polls().threads
    return polls(repeat, threads=(replace(main, energy_j=main_j, nodes=()), replace(worker, energy_j=worker_j)))


def test_tests_and_threads_of_about_the_same_size_are_not_ranked() -> None:
    assert said(limits.same_size_tests) is None and said(limits.same_size_threads) is None
    alike = [replace(polls(repeat, 6.0 + repeat), method=name) for repeat in range(3) for name in ("polls", "sends")]
    uneven = [replace(run, threads=run.threads[: 2 + number % 2]) for number, run in enumerate(alike)]
    assert said(limits.same_size_tests, *uneven) == (
        "InboxTest#polls and InboxTest#sends differ by less than their errors: either can be the larger one."
    )
    assert said(limits.same_size_threads, with_main(0, 1.0, 0.99)) == (
        "main and worker differ by less than their errors: either can be the larger one."
    )


def test_errors_that_both_have_in_common_do_not_hide_which_is_larger() -> None:
    """Runs differ tenfold and each time both threads do, so their order is clear; here it is not."""
    together = [with_main(number, 1.5 * factor, 1.0 * factor) for number, factor in enumerate((1.0, 5.0, 10.0))]
    apart = [with_main(number, *energies) for number, energies in enumerate([(1.5, 1.0), (1.0, 1.5), (2.5, 1.0)])]
    assert said(limits.same_size_threads, *together) is None
    assert "either can be the larger one" in (said(limits.same_size_threads, *apart) or "")
    # The error of the level of evidence is 5 % of each test, in the same direction.
    tests = polls(), replace(polls(poll_j=8.0), method="sends")
    assert said(limits.same_size_tests, *tests, level="thread-freq") is None


def test_what_is_below_the_noise_is_not_ranked() -> None:
    figures = Figures(messenger())
    figures.app_interval = Interval(-figures.app_j, 3 * figures.app_j)
    texts = [text_of(statement) or "" for statement in verdict_of(figures).statements]
    assert texts and not any(words in text for text in texts for words in ("the most", "Most", "largest", "Then follow"))


def test_one_run_limits_the_verdict_and_several_do_not() -> None:
    assert said(limits.one_run) == "± is that of the measurement alone: one run does not show how runs differ."
    assert said(limits.one_run, polls(0), polls(1)) is None


def test_evidence_with_a_large_error_limits_the_verdict() -> None:
    coarse = messenger(level="thread-time", expected_error=0.106)
    assert text_of(limits.evidence(Figures(coarse))) == (
        "The evidence is thread-time, with an expected error of 11 %: half of all methods are off by more."
    )
    assert said(limits.evidence) is None


def test_rails_that_disagree_with_the_estimate_limit_the_verdict() -> None:
    made = messenger()

    def of_rails(rails_j: float, estimate_j: float) -> str | None:
        made.ledger = replace(
            made.ledger, runs=tuple(replace(run, rails_j=rails_j, rails_estimate_j=estimate_j) for run in made.ledger.runs)
        )
        return text_of(limits.rails(Figures(Profile(made.ledger, made.about))))

    assert of_rails(10.0, 11.5) == "The estimate is 15 % more than what power rails measured."
    assert of_rails(10.0, 8.5) == "The estimate is 15 % less than what power rails measured."
    assert of_rails(10.0, 10.9) is None and said(limits.rails) is None


def test_probes_without_a_known_cost_limit_the_verdict() -> None:
    made = messenger()
    (known,) = made.ledger.evidence
    (reason,) = merged([[NO_COST]])
    made.ledger = replace(made.ledger, evidence=(replace(known, reasons=(reason,)),))
    assert text_of(limits.probe_cost(Figures(made))) == (
        "The cost of probes was not calibrated: the energy of methods includes that of their probes."
    )
    assert said(limits.probe_cost) is None


def test_the_error_of_the_power_profile_limits_the_verdict() -> None:
    assert said(limits.power_profile) == (
        "± leaves out the power profile's error: about 20 % (standard error), alike in all figures."
    )
    made = messenger()
    (known,) = made.ledger.evidence
    made.ledger = replace(made.ledger, evidence=(replace(known, level="rails", rails_j=1.0),))
    assert limits.power_profile(Figures(Profile(made.ledger, made.about))) is None


def test_much_energy_of_probes_limits_the_verdict() -> None:
    nodes = (replace(polls().threads[0].nodes[0], probes_j=4.0),)
    probed = polls(threads=(replace(polls().threads[0], nodes=nodes, energy_j=10.0),))
    assert said(limits.probes, probed) == "Probes used 40 % of the energy of the app's threads; it is subtracted by an estimate."
    assert said(limits.probes) is None


def test_tests_that_saw_probes_limit_the_verdict() -> None:
    made = messenger()
    assert limits.probes_seen(Figures(made)) is None
    made.warnings = (Notice.with_code("probes_seen", "", ""),)
    assert text_of(limits.probes_seen(Figures(made))) == "Tests failed because they saw probes."


@pytest.mark.parametrize(
    ("share", "half", "text"),
    [
        (0.2913, 0.0061, "29 ± 1 %"),
        (0.2913, None, "29 %"),
        (0.082, 0.0021, "8.2 ± 0.2 %"),
        (0.31, 0.0001, "31.0 ± 0.1 %"),
        (0.27, 34.79, "share not known"),
        (0.27, 0.34, "27 %, 0–61 %"),
        (0.27, 0.27, "27 ± 27 %"),
        (0.92, 0.54, "92 %, 38–100 %"),
        (1.0, 0.02, "100 %, 98–100 %"),
        (0.012, 0.02, "1.2 %, 0–3.2 %"),
        (0.0996, None, "10 %"),
    ],
)
def test_a_share_is_never_below_0_or_above_100_percent(share: float, half: float | None, text: str) -> None:
    interval = None if half is None else Interval(share - half, share + half)
    assert percent_of(share, interval).replace(UNBROKEN, " ") == text


def test_an_uneven_interval_is_a_range() -> None:
    assert percent_of(0.3, Interval(0.2, 0.6)).replace(UNBROKEN, " ") == "30 %, 20–60 %"
    assert energy_of(18.0, Interval(6.4, 50.0)).replace(UNBROKEN, " ") == "18.0 J [6.40–50.0 J]"


def test_each_rule_is_documented() -> None:
    text = DOCS.read_text("utf-8")
    codes = {*get_args(UsageCode), *get_args(LimitCode)}
    assert codes == {line.split("`")[1] for line in text.splitlines() if line.startswith("| `")} & codes
    named = {rule.__name__ for rule in (*usage.RULES, *limits.RULES)} - {"nothing_measured"}
    assert named == codes - {"no_tests", "no_app_energy", "changed"}
