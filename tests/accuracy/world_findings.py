"""Findings of a fleet of a simulated world, compared with the truth."""

from __future__ import annotations

import numpy as np
from world.simulation import World
from world_counts import WorldCounts, app_counts

from navitas.fleet.diagnoses.advice import client_actions
from navitas.fleet.diagnoses.diagnosis import diagnoses_of
from navitas.fleet.diagnoses.versions import find_versions
from navitas.fleet.findings.bugs import Bugs, find_bugs
from navitas.fleet.findings.hogs import Hogs, find_hogs
from navitas.fleet.findings.results import PERCENT_H
from navitas.fleet.findings.scores import score_clients
from navitas.fleet.paper import paper_findings, paper_sums
from navitas.fleet.schema import client_number
from navitas.fleet.stages import Fleet

LEAST_EXTRA, ENOUGH_CLIENTS = 0.1, 20
_PAGES = 20
"""Clients of each world whose own gains are checked."""


def counts_of(fleet: Fleet, world: World) -> WorldCounts:
    """Find hogs, versions, bugs and gains of clients, also by the paper's method, and compare them with the truth."""
    hogs = find_hogs(fleet)
    bugs = find_bugs(fleet, hogs)
    return (
        WorldCounts(worlds=1)
        + _hogs(fleet, hogs, world)
        + _versions(fleet, hogs, bugs, world)
        + _bugs(fleet, bugs, world)
        + _clients(fleet, hogs, bugs, world)
        + _paper(fleet, world)
    )


def _hogs(fleet: Fleet, hogs: Hogs, world: World) -> WorldCounts:
    names, truth = fleet.app_names, {row["app"]: row for row in world.apps.to_pylist()}
    app = [names[number] for number in hogs.app.tolist()]
    is_hog = np.array([truth[name]["is_hog"] for name in app], bool)
    true, found = np.array([world.true_extra_percent_h[name] for name in app]), hogs.effect.value * PERCENT_H
    return app_counts(
        is_hog=is_hog,
        is_large=true >= LEAST_EXTRA * hogs.usual_ppm_s * PERCENT_H,
        enough=hogs.alone.clients >= ENOUGH_CLIENTS,
        verdict=[str(claim) for claim in hogs.claim],
        covered=(hogs.effect.low * PERCENT_H <= true) & (true <= hogs.effect.high * PERCENT_H),
        true=true,
        found=found,
        role=[truth[name]["role"] for name in app],
    )


def _versions(fleet: Fleet, hogs: Hogs, bugs: Bugs, world: World) -> WorldCounts:
    names, truth = fleet.app_names, {row["app"]: row for row in world.apps.to_pylist()}
    named = {names[app]: version for app, version in find_versions(fleet, hogs, bugs).since.items()}
    return WorldCounts(
        since=sum(bool(row["since"]) for row in truth.values()),
        since_named=len(named),
        since_right=sum(truth[app]["since"] == version for app, version in named.items()),
    )


def _bugs(fleet: Fleet, bugs: Bugs, world: World) -> WorldCounts:
    names = fleet.app_names
    truth = {(client_number(row["client"], fleet.store.key), row["app"]) for row in world.bugs.to_pylist()}
    found = [(who, names[what]) for who, what in zip(bugs.client.tolist(), bugs.app.tolist(), strict=True)]
    true = [one in truth for one in found]
    hogs = {row["app"] for row in world.apps.to_pylist() if row["is_hog"]}
    extra = {
        (client_number(row["client"], fleet.store.key), row["app"]): row["extra_percent_h"] for row in world.effects.to_pylist()
    }
    inside = [
        low <= extra[one] <= high
        for one, low, high in zip(found, (bugs.low * PERCENT_H).tolist(), (bugs.high * PERCENT_H).tolist(), strict=True)
        if one in truth and one[1] not in hogs
    ]
    return WorldCounts(
        bugs=len(true), bugs_true=sum(true), all_bugs=len(truth), bugs_covered=sum(inside), bug_intervals=len(inside)
    )


def _clients(fleet: Fleet, hogs: Hogs, bugs: Bugs, world: World) -> WorldCounts:
    """Compare what hogs are predicted to drain on some clients with what they do."""
    number_of = {name: client_number(name, fleet.store.key) for name in set(world.effects["client"].to_pylist())}
    true = {(number_of[row["client"]], row["app"]): row["extra_percent_h"] for row in world.effects.to_pylist()}
    buggy = {(number_of[row["client"]], row["app"]) for row in world.bugs.to_pylist()}
    chosen = sorted(set(score_clients(fleet).client.tolist()))[:_PAGES]
    found = hogs.app[hogs.is_hog]
    diagnoses = diagnoses_of(fleet, hogs, bugs, found, clients=chosen)
    inside = [
        row.extra_low_percent_h <= true[client, row.app] <= row.extra_high_percent_h
        for client in chosen
        for row in client_actions(fleet, hogs, bugs, diagnoses, client)
        if row.kind == "hog" and row.action == "kill" and (client, row.app) in true and (client, row.app) not in buggy
        if row.extra_low_percent_h is not None and row.extra_high_percent_h is not None
    ]
    return WorldCounts(client_covered=sum(inside), client_intervals=len(inside))


def _paper(fleet: Fleet, world: World) -> WorldCounts:
    paper_sums.bring_up_to_date(fleet)
    found = paper_findings.find_hogs(fleet)
    names, truth = fleet.app_names, {row["app"]: row["is_hog"] for row in world.apps.to_pylist()}
    named = [names[app] for app in found.app[found.is_found].tolist()]
    return WorldCounts(paper_named=len(named), paper_false=sum(not truth[app] for app in named))
