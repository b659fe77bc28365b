"""Actions as rows: for the fleet by app, and for one client with the battery life that it gains."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar

import numpy as np

from navitas.fleet.diagnoses.diagnosis import KILL, Action, Diagnoses, Diagnosis, Finding, Shares
from navitas.fleet.findings.bugs import Bugs
from navitas.fleet.findings.hogs import Hogs, effects_on_clients
from navitas.fleet.findings.results import Row, gains_min, interval_percent_h
from navitas.fleet.findings.single_apps import MIN_WEIGHT_S
from navitas.fleet.schema import bucket_of, pseudonym
from navitas.fleet.stages import Fleet
from navitas.fleet.statistics import I64, Z95, Contrast, scaled_distance

_KILLED = Action(KILL, (), Contrast(np.nan, np.nan, np.nan))
_KINDS = {KILL: "kill", "version": "update", "os": "upgrade", "network": "network"}
_RUNS = "SELECT app, ran_s AS seconds FROM contrast WHERE client = {client}"
Ends = tuple[float, float, float]
"""Low, middle and high of a drain."""
_Predicted = Callable[[float, float], Ends]
"""Predicts a hog's drain on a client from its mean under the client's conditions, and half the width of its interval."""
_TOTALS = "SELECT SUM(seconds) AS seconds, SUM(drop_ppm) AS drop_ppm FROM clients WHERE client = {client} GROUP BY client"


@dataclass(frozen=True, slots=True)
class ClientDrains:
    """Extra drains of hogs on a client. `own` are those that its own samples show, by app: value in ppm/s, and variance."""

    hogs: Hogs
    own: dict[int, tuple[float, float]]

    @classmethod
    def of(cls, fleet: Fleet, hogs: Hogs, client: int) -> ClientDrains:
        """Read the client's own effects, given all other hogs on it."""
        bucket = int(bucket_of(np.array([client]), fleet.store.buckets)[0])
        found = effects_on_clients(fleet, hogs, [bucket], suspects=False)
        own = {
            int(found.app[i]): (float(found.value[i]), hogs.given.spreads.noise**2 * float(found.variance[i]))
            for i in np.flatnonzero((found.client == client) & (found.weight_s >= MIN_WEIGHT_S))
        }
        return cls(hogs, own)

    def predicted(self, app: int, mean: float, half_width: float) -> Ends:
        """The 95 % prediction interval of a hog's drain on this client.

        `mean` and its interval are those of all clients. The client's own value counts by how certain it is, compared with how
        much clients differ (the posterior of normal effects).
        """
        at, hogs = int(np.searchsorted(self.hogs.app, app)), self.hogs
        spread, shared, scale_error = (
            float(of[at]) for of in (hogs.given.spreads.variance, hogs.shared_error, hogs.effect.scale_error)
        )
        value, variance = self.own.get(app, (mean, np.inf))
        trust = spread / (spread + variance) if spread > 0 else 0.0
        middle = mean + trust * (value - mean)
        half = float(np.hypot(half_width * (1 - trust), Z95 * np.sqrt(spread * (1 - trust) + shared**2)))
        below, above = (
            float(scaled_distance(np.array(middle), np.array(half), np.array(side * Z95 * scale_error))) for side in (-1, 1)
        )
        return middle - below, middle, middle + above


@dataclass(frozen=True, slots=True)
class ActionRow(Row):
    """An action against an app's drain under a condition, and what it gains.

    `kind` is hog, bug (of a client), bugs (the app has some) or app (neither). With a client, gains count the share of time that
    this client runs the app. Without one, the app runs all the time.
    """

    KIND: ClassVar[str] = "actions"

    app: str
    kind: str
    client: str | None
    where: str
    action: str
    to: str | None
    text: str
    clients: int | None
    share_percent: float
    extra_percent_h: float | None
    extra_low_percent_h: float | None
    extra_high_percent_h: float | None
    gain_min: float | None
    gain_low_min: float | None
    gain_high_min: float | None

    @property
    def why(self) -> str:
        """The kind of finding, its app unless the action names it, and its condition."""
        kind = self.kind if self.app in self.text else f"{self.kind} of {self.app}"
        return f"{kind} where {self.where}" if self.where else kind


@dataclass(frozen=True, slots=True)
class _Subject:
    """An app, the share of time that it runs (0 to 1), and the total drain (ppm/s) while it does so."""

    app: str
    kind: str
    share: float
    rate: float
    client: int | None = None


def app_actions(fleet: Fleet, hogs: Hogs, bugs: Bugs, diagnoses: Diagnoses) -> list[ActionRow]:
    """All actions, app by app, condition by condition."""
    names = fleet.app_names
    kinds = dict.fromkeys(bugs.app.tolist(), "bugs") | dict.fromkeys(hogs.app[hogs.is_hog].tolist(), "hog")
    return [
        _row(
            _Subject(names[app], kinds.get(app, "app"), 1.0, finding.rate),
            action,
            finding.node.effect.ends,
            action.less.ends,
            finding,
        )
        for app, diagnosis in diagnoses.found.items()
        for finding in diagnosis.findings
        for action in finding.actions
    ]


