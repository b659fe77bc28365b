"""Budgets that a version loosened, removed, or accepts by a waiver."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

from navitas.insight.check.budget_changes import budget_changes
from navitas.insight.check.budgets import AbsoluteLimit, Budgets, ChangeLimit, CheckBudget, Selection, Waiver, parse_budgets

TOTAL = CheckBudget("n:1", Selection("all", ""), "app", ChangeLimit(5))
TEST = CheckBudget("n:4", Selection("test", "a.*"), "app", AbsoluteLimit(2, "J"))
WAIVER = Waiver("n:8", Selection("test", "a.B#c"), date(2027, 1, 31), "known")


def test_looser_and_removed_budgets_are_named_and_stricter_ones_are_not() -> None:
    before = Budgets((TOTAL, TEST))
    assert budget_changes(before, before) == ()
    assert budget_changes(before, Budgets((replace(TOTAL, limit=ChangeLimit(4)), TEST, replace(TEST, figure="power")))) == ()
    assert budget_changes(before, Budgets((replace(TOTAL, limit=ChangeLimit(9)),))) == (
        "n:1: the budget of all tests (app) is looser: +5 % before, +9 % now",
        'the budget of test "a.*" (app) is gone: its limit was 2 J',
    )


def test_new_and_longer_waivers_are_named() -> None:
    longer = replace(WAIVER, until=date(2028, 1, 31))
    assert budget_changes(Budgets((), (WAIVER,)), Budgets((), (WAIVER,))) == ()
    assert budget_changes(Budgets(()), Budgets((), (WAIVER,))) == (
        'n:8: the waiver of test "a.B#c" until 2027-01-31 is new: known',
    )
    assert budget_changes(Budgets((), (longer,)), Budgets((), (WAIVER,))) == ()
    (text,) = budget_changes(Budgets((), (WAIVER,)), Budgets((), (longer,)))
    assert "lasts longer: it ended on 2027-01-31" in text


def test_what_a_version_no_longer_measures_is_named() -> None:
    content = {"profile": {"tests": ["a.B#*"], "repeat": 3, "module": ":app"}, "check": [{"at-most-change": 5}]}
    now = parse_budgets(content, lambda *keys: "n:1")
    before = parse_budgets({**content, "profile": {"repeat": 5, "module": ":app"}}, lambda *keys: "n:1")
    assert budget_changes(now, now) == budget_changes(before, before) == ()
    text = "tests of [profile], which chooses what is measured, was not set before, and is ['a.B#*'] now"
    assert budget_changes(before, now) == (text,)
    assert budget_changes(Budgets(()), replace(now, budgets=(), measured={"exclude": ["a.*"]})) == (
        "exclude of [profile], which chooses what is measured, was not set before, and is ['a.*'] now",
    )
