"""Actions against an app's drain: minimal complete actionable diagnoses (MCAD; paper 5, section 2.6)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace

import numpy as np

from navitas.fleet.diagnoses.affected import Affected, grow_affected
from navitas.fleet.diagnoses.conditions import ConditionStrata, strata_by_app, version_key
from navitas.fleet.diagnoses.tree import ORDERED, FeatureCondition, TreeNode, grow
from navitas.fleet.findings.bugs import Bugs
from navitas.fleet.findings.hogs import MIN_SHARE, Hogs
from navitas.fleet.stages import Fleet
from navitas.fleet.statistics import I64, Contrast, contrast, descending_order

KILL = "kill"
Values = dict[str, list[str]]
Less = Callable[[TreeNode, TreeNode], Contrast]
"""Computes the difference between the drains of two nodes of a tree."""
_ACTIONABLE = ("version", "os", "network")
_OFFLINE = "none"
Shares = dict[tuple[FeatureCondition, ...], float]
"""The share of an app's running time on a client that falls under the conditions of each leaf (0 to 1).

Time in strata on neither side of a condition, such as pairs whose ends have different networks, is divided as the rest.
"""


@dataclass(frozen=True, slots=True)
class Action:
    """A change of `feature` (or `KILL`) to one of `values`. `less` is the drain that it saves while the app runs, in ppm/s."""

    feature: str
    values: tuple[str, ...]
    less: Contrast


@dataclass(frozen=True, slots=True)
class Finding:
    """A condition under which the app drains at `rate` (ppm/s), and the actions, the greatest saving first."""

    node: TreeNode
    clients: int
    rate: float
    actions: tuple[Action, ...]


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """All conditions with a significant drain, the worst first. `values` are the known values of each feature."""

    tree: TreeNode
    findings: tuple[Finding, ...]
    values: Values


def compared(strata: ConditionStrata) -> Less:
    """A function that contrasts two nodes of a tree, with clustered standard errors by client."""
    return lambda one, other: contrast(strata.cluster, strata.s, strata.w, one.rows, other.rows)


def diagnose(strata: ConditionStrata, tree: TreeNode, less: Less) -> Diagnosis:
    """Find actions against each leaf whose lower confidence bound is above 0."""
    values = strata.values()
    bad = [leaf for leaf in tree.leaves() if leaf.effect.value - leaf.effect.half_width > 0 and not leaf.is_control]
    findings = [_finding(strata, tree, leaf, _ActionFinder(values, less)) for leaf in bad]
    return Diagnosis(tree, tuple(sorted(findings, key=lambda one: -one.node.effect.value)), values)


def _finding(strata: ConditionStrata, tree: TreeNode, leaf: TreeNode, finder: _ActionFinder) -> Finding:
    seconds, drop = strata.seconds[leaf.rows].sum(), strata.drop_ppm[leaf.rows].sum()
    kill = Action(KILL, (), leaf.effect)
    # A saving is at most the app's extra drain, even where the app seems to drain less than nothing elsewhere.
    ways = [
        replace(way, less=replace(way.less, value=min(way.less.value, kill.less.value))) for way in finder.actions(leaf, tree)
    ]
    actions = sorted([kill, *ways], key=lambda one: -one.less.value)
    clients = len(np.unique(strata.cluster[leaf.rows & (strata.w > 0)]))
    return Finding(leaf, clients, float(drop / max(seconds, 1.0)), tuple(actions))


@dataclass(frozen=True, slots=True)
class _ActionFinder:
    """The nodes of a minimal, complete and actionable diagnosis: one change leads from the leaf to each of them."""

    values: Values
    less: Less

    def actions(self, leaf: TreeNode, tree: TreeNode) -> Iterator[Action]:
        """Yield an action for each node."""
        better: dict[int, Contrast] = {}
        self._is_better(tree, leaf, better)
        yield from self._highest(tree, leaf, better)

    def _is_better(self, node: TreeNode, leaf: TreeNode, better: dict[int, Contrast]) -> bool:
        """Whether the whole node is reachable and drains significantly less, or both its children do."""
        below = [self._is_better(child, leaf, better) for child in node.children]
        if node.rows[leaf.rows].any():
            return False
        less = self.less(leaf, node)
        if _change(self.values, leaf, node) is None or not less.value - less.half_width > 0:
            return bool(below) and all(below)
        better[id(node)] = less
        return True

    def _highest(self, node: TreeNode, leaf: TreeNode, better: dict[int, Contrast]) -> Iterator[Action]:
        if id(node) in better:
            change = _change(self.values, leaf, node)
            assert change is not None
            yield Action(*change, better[id(node)])
            return
        for child in node.children:
            yield from self._highest(child, leaf, better)


def _change(known: Values, leaf: TreeNode, node: TreeNode) -> tuple[str, tuple[str, ...]] | None:
    """The feature whose change leads from the leaf to the node, and its new values. None if one change is not enough."""
    change = None
    for feature, values in known.items():
        here = [value for value in values if leaf.admits(feature, value)]
        there = [value for value in values if node.admits(feature, value)]
        if not here or set(here) & set(there):
            continue
        if feature == "network":
            there = [value for value in there if value != _OFFLINE]
        if feature in ORDERED:
            there = [value for value in there if version_key(value) > version_key(here[-1])]
        if feature not in _ACTIONABLE or not there or change is not None:
            return None
        change = feature, tuple(there)
    return change


@dataclass(frozen=True, slots=True)
class Diagnoses:
    """Diagnoses by app number. `shares` has an entry for each app and each requested client that runs it."""

    found: dict[int, Diagnosis]
    shares: dict[tuple[int, int], Shares]


def diagnoses_of(fleet: Fleet, hogs: Hogs, bugs: Bugs, apps: I64, *, clients: Collection[int] = ()) -> Diagnoses:
    """Diagnose these apps, and compute the shares of their conditions on `clients`. Reads samples if strata are missing."""
    found: dict[int, Diagnosis] = {}
    shares: dict[tuple[int, int], Shares] = {}
    least, spread = MIN_SHARE * hogs.usual_ppm_s, float(np.mean(bugs.extra**2)) if len(bugs.extra) else 0.0
    affected = bugs.affected(hogs)
    for app, strata in strata_by_app(fleet, hogs, apps, affected):
        if app in affected:
            tree = grow_affected(strata, Affected(affected[app], hogs.alone.noise_scale, spread), least)
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