def client_apps(fleet: Fleet, hogs: Hogs, bugs: Bugs, client: int) -> I64:
    """The hogs that a client runs, and the apps that have a bug on it."""
    runs = fleet.query_clients(_RUNS.format(client=client))["app"].to_numpy()
    return np.unique(np.concatenate([np.intersect1d(hogs.app[hogs.is_hog], runs), bugs.app[bugs.client == client]]))


def client_actions(fleet: Fleet, hogs: Hogs, bugs: Bugs, diagnoses: Diagnoses, client: int) -> list[ActionRow]:
    """All actions of a client, the greatest gain first."""
    names, is_hog = fleet.app_names, set(hogs.app[hogs.is_hog].tolist())
    used = fleet.query_clients(_RUNS.format(client=client))
    seconds = dict(zip(used["app"].to_pylist(), used["seconds"].to_pylist(), strict=True))
    totals = fleet.query_clients(_TOTALS.format(client=client))
    total, drop = (float(totals[name][0].as_py()) if totals.num_rows else 0.0 for name in ("seconds", "drop_ppm"))
    if not total:
        return []
    rows: list[ActionRow] = []
    drains = ClientDrains.of(fleet, hogs, client)
    for app, diagnosis in diagnoses.found.items():
        share, shares = seconds.get(app, 0.0) / total, diagnoses.shares.get((app, client), {})
        if app in is_hog:
            rows += _of_hog(
                _Subject(names[app], "hog", share, drop / total, client), shares, diagnosis, partial(drains.predicted, app)
            )
        for bug in np.flatnonzero((bugs.client == client) & (bugs.app == app)).tolist():
            ends = (float(bugs.low[bug]), float(bugs.extra[bug]), float(bugs.high[bug]))
            subject = _Subject(names[app], "bug", share, drop / total, client)
            rows += [_row(subject, _KILLED, ends, ends), *_changes(subject, shares, diagnosis, ends)]
    return sorted(rows, key=lambda row: -(row.gain_min or 0.0))


def _of_hog(subject: _Subject, shares: Shares, diagnosis: Diagnosis, predicted: _Predicted) -> Iterator[ActionRow]:
    if not shares:
        return
    value, half = _usual_drain(shares, diagnosis)
    ends = predicted(value, half)
    if value - half > 0:
        yield _row(subject, _KILLED, ends, ends)
    yield from _changes(subject, shares, diagnosis, ends)


def _usual_drain(shares: Shares, diagnosis: Diagnosis) -> tuple[float, float]:
    """What the app drains on all clients under the conditions of this one, and half the width of its interval."""
    leaves = [
        (shares.get(leaf.conditions, 0.0), leaf.effect) for leaf in diagnosis.tree.leaves() if np.isfinite(leaf.effect.half_width)
    ]
    return sum(share * effect.value for share, effect in leaves), sum(share * effect.half_width for share, effect in leaves)


def _changes(subject: _Subject, shares: Shares, diagnosis: Diagnosis, ends: Ends) -> Iterator[ActionRow]:
    """Actions other than killing the app, under the conditions in which the client runs it.

    `ends` is the client's own drain: low, middle, high.
    """
    usual, _ = _usual_drain(shares, diagnosis)
    for finding in diagnosis.findings:
        share = shares.get(finding.node.conditions, 0.0)
        for action in finding.actions:
            if action.feature != KILL and share and usual > 0:
                saved = saved_on_client(action.less, usual, share, ends)
                yield _row(replace(subject, share=subject.share * share), action, finding.node.effect.ends, saved, finding)


def saved_on_client(less: Contrast, usual: float, share: float, ends: Ends) -> Ends:
    """What a change saves on a client that drains `ends` where all clients drain `usual`: the same part of its drain.

    The change concerns this share of the app's running time. It never saves more than killing the app.
    """
    low, middle, high = ends
    part, scale = less.value / usual, middle / usual
    below, above = (float(np.hypot(part * apart, scale * less.half_width)) for apart in (middle - low, high - middle))
    found = (part * middle - below, part * middle, part * middle + above)
    saved_low, saved_middle, saved_high = (min(one, end / share) for one, end in zip(found, ends, strict=True))
    return saved_low, saved_middle, saved_high


def _row(subject: _Subject, action: Action, extra: Ends, saved: Ends, finding: Finding | None = None) -> ActionRow:
    """A row for the app's `extra` drain, of which the action saves `saved`. Without a finding, there is no condition."""
    name, values = subject.app, action.values
    to = (values[0] if action.feature == "network" else values[-1]) if values else None
    return ActionRow(
        app=name,
        kind=subject.kind,
        client=None if subject.client is None else pseudonym(subject.client),
        where="" if finding is None else " and ".join(map(str, finding.node.conditions)),
        action=_KINDS[action.feature],
        to=to,
        text={
            KILL: f"killing {name}",
            "version": f"updating {name} to {to}",
            "os": f"upgrading the OS to {to}",
            "network": f"running {name} on {' or '.join(values)} alone",
        }[action.feature],
        clients=None if finding is None else finding.clients,
        share_percent=100 * subject.share,
        **interval_percent_h("extra", *extra),
        **gains_min(subject.rate, *(subject.share * end for end in saved)),
    )
