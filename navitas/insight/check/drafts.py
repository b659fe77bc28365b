"""What budgets judge, before the verdict: exact figures, estimates, and what is unknown."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from navitas.insight.check.bounds import BoundedEstimate, changes, figures
from navitas.insight.check.budgets import COUNTS, AbsoluteLimit, BudgetKind, ChangeLimit, CheckBudget
from navitas.insight.check.judged_figures import CheckedFigure, SideFigures
from navitas.insight.check.judgement import CheckWord, Judgement
from navitas.insight.compare.comparison import figure_means
from navitas.insight.compare.effect import F64
from navitas.insight.compare.session import Session

_NO_ENERGY = "it has no energy in some runs"
_DIFFERING = "its counts differ from run to run, or there is a single run"


@dataclass(frozen=True, slots=True)
class Draft:
    """A judgement, and the estimate that its verdict follows from, if it is not decided or unknown already.

    `limit` is the logarithm of the limit. `sides` are the sessions of both versions by which a change is judged.
    """

    judgement: Judgement
    limit: float = 0.0
    estimate: BoundedEstimate | None = None
    sides: tuple[Sequence[Session], Sequence[Session]] | None = None

    @property
    def chance(self) -> float | None:
        return None if self.estimate is None else self.estimate.chance(self.limit)


def drafts_of_changes(
    budget: CheckBudget, names: Sequence[str], old: SideFigures, new: SideFigures, *, together: bool
) -> Iterator[Draft]:
    """Yield what a budget judges of changes: one draft for each name."""
    if not names:
        return
    kind, figure = budget.selection.kind, budget.figure
    matrices = [side.matrices(kind, figure, names) or [] for side in (old, new)]
    limit_percent = budget.limit.percent if isinstance(budget.limit, ChangeLimit) else 0.0
    estimates = changes(*matrices, together=together)
    means = [figure_means(side) for side in matrices]
    for row, (name, estimate) in enumerate(zip(names, estimates, strict=True)):
        judgement = judgement_on(budget, name, before=float(means[0][row]), after=float(means[1][row]))
        counts = [_count(side, row) for side in matrices]
        if None not in counts and (figure in COUNTS or not any(counts)):
            first, second = (float(count or 0.0) for count in counts)
            value = 100 * (second - first) / first if first else math.inf if second else 0.0
            yield Draft(_exact(judgement, value), sides=(old.sessions, new.sessions))
        elif estimate is None or figure == "operations":
            yield Draft(replace(judgement, reason=_NO_ENERGY if figure != "operations" else _DIFFERING))
        else:
            yield Draft(judgement, math.log1p(limit_percent / 100), estimate, (old.sessions, new.sessions))


def drafts_of_absolutes(budget: CheckBudget, names: Sequence[str], new: SideFigures) -> Iterator[Draft]:
    """Yield what a budget judges of figures after: one draft for each name."""
    kind, figure = budget.selection.kind, budget.figure
    matrix = new.matrices(kind, figure, names) or []
    most = budget.limit.most if isinstance(budget.limit, AbsoluteLimit) else 0.0
    means = figure_means(matrix)
    for row, (name, estimate) in enumerate(zip(names, figures(matrix), strict=True)):
        judgement = judgement_on(budget, name, after=float(means[row]))
        count = _count(matrix, row)
        if count is not None and (figure in COUNTS or count == 0.0):
            yield Draft(_exact(judgement, count))
        elif estimate is None or figure == "operations":
            yield Draft(replace(judgement, reason=_NO_ENERGY if figure != "operations" else _DIFFERING))
        else:
            yield Draft(judgement, math.log(most) if most > 0 else -math.inf, estimate)


def judgement_on(
    budget: CheckBudget, name: str, kind: BudgetKind | None = None, *, before: float | None = None, after: float | None = None
) -> Judgement:
    """Return what a budget judges, without a verdict. `kind` is that of the figure, by default that of the budget."""
    limit = budget.limit
    subject = CheckedFigure(kind or budget.selection.kind, name, budget.figure)
    figure_unit = "" if budget.figure in COUNTS else "W" if budget.figure == "power" else "J"
    most, unit = (limit.percent, "%") if isinstance(limit, ChangeLimit) else limit
    return Judgement(budget, subject, "not enough data", most, unit, figure_unit, before, after)


def unknown(budget: CheckBudget, name: str, reason: str, kind: BudgetKind | None = None, *, remedy: str = "") -> Draft:
    """Return that a figure cannot be judged, and why; and what to do, if that is not to measure more."""
    return Draft(replace(judgement_on(budget, name, kind), reason=reason, remedy=remedy))


def _exact(judgement: Judgement, value: float) -> Judgement:
    """Return the judgement on a figure that is the same in all runs."""
    verdict: CheckWord = "above" if value > judgement.limit else "within"
    shown = value if math.isfinite(value) else None
    return replace(judgement, verdict=verdict, value=shown, low=shown, high=shown, shows_percent=0.0)


def _count(sessions: Sequence[F64], row: int) -> float | None:
    """Return a figure if it is the same in all runs of all sessions, and there are several."""
    values = np.concatenate([session[row] for session in sessions])
    return float(values[0]) if len(values) > 1 and np.all(values == values[0]) else None
