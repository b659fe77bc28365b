"""The HTML page about one app: its verdict, its drain by version and week, on which phones it drains, and what helps."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from navitas.base.html_page.columns import PageTable, count_cell, name_cell, page_table
from navitas.base.html_page.templates import rendered
from navitas.base.units import counted
from navitas.fleet.diagnoses.advice import ActionRow
from navitas.fleet.diagnoses.app_drains import IN_ORDER, DrainRow
from navitas.fleet.figures import number
from navitas.fleet.findings.results import AppRow, BugRow
from navitas.fleet.page.answer import ASSOCIATION, app_statements
from navitas.fleet.page.tables import (
    RATES,
    Columns,
    Distributions,
    Recorded,
    bugs_table,
    conditions_table,
    distribution_pictures,
    extra_picture,
    interval_cell,
    method_tables,
    more_rows,
)

_KINDS = {
    "version": (
        "Versions",
        "The extra drain of each version. Clients that ran only one of two versions may differ in more than the version.",
    ),
    "week": ("Weeks", "The extra drain in each week, which begins on this Monday (UTC), with the versions of that week."),
    "os": ("OS", f"The extra drain by the OS that clients reported last. Each runs on other clients. {ASSOCIATION}"),
    "model": ("Models", f"The extra drain by model, the most certain first. Each is of other clients. {ASSOCIATION}"),
    "network": ("Networks", "The extra drain by the network at both ends of a pair of samples."),
    "screen": ("Screen", "The extra drain with the screen on or off at both ends of a pair of samples."),
}
"""The title and the claim of each table of drains, in order."""
_CHANGE = (
    "Change: how much more than in the row above. What a client drains in both rows cancels out, so a change can be certain"
    " although the intervals of both rows overlap."
)


@dataclass(frozen=True, slots=True)
class AppContents:
    """The contents of the page. `verdict` is the sentence on the app's extra drain, `since` the first version that drains."""

    fleet: str
    row: AppRow
    verdict: str
    since: str | None
    drains: Sequence[DrainRow]
    actions: Sequence[ActionRow]
    bugs: Sequence[BugRow]
    distributions: Distributions = field(default_factory=dict)
    recorded: Mapping[str, Recorded] = field(default_factory=dict)
    warnings: Sequence[str] = ()
    top: int = 50


def app_page(contents: AppContents) -> str:
    """Return the whole page."""
    row, drains, top = contents.row, contents.drains, contents.top
    tables = {kind: _drains(kind, [drain for drain in drains if drain.by == kind], top) for kind in _KINDS}
    chunks = rendered(
        "navitas.fleet.page",
        "app.html.jinja",
        style="fleet.css",
        title=f"{row.app} – {contents.fleet}",
        heading_text=row.app,
        subtitle="what it drains, and on whose phones",
        basis=f"{contents.fleet}: {counted(row.clients, 'client')} run it. {RATES}",
        statements=[contents.verdict, *app_statements(contents.since, drains, contents.actions, contents.bugs)],
        limits=contents.warnings,
        reason="check a new version in CI",
        command=shlex.join(["navitas", "fleet", "check", "STORE", "--app", row.app]),
        facts=[
            (f"{number(row.extra_percent_h, 2)} %/h", "extra drain"),
            (f"{row.clients:,}", "clients"),
            (f"{row.hours:,.0f} h", "running"),
        ],
        groups=[
            ("Trend", _present(tables["version"], tables["week"])),
            ("Phones", _present(tables["os"], tables["model"], bugs_table(contents.bugs, contents.recorded, top))),
            (
                "Conditions and advice",
                _present(conditions_table(contents.actions, contents.recorded, top), tables["network"], tables["screen"]),
            ),
            ("Methods", method_tables(contents.recorded)),
        ],
        distributions=distribution_pictures(contents.distributions),
    )
    return "".join(chunks)


def _present(*tables: PageTable | None) -> list[PageTable]:
    return [table for table in tables if table is not None]


def _drains(kind: str, drains: Sequence[DrainRow], top: int) -> PageTable | None:
    title, claim = _KINDS[kind]
    ordered = kind in IN_ORDER
    # Of a trend, the last rows matter most.
    by_certainty = sorted(drains, key=lambda row: -row.extra_low_percent_h)
    rows = drains[-top:] if ordered else drains[:top] if kind == "os" else by_certainty[:top]
    columns: Columns[DrainRow] = {
        title.removesuffix("s"): lambda row: name_cell(row.value),
        **extra_picture(rows),
        "Extra %/h": lambda row: interval_cell(row, "extra{}_percent_h", 2),
    }
    if ordered:
        columns["Change %/h"] = lambda row: interval_cell(row, "more{}_percent_h", 2)
    columns["Clients"] = lambda row: count_cell(row.clients)
    claim += more_rows(drains, top).replace("first", "last" if ordered else "first")
    return page_table(f"{kind}-drains", title, _CHANGE if ordered else "", columns, rows, most=top, texts=2, claim=claim)
