"""The records of an explanation: the verdict, the figures and tables that it rests on, and what to do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import compress
from typing import Any

from navitas.insight.verdict.next_step import RECORDING, NextStep
from navitas.insight.verdict.statement import SubjectKind
from navitas.insight.verdict.verdict import EnergyVerdict

Value = str | int | float | None


@dataclass(frozen=True, slots=True)
class ExplanationTable:
    """Rows of values. The names of columns end with their unit, such as `self_j`; `share` is between 0 and 1.

    `more` is the number of rows that are left out: those with the least energy.
    """

    name: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Value, ...], ...]
    more: int = 0

    @classmethod
    def of(cls, name: str, title: str, columns: Sequence[str], rows: Sequence[tuple[Value, ...]]) -> ExplanationTable:
        """Return a table without columns that are unknown in all rows."""
        is_known = [any(row[number] is not None for row in rows) for number in range(len(columns))]
        return cls(name, title, tuple(compress(columns, is_known)), tuple(tuple(compress(row, is_known)) for row in rows))

    def first(self, most: int) -> ExplanationTable:
        """Return the table with at most this number of rows."""
        return ExplanationTable(self.name, self.title, self.columns, self.rows[:most], self.more + len(self.rows[most:]))


@dataclass(frozen=True, slots=True)
class Explanation:
    """The answer to "why?", for a recording or for one part of it.

    - `kind`, `name`: what is explained, with its full name. Empty for a whole recording.
    - `verdict`: the statements about it.
    - `figures`: its figures by name, with their units.
    - `tables`: where the energy is, the most important table first.
    - `next_steps`: commands to run, the first one first.
    """

    kind: SubjectKind
    name: str
    verdict: EnergyVerdict
    figures: dict[str, Value]
    tables: tuple[ExplanationTable, ...]
    next_steps: tuple[NextStep, ...]

    def as_json(self, most_rows: int, recording: str = RECORDING) -> dict[str, Any]:
        """Return the members of the document of `navitas explain --json` (docs/verdict.md)."""
        tables = [table.first(most_rows) for table in self.tables]
        return {
            "subject": {"kind": self.kind, "name": self.name},
            "verdict": self.verdict.as_json(recording),
            "figures": {name: value for name, value in self.figures.items() if value is not None},
            "tables": {
                table.name: {"rows": [dict(zip(table.columns, row, strict=True)) for row in table.rows], "more": table.more}
                for table in tables
            },
            "next_steps": [{"command": step.line(recording), "reason": step.reason} for step in self.next_steps],
        }
