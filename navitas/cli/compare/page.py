"""The page of a comparison, which `navitas compare` and `navitas check` write."""

from __future__ import annotations

from pathlib import Path

from navitas.cli.habits.page_output import write_page
from navitas.insight.compare.versions import ComparedVersions, is_recording


def write_comparison(path: Path | None, compared: ComparedVersions) -> None:
    """Write the page, if a file was named. Its next step names the newest recordings."""
    write_page(path, lambda: _page(compared))


def _page(compared: ComparedVersions) -> str:
    from navitas.report.change_pages.comparison_page import comparison_page  # noqa: PLC0415  # Other outputs need no templates.

    sides = ([session.name for session in side if is_recording(Path(session.name))] for side in (compared.before, compared.after))
    before, after = sides
    return comparison_page(compared, (before[-1], after[-1]) if before and after else None)
