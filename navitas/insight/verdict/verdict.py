"""The verdict of a recording: what uses the energy, what limits the statement, and the next command."""

from __future__ import annotations

from dataclasses import dataclass

from navitas.insight.verdict import limits, usage
from navitas.insight.verdict.figures import Figures
from navitas.insight.verdict.next_step import NextStep, next_step
from navitas.insight.verdict.statement import Statement


@dataclass(frozen=True, slots=True)
class EnergyVerdict:
    """The answer to "what uses the energy?".

    - `statements`: largest energy first. Never empty: without figures, they say so.
    - `limits`: what limits the statements, the most important first.
    - `next_step`: what to run next.
    """

    statements: tuple[Statement, ...]
    limits: tuple[Statement, ...]
    next_step: NextStep


def verdict_of(figures: Figures) -> EnergyVerdict:
    """Return the verdict of a recording: the statements of all rules that apply."""
    statements = tuple(statement for rule in usage.RULES if (statement := rule(figures)) is not None)
    limiting = tuple(statement for rule in limits.RULES if (statement := rule(figures)) is not None)
    return EnergyVerdict(statements, limiting, next_step(figures.profile, statements, limiting))
