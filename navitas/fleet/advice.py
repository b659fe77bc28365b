"""What to do, as rows: for a fleet by app, and for one client with what it gains of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pyarrow as pa

from navitas.fleet.bugs import Bugs
from navitas.fleet.diagnoses import Diagnoses, Parts
from navitas.fleet.diagnosis import KILL, Action, Diagnosis, Finding
from navitas.fleet.hogs import Hogs
from navitas.fleet.results import PERCENT_H, Row, app_names, gain_min, interval_percent_h
from navitas.fleet.schema import pseudonym
from navitas.fleet.stages import Fleet
from navitas.fleet.statistics import I64

_KINDS = {KILL: "kill", "version": "update", "os": "upgrade", "network": "network"}
_RUNS = """
SELECT packages.app_id AS app, SUM(CAST(both_seconds AS DOUBLE) + one_seconds / 2.0) AS seconds
FROM usage JOIN packages ON usage.package = packages.id WHERE usage.client = {client} GROUP BY packages.app_id
"""
_TOTALS = "SELECT SUM(seconds) AS seconds, SUM(drop_ppm) AS drop_ppm FROM clients WHERE client = {client}"


@dataclass(frozen=True, slots=True)
class ActionRow(Row):
    """What to do about an app under a condition, and what it gains: one client as it runs the app, else who always does."""

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
        """What it is for, of which app unless the action says so, and under which condition."""
        kind = self.kind if self.app in self.text else f"{self.kind} of {self.app}"
        return f"{kind} where {self.where}" if self.where else kind


@dataclass(frozen=True, slots=True)
class _Subject:
    """Who runs which app for how much of the time (0 to 1), and drains how much (ppm/s) all in all."""

    app: str
    kind: str
    share: float
    rate: float
    client: int | None = None


def app_actions(fleet: Fleet, hogs: Hogs, diagnoses: Diagnoses) -> list[ActionRow]:
    """All actions, app by app, condition by condition."""
    names, is_hog = app_names(fleet), set(hogs.app[hogs.is_hog].tolist())
    return [
        _row(_Subject(names[app], "hog" if app in is_hog else "bugs", 1.0, finding.rate), finding, action)
        for app, diagnosis in diagnoses.found.items()
        for finding in diagnosis.findings
        for action in finding.actions
    ]


def client_apps(fleet: Fleet, hogs: Hogs, bugs: Bugs, client: int) -> I64:
    """The hogs that a client runs, and its bugs."""
    used = fleet.by_clients(_RUNS.format(client=client))
    runs = pa.concat_tables(used)["app"].to_numpy()
    return np.unique(np.concatenate([np.intersect1d(hogs.app[hogs.is_hog], runs), bugs.app[bugs.client == client]]))


def client_actions(fleet: Fleet, hogs: Hogs, bugs: Bugs, diagnoses: Diagnoses, client: int) -> list[ActionRow]:
    """What a client can do, the most gained first: the share of its time that an app runs, times what it drains."""
    names, is_hog = app_names(fleet), set(hogs.app[hogs.is_hog].tolist())
    used = pa.concat_tables(fleet.by_clients(_RUNS.format(client=client)))
    seconds = dict(zip(used["app"].to_pylist(), used["seconds"].to_pylist(), strict=True))
    parts = [table for table in fleet.by_clients(_TOTALS.format(client=client)) if table["seconds"][0].as_py()]
    if not parts:
        return []
    total, drop = (float(parts[0][name][0].as_py()) for name in ("seconds", "drop_ppm"))
    rows: list[ActionRow] = []
    for app, diagnosis in diagnoses.found.items():
        share, own = seconds.get(app, 0.0) / total, diagnoses.parts.get((app, client), {})
        if app in is_hog:
            rows += _of_hog(_Subject(names[app], "hog", share, drop / total, client), own, diagnosis)
        for bug in np.flatnonzero((bugs.client == client) & (bugs.app == app)).tolist():
            ends = (float(bugs.low[bug]), float(bugs.extra[bug]), float(bugs.high[bug]))
            subject = _Subject(names[app], "bug", share, drop / total, client)
            rows += [_killed(subject, ends), *_changed(subject, own, diagnosis)]
    return sorted(rows, key=lambda row: -(row.gain_min or 0.0))


def _of_hog(subject: _Subject, parts: Parts, diagnosis: Diagnosis) -> Iterator[ActionRow]:
    if not parts:
        return
    leaves = [(parts[leaf.conditions], leaf.effect) for leaf in diagnosis.tree.leaves() if np.isfinite(leaf.effect.half_width)]
    value = sum(part * effect.value for part, effect in leaves)
    half = sum(part * effect.half_width for part, effect in leaves)
    if value - half > 0:
        yield _killed(subject, (value - half, value, value + half))
    yield from _changed(subject, parts, diagnosis)


def _changed(subject: _Subject, parts: Parts, diagnosis: Diagnosis) -> Iterator[ActionRow]:
    """What else than killing helps, under the conditions that the client runs the app in."""
    for finding in diagnosis.findings:
        part = parts.get(finding.node.conditions, 0.0)
        for action in finding.actions:
            if action.feature != KILL and part:
                yield _row(replace(subject, share=subject.share * part), finding, action)


def _killed(subject: _Subject, ends: tuple[float, float, float]) -> ActionRow:
    low, middle, high = ends
    return ActionRow(
        app=subject.app,
        kind=subject.kind,
        client=_client(subject),
        where="",
        action="kill",
        to=None,
        text=f"killing {subject.app}",
        clients=None,
        share_percent=100 * subject.share,
        extra_percent_h=middle * PERCENT_H,
        extra_low_percent_h=low * PERCENT_H,
        extra_high_percent_h=high * PERCENT_H,
        **_gains(subject, low, middle, high),
    )


def _row(subject: _Subject, finding: Finding, action: Action) -> ActionRow:
    less, half, name = action.less, action.less.half_width, subject.app
    to = (action.values[0] if action.feature == "network" else action.values[-1]) if action.values else None
    extra, extra_low, extra_high = interval_percent_h(finding.node.effect)
    return ActionRow(
        app=name,
        kind=subject.kind,
        client=_client(subject),
        where=" and ".join(str(condition) for condition in finding.node.conditions),
        action=_KINDS[action.feature],
        to=to,
        text={
            KILL: f"killing {name}",
            "version": f"updating {name} to {to}",
            "os": f"upgrading the OS to {to}",
            "network": f"running {name} on {' or '.join(action.values)} alone",
        }[action.feature],
        clients=finding.clients,
        share_percent=100 * subject.share,
        extra_percent_h=extra,
        extra_low_percent_h=extra_low,
        extra_high_percent_h=extra_high,
        **_gains(subject, less.value - half, less.value, less.value + half),
    )


def _client(subject: _Subject) -> str | None:
    return None if subject.client is None else pseudonym(subject.client)


def _gains(subject: _Subject, low: float, middle: float, high: float) -> dict[str, float | None]:
    found = gain_min(subject.rate, subject.share * low, subject.share * middle, subject.share * high)
    return dict(zip(("gain_min", "gain_low_min", "gain_high_min"), found, strict=True))
