"""`--figure`: the energy of tests, and patterns of figures."""

from __future__ import annotations

import pytest

from navitas.base.errors import UsageError
from navitas.insight.compare.figures import FigureChoice, FigurePattern, has_share, parse_figures
from navitas.insight.compare.subject import ALL_TESTS, Energy, Kind, Subject

SORT = Subject("method", "a.Sorter.sort()V")
TEST = Subject("test", "a.SortTest#sorts", "app")
ALL = Subject("all", ALL_TESTS, "app")


def test_figures_are_named_by_kind_and_pattern() -> None:
    assert FigurePattern("method", "a.Sorter.sort").matches(SORT)
    assert FigurePattern("method", "a.*").matches(SORT) and not FigurePattern("test", "a.*").matches(SORT)
    assert FigurePattern("method", "a.A.b([I)V").matches(Subject("method", "a.A.b([I)V"))
    kotlin = Subject("method", "a.My Test.sorts (fast)(I)V")
    assert all(FigurePattern("method", f"a.My Test.sorts{rest}").matches(kotlin) for rest in (" (fast)", "*"))
    assert not FigurePattern("method", "a.My Test.sorts").matches(kotlin)


@pytest.mark.parametrize("energy", ["app", "base", "total"])
def test_a_choice_has_one_energy_of_tests(energy: Energy) -> None:
    choice = parse_figures([] if energy == "app" else [energy])
    assert choice.energy == energy
    assert [choice.includes(TEST._replace(energy=one)) for one in ("app", "base", "total")].count(True) == 1
    assert choice.includes(TEST._replace(energy=energy)) and choice.limits(ALL._replace(energy=energy))
    assert choice.includes(SORT) and not choice.limits(SORT), "by default, limits are those of tests"


def test_patterns_leave_out_other_figures_and_limit_what_they_name() -> None:
    choice = parse_figures(["method:a.Sorter.*", "test:*", "total"])
    assert choice == FigureChoice("total", (FigurePattern("method", "a.Sorter.*"), FigurePattern("test", "*")))
    assert choice.limits(SORT) and choice.limits(TEST._replace(energy="total"))
    assert not choice.includes(TEST) and not choice.includes(ALL._replace(energy="total"))


@pytest.mark.parametrize("wrong", ["", "total:x", "methods:a", "method:", "a.Sorter.sort", "App"])
def test_other_texts_are_no_figures(wrong: str) -> None:
    with pytest.raises(UsageError, match="is no figure"):
        parse_figures([wrong])


def test_two_energies_are_refused() -> None:
    with pytest.raises(UsageError, match="two energies of tests: app and total"):
        parse_figures(["total", "test:*", "app"])


@pytest.mark.parametrize(
    ("kind", "energy_j", "shown"),
    [("method", 0.01, True), ("thread", 0.009, False), ("test", 0.0, True), ("component", 0.0, False), ("component", -1.0, True)],
)
def test_small_threads_and_methods_and_unused_components_are_left_out(kind: Kind, energy_j: float, shown: bool) -> None:
    assert has_share(Subject(kind, "x"), energy_j, 1.0, 0.01) is shown
