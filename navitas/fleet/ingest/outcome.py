"""What became of a source."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from navitas.fleet.files import FleetError


@dataclass(slots=True)
class SourceOutcome:
    """What became of a source: its rows are accepted, duplicates, or refused for a reason.

    `contradicting` duplicates differ from the row that came first; `ignored` counts values that were left out of rows.
    `known`: the fleet has had this content before, and nothing was read. `error`: it could not be ingested at all.
    """

    name: str
    rows: int = 0
    accepted: int = 0
    duplicates: int = 0
    contradicting: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    ignored: Counter[str] = field(default_factory=Counter)
    known: bool = False
    error: FleetError | None = None

    def figures(self) -> dict[str, Any]:
        """The counts by name, for files."""
        return {
            "rows": self.rows,
            "accepted": self.accepted,
            "duplicates": self.duplicates,
            "contradicting": self.contradicting,
            "refused": dict(self.refused),
            "ignored": dict(self.ignored),
        }
