"""Tables and pictures of the fleet's pages: findings, conditions, methods of recordings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from navitas.base.html_page.columns import PageCell, PageTable, T, figure_cell, name_cell, page_table
from navitas.base.html_page.pictures import IntervalPicture, IntervalScale
from navitas.base.units import counted
from navitas.fleet.diagnoses.advice import ActionRow
from navitas.fleet.diagnoses.app_drains import DrainRow
from navitas.fleet.figures import number, probability, with_interval
from navitas.fleet.findings.results import BugRow, HogRow
from navitas.fleet.page.answer import ASSOCIATION
from navitas.fleet.page.pictures import HistogramPicture, histogram_picture
from navitas.fleet.statistics import F64

RATES = "%/h is percent of a full battery per hour. Intervals are 95 %."
FDR = "FDR: the expected share of false findings among those at least this certain."
Columns = dict[str, Callable[[T], PageCell]]
Distributions = Mapping[str, tuple[F64, F64]]
"""Drains in %/h with and without an app, by app name."""


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


def distribution_pictures(distributions: Distributions) -> list[HistogramPicture]:
    """The drains of each app's clients, with it and without it."""
    pictures = (
        histogram_picture(app, f"Drain of clients without {app}, and with it", [("without", without), ("with", used)], "%/h",
                          note=counted(len(used), "client"))
        for app, (used, without) in distributions.items()
    )  # fmt: skip
    return [picture for picture in pictures if picture is not None]


def conditions_table(actions: Sequence[ActionRow], recorded: Mapping[str, Recorded], top: int) -> PageTable | None:
    """Conditions under which apps drain, and what helps."""
    rows = [row for row in actions if row.where or row.action != "kill"]
    columns: Columns[ActionRow] = {
        "App": lambda row: app_cell(row.app, recorded),
        "Drains where": lambda row: PageCell(row.where or "everywhere"),
        "What helps": lambda row: PageCell(row.text),
        "Extra %/h": lambda row: interval_cell(row, "extra{}_percent_h", 1),
        "Gain min": lambda row: interval_cell(row, "gain{}_min"),
    }
    claim = (
        "Conditions under which apps drain, found by comparing clients and pairs of samples, and actions that help."
        f" {ASSOCIATION}{more_rows(rows, top)}"
    )
    return page_table("conditions", "Conditions", "", columns, rows[:top], most=top, texts=3, claim=claim)


def bugs_table(bugs: Sequence[BugRow], recorded: Mapping[str, Recorded], top: int) -> PageTable | None:
    """Clients on which apps drain far more than on others."""
    rows = bugs[:top]
    columns: Columns[BugRow] = {
        "Client": lambda row: name_cell(row.client),
        "App": lambda row: app_cell(row.app, recorded),
        **extra_picture(rows),
        "Extra %/h": lambda row: interval_cell(row, "extra{}_percent_h", 1),
        "Life if fixed: min": lambda row: interval_cell(row, "gain{}_min"),
        "FDR": lambda row: figure_cell(row.false_discovery_rate, probability),
    }
    claim = f"Apps that drain far more on one client than on others. {ASSOCIATION}{more_rows(bugs, top)}"
    return page_table("bugs", "Bugs", f"{RATES} {FDR}", columns, rows, most=top, texts=3, claim=claim)


def extra_picture(rows: Sequence[HogRow | BugRow | DrainRow]) -> Columns[Any]:
    """Return the column with the extra drains as a forest plot."""
    scale = IntervalScale.of(end for row in rows for end in (row.extra_low_percent_h, row.extra_high_percent_h))

    def picture(row: HogRow | BugRow | DrainRow) -> IntervalPicture:
        extra, low, high = row.extra_percent_h, row.extra_low_percent_h, row.extra_high_percent_h
        return scale.picture(extra, low, high, label=f"{with_interval(extra, low, high, 2)} %/h")

    head = f"Extra drain, {scale.low:.1f} to {scale.high:.1f} %/h"
    return {head: lambda row: PageCell("", row.extra_percent_h, interval=picture(row))}


def method_tables(recorded: Mapping[str, Recorded]) -> list[PageTable]:
    """The methods of recordings, by app."""
    columns: Columns[MethodRow] = {
        "Method": lambda row: name_cell(row.method),
        "Energy J": lambda row: PageCell(number(row.energy_j, 3), row.energy_j),
        "%": lambda row: PageCell(number(row.share_percent), row.share_percent),
    }
    tables = (
        page_table(
            _anchor(app, recorded), f"Methods of {app}", "", columns, of_app.methods, most=len(of_app.methods),
            claim=f"The methods that use most energy, from the recording {of_app.recording}.",
        )
        for app, of_app in recorded.items()
    )  # fmt: skip
    return [table for table in tables if table is not None]


def app_cell(app: str, recorded: Mapping[str, Recorded]) -> PageCell:
    """An app's name, linked to its methods if there is a recording."""
    return PageCell(app, kind="name", link=_anchor(app, recorded) if app in recorded else "")


def _anchor(app: str, recorded: Mapping[str, Recorded]) -> str:
    return f"methods-{list(recorded).index(app)}"


def interval_cell(row: object, field_name: str, digits: int = 0) -> PageCell:
    """A figure of a row with its interval. `field_name` has braces for the end: `gain{}_min`."""
    value, low, high = (getattr(row, field_name.format(end)) for end in ("", "_low", "_high"))
    return PageCell(with_interval(value, low, high, digits), value)


def more_rows(rows: Sequence[object], shown: int) -> str:
    """How many of all rows a table shows, if not all."""
    return f" The first {shown:,} of {len(rows):,}." if len(rows) > shown else ""
