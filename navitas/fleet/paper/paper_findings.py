"""Hogs and bugs by the paper's method (paper 5, sections 2.2 to 2.4; docs/fleet-statistics.md, "The paper's method").

All pairs count as independent. An app runs in a pair if it is seen at either end. Means with and without it differ if they
are more than 1.96 of their summed standard errors apart.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa

from navitas.fleet.engine.base import statement
from navitas.fleet.findings.results import PERCENT_H, Row, gains_min, known
from navitas.fleet.paper.paper_sums import FOLDER, NAMES, UNIT_PPM_S
from navitas.fleet.schema import pseudonym
from navitas.fleet.stages import Fleet, added
from navitas.fleet.statistics import F64, I64, Bool, descending_order

H = 1.96
"""Standard errors on either side of a 95 % interval."""


@dataclass(frozen=True, slots=True)
class Compared:
    """Mean rates of subjects and of their control groups, in ppm of the battery per second. They differ by `d` ± `e`.

    `client` is empty for hogs.
    """

    client: I64
    app: I64
    pairs: I64
    rate: F64
    others: F64
    d: F64
    e: F64

    @property
    def distance(self) -> F64:
        """d′ of the paper: above 0 where the two differ significantly."""
        return self.d - self.e

    @property
    def is_found(self) -> Bool:
        """Whether the subject drains significantly more."""
        return np.asarray(self.distance > 0)


def find_hogs(fleet: Fleet) -> Compared:
    """All apps: pairs with the app at either end, compared with all other pairs of all clients (algorithm 3.1)."""
    app, own, whole = _summed(fleet)
    return _compared(np.zeros(0, np.int64), app, own, whole[:, None] - own)


def find_bugs(fleet: Fleet, hogs: Compared) -> Compared:
    """Apps that are not hogs, on clients where they drain more than on all others (algorithm 3.1); the greatest d′ first."""
    app, sums, _ = _summed(fleet)
    kept = np.isin(app, hogs.app[~hogs.is_found])
    columns = {f"all_{name}": values[kept] for name, values in zip(NAMES, sums, strict=True)}
    whole = pa.table({"app": pa.array(app[kept], pa.int32()), **columns})
    found = fleet.query_clients(statement("paper_bugs", h=H), FOLDER, whole=whole)
    own, everywhere = (np.stack([found[f"{prefix}{name}"].to_numpy() for name in NAMES]) for prefix in ("", "all_"))
    made = _compared(found["client"].to_numpy(), found["app"].to_numpy().astype(np.int64), own, everywhere - own)
    order = np.lexsort((made.app, made.client))
    order = order[made.is_found[order]]
    order = order[descending_order(made.distance[order])]
    return Compared(*(getattr(made, field.name)[order] for field in fields(made)))


def _summed(fleet: Fleet) -> tuple[I64, F64, F64]:
    """Apps, their sums as rows (`NAMES`), and the sums of all pairs."""
    table = added(fleet.query_clients(statement("paper_hogs"), FOLDER), ["app"], NAMES)
    sums = np.stack([table[name].to_numpy().astype(np.float64) for name in NAMES])
    has_app = table["app"].is_valid().to_numpy()
    return table["app"].drop_null().to_numpy().astype(np.int64), sums[:, has_app], sums[:, ~has_app].sum(axis=1)


def _compared(client: I64, app: I64, own: F64, others: F64) -> Compared:
    """Compare rows of pairs, Σ rate and Σ rate². With fewer than two pairs on either side, the result is NaN."""
    (mean, error), (other, other_error) = _moments(own), _moments(others)
    return Compared(client, app, own[0].astype(np.int64), mean, other, mean - other, H * (error + other_error))


def _moments(sums: F64) -> tuple[F64, F64]:
    """Means and their standard errors, s / √n with Bessel's correction, in ppm/s."""
    count, rate, square = sums
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = rate / count
        variance = np.maximum(square - count * mean**2, 0.0) / np.where(count > 1, count - 1, np.nan)
        return UNIT_PPM_S * mean, UNIT_PPM_S * np.sqrt(variance / count)


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
    names, found = fleet.app_names, np.flatnonzero(hogs.is_found)
    return [PaperHogRow(**_figures(hogs, i, names)) for i in found[descending_order(hogs.distance[found])].tolist()]


def paper_bug_rows(fleet: Fleet, bugs: Compared) -> list[PaperBugRow]:
    """The bugs, in their order."""
    names = fleet.app_names
    return [PaperBugRow(client=pseudonym(client), **_figures(bugs, i, names)) for i, client in enumerate(bugs.client.tolist())]


def _figures(found: Compared, i: int, names: dict[int, str]) -> dict[str, Any]:
    d, e = float(found.d[i]), float(found.e[i])
    return {
        "app": names[int(found.app[i])],
        "pairs": int(found.pairs[i]),
        "drain_percent_h": known(found.rate[i] * PERCENT_H),
        "others_percent_h": known(found.others[i] * PERCENT_H),
        "d_percent_h": d * PERCENT_H,
        "e_percent_h": e * PERCENT_H,
        "distance_percent_h": (d - e) * PERCENT_H,
        **gains_min(float(found.rate[i]), d - e, d, d + e),
    }
