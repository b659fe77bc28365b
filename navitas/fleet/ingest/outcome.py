"""The outcome of ingesting a source."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from navitas.fleet.files import FleetError


@dataclass(slots=True)
class SourceOutcome:
    """Counts of a source's rows: accepted, duplicate, or refused for a reason.

    `contradicting` duplicates differ from the stored row. `ignored` counts values dropped from rows. `known` means that the
    content was ingested before, so nothing was read. `error` is the reason why the source could not be ingested.
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
        """The counts by name, for JSON."""
        return {
            "rows": self.rows,
            "accepted": self.accepted,
            "duplicates": self.duplicates,
            "contradicting": self.contradicting,
            "refused": dict(self.refused),
            "ignored": dict(self.ignored),
        }
