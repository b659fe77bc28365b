"""What explanations of a recording and of its parts contain."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from support.messenger_profile import SECOND_NS, messenger, polls, waits, with_call_steps

from navitas.base.errors import UsageError
from navitas.insight.explain.explain import Explainer
from navitas.insight.explain.explanation import Explanation, ExplanationTable, Value
from navitas.insight.explain.subjects import find_component, find_method, find_test, find_thread
from navitas.insight.verdict.figures import Figures


def rows(explanation: Explanation, name: str) -> list[tuple[Value, ...]]:
    return [table for table in explanation.tables if table.name == name][0].rows  # type: ignore[return-value]  # noqa: RUF015


@pytest.fixture
def figures() -> Figures:
    return Figures(messenger())


def test_a_recording_is_explained_by_its_tests_methods_threads_and_evidence(figures: Figures) -> None:
    found = Explainer(figures).recording()
    assert [table.name for table in found.tables] == ["tests", "methods", "threads", "components", "evidence"]
    assert found.figures["app_j"] == pytest.approx(11.0)
    assert [row[-1] for row in rows(found, "tests")] == ["org.example.InboxTest#polls", "org.example.InboxTest#waits"]
    assert rows(found, "methods")[0] == (
        6.0, *map(pytest.approx, (0.1176, 5.8824, 6.1176)), pytest.approx(6 / 11), 1, "org.example.Inbox.poll", "Inbox.java:34",
    )  # fmt: skip
    assert sum(row[0] for row in rows(found, "threads")) == pytest.approx(11.0)  # type: ignore[misc]
    assert rows(found, "evidence") == (("cpu", "sched", 0.05),)


def test_a_method_is_explained_by_its_callers_threads_and_tests(figures: Figures) -> None:
    found = Explainer(figures).method(find_method(figures, "poll"))
    assert (found.kind, found.name) == ("method", "org.example.Inbox.poll")
    assert rows(found, "callers") == ((6.0, 1, "org.example.InboxTest.polls", "InboxTest.java:12"),)
    assert rows(found, "threads") == ((6.0, 1, "main"),)
    assert rows(found, "tests") == ((6.0, 1, "org.example.InboxTest#polls"),)
    assert "below" not in {table.name for table in found.tables}
    assert (found.figures["source"], found.figures["calls"]) == ("Inbox.java:34", 1)
    assert [step.line("rec") for step in found.next_steps] == [
        "navitas compare rec NEW-RECORDING",
        "navitas profile app --tests 'Inbox*' --repeat 5",
    ]


def test_the_energy_below_a_method_adds_up_to_that_of_its_calls(figures: Figures) -> None:
    found = Explainer(figures).method(find_method(figures, "InboxTest.polls"))
    below = rows(found, "below")
    assert [row[2] for row in below] == ["org.example.Inbox.poll", "org.example.Photos.blur"]
    inclusive_j, self_j = found.figures["inclusive_j"], found.figures["self_j"]
    assert sum(row[0] for row in below) == pytest.approx(inclusive_j - self_j)  # type: ignore[operator,misc]
    assert rows(found, "callers") == ((1.0, 1, "(outside of recorded methods)"),)


def test_a_method_is_explained_by_when_it_used_its_energy() -> None:
    figures = Figures(with_call_steps(messenger()))
    found = Explainer(figures).method(find_method(figures, "poll"))
    assert rows(found, "when") == ((2e8, 5e8, 6.0, "org.example.InboxTest#polls"),)


def test_a_test_is_explained_by_its_methods_threads_and_runs() -> None:
    figures = Figures(messenger(polls(0), polls(1, 7.0), polls(2, status="cut"), waits(0), waits(1), waits(2)))
    found = Explainer(figures).test(find_test(figures, "polls"))
    methods = rows(found, "methods")
    assert sum(row[0] for row in methods) == pytest.approx(found.figures["app_j"])  # type: ignore[misc]
    assert methods[0][3] == "org.example.Inbox.poll"
    assert [row[-1] for row in rows(found, "threads")] == ["main", "worker"]
    assert [row[0] for row in rows(found, "runs")] == [1, 2, 3]
    assert found.next_steps[0].line() == "navitas explain RECORDING --method org.example.Inbox.poll"


def test_a_thread_is_explained_by_its_methods_and_tests(figures: Figures) -> None:
    found = Explainer(figures).thread(find_thread(figures, "main"))
    assert [row[-1] for row in rows(found, "tests")] == ["org.example.InboxTest#polls", "org.example.InboxTest#waits"]
    assert sum(row[0] for row in rows(found, "methods")) == pytest.approx(10.0)  # type: ignore[misc]
    worker = Explainer(figures).thread(find_thread(figures, "worker"))
    assert worker.figures["outside_methods_j"] == pytest.approx(1.0)


def test_threads_of_a_role_are_explained_together(figures: Figures) -> None:
    """The terminal report has one row for them, by this name."""
    found = Explainer(figures).thread(find_thread(figures, "JIT compiler"))
    assert found.verdict.statements[0].text.startswith("The threads “JIT compiler” use")
    assert found.figures["share"] is None and found.figures["energy_j"] == pytest.approx(
        next(use.energy_j for use in figures.all_threads if use.role == "jit")
    )


def test_a_component_is_explained_by_who_used_it(figures: Figures) -> None:
    found = Explainer(figures).component(find_component(figures, "cpu"))
    assert (found.figures["app_j"], found.figures["base_j"]) == (pytest.approx(11.0), pytest.approx(1.5))
    assert sum(row[0] for row in rows(found, "tests")) == pytest.approx(13.0)  # type: ignore[misc]


def test_a_subject_that_is_not_the_largest_is_not_called_so() -> None:
    figures = Figures(messenger(polls(poll_j=2.01), waits()))
    explainer = Explainer(figures)
    same_size = {
        explained.name: "same_size" in {limit.rule for limit in explained.verdict.limits}
        for explained in (
            explainer.method(find_method(figures, "poll")),
            explainer.method(find_method(figures, "org.example.Photos.blur")),
            explainer.method(find_method(figures, "InboxTest.polls")),
            explainer.thread(find_thread(figures, "worker")),
        )
    }
    assert list(same_size.values()) == [True, True, False, False]
    for explained in (
        explainer.method(find_method(figures, "poll")),
        explainer.test(find_test(figures, "waits")),
        explainer.thread(find_thread(figures, "worker")),
        explainer.component(find_component(figures, "cpu")),
    ):
        assert {statement.rule for statement in explained.verdict.statements} <= {explained.kind, "when"}


def test_a_subject_has_only_the_limits_of_its_tests() -> None:
    """`polls` is starved. `waits` is not, and only it calls the other `Photos.blur`."""
    figures = Figures(messenger(polls(starved_ns=SECOND_NS, waited_ns=SECOND_NS), waits(status="failed")))
    explainer = Explainer(figures)
    limits = {
        name: {limit.rule for limit in explained.verdict.limits} & {"starved", "failed"}
        for name, explained in {
            "whole": explainer.recording(),
            "polls": explainer.test(find_test(figures, "polls")),
            "waits": explainer.test(find_test(figures, "waits")),
            "poll": explainer.method(find_method(figures, "poll")),
            "blur": explainer.method(find_method(figures, "org.other.Photos.blur")),
            "main": explainer.thread(find_thread(figures, "main")),
            "worker": explainer.thread(find_thread(figures, "worker")),
            "cpu": explainer.component(find_component(figures, "cpu")),
        }.items()
    }
    assert {name for name, rules in limits.items() if "starved" in rules} == {"whole", "main", "cpu", "polls", "poll", "worker"}
    assert {name for name, rules in limits.items() if "failed" in rules} == {"whole", "main", "cpu", "waits", "blur"}


def test_the_energy_of_a_component_adds_up(figures: Figures) -> None:
    found = Explainer(figures).component(find_component(figures, "cpu")).figures
    parts = ("app_j", "other_threads_j", "other_processes_j", "base_j", "unattributed_j")
    assert sum(found[part] for part in parts) == pytest.approx(found["energy_j"])  # type: ignore[misc]


def test_a_project_named_as_a_command_is_measured_again() -> None:
    figures = Figures(messenger(command_line=["navitas", "profile", "report"]))
    found = Explainer(figures).thread(find_thread(figures, "main"))
    assert found.next_steps[-1].line() == "navitas profile report --repeat 5"


@pytest.mark.parametrize(
    ("find", "name", "full"),
    [
        (find_method, "org.example.Photos.blur", 2),
        (find_method, "org.other.Photos.blur(I)", 3),
        (find_method, "Inbox#poll", 1),
    ],
)
def test_methods_have_several_names(figures: Figures, find: Callable[..., object], name: str, full: int) -> None:
    assert find(figures, name).total.id == full  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", ["org.example.InboxTest#polls", "InboxTest#polls", "polls"])
def test_tests_have_several_names(figures: Figures, name: str) -> None:
    assert find_test(figures, name).method == "polls"


@pytest.mark.parametrize(
    ("find", "name", "message", "remedy"),
    [
        (find_method, "Inbox.pol", "no method 'Inbox.pol' in this recording", "known are Inbox.poll, "),
        (find_method, "blur", "several methods have the name 'blur'", "org.example.Photos.blur"),
        (find_test, "InboxTest", "several tests have the name 'InboxTest'", "org.example.InboxTest#polls"),
        (find_test, "poles", "no test 'poles' in this recording", "known are InboxTest#polls"),
        (find_thread, "Main", "no thread 'Main' in this recording", "known are main, JIT compiler, worker"),
        (find_component, "wlan", "no component 'wlan' in this recording", "known are cpu"),
    ],
)
def test_wrong_names_are_errors_with_near_names(
    figures: Figures, find: Callable[..., object], name: str, message: str, remedy: str
) -> None:
    with pytest.raises(UsageError) as error:
        find(figures, name)
    assert error.value.message == message
    assert remedy in error.value.remedy


def test_tables_leave_out_unknown_columns_and_count_what_they_leave_out() -> None:
    table = ExplanationTable.of("x", "X", ("a_j", "b"), [(1.0, None), (2.0, None), (3.0, None)]).first(1)
    assert (table.columns, table.rows, table.more) == (("a_j",), ((1.0,),), 2)
    assert table.first(0).more == 3
