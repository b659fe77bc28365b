"""Hogs, bugs and scores as rows with names, %/h and minutes, for tables, JSON, CSV and pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any, ClassVar, TypeVar

import numpy as np
import pyarrow as pa

from navitas.fleet.engine.base import statement
from navitas.fleet.findings.bugs import Bugs
from navitas.fleet.findings.hogs import MIN_CLIENTS, Claim, Hogs
from navitas.fleet.findings.scores import Scores
from navitas.fleet.findings.single_apps import SingleApps
from navitas.fleet.schema import SCHEMA_VERSION, pseudonym
from navitas.fleet.stages import Fleet
from navitas.fleet.statistics import F64, I64, descending_order, life_gain_s

PERCENT_H = 3600 / 1e4
"""Converts ppm of a battery per second to % per hour."""
_LEAST_S = 4 * 3600.0
"""Minimum time. With less, the level's step dominates a client's rate."""


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a result. Its fields are the columns of CSV and the keys of JSON (docs/fleet-reference.md).

    Unknown figures are None.
    """

    KIND: ClassVar[str] = ""

    def as_json(self) -> dict[str, Any]:
        """Field names and values."""
        values = asdict(self)
        return {name: values[name] for name in self.columns()}

    @classmethod
    def columns(cls) -> list[str]:
        """Field names in order, texts first."""
        names = {field.name: field.type for field in fields(cls)}
        return sorted(names, key=lambda name: "str" not in str(names[name]))


R = TypeVar("R", bound=Row)


@dataclass(frozen=True, slots=True)
class _Effect(Row):
    """An app's drain, and the battery life gained without its extra drain, each with its 95 % interval."""

    pairs: int
    hours: float
    drain_percent_h: float
    extra_percent_h: float
    extra_low_percent_h: float
    extra_high_percent_h: float
    life_min: float | None
    gain_min: float | None
    gain_low_min: float | None
    gain_high_min: float | None
    gain_percent: float | None
    gain_low_percent: float | None
    gain_high_percent: float | None
    false_discovery_rate: float
    app: str


@dataclass(frozen=True, slots=True)
class HogRow(_Effect):
    """An app that drains on every phone. `since_version` is the first version that does, if that is significant.

    `alone_percent_h` is the extra drain by a regression on this app alone.
    """

    KIND: ClassVar[str] = "hogs"

    clients: int
    contrasted_clients: int
    alone_percent_h: float | None
    since_version: str | None = None


@dataclass(frozen=True, slots=True)
class AppRow(Row):
    """What is said about an app (`hogs.Claim`), its extra drain with its 95 % interval, and what that is based on.

    `runs_with` is the app whose running times correlate most with its own, by `correlation`. `reliability` is the part of a
    difference between ends that is one of running time. `drains_below_percent_h` is the drain that the interval excludes:
    the app drains less. `screen_known_percent` is the share of the compared running time for
    which samples have `screen_on_s`.
    """

    KIND: ClassVar[str] = "verdicts"

    app: str
    verdict: str
    clients: int
    contrasted_clients: int
    hours: float
    extra_percent_h: float | None
    extra_low_percent_h: float | None
    extra_high_percent_h: float | None
    drains_below_percent_h: float | None
    alone_percent_h: float | None
    reliability: float | None
    screen_known_percent: float | None
    runs_with: str | None
    correlation: float | None


@dataclass(frozen=True, slots=True)
class BugRow(_Effect):
    """A client on which an app drains far more than on others."""

    KIND: ClassVar[str] = "bugs"

    client: str


@dataclass(frozen=True, slots=True)
class ScoreRow(Row):
    """A client's score. `peers` is the number of clients it is compared with: of its model, if there are enough."""

    KIND: ClassVar[str] = "jscores"

    client: str
    model: str | None
    os: str | None
    samples: int
    level_step_percent: float | None
    drain_percent_h: float | None
    active_drain_percent_h: float | None
    life_min: float | None
    active_life_min: float | None
    jscore_percent: float | None
    peers: int


def hog_rows(fleet: Fleet, hogs: Hogs, since: Mapping[int, str]) -> list[HogRow]:
    """The hogs, by descending lower confidence bound of the extra drain. `since` has the first version that drains, by app."""
    names, effect = fleet.app_names, hogs.effect
    extra = np.stack([effect.low, effect.value, effect.high])
    chosen = np.flatnonzero(hogs.is_hog)
    return [
        HogRow(
            app=names[int(hogs.app[i])],
            clients=int(hogs.alone.clients[i]),
            contrasted_clients=int(hogs.alone.contrasted[i]),
            alone_percent_h=known(hogs.alone.effect.value[i] * PERCENT_H),
            since_version=since.get(int(hogs.app[i])),
            **_effect(hogs, hogs.alone, i, extra),
        )
        for i in chosen[descending_order(extra[0][chosen])].tolist()
    ]


