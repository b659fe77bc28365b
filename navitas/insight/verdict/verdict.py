"""The verdict of a recording: what uses the energy, what limits the statement, and the next command."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from navitas.base.units import UNBROKEN
from navitas.insight.verdict import limits, usage
from navitas.insight.verdict.figures import Figures
from navitas.insight.verdict.next_step import RECORDING, NextStep, next_step
from navitas.insight.verdict.statement import Statement

MOST_STATEMENTS = 4
"""So many are read before the limits."""


@dataclass(frozen=True, slots=True)
class EnergyVerdict:
    """The answer to "what uses the energy?".

    - `statements`: at most `MOST_STATEMENTS`, largest energy first. Never empty: without figures, they say so.
    - `limits`: what limits the statements, the most important first.
    - `next_step`: what to run next.
    """

    statements: tuple[Statement, ...]
    limits: tuple[Statement, ...]
    next_step: NextStep

    def as_json(self, recording: str = RECORDING) -> dict[str, Any]:
        """Return the member `verdict` of JSON documents (docs/verdict.md). Spaces in sentences are plain ones."""
        return {
            "statements": list(map(_fields, self.statements)),
            "limits": list(map(_fields, self.limits)),
            "next_step": {"command": self.next_step.line(recording), "reason": self.next_step.reason},
        }


def verdict_of(figures: Figures, change: Statement | None = None) -> EnergyVerdict:
    """Return the verdict of a recording: what changed since an earlier one, and the first statements of the rules that apply."""
    said = [change, *(rule(figures) for rule in usage.RULES)]
    statements = tuple(statement for statement in said if statement is not None)[:MOST_STATEMENTS]
    limiting = limits_of(figures)
    return EnergyVerdict(statements, limiting, next_step(figures.profile, statements, limiting))


def limits_of(figures: Figures) -> tuple[Statement, ...]:
    """Return the limits of all rules that apply to the tests of the figures."""
    return tuple(statement for rule in limits.RULES if (statement := rule(figures)) is not None)


def _fields(statement: Statement) -> dict[str, Any]:
    energy, share = statement.energy_interval, statement.share_interval
    fields = {
        "rule": statement.rule,
        "text": statement.text.replace(UNBROKEN, " "),
        "kind": statement.kind or None,
        "name": statement.name or None,
        "energy_j": statement.energy_j,
        "energy_interval_j": None if energy is None else [energy.low, energy.high],
        "share": statement.share,
        "share_half_width": None if share is None else share.half_width,
        "share_interval": None if share is None else [share.low, share.high],
    }
    return {name: value for name, value in fields.items() if value is not None}
