"""The diagnoses of a fleet's apps, and how much of them meets a client."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass

import numpy as np

from navitas.fleet.affected import Affected, grow_affected
from navitas.fleet.bugs import Bugs
from navitas.fleet.conditions import ConditionCells, cells_by_app
from navitas.fleet.diagnosis import Diagnosis, compared, diagnose
from navitas.fleet.hogs import LEAST, Hogs
from navitas.fleet.stages import Fleet
from navitas.fleet.statistics import I64, downwards
from navitas.fleet.tree import FeatureCondition, grow

Parts = dict[tuple[FeatureCondition, ...], float]
"""How much of the time that an app runs on a client falls under the conditions of each leaf (0 to 1)."""


@dataclass(frozen=True, slots=True)
class Diagnoses:
    """Of apps by number; `parts` are those of an app on each client that was asked about and runs it."""

    found: dict[int, Diagnosis]
    parts: dict[tuple[int, int], Parts]


def diagnoses_of(
    fleet: Fleet,
    hogs: Hogs,
    bugs: Bugs,
    apps: I64,
    told: Callable[[int, int], None] = lambda done, of: None,
    *,
    clients: Collection[int] = (),
) -> Diagnoses:
    """Diagnose these apps, and tell how far their conditions are those of some clients; samples are read where need be."""
    found: dict[int, Diagnosis] = {}
    parts: dict[tuple[int, int], Parts] = {}
    least, spread = LEAST * hogs.usual_ppm_s, float(np.mean(bugs.extra**2)) if len(bugs.extra) else 0.0
    on = affected_clients(bugs, apps)
    for app, cells in cells_by_app(fleet, apps, on, told):
        if app in on:
            tree = grow_affected(cells, Affected(on[app], hogs.noise_scale, spread), least)
            found[app] = diagnose(cells, tree, lambda leaf, node: leaf.effect.less(node.effect))
        else:
            found[app] = diagnose(cells, grow(cells, least), compared(cells))
        parts |= {(app, client): own for client, own in _parts(cells, found[app], clients)}
    return Diagnoses(found, parts)


def _parts(cells: ConditionCells, diagnosis: Diagnosis, clients: Collection[int]) -> Iterator[tuple[int, Parts]]:
    for client in clients:
        own = np.flatnonzero((cells.clients == client)[cells.cluster])
        whole = cells.seconds[own].sum()
        if whole:
            inside = {leaf.conditions: leaf.rows[own] for leaf in diagnosis.tree.leaves()}
            yield client, {conditions: float(cells.seconds[own[rows]].sum() / whole) for conditions, rows in inside.items()}


def suspects(hogs: Hogs, bugs: Bugs) -> I64:
    """Hogs, those first that drain most for sure, then apps with bugs, those first that have most."""
    low = (hogs.effect.value - hogs.effect.half_width)[hogs.is_hog]
    apps, count = np.unique(bugs.app, return_counts=True)
    return np.concatenate([hogs.app[hogs.is_hog][downwards(low)], apps[np.argsort(-count, kind="stable")]])


def affected_clients(bugs: Bugs, apps: I64) -> dict[int, I64]:
    """The clients on which each of these apps has a bug, where it has any."""
    order = np.argsort(bugs.app, kind="stable")
    app, client = bugs.app[order], bugs.client[order]
    bounds = zip(apps.tolist(), *(np.searchsorted(app, apps, side).tolist() for side in ("left", "right")), strict=True)
    return {one: client[low:high] for one, low, high in bounds if high > low}
