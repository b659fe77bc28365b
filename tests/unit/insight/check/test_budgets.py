"""Budgets and waivers of a settings file, and errors with their lines."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from navitas.base.errors import UsageError
from navitas.cli.habits.settings_file import find_settings
from navitas.insight.check.budgets import AbsoluteLimit, Budgets, ChangeLimit, Selection, parse_budgets


def parsed(folder: Path, text: str, name: str = "navitas.toml") -> Budgets:
    (folder / name).write_text(text)
    settings = find_settings(str(folder))
    assert settings is not None
    return parse_budgets(settings.content, settings.location)


def test_budgets_have_their_line_selection_figure_and_limit(tmp_path: Path) -> None:
    text = """
[[check]]
at-most-change = 5

[profile]
repeat = 3

[[check]]  # a comment
test = "a.InboxTest#*"
at-most = "250 mJ"

[[check]]
method = "a.Inbox.poll"
figure = "calls"
at-most = 1000

[[waiver]]
method = "a.Inbox.poll"
until = 2027-01-31
reason = "new protocol"
"""
    found = parsed(tmp_path, text)
    file = tmp_path / "navitas.toml"
    assert [(one.location, one.selection, one.figure, one.limit) for one in found.budgets] == [
        (f"{file}:2", Selection("all", ""), "app", ChangeLimit(5)),
        (f"{file}:8", Selection("test", "a.InboxTest#*"), "app", AbsoluteLimit(0.25, "J")),
        (f"{file}:12", Selection("method", "a.Inbox.poll"), "calls", AbsoluteLimit(1000, "")),
    ]
    (waiver,) = found.waivers
    assert (waiver.location, waiver.until, waiver.reason) == (f"{file}:17", date(2027, 1, 31), "new protocol")


def test_budgets_of_a_pyproject_have_their_line(tmp_path: Path) -> None:
    found = parsed(tmp_path, "[project]\nname = 'a'\n[[tool.navitas.check]]\nat-most = '5 J'\n", "pyproject.toml")
    assert [one.location for one in found.budgets] == [f"{tmp_path / 'pyproject.toml'}:3"]


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("[[check]]\n", ":1: it has no limit"),
        ("[[check]]\nat-most = '5 J'\nat-most-change = 5\n", ":1: it has both limits"),
        ("[[check]]\ntest = 'a'\nmethod = 'b'\nat-most-change = 5\n", ":1: it selects by test and method"),
        ("[[check]]\nat-most-change = 5\n[[check]]\ntset = 'a'\n", ":4: 'tset' is unknown (nearest: test)"),
        ("[[check]]\nat-most-change = -1\n", ":2: at-most-change: -1 is not a number of percent"),
        ("[[check]]\nat-most-change = nan\n", ":2: at-most-change: nan is not a number of percent"),
        ("[[check]]\nat-most-change = true\n", ":2: at-most-change: True is not a number of percent"),
        ("[[check]]\nat-most = 5\n", ":2: at-most: 5 is not an energy with a unit"),
        ("[[check]]\nat-most = '5 W'\n", ":2: at-most: '5 W' is not an energy with a unit"),
        ("[[check]]\nfigure = 'power'\nat-most = '5 J'\n", ":3: at-most: '5 J' is not a power with a unit"),
        ("[[check]]\nfigure = 'calls'\nat-most = 5\n", ":2: figure: 'calls' is no figure of all tests"),
        ("[[check]]\nmethod = 'a'\nfigure = 'calls'\nat-most = '5 J'\n", ":4: at-most: '5 J' is not a number of calls"),
        ("[[check]]\ntest = ''\nat-most-change = 5\n", ":2: test: '' is not a text"),
        ("[[check]]\nat-most-change = 5\n[[check]]\nat-most-change = 9\n", ":3: this is judged at "),
        ("check = [3]\n", ":1: check is not a list of tables"),
        ("[check]\n", ":1: check is not a list of tables"),
        ("[[waiver]]\ntest = 'a'\nreason = 'b'\n", ":1: it has no until"),
        ("[[waiver]]\ntest = 'a'\nuntil = 2027-01-31\n", ":1: it has no reason"),
        ("[[waiver]]\ntest = 'a'\nuntil = '2027-01-31'\nreason = 'b'\n", ":3: until: '2027-01-31' is not a date"),
        ("[[waiver]]\ntest = 'a'\nuntil = 2027-01-31T10:00:00\nreason = 'b'\n", ":3: until: datetime.datetime"),
    ],
)
def test_errors_have_file_and_line(text: str, part: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError) as error:
        parsed(tmp_path, text)
    assert f"{tmp_path / 'navitas.toml'}{part}" in error.value.message and error.value.remedy


def test_a_selection_needs_no_gradle_module_and_no_descriptor() -> None:
    assert Selection("method", "a.Sorter.sort").matches("method", ":app:a.Sorter.sort()V")
    assert Selection("method", ":app:a.*").matches("method", ":app:a.Sorter.sort()V")
    assert not Selection("method", ":lib:a.*").matches("method", ":app:a.Sorter.sort()V")
    assert Selection("test", "a.SortTest#sorts[0]").matches("test", ":app:a.SortTest#sorts[0]")
    assert not Selection("test", "a.*").matches("method", "a.Sorter.sort()V")
    assert Selection("all", "").matches("all", "all tests")
