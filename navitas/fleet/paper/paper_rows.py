"""Findings of the paper's method as rows for tables, JSON and CSV."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from navitas.fleet.paper.paper_findings import Compared
from navitas.fleet.results import PERCENT_H, Row, app_names, gain_min, known
from navitas.fleet.schema import pseudonym
from navitas.fleet.stages import Fleet
from navitas.fleet.statistics import descending_order


@dataclass(frozen=True, slots=True)
class PaperHogRow(Row):
    """An app whose pairs drain more than others: both means, their difference d ± e, `distance` = d − e (d′), and the gain."""

    KIND: ClassVar[str] = "hogs"

    app: str
    pairs: int
    drain_percent_h: float
    others_percent_h: float
    d_percent_h: float
    e_percent_h: float
    distance_percent_h: float
    gain_min: float | None
    gain_low_min: float | None
    gain_high_min: float | None


@dataclass(frozen=True, slots=True)
class PaperBugRow(PaperHogRow):
    """An app on a client, compared with the other clients that run it."""

    KIND: ClassVar[str] = "bugs"

    client: str


def paper_hog_rows(fleet: Fleet, hogs: Compared) -> list[PaperHogRow]:
    """The hogs, the greatest d′ first."""
    names = app_names(fleet)
    found = np.flatnonzero(hogs.is_found)
    order = found[descending_order(hogs.distance[found])]
    return [PaperHogRow(**_figures(hogs, i, names)) for i in order.tolist()]


def paper_bug_rows(fleet: Fleet, bugs: Compared) -> list[PaperBugRow]:
    """The bugs, in their order."""
    names = app_names(fleet)
    return [PaperBugRow(client=pseudonym(int(bugs.client[i])), **_figures(bugs, i, names)) for i in range(len(bugs.client))]


def _figures(found: Compared, i: int, names: dict[int, str]) -> dict[str, Any]:
    d, e = float(found.d[i]), float(found.e[i])
    middle, low, high = gain_min(float(found.rate[i]), d - e, d, d + e)
    return {
        "app": names[int(found.app[i])],
        "pairs": int(found.pairs[i]),
        "drain_percent_h": known(found.rate[i] * PERCENT_H),
        "others_percent_h": known(found.others[i] * PERCENT_H),
        "d_percent_h": d * PERCENT_H,
        "e_percent_h": e * PERCENT_H,
        "distance_percent_h": (d - e) * PERCENT_H,
        "gain_min": middle,
        "gain_low_min": low,
        "gain_high_min": high,
    }
