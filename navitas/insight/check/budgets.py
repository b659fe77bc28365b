"""Budgets and waivers of a check, from the tables `[[check]]` and `[[waiver]]` of a settings file (docs/check.md)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any, Literal, NamedTuple, get_args

from navitas.base.errors import UsageError
from navitas.base.near_names import nearest
from navitas.base.untrusted_text import preview
from navitas.insight.compare.figures import matches_name

BudgetKind = Literal["all", "test", "method", "thread", "module", "component"]
BudgetFigure = Literal["app", "self", "inclusive", "power", "calls", "operations"]
FIGURES: Mapping[BudgetKind, tuple[BudgetFigure, ...]] = {
    "all": ("app", "power", "operations"),
    "test": ("app", "power", "operations"),
    "method": ("self", "inclusive", "calls"),
    "thread": ("app",),
    "module": ("self", "calls"),
    "component": ("app",),
}
"""The figures of each kind, the default first."""
COUNTS: tuple[BudgetFigure, ...] = ("calls", "operations")
"""Figures without a unit, which are the same in each run of deterministic code."""
MEASURED = ("tests", "module", "variant", "test-task", "include", "exclude")
"""The keys of `[profile]` that choose what is measured, and so what a check sees."""
_KINDS: tuple[BudgetKind, ...] = get_args(BudgetKind)[1:]
_UNITS = {"J": 1.0, "mJ": 1e-3, "uJ": 1e-6, "µJ": 1e-6, "W": 1.0, "mW": 1e-3}
_AMOUNT = re.compile(r"\s*(?P<number>[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)\s*(?P<unit>[A-Za-zµ]*)\s*")
_MOST = 1e15
_MOST_PERCENT = 1e6
Location = Callable[..., str]
"""Returns `FILE:LINE` of a key, from the keys that lead to it."""


class AbsoluteLimit(NamedTuple):
    """The most of a figure: joules, watts or a count, by its unit `J`, `W` or an empty one."""

    most: float
    unit: str


class ChangeLimit(NamedTuple):
    """The most that a figure may be larger than before, in percent."""

    percent: float


class Selection(NamedTuple):
    """A kind of figures, and a name or a pattern with `*` and `?`. The kind `all` is all tests together."""

    kind: BudgetKind
    pattern: str

    @property
    def is_exact(self) -> bool:
        """Whether it is a name, not a pattern."""
        return not set(self.pattern) & {"*", "?"}

    @property
    def described(self) -> str:
        """The key and value of the settings file."""
        return "all tests" if self.kind == "all" else f'{self.kind} "{self.pattern}"'

    def matches(self, kind: BudgetKind, name: str) -> bool:
        """Whether it selects a figure. The Gradle module of a test or method can be left out, and a method's descriptor."""
        if kind != self.kind or kind == "all":
            return kind == self.kind
        names = {name, name.rpartition(":")[2]} if kind in ("test", "method") else {name}
        return any(matches_name(self.pattern, known_as, is_method=kind == "method") for known_as in names)


@dataclass(frozen=True, slots=True)
class CheckBudget:
    """A limit of each figure that a selection has. `location` is `FILE:LINE`."""

    location: str
    selection: Selection
    figure: BudgetFigure
    limit: AbsoluteLimit | ChangeLimit


@dataclass(frozen=True, slots=True)
class Waiver:
    """Accepts what a check finds in figures, up to a day."""

    location: str
    selection: Selection
    until: date
    reason: str


@dataclass(frozen=True, slots=True)
class Budgets:
    """What a check judges. `measured` are the settings of `MEASURED` that the file has."""

    budgets: tuple[CheckBudget, ...]
    waivers: tuple[Waiver, ...] = ()
    measured: Mapping[str, Any] = field(default_factory=dict)


def parse_budgets(content: Mapping[str, Any], location: Location) -> Budgets:
    """Return the budgets and waivers of a settings file with this content.

    Raises `UsageError` with file and line for a wrong or unknown key, and if two entries are the same.
    """
    budgets = [_budget(table, where) for table, where in _tables(content, "check", location)]
    waivers = [_waiver(table, where) for table, where in _tables(content, "waiver", location)]
    seen: dict[tuple[object, ...], str] = {}
    limits = [(budget.location, (budget.selection, budget.figure, type(budget.limit))) for budget in budgets]
    for where, same in [*limits, *((waiver.location, (waiver.selection,)) for waiver in waivers)]:
        if same in seen:
            raise UsageError(f"{where}: this is judged at {seen[same]} already", "Leave one out.")
        seen[same] = where
    profile = content.get("profile")
    measured = {name: profile[name] for name in MEASURED if name in profile} if isinstance(profile, Mapping) else {}
    return Budgets(tuple(budgets), tuple(waivers), measured)


