"""The note on the rows that a table does not list."""

from __future__ import annotations

from typing import Any

from navitas.analyze.listing import Listing
from navitas.report.terminal.paragraph import Paragraph
from navitas.report.units import UNKNOWN, joules, unbroken


def others_notes(listed: Listing[Any], what: str, *figures: str) -> list[Paragraph]:
    """Return a note with the number and the energy of the others, and more figures; none if all rows are listed."""
    if not listed.others:
        return []
    count = f"1 more {what}" if listed.others == 1 else f"{listed.others:,} more {what}s"
    parts = map(unbroken, (joules(listed.others_j), *figures) if listed.others_are_known else (UNKNOWN,))
    return [Paragraph(f"… {count}: {', '.join(parts)}{listed.hint}", style="dim")]
