"""The HTML report: one page without other files, which answers first and then shows what the answer rests on."""

from __future__ import annotations

from typing import IO

from navitas.energy.analyze.profile import Profile
from navitas.report.format import Format
from navitas.report.page_request import PageRequest


def write(profile: Profile, out: IO[str], *, page: PageRequest | None = None) -> None:
    """Write the page. With repeats, its figures are medians over the runs that count."""
    from navitas.report.page.page_basis import PageBasis  # noqa: PLC0415  # Other formats need no templates.
    from navitas.report.page.rendering import page_parts  # noqa: PLC0415

    out.writelines(page_parts(PageBasis(profile, page or PageRequest())))


FORMAT = Format(
    "html",
    ".html",
    "a page for a browser: what uses the energy, where, when, and how",
    write,
    options=("page",),
    call_steps=True,
)
