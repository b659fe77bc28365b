"""Trees that part an app's cells by what its extra drain depends on (paper 5, section 2.5)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from navitas.fleet.conditions import CHANGING, Cells
from navitas.fleet.statistics import CONFIDENCE, Bool, Contrast, contrast
from navitas.fleet.versions import version_key

ORDERED = ("version", "os")
"""Features whose values are versions."""
_DEEPEST = 4
_FEW_CLIENTS = 3


@dataclass(frozen=True, slots=True)
class Condition:
    """`feature` is (or is not) `value`, or is it or later (`later`; or earlier)."""

    feature: str
    value: str
    holds: bool
    later: bool = False

    def admits(self, value: str) -> bool:
        """Whether a value of the feature meets it; one that is not known is earlier than all."""
        met = version_key(value) >= version_key(self.value) and bool(value) if self.later else value == self.value
        return met == self.holds

    def __str__(self) -> str:
        if self.later:
            return f"{self.feature} {self.value} or later" if self.holds else f"{self.feature} before {self.value}"
        return f"{self.feature} {self.value}" if self.holds else f"{self.feature} not {self.value}"


@dataclass(frozen=True, slots=True)
class Node:
    """Cells that meet all conditions; it is parted into two children or none."""

    conditions: tuple[Condition, ...]
    rows: Bool
    effect: Contrast
    children: tuple[Node, ...] = ()

    def walk(self) -> Iterator[Node]:
        """Itself, and all below."""
        yield self
        for child in self.children:
            yield from child.walk()

    def leaves(self) -> list[Node]:
        """Those that are not parted."""
        return [node for node in self.walk() if not node.children]

    def admits(self, feature: str, value: str) -> bool:
        """Whether a value of a feature may occur in it."""
        return all(condition.admits(value) for condition in self.conditions if condition.feature == feature)


def grow(cells: Cells, least_ppm_s: float, features: tuple[str, ...] | None = None) -> Node:
    """Part all cells by the condition that tells drains apart most surely, then each part, as far as any does.

    A split must be significant (paper: d′ > 0), here with clients as clusters and for as many tries as there were conditions, and
    tell a difference of `least_ppm_s` at least. What changes between a pair's samples is no condition.
    """
    return _grown(cells, (), np.ones(len(cells.s), bool), least_ppm_s, features or tuple(cells.features))


def _grown(cells: Cells, path: tuple[Condition, ...], rows: Bool, least: float, features: tuple[str, ...]) -> Node:
    effect = contrast(cells.cluster, cells.s, cells.w, rows)
    if len(path) == _DEEPEST:
        return Node(path, rows, effect)
    tries = [(condition, met) for condition, met in _candidates(cells, rows, features) if _tell(cells, rows, met)]
    best, gap = None, 0.0
    for condition, met in tries:
        found = contrast(cells.cluster, cells.s, cells.w, rows & met, rows & ~met)
        sure = abs(found.value) - found.quantile(1 - (1 - CONFIDENCE) / 2 / len(tries)) * found.error
        if sure > gap and abs(found.value) >= least:
            best, gap = (condition, met), sure
    if best is None:
        return Node(path, rows, effect)
    condition, met = best
    against = Condition(condition.feature, condition.value, not condition.holds, condition.later)
    children = (
        _grown(cells, (*path, condition), rows & met, least, features),
        _grown(cells, (*path, against), rows & ~met, least, features),
    )
    return Node(path, rows, effect, children)


def _candidates(cells: Cells, rows: Bool, features: tuple[str, ...]) -> Iterator[tuple[Condition, Bool]]:
    for feature in features:
        column = cells.features[feature]
        values = sorted({value for value in column[rows].tolist() if value not in ("", CHANGING)}, key=version_key)
        number = {value: place for place, value in enumerate(values)}
        place = np.array([number.get(value, -1) for value in column.tolist()], np.int64)
        ordered = feature in ORDERED
        for at, value in enumerate(values):
            if not ordered or 0 < at < len(values) - 1:
                yield Condition(feature, value, True), place == at
            if ordered and at:
                yield Condition(feature, value, True, later=True), place >= at


def _tell(cells: Cells, rows: Bool, met: Bool) -> bool:
    """Whether enough clients tell something of both sides."""
    told = rows & (cells.w > 0)
    return min(len(np.unique(cells.cluster[told & met])), len(np.unique(cells.cluster[told & ~met]))) >= _FEW_CLIENTS