def app_rows(fleet: Fleet, hogs: Hogs) -> list[AppRow]:
    """All apps by name, with what is said about each."""
    names = fleet.app_names
    ends = np.stack([hogs.effect.low, hogs.effect.value, hogs.effect.high]).T
    # Too low to be shown, or noise. Bugs are still compared with it.
    ends[(hogs.claim == Claim.SHORT) | ((hogs.claim == Claim.SCREEN) & (hogs.alone.contrasted < MIN_CLIENTS))] = np.nan
    excluded = hogs.excluded_ppm_s
    rows = [
        AppRow(
            app=names[int(hogs.app[i])],
            verdict=str(hogs.claim[i]),
            clients=int(hogs.alone.clients[i]),
            contrasted_clients=int(hogs.alone.contrasted[i]),
            hours=float(hogs.alone.seconds[i]) / 3600,
            drains_below_percent_h=known(excluded[i] * PERCENT_H),
            alone_percent_h=known(hogs.alone.effect.value[i] * PERCENT_H),
            reliability=known(np.clip(hogs.evidence.reliability[i], 0, 1)),
            screen_known_percent=known(np.clip(100 * hogs.evidence.screen_known[i], 0, 100)),
            runs_with=names[int(hogs.given.partner[i])] if hogs.given.partner[i] >= 0 else None,
            correlation=known(hogs.given.overlap[i]) if hogs.given.partner[i] >= 0 else None,
            **interval_percent_h("extra", *ends[i].tolist()),
        )
        for i in range(len(hogs.app))
    ]
    return sorted(rows, key=lambda row: row.app)


def interval_percent_h(name: str, low: float, middle: float, high: float) -> dict[str, float | None]:
    """The columns of a drain (given in ppm/s) and its interval, such as `extra_percent_h`, `extra_low_percent_h`, …"""
    return {
        f"{name}_{end}percent_h": known(value * PERCENT_H)
        for end, value in zip(("low_", "", "high_"), (low, middle, high), strict=True)
    }


def bug_rows(fleet: Fleet, bugs: Bugs) -> list[BugRow]:
    """The bugs, in their order."""
    names = fleet.app_names
    extra = np.stack([bugs.low, bugs.extra, bugs.high])
    return [
        BugRow(client=pseudonym(int(bugs.client[i])), app=names[int(bugs.app[i])], **_effect(bugs, bugs, i, extra))
        for i in range(len(bugs.client))
    ]


def score_rows(scores: Scores) -> list[ScoreRow]:
    """All clients: the lowest scores first, unscored clients last."""
    return [
        ScoreRow(
            pseudonym(int(scores.client[i])),
            scores.model[i],
            scores.os[i],
            int(scores.samples[i]),
            int(scores.step_ppm[i]) / 1e4 or None,
            known(scores.rate[i] * PERCENT_H),
            known(scores.active_rate[i] * PERCENT_H),
            _life_min(scores.rate[i]),
            _life_min(scores.active_rate[i]),
            known(scores.score[i]),
            int(scores.peers[i]),
        )
        for i in np.argsort(scores.score, kind="stable").tolist()
    ]


def known(value: float) -> float | None:
    """A finite number, or None."""
    return float(value) if np.isfinite(value) else None


def gains_min(rate: float, low: float, middle: float, high: float) -> dict[str, float | None]:
    """The columns of the minutes of battery life gained when a drain (ppm/s) falls by `middle` (interval `low` to `high`)."""
    gains = life_gain_s(np.full(3, rate), np.array([middle, low, high])) / 60
    return dict(zip(("gain_min", "gain_low_min", "gain_high_min"), map(known, gains.tolist()), strict=True))


def of_enough_clients(rows: Sequence[R], least: int) -> list[R]:
    """The rows about at least so many clients. Rows about single clients are left out unless `least` is 1."""
    if least <= 1:
        return [*rows]
    return [row for row in rows if getattr(row, "client", None) is None and (getattr(row, "clients", None) or 0) >= least]


def document(kind: str, rows: Sequence[Row], **more: object) -> dict[str, object]:
    """A result as a JSON document."""
    return {"schema_version": SCHEMA_VERSION, **more, kind: [row.as_json() for row in rows]}


def _effect(found: Hogs | Bugs, of: SingleApps | Bugs, i: int, extra: F64) -> dict[str, Any]:
    """The figures of row `i`. `of` has its pairs and running time, and `extra` rows for low, middle and high."""
    rate = float(found.rate[i])
    low, middle, high = extra[:, i].tolist()
    gains, life = gains_min(rate, low, middle, high), _life_min(rate)
    return {
        "pairs": int(of.pairs[i]),
        "hours": float(of.seconds[i]) / 3600,
        "drain_percent_h": rate * PERCENT_H,
        **interval_percent_h("extra", low, middle, high),
        "life_min": life,
        **gains,
        **{
            name.replace("_min", "_percent"): None if gain is None or life is None else 100 * gain / life
            for name, gain in gains.items()
        },
        "false_discovery_rate": float(found.false_rate[i]),
    }


def _life_min(rate: float) -> float | None:
    return 1e6 / float(rate) / 60 if rate > 0 else None


def distributions(fleet: Fleet, apps: I64) -> dict[int, tuple[F64, F64]]:
    """For each app: the drains in %/h of its clients, with the app and without it."""
    chosen = pa.table({"app": pa.array(apps, pa.int32())})
    table = fleet.query_clients(statement("distributions", least_s=_LEAST_S), chosen=chosen)
    app, rate, other = (table[name].to_numpy() for name in ("app", "rate", "other"))
    return {one: (rate[app == one] * PERCENT_H, other[app == one] * PERCENT_H) for one in apps.tolist()}
