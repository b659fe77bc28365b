"""The diagnoses of a fleet's apps, and the shares of their conditions in a client's use."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

import numpy as np

from navitas.fleet.affected import Affected, grow_affected
from navitas.fleet.bugs import Bugs
from navitas.fleet.conditions import ConditionStrata, strata_by_app
from navitas.fleet.diagnosis import Diagnosis, compared, diagnose
from navitas.fleet.hogs import MIN_SHARE, Hogs
from navitas.fleet.stages import Fleet, Progress, no_progress
from navitas.fleet.statistics import I64, descending_order
from navitas.fleet.tree import FeatureCondition, TreeNode, grow

Shares = dict[tuple[FeatureCondition, ...], float]
"""The share of an app's running time on a client that falls under the conditions of each leaf (0 to 1).

Time in strata on neither side of a condition, such as pairs whose ends have different networks, is divided as the rest.
"""


@dataclass(frozen=True, slots=True)
class Diagnoses:
    """Diagnoses by app number. `shares` has an entry for each app and each requested client that runs it."""

    found: dict[int, Diagnosis]
    shares: dict[tuple[int, int], Shares]


def diagnoses_of(
    fleet: Fleet,
    hogs: Hogs,
    bugs: Bugs,
    apps: I64,
    progress: Progress = no_progress,
    *,
    clients: Collection[int] = (),
) -> Diagnoses:
    """Diagnose these apps, and compute the shares of their conditions on `clients`. Reads samples if strata are missing."""
    found: dict[int, Diagnosis] = {}
    shares: dict[tuple[int, int], Shares] = {}
    least, spread = MIN_SHARE * hogs.usual_ppm_s, float(np.mean(bugs.extra**2)) if len(bugs.extra) else 0.0
    affected = bugs.affected(hogs)
    for app, strata in strata_by_app(fleet, hogs, apps, affected, progress):
        if app in affected:
            tree = grow_affected(strata, Affected(affected[app], hogs.noise_scale, spread), least)
            found[app] = diagnose(strata, tree, lambda leaf, node: leaf.effect.less(node.effect))
        else:
            found[app] = diagnose(strata, grow(strata, least), compared(strata))
        shares |= {(app, client): own for client, own in shares_of(strata, found[app], clients)}
    return Diagnoses(found, shares)


def shares_of(strata: ConditionStrata, diagnosis: Diagnosis, clients: Collection[int]) -> Iterator[tuple[int, Shares]]:
    """Yield each client that runs the app, with its shares."""
    for client in clients:
        own = np.flatnonzero((strata.clients == client)[strata.cluster])
        whole = strata.seconds[own].sum()
        if whole:
            inside = strata.seconds[own[diagnosis.tree.rows[own]]].sum()
            yield client, dict(_divided(strata, diagnosis.tree, own, float(inside / whole)))


def _divided(
    strata: ConditionStrata, node: TreeNode, own: I64, share: float
) -> Iterator[tuple[tuple[FeatureCondition, ...], float]]:
    """Divide a share of time among the leaves, as the time in `own` rows, or else in all rows."""
    if not node.children:
        yield node.conditions, share
        return
    time = np.array([strata.seconds[own[child.rows[own]]].sum() for child in node.children])
    if not time.any():
        time = np.array([strata.seconds[child.rows].sum() for child in node.children])
    for child, part in zip(node.children, (time / max(time.sum(), 1.0)).tolist(), strict=True):
        yield from _divided(strata, child, own, share * part)


def suspects(hogs: Hogs, bugs: Bugs) -> I64:
    """Hogs by descending lower confidence bound, then apps with bugs by descending number of bugs."""
    low = hogs.effect.low[hogs.is_hog]
    apps, count = np.unique(bugs.app, return_counts=True)
    apps = apps[np.argsort(-count, kind="stable")]
    found = hogs.app[hogs.is_hog]
    return np.concatenate([found[descending_order(low)], apps[~np.isin(apps, found)]])