class _Table(NamedTuple):
    """The values of one entry, and where its keys are."""

    values: Mapping[str, Any]
    location: Location

    def wrong(self, key: str, problem: str, remedy: str) -> UsageError:
        return UsageError(f"{self.location(key)}: {key}: {problem}", remedy)

    def text(self, key: str) -> str:
        """Return a text that is not empty. Raises `UsageError` for any other value."""
        value = self.values[key]
        if not isinstance(value, str) or not value.strip():
            raise self.wrong(key, f"{preview(value)} is not a text", f'Write {key} = "…".')
        return value


def _tables(content: Mapping[str, Any], name: str, location: Location) -> Iterator[tuple[_Table, str]]:
    tables = content.get(name, [])
    if not isinstance(tables, list) or not all(isinstance(values, Mapping) for values in tables):
        raise UsageError(f"{location(name)}: {name} is not a list of tables", f"Write [[{name}]] in a line of its own.")
    for number, values in enumerate(tables):

        def of_table(*keys: str, number: int = number) -> str:
            return location(name, str(number), *keys)

        yield _Table(values, of_table), of_table()


def _check_keys(table: _Table, keys: Sequence[str]) -> None:
    for key in table.values:
        if key not in keys:
            raise UsageError(
                f"{table.location(key)}: {key!a} is unknown{nearest(key, keys)}", f"The keys are: {', '.join(keys)}."
            )


def _selection(table: _Table, where: str) -> Selection:
    kinds = [kind for kind in _KINDS if kind in table.values]
    if len(kinds) > 1:
        raise UsageError(f"{where}: it selects by {' and '.join(kinds)}", "Keep one of them: write an entry for each.")
    return Selection(kinds[0], table.text(kinds[0])) if kinds else Selection("all", "")


def _budget(table: _Table, where: str) -> CheckBudget:
    _check_keys(table, (*_KINDS, "figure", "at-most", "at-most-change"))
    selection = _selection(table, where)
    figures = FIGURES[selection.kind]
    figure = table.text("figure") if "figure" in table.values else figures[0]
    if figure not in figures:
        raise table.wrong("figure", f"{figure!a} is no figure of {selection.described}", f"It can be {' or '.join(figures)}.")
    if ("at-most" in table.values) == ("at-most-change" in table.values):
        remedy = 'Write at-most = "5 J", or at-most-change = 5 (percent more than before).'
        both = "at-most" in table.values
        raise UsageError(f"{where}: it has {'both limits' if both else 'no limit'}", remedy)
    limit = _absolute(table, figure) if "at-most" in table.values else _change(table)
    return CheckBudget(where, selection, figure, limit)


def _absolute(table: _Table, figure: str) -> AbsoluteLimit:
    value = table.values["at-most"]
    if figure in COUNTS:
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= _MOST:
            raise table.wrong("at-most", f"{preview(value)} is not a number of {figure}", "Write at-most = 1000.")
        return AbsoluteLimit(float(value), "")
    unit = "W" if figure == "power" else "J"
    amount = _AMOUNT.fullmatch(value) if isinstance(value, str) else None
    if amount is None or amount["unit"] not in _UNITS or not amount["unit"].endswith(unit):
        what = "a power" if unit == "W" else "an energy"
        units = ", ".join(name for name in _UNITS if name.endswith(unit) and name.isascii())
        raise table.wrong(
            "at-most", f"{preview(value)} is not {what} with a unit", f'Write at-most = "5 {unit}"; units: {units}.'
        )
    most = float(amount["number"]) * _UNITS[amount["unit"]]
    if most > _MOST:
        raise table.wrong("at-most", f"{preview(value)} is too large", f"The most are {_MOST:,.0f} {unit}.")
    return AbsoluteLimit(most, unit)


def _change(table: _Table) -> ChangeLimit:
    value = table.values["at-most-change"]
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= _MOST_PERCENT:
        problem = f"{preview(value)} is not a number of percent from 0 to {_MOST_PERCENT:,.0f}"
        raise table.wrong("at-most-change", problem, "Write at-most-change = 5.")
    return ChangeLimit(float(value))


def _waiver(table: _Table, where: str) -> Waiver:
    _check_keys(table, (*_KINDS, "until", "reason"))
    for key in ("until", "reason"):
        if key not in table.values:
            raise UsageError(f"{where}: it has no {key}", 'Write until = 2027-01-31 and reason = "…".')
    until = table.values["until"]
    if not isinstance(until, date) or isinstance(until, datetime):
        raise table.wrong("until", f"{preview(until)} is not a date", "Write it without quotes: until = 2027-01-31.")
    return Waiver(where, _selection(table, where), until, table.text("reason"))
