"""The verdict of a recording: what uses the energy, what limits the statement, and the next command."""

from __future__ import annotations

from dataclasses import dataclass

from navitas.energy.analyze.profile import Profile
from navitas.insight.verdict import limits, usage
from navitas.insight.verdict.figures import Figures
from navitas.insight.verdict.next_step import NextStep, next_step
from navitas.insight.verdict.statement import Statement


@dataclass(frozen=True, slots=True)
class Verdict:
    """The answer to "what uses the energy?".

    - `statements`: largest energy first. Never empty: without figures, they say so.
    - `limits`: what limits the statements, the most important first.
    - `next_step`: what to run next.
    """

    statements: tuple[Statement, ...]
    limits: tuple[Statement, ...]
    next_step: NextStep


def verdict_of(profile: Profile) -> Verdict:
    """Return the verdict of a profile: the statements of all rules that apply."""
    figures = Figures(profile)
    statements = tuple(statement for rule in usage.RULES if (statement := rule(figures)) is not None)
    limiting = tuple(statement for rule in limits.RULES if (statement := rule(figures)) is not None)
    return Verdict(statements, limiting, next_step(profile, statements, limiting))
