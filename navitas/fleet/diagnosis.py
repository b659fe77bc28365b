"""Actions against an app's drain: minimal complete actionable diagnoses (MCAD; paper 5, section 2.6)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from navitas.fleet.conditions import ConditionStrata
from navitas.fleet.statistics import Contrast, contrast
from navitas.fleet.tree import ORDERED, TreeNode
from navitas.fleet.version_order import version_key

KILL = "kill"
Values = dict[str, list[str]]
Less = Callable[[TreeNode, TreeNode], Contrast]
"""Computes the difference between the drains of two nodes of a tree."""
_ACTIONABLE = ("version", "os", "network")
_OFFLINE = "none"


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
    actions = sorted([kill, *(_at_most(way, kill) for way in finder.actions(leaf, tree))], key=lambda one: -one.less.value)
    clients = len(np.unique(strata.cluster[leaf.rows & (strata.w > 0)]))
    return Finding(leaf, clients, float(drop / max(seconds, 1.0)), tuple(actions))


def _at_most(action: Action, kill: Action) -> Action:
    """Limit the saving to the app's extra drain, even where the app seems to drain less than nothing elsewhere."""
    return replace(action, less=replace(action.less, value=min(action.less.value, kill.less.value)))


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
