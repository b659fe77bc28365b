"""The HTML page: summary, one client, hogs, their distributions, conditions, bugs, J-scores, methods of recordings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from navitas.base.html_page.columns import PageCell, PageTable, T, count_cell, figure_cell, name_cell, page_table
from navitas.base.html_page.pictures import IntervalPicture, IntervalScale
from navitas.base.html_page.templates import rendered
from navitas.base.units import counted
from navitas.fleet.diagnoses.advice import ActionRow
from navitas.fleet.figures import number, probability, with_interval
from navitas.fleet.findings.results import AppRow, BugRow, HogRow, ScoreRow
from navitas.fleet.page.answer import ASSOCIATION, client_statement, fleet_statements
from navitas.fleet.page.pictures import HistogramPicture, histogram_picture
from navitas.fleet.statistics import F64


@dataclass(frozen=True, slots=True)
class MethodRow:
    """A method of an app's recording, and its share of the app's energy."""

    method: str
    energy_j: float
    share_percent: float


@dataclass(frozen=True, slots=True)
class Recorded:
    """The methods of an app's recording that used most energy."""

    recording: str
    methods: tuple[MethodRow, ...]


@dataclass(frozen=True, slots=True)
class ClientSection:
    """One client: its score and its actions."""

    score: ScoreRow
    actions: Sequence[ActionRow]


@dataclass(frozen=True, slots=True)
class Contents:
    """The contents of the page. `distributions` has drains in %/h with and without an app, by app name."""

    title: str
    usual_percent_h: float
    hogs: Sequence[HogRow]
    bugs: Sequence[BugRow]
    scores: Sequence[ScoreRow]
    actions: Sequence[ActionRow]
    distributions: dict[str, tuple[F64, F64]]
    verdicts: Sequence[AppRow] = ()
    warnings: Sequence[str] = ()
    recorded: dict[str, Recorded] = field(default_factory=dict)
    client: ClientSection | None = None
    top: int = 50


_MOST_APPS = 10_000
_RATES = "%/h is percent of a full battery per hour. Intervals are 95 %."
_FDR = "FDR: the expected share of false findings among those at least this certain."
Columns = dict[str, Callable[[T], PageCell]]
_Finding = HogRow | BugRow


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
        basis=f"{counted(len(scores), 'client')}, {counted(samples, 'sample')}. {_RATES}",
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
        distributions=_distributions(contents),
        conditions=_conditions(contents),
        bugs=_bugs(contents),
        scores=_scores(scores),
        scores_claim="The percentage of a client's peers (of its model) whose batteries drain faster in use: scores are about"
        " uniform.",
        verdicts=_verdicts(contents),
        recorded=_recorded(contents),
    )
    return "".join(chunks)


def _hogs(contents: Contents) -> PageTable | None:
    rows = contents.hogs[: contents.top]
    columns: Columns[HogRow] = {
        "App": lambda row: _app(row.app, contents.recorded),
        **_extra_picture(rows),
        "Since": lambda row: PageCell(row.since_version or ""),
        "Extra %/h": lambda row: _interval(row, "extra{}_percent_h", 2),
        "Clients": lambda row: count_cell(row.clients),
        "Life without it: min": lambda row: _interval(row, "gain{}_min"),
        "%": lambda row: _interval(row, "gain{}_percent"),
        "FDR": lambda row: figure_cell(row.false_discovery_rate, probability),
    }
    claim = (
        "Apps that drain the battery faster on every phone: each client is compared with itself, with the app and without it."
        f" {ASSOCIATION}{_more(contents.hogs, contents.top)}"
    )
    about = (
        f"{_RATES} Since: the first version that drains, if known. {_FDR} Stop the app or use an earlier version; developers can"
        " profile this one."
    )
    return page_table("hogs", "Hogs", about, columns, rows, most=contents.top, texts=3, claim=claim)


def _distributions(contents: Contents) -> list[HistogramPicture]:
    pictures = (
        histogram_picture(app, f"Drain of clients without {app}, and with it", [("without", without), ("with", used)], "%/h",
                          note=counted(len(used), "client"))
        for app, (used, without) in contents.distributions.items()
    )  # fmt: skip
    return [picture for picture in pictures if picture is not None]


