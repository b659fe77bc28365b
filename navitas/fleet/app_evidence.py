"""What a fleet's samples say about each app: how reliable its running times are, and how it comes with the screen."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from navitas.fleet.engine.base import statement
from navitas.fleet.evidence import EVIDENCE, TIMED
from navitas.fleet.exposure import CLASSES, reliability, switch_rates
from navitas.fleet.oversampling import corrected
from navitas.fleet.stages import Fleet
from navitas.fleet.statistics import F64, I64
from navitas.fleet.within import BY_CLASS

_LEAST_RELIABILITY = 0.1
_SCREEN_LIMIT_PPM_S = 1e6 / (4 * 3600)
"""A phone with its screen on lasts for four hours or more."""


@dataclass(frozen=True, slots=True)
class AppEvidence:
    """Apps by number. Shares are 0 to 1, apart from reliabilities, which may be greater with samples at level changes.

    `by_class` is the reliability of running times by class of pairs (columns), and `reliability` their mean. `screen_known` is
    the share of the evidence with known screen time.
    `link` is how much more often the screen is on while the app runs, as a difference of shares. `varied_s` is Σ T d² of
    `within.SUMS`. `screen_ppm_s` is the drain of the screen.
    """

    app: I64
    by_class: F64
    reliability: F64
    screen_known: F64
    link: F64
    varied_s: F64
    screen_ppm_s: float

    @property
    def shown_ppm_s(self) -> F64:
        """What the screen drains more while an app runs, because it is on more often."""
        return np.asarray(np.maximum(np.nan_to_num(self.link), 0.0) * self.screen_ppm_s)

    @property
    def charged_ppm_s(self) -> F64:
        """At most so much of an app's drain is the screen's, where the screen's time between samples is unknown."""
        return np.asarray(self.shown_ppm_s * (1 - np.nan_to_num(self.screen_known, nan=1.0)))

    def table(self, beta: F64, spread: F64 | float = 0.0) -> pa.Table:
        """Rows of `effect` for statements: apps, effects and their variance among clients, and reliabilities by class."""
        columns = {"beta": beta, "spread": np.broadcast_to(spread, beta.shape)}
        columns |= {f"l{kind}": self.by_class[:, kind] for kind in TIMED}
        return pa.table({"app": pa.array(self.app, pa.int32()), **columns})


def evidence_of(fleet: Fleet) -> AppEvidence:
    """Read the evidence of all apps that have any."""
    names = EVIDENCE.names[1:]
    found = pa.concat_tables(
        fleet.query_clients(statement("evidence", sums=", ".join(f"SUM({name}) AS {name}" for name in names)))
    )
    found = found.group_by("app").aggregate([(name, "sum") for name in names]).sort_by("app")
    is_app = found["app"].is_valid().to_numpy()
    of = {name: found[f"{name}_sum"].to_numpy() for name in names}
    w, varied, length, changed, slow = (np.stack([of[f"{name}{kind}"] for kind in range(CLASSES)], axis=1) for name in BY_CLASS)
    with np.errstate(divide="ignore", invalid="ignore"):
        length_s = np.where(varied > 0, length / varied, 0.0)[:, TIMED]
    rates = switch_rates(changed[:, TIMED], varied[:, TIMED], length_s)
    plain = reliability(rates, length_s)
    _, seconds, drop = fleet.totals()
    first = _ratio(of["s"], w[:, 0] + (w[:, TIMED] * plain).sum(axis=1)) * max(seconds, 1) / max(drop, 1)
    timed = corrected(plain, w[:, TIMED], slow[:, TIMED], np.nan_to_num(first))
    by_class = np.concatenate([np.ones((len(w), CLASSES - len(TIMED))), timed], axis=1)
    whole, reliable = w.sum(axis=1), (w * by_class).sum(axis=1)
    return AppEvidence(
        app=found["app"].drop_null().to_numpy().astype(np.int64),
        by_class=by_class[is_app],
        reliability=_ratio(reliable, whole)[is_app],
        screen_known=_ratio(of["w_screen"], whole)[is_app],
        varied_s=varied.sum(axis=1)[is_app],
        link=_ratio(of["linked"], varied.sum(axis=1))[is_app],
        screen_ppm_s=_screen_ppm_s(of["s"][~is_app].sum(), whole[~is_app].sum(), reliable[~is_app].sum()),
    )


def _screen_ppm_s(s: float, whole: float, reliable: float) -> float:
    """The screen's drain. It is limited, because the ends of pairs may say little about the time with the screen on."""
    weight = max(reliable, _LEAST_RELIABILITY * whole)
    return min(max(s / weight, 0.0), _SCREEN_LIMIT_PPM_S) if weight > 0 else 0.0


def _ratio(part: F64, whole: F64) -> F64:
    return np.asarray(np.divide(part, whole, out=np.full(len(whole), np.nan), where=whole > 0))
