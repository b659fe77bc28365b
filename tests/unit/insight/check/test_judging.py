"""Verdicts of a check on made-up sessions: limits, missing data, waivers, starved runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date

import numpy as np
import pytest
from support.made_sessions import TEST, made_session
from support.repeatable_random import repeatable_rng

from navitas.base.errors import UsageError
from navitas.insight.check.budgets import FIGURES, AbsoluteLimit, BudgetKind, Budgets, ChangeLimit, CheckBudget, Selection, Waiver
from navitas.insight.check.judgement import CheckResult, Judgement
from navitas.insight.check.judging import judge
from navitas.insight.compare.session import Session, TestRun
from navitas.insight.compare.source_place import SourcePlace

DAY = date(2026, 11, 29)
SORT = "a.Sorter.sort"


def budget(limit: float | str = 5.0, **selection: str) -> CheckBudget:
    kind, pattern = next(iter(selection.items()), ("all", ""))
    chosen = Selection(kind, pattern)  # type: ignore[arg-type]
    parsed = ChangeLimit(limit) if isinstance(limit, float) else AbsoluteLimit(float(limit.split()[0]), "J")
    return CheckBudget("navitas.toml:1", chosen, FIGURES[chosen.kind][0], parsed)


def sessions(
    mean_j: float, count: int = 4, *, seed: int = 1, shift: float = 0.01, repeats: int = 5, turns: str = ""
) -> list[Session]:
    """Sessions that differ by 1 %, with runs that differ by 1 %."""
    rng = repeatable_rng(seed)
    made = [
        made_session(list(mean_j * np.exp(rng.normal(0, shift) + rng.normal(0, 0.01, repeats))), 100 * seed + place)
        for place in range(count)
    ]
    return [replace(one, not_passed=frozenset(), session=f"{turns}{i}" if turns else "") for i, one in enumerate(made)]


def judged(
    before: Sequence[Session], after: Sequence[Session], *budgets: CheckBudget, waivers: Sequence[Waiver] = (), day: date = DAY
) -> CheckResult:
    return judge(before, after, Budgets(budgets, tuple(waivers)), day=day)


def with_runs(session: Session, **columns: Sequence[object]) -> Session:
    """The session with other fields of its runs, each repeat with the next value in turn."""

    def changed(repeat: int, run: TestRun) -> TestRun:
        return replace(run, **{name: values[repeat % len(values)] for name, values in columns.items()})  # type: ignore[arg-type]

    tests = {name: {repeat: changed(repeat, run) for repeat, run in runs.items()} for name, runs in session.tests.items()}
    return replace(session, tests=tests)


def only(result: CheckResult) -> Judgement:
    (one,) = result.judgements
    return one


@pytest.mark.parametrize(("after_j", "word"), [(10.0, "within"), (13.0, "above")])
@pytest.mark.parametrize("turns", ["", "turn"])
@pytest.mark.parametrize(
    "selection", [{}, {"test": TEST}, {"method": SORT}, {"thread": "main"}, {"module": ":"}, {"component": "cpu"}]
)
def test_a_change_is_within_its_limit_or_above(after_j: float, word: str, turns: str, selection: dict[str, str]) -> None:
    one = only(judged(sessions(10, turns=turns), sessions(after_j, seed=2, turns=turns), budget(10.0, **selection)))
    assert one.verdict == word and one.low is not None and one.high is not None and one.value is not None
    assert one.low <= one.value <= one.high and (one.low > 10 if word == "above" else one.high <= 10)


def test_a_version_above_the_limit_names_the_methods_that_rose_with_their_lines() -> None:
    place = SourcePlace("a.Sorter", "sort", "Sorter.java", 12)
    after = [replace(one, places={SORT: place}) for one in sessions(13, seed=2)]
    one = only(judged(sessions(10), after, budget()))
    assert [(method.name, method.is_sure, method.location) for method in one.methods] == [("a.Sorter.sort()V", True, place)]
    assert place.text == "a/Sorter.java:12"
    assert only(judged(sessions(10), after, budget(method=SORT))).location == place


def test_one_session_of_each_version_decides_nothing_unless_it_is_shared() -> None:
    for after_j in (10, 20):
        one = only(judged(sessions(10, 1), sessions(after_j, 1, seed=2), budget()))
        assert one.verdict == "not enough data" and "sessions differ" in one.reason and one.needed is not None
    assert only(judged(sessions(10, 1, turns="a"), sessions(20, 1, seed=2, turns="a"), budget())).verdict == "above"


def test_one_new_session_is_judged_by_the_spread_of_many_before() -> None:
    many = sessions(10, 8)
    assert only(judged(many, sessions(10, 1, seed=2), budget(40.0))).verdict == "within"
    assert only(judged(many, sessions(20, 1, seed=2), budget(40.0))).verdict == "above"
    near = only(judged(many, sessions(11, 1, seed=2), budget(5.0)))
    assert near.verdict == "not enough data", "one session can be an outlier, however alike the others are"


def test_not_enough_data_says_which_change_it_shows_and_what_would_decide() -> None:
    one = only(judged(sessions(10, 3, shift=0.08), sessions(10, 3, seed=2, shift=0.08), budget()))
    assert one.verdict == "not enough data" and one.shows_percent is not None and one.shows_percent > 5
    assert one.needed is not None and one.needed.sessions > 3 and "both sides of the limit" in one.reason


def test_an_absolute_limit_needs_no_version_before() -> None:
    for limit, word in (("100 J", "within"), ("5 J", "above"), ("11 J", "not enough data")):
        assert only(judged([], sessions(10, 1), budget(limit))).verdict == word
    assert only(judged([], sessions(10, 1), budget())).reason.startswith("there is no session of the version before")


def test_starved_sessions_never_count() -> None:
    starved = [replace(one, is_fit=False) for one in sessions(30, seed=3)]
    result = judged(sessions(10), [*sessions(10, seed=2), *starved], budget(10.0))
    assert only(result).verdict == "within" and "busy or hot" in result.warnings[0]
    for limit in (10.0, "1 J"):
        one = only(judged(sessions(10), starved, budget(limit)))
        assert one.verdict == "not enough data" and "busy or hot" in one.reason and "on a quiet, cool device" in one.remedy
    one = only(judged(starved, sessions(10), budget()))
    assert one.verdict == "not enough data" and "busy or hot" in one.reason and "on a quiet, cool device" in one.remedy


@pytest.mark.parametrize("chosen", [{"test": "a.NoTest#*"}, {"method": "a.Sorter.sotr"}, {"thread": "x"}, {"component": "gps"}])
def test_a_budget_that_matches_nothing_is_a_row_that_always_fails(chosen: dict[str, str]) -> None:
    ((kind, pattern),) = chosen.items()
    waiver = Waiver("navitas.toml:9", Selection(kind, pattern), date(2027, 1, 1), "gone")  # type: ignore[arg-type]
    result = judged(sessions(10), sessions(10, seed=2), budget(**chosen), budget(20.0), waivers=[waiver])
    unmatched, total = result.judgements
    assert unmatched.verdict == result.word == "matches nothing" and total.verdict == "within"
    assert unmatched.reason.startswith(f'nothing matches {kind} "{pattern}". The {kind}s are: ')
    assert result.failing("above") == [unmatched], "no waiver accepts it"


def test_a_test_that_vanished_matches_nothing_or_is_unknown() -> None:
    before = [replace(made_session([10, 10.1], i, tests=[TEST, "a.OldTest#old"]), not_passed=frozenset()) for i in range(3)]
    after = sessions(10, seed=2)
    only_old = only(judged(before, after, budget(test="a.OldTest#*")))
    assert only_old.verdict == "matches nothing" and "it vanished, or was renamed" in only_old.reason
    result = judged(before, after, budget(20.0, test="a.*"))
    assert {one.subject.name: one.verdict for one in result.judgements} == {TEST: "within", "a.OldTest#old": "not enough data"}
    new = judged(after, before, budget(20.0, test="a.*"))
    assert {one.subject.name for one in new.judgements} == {TEST} and "new test" in " ".join(new.warnings)


@pytest.mark.parametrize("selection", [{}, {"test": "*"}])
def test_a_test_that_vanished_is_a_row_of_budgets_of_all_tests(selection: dict[str, str]) -> None:
    """A renamed test takes its energy out of what is compared. What vanished before the newest session is accepted."""
    old = [replace(made_session([10, 10.1], i, tests=[TEST, "a.OldTest#old"]), not_passed=frozenset()) for i in range(3)]
    after = sessions(10, seed=2)
    result = judged(old, after, budget(20.0, **selection))
    unknown = [one for one in result.judgements if one.verdict == "not enough data"]
    assert [one.subject for one in unknown] == [("test", "a.OldTest#old", "app")] and result.failing("unknown") == unknown
    assert "only in the version before" in unknown[0].reason and len(result.judgements) == 2
    waiver = Waiver("navitas.toml:9", Selection("test", "a.OldTest#old"), DAY, "replaced")
    assert judged(old, after, budget(20.0, **selection), waivers=[waiver]).word == "within"
    newer = [replace(one, created_utc="2026-02-01T00:00:00+00:00") for one in sessions(10, 1, seed=3)]
    later = judged([*old, *newer], after, budget(20.0, **selection))
    assert later.word == "within" and "only in the version before: a.OldTest#old" in later.warnings[0]
    assert judged(old, after, replace(budget("100 J"), selection=budget(**selection).selection)).word == "within"


def test_a_test_that_did_not_pass_is_unknown() -> None:
    after = [replace(one, not_passed=frozenset({"a.SortTest#fails"})) for one in sessions(10, seed=2)]
    result = judged(sessions(10), after, budget(20.0, test="a.*"))
    assert {one.subject.name: one.verdict for one in result.judgements} == {TEST: "within", "a.SortTest#fails": "not enough data"}


@pytest.mark.parametrize("turns", ["", "turn"])
@pytest.mark.parametrize(("after_j", "word"), [(10.0, "within"), (13.0, "above")])
def test_a_test_that_some_sessions_before_lack_is_judged_by_the_others(after_j: float, word: str, turns: str) -> None:
    """Such as a new test, until all sessions of the baseline have it."""

    def with_new(session: Session) -> Session:
        return replace(session, tests={**session.tests, "a.NewTest#new": session.tests[TEST]})

    older, *newer = sessions(10, turns=turns)
    before, after = [older, *map(with_new, newer)], [with_new(one) for one in sessions(after_j, seed=2, turns=turns)]
    result = judged(before, after, budget(10.0, test="a.*"), budget(10.0))
    assert {one.subject.name: one.verdict for one in result.judgements} == {
        **dict.fromkeys([TEST, "a.NewTest#new"], word),
        "all tests": word,
    }
    assert "some sessions before lack these tests" in result.warnings[0] and "a.NewTest#new" in result.warnings[0]
    failed = [replace(older, not_passed=frozenset({"a.NewTest#new"})), *before[1:]]
    unknown = only(judged(failed, after, budget(10.0, test="a.NewTest#*")))
    assert unknown.reason == "it did not pass in every run", "its sessions are no random choice"


@pytest.mark.parametrize(("after_j", "word"), [(10.0, "within"), (13.0, "above")])
def test_each_test_is_judged_if_the_sessions_before_have_none_in_common(after_j: float, word: str) -> None:
    """Such as a baseline whose tests were measured by two jobs."""
    tests = ("a.SortTest#one", "a.SortTest#two")

    def with_tests(session: Session, *names: str) -> Session:
        return replace(session, tests=dict.fromkeys(names, session.tests[TEST]))

    old = sessions(10, count=8)
    before = [with_tests(session, tests[place % 2]) for place, session in enumerate(old)]
    after = [with_tests(session, *tests) for session in sessions(after_j, seed=2)]
    result = judged(before, after, budget(10.0, test="a.*"), budget(10.0), budget(10.0, method=SORT))
    assert {one.subject.name: one.verdict for one in result.judgements} == {
        **dict.fromkeys(tests, word),
        **dict.fromkeys(["all tests", SORT], "not enough data"),
    }
    assert {one.reason for one in result.judgements[2:]} == {"the sessions before have no test in common"}
    assert all("navitas baseline prune --keep" in one.remedy for one in result.judgements[2:])
    assert result.warnings[0] == (
        "some sessions before lack these tests, so only budgets of tests judge them: "
        "a.SortTest#one (4 of 8 have it), a.SortTest#two (4 of 8 have it)"
    )


def test_a_new_test_above_an_absolute_limit_names_no_methods() -> None:
    after = [replace(one, tests={**one.tests, "a.NewTest#new": one.tests[TEST]}) for one in sessions(10, seed=2)]
    one = only(judged(sessions(10), after, budget("5 J", test="a.NewTest#*")))
    assert one.verdict == "above" and one.methods == ()


def test_a_waiver_accepts_until_its_day() -> None:
    waiver = Waiver("navitas.toml:9", Selection("method", "a.Sorter.*"), date(2026, 12, 1), "new protocol")
    for day, fails in ((date(2026, 12, 1), False), (date(2026, 12, 2), True)):
        result = judged(sessions(10), sessions(13, seed=2), budget(method=SORT), waivers=[waiver], day=day)
        assert only(result).verdict == "above" and bool(result.failing("above")) == fails
        assert result.word == ("above" if fails else "within") and result.is_active(waiver) != fails


def test_wildcards_leave_out_methods_with_a_small_share() -> None:
    before, after = ([made_session([10, 10.1], i, rest_j=0.001) for i in range(k, k + 3)] for k in (0, 10))
    assert [one.subject.name for one in judged(before, after, budget(method="a.*")).judgements] == ["a.Sorter.sort()V"]
    assert [one.subject.name for one in judged(before, after, budget(method="a.Idle.wait")).judgements] == ["a.Idle.wait()V"]


def test_figures_of_one_version_only_never_pass_silently() -> None:
    after = [with_runs(session, methods=[{"b.New.sort()V": 10.0}]) for session in sessions(10, seed=2)]
    for pattern in ("*", "b.New.sort"):
        result = judged(sessions(10), after, budget(method=pattern))
        assert only(result).reason == "nothing that it selects has a figure in the version before"
        assert "new methods, without a figure before: b.New.sort()V" in result.warnings[0]


def test_methods_without_a_share_are_judged_if_no_other_is_selected() -> None:
    before, after = ([made_session([0.01, 0.0101], i, rest_j=10) for i in range(k, k + 3)] for k in (0, 10))
    assert only(judged(before, after, budget(method="a.Sort*"))).subject.name == "a.Sorter.sort()V"


def test_what_uses_nothing_in_both_versions_is_within() -> None:
    energies = {"app": {"cpu": 10.0, "wifi": 0.0}, "base": {"cpu": 40.0}, "total": {"cpu": 51.0}}
    before, after = ([with_runs(session, energies=[energies]) for session in sessions(10, seed=seed)] for seed in (1, 2))
    assert only(judged(before, after, budget(component="wifi"))).verdict == "within"


@pytest.mark.parametrize("is_fit", [True, False])
def test_counts_are_compared_exactly_if_they_agree(is_fit: bool) -> None:
    """A busy device does not change them."""

    def word(limit: AbsoluteLimit | ChangeLimit, *calls: int) -> str:
        one = CheckBudget("navitas.toml:1", Selection("method", SORT), "calls", limit)
        sides = [
            [replace(with_runs(session, calls=[{"a.Sorter.sort()V": count} for count in counts]), is_fit=is_fit)]
            for session, counts in ((sessions(10, 1)[0], [100]), (sessions(10, 1, seed=2)[0], calls))
        ]
        return only(judged(*sides, one)).verdict

    assert word(AbsoluteLimit(100, ""), 100) == "within" and word(AbsoluteLimit(99, ""), 100) == "above"
    assert word(ChangeLimit(5), 105) == "within" and word(ChangeLimit(5), 106) == "above"
    assert word(ChangeLimit(5), 100, 106) == "not enough data"


@pytest.mark.parametrize(("busy_calls", "word"), [(100, "within"), (101, "not enough data")])
def test_counts_of_busy_runs_count(busy_calls: int, word: str) -> None:
    """A single quiet run does not show whether counts agree."""

    def with_calls(session: Session) -> Session:
        run = replace(session.tests[TEST][0], calls={"a.Sorter.sort()V": 100})
        return replace(session, tests={TEST: {0: run}}, busy={3: {TEST: replace(run, calls={"a.Sorter.sort()V": busy_calls})}})

    one = CheckBudget("navitas.toml:1", Selection("method", SORT), "calls", ChangeLimit(0))
    before, after = (with_calls(sessions(10, 1, seed=seed, repeats=1)[0]) for seed in (1, 2))
    assert only(judged([before], [after], one)).verdict == word


def test_a_session_without_the_figure_is_unknown() -> None:
    one = CheckBudget("navitas.toml:1", Selection("method", SORT), "inclusive", ChangeLimit(5))
    assert only(judged(sessions(10), sessions(10, seed=2), one)).reason == "a session was kept without its inclusive"


@pytest.mark.parametrize("limit", [AbsoluteLimit(100, "W"), ChangeLimit(50)])
@pytest.mark.parametrize("kind", ["all", "test"])
@pytest.mark.parametrize("times_s", [(0.0,) * 5, (1.0, 0.0, 1.0, 1.0, 1.0)])
def test_the_power_of_a_test_without_time_is_unknown(
    times_s: tuple[float, ...], kind: BudgetKind, limit: AbsoluteLimit | ChangeLimit
) -> None:
    power = CheckBudget("navitas.toml:1", Selection(kind, "*" if kind == "test" else ""), "power", limit)
    usual, without_time = (
        [[with_runs(one, wall_s=times) for one in side] for side in (sessions(10), sessions(10, seed=2))]
        for times in ((1.0,), times_s)
    )
    assert only(judged(*usual, power)).verdict == "within"
    for sides in ((usual[0], without_time[1]), (without_time[0], usual[1])):
        if isinstance(limit, ChangeLimit) or sides[0] is usual[0]:
            one = only(judged(*sides, power))
            assert one.verdict == "not enough data" and one.reason.startswith("it took no time in some runs")


def test_warnings_of_recordings_are_named_once_in_a_line_for_each_kind() -> None:
    before, after = sessions(10), sessions(10, seed=2)
    lost = [("events_missing", "runs/0: events are missing\nforged"), ("events_missing", "runs/1: events are missing")]
    after[0] = replace(after[0], warnings=(*lost, ("hot", "the phone was hot")))
    after[1] = replace(after[1], warnings=(lost[0],))
    before[0] = replace(before[0], warnings=(("hot", "the phone was hot"),))
    assert judged(before, after, budget(20.0), budget(20.0, test="*")).warnings == (
        "session 100, session 200: the phone was hot",
        "session 200, session 201: runs/0: events are missing\\u000aforged (and 1 more of this kind)",
    )


def test_other_choices_of_tests_are_named() -> None:
    chosen = [
        replace(one, conditions={"setting tests": "a.SortTest#*", "setting module": ":app"}) for one in sessions(10, seed=2)
    ]
    assert judged(chosen, chosen, budget(20.0)).warnings == ()
    (text,) = judged(sessions(10), chosen, budget(20.0)).warnings
    assert "not chosen alike" in text and "--tests a.SortTest#*, --module :app (session 203), all tests (session 1" in text


def test_other_devices_are_refused() -> None:
    with pytest.raises(UsageError, match="different devices"):
        judged(sessions(10), [made_session([10, 10], device="other")], budget())