def _conditions(contents: Contents) -> PageTable | None:
    rows = [row for row in contents.actions if row.where or row.action != "kill"]
    columns: Columns[ActionRow] = {
        "App": lambda row: _app(row.app, contents.recorded),
        "Drains where": lambda row: PageCell(row.where or "everywhere"),
        "What helps": lambda row: PageCell(row.text),
        "Extra %/h": lambda row: _interval(row, "extra{}_percent_h", 1),
        "Gain min": lambda row: _interval(row, "gain{}_min"),
    }
    claim = (
        "Conditions under which apps drain, found by comparing clients and pairs of samples, and actions that help."
        f" {ASSOCIATION}{_more(rows, contents.top)}"
    )
    return page_table("conditions", "Conditions", "", columns, rows[: contents.top], most=contents.top, texts=3, claim=claim)


def _bugs(contents: Contents) -> PageTable | None:
    rows = contents.bugs[: contents.top]
    columns: Columns[BugRow] = {
        "Client": lambda row: name_cell(row.client),
        "App": lambda row: _app(row.app, contents.recorded),
        **_extra_picture(rows),
        "Extra %/h": lambda row: _interval(row, "extra{}_percent_h", 1),
        "Life if fixed: min": lambda row: _interval(row, "gain{}_min"),
        "FDR": lambda row: figure_cell(row.false_discovery_rate, probability),
    }
    claim = f"Apps that drain far more on one client than on others. {ASSOCIATION}{_more(contents.bugs, contents.top)}"
    return page_table("bugs", "Bugs", f"{_RATES} {_FDR}", columns, rows, most=contents.top, texts=3, claim=claim)


def _extra_picture(rows: Sequence[_Finding]) -> Columns[Any]:
    """Return the column with the extra drains as a forest plot."""
    scale = IntervalScale.of(end for row in rows for end in (row.extra_low_percent_h, row.extra_high_percent_h))

    def picture(row: _Finding) -> IntervalPicture:
        extra, low, high = row.extra_percent_h, row.extra_low_percent_h, row.extra_high_percent_h
        return scale.picture(extra, low, high, label=f"{with_interval(extra, low, high, 2)} %/h")

    head = f"Extra drain, {scale.low:.1f} to {scale.high:.1f} %/h"
    return {head: lambda row: PageCell("", row.extra_percent_h, interval=picture(row))}


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
        "Battery life gained: min": lambda action: _interval(action, "gain{}_min"),
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
        "Extra %/h": lambda row: _interval(row, "extra{}_percent_h", 2),
    }
    claim = (
        f"Every app by name, so that a clean app differs from one that cannot be judged. {ASSOCIATION}"
        f"{_more(contents.verdicts, _MOST_APPS)}"
    )
    rows = contents.verdicts[:_MOST_APPS]
    return page_table("apps", "All apps", _RATES, columns, rows, most=_MOST_APPS, texts=3, claim=claim)


def _recorded(contents: Contents) -> list[PageTable]:
    columns: Columns[MethodRow] = {
        "Method": lambda row: name_cell(row.method),
        "Energy J": lambda row: PageCell(number(row.energy_j, 3), row.energy_j),
        "%": lambda row: PageCell(number(row.share_percent), row.share_percent),
    }
    tables = (
        page_table(
            _anchor(app, contents.recorded), f"Methods of {app}", "", columns, recorded.methods, most=len(recorded.methods),
            claim=f"The methods that use most energy, from the recording {recorded.recording}.",
        )
        for app, recorded in contents.recorded.items()
    )  # fmt: skip
    return [table for table in tables if table is not None]


def _app(app: str, recorded: Mapping[str, Recorded]) -> PageCell:
    """An app's name, linked to its methods if there is a recording."""
    return PageCell(app, kind="name", link=_anchor(app, recorded) if app in recorded else "")


def _anchor(app: str, recorded: Mapping[str, Recorded]) -> str:
    return f"methods-{list(recorded).index(app)}"


def _interval(row: object, field_name: str, digits: int = 0) -> PageCell:
    """A figure of a row with its interval. `field_name` has braces for the end: `gain{}_min`."""
    value, low, high = (getattr(row, field_name.format(end)) for end in ("", "_low", "_high"))
    return PageCell(with_interval(value, low, high, digits), value)


def _more(rows: Sequence[object], shown: int) -> str:
    return f" The first {shown:,} of {len(rows):,}." if len(rows) > shown else ""
