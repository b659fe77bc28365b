"""What can be done against an app's drain: minimal complete actionable diagnoses (MCAD; paper 5, section 2.6)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from navitas.fleet.conditions import Cells
from navitas.fleet.statistics import Contrast, contrast
from navitas.fleet.tree import ORDERED, Node, grow
from navitas.fleet.versions import version_key

KILL = "kill"
Values = dict[str, list[str]]
_ACTIONABLE = ("version", "os", "network")
_OFFLINE = "none"


@dataclass(frozen=True, slots=True)
class Action:
    """What to change: `feature` (or `KILL`), to `values`; `less` is the drain that this saves while the app runs, in ppm/s."""

    feature: str
    values: tuple[str, ...]
    less: Contrast


@dataclass(frozen=True, slots=True)
class Finding:
    """A condition under which the app drains, `rate` in ppm/s there, and what can be done; the most is saved by the first."""

    node: Node
    clients: int
    rate: float
    actions: tuple[Action, ...]


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """All conditions under which an app surely drains, the worst first."""

    tree: Node
    findings: tuple[Finding, ...]


def diagnose(cells: Cells, least_ppm_s: float) -> Diagnosis:
    """Grow the tree; its leaves that drain more than nothing for sure are what actions lead away from."""
    tree, values = grow(cells, least_ppm_s), cells.values()
    bad = [leaf for leaf in tree.leaves() if leaf.effect.value - leaf.effect.half_width > 0]
    findings = [_finding(cells, values, tree, leaf) for leaf in bad]
    return Diagnosis(tree, tuple(sorted(findings, key=lambda one: -one.node.effect.value)))


def _finding(cells: Cells, values: Values, tree: Node, leaf: Node) -> Finding:
    seconds, drop = cells.seconds[leaf.rows].sum(), cells.drop_ppm[leaf.rows].sum()
    kill = Action(KILL, (), leaf.effect)
    actions = sorted([kill, *_actions(cells, values, tree, leaf)], key=lambda one: -one.less.value)
    clients = len(np.unique(cells.cluster[leaf.rows & (cells.w > 0)]))
    return Finding(leaf, clients, float(drop / max(seconds, 1.0)), tuple(actions))


def _actions(cells: Cells, values: Values, tree: Node, leaf: Node) -> Iterator[Action]:
    """One for each node of the diagnosis that is minimal, complete and actionable, and takes one change."""
    better: dict[int, Contrast] = {}

    def is_better(node: Node) -> bool:
        """Whether all of a node is reachable and drains less for sure, or both its children are and do."""
        below = [is_better(child) for child in node.children]
        if node.rows[leaf.rows].any():
            return False
        less = contrast(cells.cluster, cells.s, cells.w, leaf.rows, node.rows)
        if _change(values, leaf, node) is None or not less.value - less.half_width > 0:
            return bool(below) and all(below)
        better[id(node)] = less
        return True

    is_better(tree)
    yield from _highest(values, tree, leaf, better)


def _highest(values: Values, node: Node, leaf: Node, better: dict[int, Contrast]) -> Iterator[Action]:
    if id(node) in better:
        change = _change(values, leaf, node)
        assert change is not None
        yield Action(*change, better[id(node)])
        return
    for child in node.children:
        yield from _highest(values, child, leaf, better)


def _change(known: Values, leaf: Node, node: Node) -> tuple[str, tuple[str, ...]] | None:
    """What single feature has to be changed to come from a leaf to a node, and to which values; None when that cannot be done."""
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
