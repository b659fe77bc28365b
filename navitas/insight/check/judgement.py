"""The results of a check: a judgement of each figure that has a budget."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import date
from typing import Any, Literal, NamedTuple

from navitas.base.json_text import fields
from navitas.insight.check.bounds import MOST_GROWTH
from navitas.insight.check.budgets import AbsoluteLimit, CheckBudget, Waiver
from navitas.insight.check.judged_figures import CheckedFigure
from navitas.insight.compare.source_place import SourcePlace

CheckWord = Literal["within", "above", "not enough data", "matches nothing"]
FailOn = Literal["above", "unknown"]
SCHEMA_VERSION = 1


class MoreData(NamedTuple):
    """Data that would decide: sessions of each version, with some repeats each.

    `more_before`: how many sessions of the version before are missing. `is_least`: the sessions at hand are too few to show how
    sessions differ, so that more can be needed.
    """

    sessions: int
    repeats: int
    more_before: int = 0
    is_least: bool = False


@dataclass(frozen=True, slots=True)
class ChangedMethod:
    """A method whose self energy rose: geometric means in joules. `is_sure`: a comparison of all methods finds it `different`."""

    name: str
    before_j: float
    after_j: float
    percent: float | None
    is_sure: bool
    location: SourcePlace | None


@dataclass(frozen=True, slots=True)
class Judgement:
    """The verdict on one figure of one budget.

    - `before`, `after`: geometric means over sessions, in `figure_unit` (J, W, or empty for counts).
    - `value`, `low`, `high`, `limit`: the change or the figure, its one-sided bounds, and the limit, in `unit`: %, or as above.
    - `shows_percent`: how far over the limit the figure has to be so that this data shows it.
    - `needed`: data that would decide, if it is known; only with "not enough data".
    - `growth`: how many times as many repeats could decide, if the version takes turns with the one before.
    - `reason`: why it is not known, or what the budget does not match, in words; empty otherwise.
    - `waiver`: the waiver that accepts it.
    - `location`: where the method or test begins in the source code.
    - `methods`: for tests above their limit, the methods that rose most.
    - `remedy`: what to do about what is not known, if that is not to measure more; empty otherwise.
    """

    budget: CheckBudget
    subject: CheckedFigure
    verdict: CheckWord
    limit: float
    unit: str
    figure_unit: str
    before: float | None = None
    after: float | None = None
    value: float | None = None
    low: float | None = None
    high: float | None = None
    shows_percent: float | None = None
    needed: MoreData | None = None
    growth: float = MOST_GROWTH
    reason: str = ""
    waiver: Waiver | None = None
    location: SourcePlace | None = None
    methods: tuple[ChangedMethod, ...] = ()
    remedy: str = ""

    def fails(self, fail_on: FailOn) -> bool:
        """Whether it makes a check fail."""
        always: tuple[CheckWord, ...] = ("above", "matches nothing")
        return self.waiver is None and (self.verdict in always or (self.verdict != "within" and fail_on == "unknown"))


@dataclass(frozen=True, slots=True)
class CheckResult:
    """All judgements of a check. `before` and `after` are the names of sessions; `failed` are tests that failed after.

    `waivers` are all of the settings file; `day` is that of the check. `changed_budgets` are sentences on budgets that are not
    those of the version before.
    """

    judgements: tuple[Judgement, ...]
    before: tuple[str, ...]
    after: tuple[str, ...]
    together: bool
    day: date
    warnings: tuple[str, ...] = ()
    waivers: tuple[Waiver, ...] = ()
    changed_budgets: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()

    def having(self, verdict: CheckWord, *, waived: bool = False) -> list[Judgement]:
        """Return the judgements with a verdict, that a waiver accepts or not."""
        return [judged for judged in self.judgements if judged.verdict == verdict and (judged.waiver is not None) == waived]

    def failing(self, fail_on: FailOn) -> list[Judgement]:
        """Return the judgements that make the check fail."""
        return [judged for judged in self.judgements if judged.fails(fail_on)]

    @property
    def word(self) -> CheckWord:
        """The verdict on all budgets, without those that waivers accept."""
        words = {judged.verdict for judged in self.judgements if judged.waiver is None}
        order: tuple[CheckWord, ...] = ("above", "matches nothing", "not enough data")
        return next((word for word in order if word in words), "within")

    def next_look(self, repeats: int) -> int:
        """Return after how many repeats to judge again, if not all is decided: when so many could decide."""
        growths = (judged.growth for judged in self.having("not enough data") if judged.value is not None)
        return math.ceil(repeats * max(growths, default=MOST_GROWTH))

    def is_active(self, waiver: Waiver) -> bool:
        """Whether a waiver still accepts."""
        return self.day <= waiver.until

    def as_json(self) -> dict[str, Any]:
        """Return the document of `navitas check --json` (docs/check.md)."""
        return {
            "schema_version": SCHEMA_VERSION,
            "verdict": self.word,
            "day": self.day.isoformat(),
            "before": list(self.before),
            "after": list(self.after),
            "same_session": self.together,
            "judgements": [_row(judged) for judged in self.judgements],
            "waivers": [{**_waiver(waiver), "active": self.is_active(waiver)} for waiver in self.waivers],
            "changed_budgets": list(self.changed_budgets),
            "failed_tests": list(self.failed),
            "warnings": list(self.warnings),
        }


def _row(judgement: Judgement) -> dict[str, Any]:
    numbers = fields(judgement, "before", "after", "figure_unit", "value", "low", "high", "limit", "unit", "shows_percent")
    return {
        **judgement.subject._asdict(),
        "verdict": judgement.verdict,
        **numbers,
        "needed": None if judgement.needed is None else judgement.needed._asdict(),
        "reason": judgement.reason,
        "remedy": judgement.remedy,
        "budget": judgement.budget.location,
        "is_change": not isinstance(judgement.budget.limit, AbsoluteLimit),
        "waiver": None if judgement.waiver is None else _waiver(judgement.waiver),
        "location": _location(judgement.location),
        "methods": [
            {**fields(method, "name", "before_j", "after_j", "percent", "is_sure"), "location": _location(method.location)}
            for method in judgement.methods
        ],
    }


def _waiver(waiver: Waiver) -> dict[str, Any]:
    kind, pattern = waiver.selection
    return {
        "location": waiver.location,
        "kind": kind,
        "pattern": pattern,
        "until": waiver.until.isoformat(),
        "reason": waiver.reason,
    }


def _location(source: SourcePlace | None) -> dict[str, Any] | None:
    return None if source is None else {**source._asdict(), "text": source.text}
