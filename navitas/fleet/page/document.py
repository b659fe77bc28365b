"""The HTML page: summary, one client, hogs, their distributions, conditions, bugs, J-scores, methods of recordings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from navitas.base.html_page.columns import PageCell, PageTable, count_cell, figure_cell, name_cell, page_table
from navitas.base.html_page.templates import rendered
from navitas.base.units import counted
from navitas.fleet.diagnoses.advice import ActionRow
from navitas.fleet.figures import number, probability
from navitas.fleet.findings.results import AppRow, BugRow, HogRow, ScoreRow
from navitas.fleet.page.answer import ASSOCIATION, client_statement, fleet_statements
from navitas.fleet.page.pictures import HistogramPicture, histogram_picture
from navitas.fleet.page.tables import (
    FDR,
    RATES,
    Columns,
    Distributions,
    Recorded,
    app_cell,
    bugs_table,
    conditions_table,
    distribution_pictures,
    extra_picture,
    interval_cell,
    method_tables,
    more_rows,
)


@dataclass(frozen=True, slots=True)
class ClientSection:
    """One client: its score and its actions."""

    score: ScoreRow
    actions: Sequence[ActionRow]


@dataclass(frozen=True, slots=True)
class Contents:
    """The contents of the page."""

    title: str
    usual_percent_h: float
    hogs: Sequence[HogRow]
    bugs: Sequence[BugRow]
    scores: Sequence[ScoreRow]
    actions: Sequence[ActionRow]
    distributions: Distributions
    verdicts: Sequence[AppRow] = ()
    warnings: Sequence[str] = ()
    recorded: dict[str, Recorded] = field(default_factory=dict)
    client: ClientSection | None = None
    top: int = 50


_MOST_APPS = 10_000


def page(contents: Contents) -> str:
    """Return the whole page."""
    hogs, bugs, scores, client = contents.hogs, contents.bugs, contents.scores, contents.client
    samples = sum(row.samples for row in scores)
    statements = [*fleet_statements(hogs, bugs, contents.verdicts)]
    if client is not None:
        statements.insert(0, client_statement(client.score, client.actions))
    chunks = rendered(
        "navitas.fleet.page",
        "fleet.html.jinja",
        style="fleet.css",
        title=contents.title,
        heading_text=contents.title,
        subtitle="which apps drain batteries",
        basis=f"{counted(len(scores), 'client')}, {counted(samples, 'sample')}. {RATES}",
        statements=statements,
        limits=contents.warnings,
        reason="see where an app drains, and what helps",
        command="navitas fleet diagnose STORE --app PACKAGE",
        facts=[
            (f"{contents.usual_percent_h:.1f} %/h", "usual drain"),
            (f"{len(hogs):,}", "hogs"),
            (f"{len(bugs):,}", "bugs"),
        ],
        client=None if client is None else _client(client, scores),
        hogs=_hogs(contents),
        distributions=distribution_pictures(contents.distributions),
        conditions=conditions_table(contents.actions, contents.recorded, contents.top),
        bugs=bugs_table(bugs, contents.recorded, contents.top),
        scores=_scores(scores),
        scores_claim="The percentage of a client's peers (of its model) whose batteries drain faster in use: scores are about"
        " uniform.",
        verdicts=_verdicts(contents),
        recorded=method_tables(contents.recorded),
    )
    return "".join(chunks)


def _hogs(contents: Contents) -> PageTable | None:
    rows = contents.hogs[: contents.top]
    columns: Columns[HogRow] = {
        "App": lambda row: app_cell(row.app, contents.recorded),
        **extra_picture(rows),
        "Since": lambda row: PageCell(row.since_version or ""),
        "Extra %/h": lambda row: interval_cell(row, "extra{}_percent_h", 2),
        "Clients": lambda row: count_cell(row.clients),
        "Life without it: min": lambda row: interval_cell(row, "gain{}_min"),
        "%": lambda row: interval_cell(row, "gain{}_percent"),
        "FDR": lambda row: figure_cell(row.false_discovery_rate, probability),
    }
    claim = (
        "Apps that drain the battery faster on every phone: each client is compared with itself, with the app and without it."
        f" {ASSOCIATION}{more_rows(contents.hogs, contents.top)}"
    )
    about = (
        f"{RATES} Since: the first version that drains, if known. {FDR} Stop the app or use an earlier version; developers can"
        " profile this one."
    )
    return page_table("hogs", "Hogs", about, columns, rows, most=contents.top, texts=3, claim=claim)


def _scores(scores: Sequence[ScoreRow], mark: ScoreRow | None = None) -> list[HistogramPicture]:
    percents = np.array([row.jscore_percent for row in scores if row.jscore_percent is not None], np.float64)
    life = np.array([row.active_life_min / 60 for row in scores if row.active_life_min is not None], np.float64)
    own = None if mark is None or mark.active_life_min is None else mark.active_life_min / 60
    score = None if mark is None else mark.jscore_percent
    pictures = (
        histogram_picture("Battery life in use", "Clients by battery life in use", [("without", life)], "h", mark=own),
        histogram_picture("J-score", "Clients by J-score", [("without", percents)], "%", mark=score),
    )
    return [picture for picture in pictures if picture is not None]


def _client(client: ClientSection, scores: Sequence[ScoreRow]) -> dict[str, Any]:
    row = client.score
    columns: Columns[ActionRow] = {
        "Action": lambda action: PageCell(action.text),
        "Reason": lambda action: PageCell(action.why),
        "Runs % of the time": lambda action: PageCell(number(action.share_percent, 0), action.share_percent),
        "Battery life gained: min": lambda action: interval_cell(action, "gain{}_min"),
    }
    actions = client.actions
    return {
        "name": row.client,
        "facts": [
            (number(row.jscore_percent, 0), f"J-score, of {row.peers:,} peers"),
            (number(row.active_life_min and row.active_life_min / 60), "hours of battery life in use"),
            (number(row.drain_percent_h), "%/h in total"),
            (row.model or "–", "model"),
            (row.os or "–", "OS"),
        ],
        "actions": page_table("actions", "What helps", "", columns, actions, most=len(actions), texts=2),
        "pictures": _scores(scores, row),
    }


def _verdicts(contents: Contents) -> PageTable | None:
    columns: Columns[AppRow] = {
        "App": lambda row: name_cell(row.app),
        "Verdict": lambda row: PageCell(row.verdict),
        "Runs with": lambda row: PageCell("") if row.runs_with is None else name_cell(row.runs_with),
        "Clients": lambda row: count_cell(row.clients),
        "Hours": lambda row: PageCell(number(row.hours, 0), row.hours),
        "Extra %/h": lambda row: interval_cell(row, "extra{}_percent_h", 2),
    }
    claim = (
        f"Every app by name, so that a clean app differs from one that cannot be judged. {ASSOCIATION}"
        f"{more_rows(contents.verdicts, _MOST_APPS)}"
    )
    rows = contents.verdicts[:_MOST_APPS]
    return page_table("apps", "All apps", RATES, columns, rows, most=_MOST_APPS, texts=3, claim=claim)
