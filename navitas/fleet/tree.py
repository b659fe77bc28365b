"""Trees that part an app's cells by what its extra drain depends on (paper 5, section 2.5)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from navitas.fleet.conditions import ConditionCells
from navitas.fleet.statistics import CONFIDENCE, F64, I64, Bool, Contrast, Contrasts, contrast, contrasts, other_side, side
from navitas.fleet.versions import version_key

ORDERED = ("version", "os")
"""Features whose values are versions."""
_DEEPEST = 4
_FEW_CLIENTS = 3
_BLOCK = 1 << 21
"""So many sums of clients by value are made at once: a fleet may have thousands of models."""
_SURER = 1 + 1e-9
"""Conditions that say the same of all cells differ by rounding: the first is taken."""


@dataclass(frozen=True, slots=True)
class FeatureCondition:
    """`feature` is (or is not) `value`, or is it or later (`later`; or earlier)."""

    feature: str
    value: str
    holds: bool
    later: bool = False

    def admits(self, value: str) -> bool:
        """Whether a value of the feature meets it; one that is not known is earlier than all."""
        met = version_key(value) >= version_key(self.value) and bool(value) if self.later else value == self.value
        return met == self.holds

    def opposite(self) -> FeatureCondition:
        """What meets it not."""
        return FeatureCondition(self.feature, self.value, not self.holds, self.later)

    def __str__(self) -> str:
        if self.later:
            return f"{self.feature} {self.value} or later" if self.holds else f"{self.feature} before {self.value}"
        return f"{self.feature} {self.value}" if self.holds else f"{self.feature} not {self.value}"


@dataclass(frozen=True, slots=True)
class TreeNode:
    """Cells that meet all conditions; it is parted into two children or none.

    Where `only_compared`, they are what others are compared with: what they drain is nobody's finding.
    """

    conditions: tuple[FeatureCondition, ...]
    rows: Bool
    effect: Contrast
    children: tuple[TreeNode, ...] = ()
    only_compared: bool = False

    def walk(self) -> Iterator[TreeNode]:
        """Itself, and all below."""
        yield self
        for child in self.children:
            yield from child.walk()

    def leaves(self) -> list[TreeNode]:
        """Those that are not parted."""
        return [node for node in self.walk() if not node.children]

    def admits(self, feature: str, value: str) -> bool:
        """Whether a value of a feature may occur in it."""
        return all(condition.admits(value) for condition in self.conditions if condition.feature == feature)


def grow(cells: ConditionCells, least_ppm_s: float) -> TreeNode:
    """Part all cells by the condition that tells drains apart most surely, then each part, as far as any does.

    A split must be significant (paper: d′ > 0), here with clients as clusters and for as many tries as there were conditions, and
    tell a difference of `least_ppm_s` at least. What changes between a pair's samples is no condition.
    """
    return _grown(cells, (), np.ones(len(cells.s), bool), least_ppm_s)


def _grown(cells: ConditionCells, path: tuple[FeatureCondition, ...], rows: Bool, least: float) -> TreeNode:
    effect = contrast(cells.cluster, cells.s, cells.w, rows)
    condition = _best(cells, rows, least) if len(path) < _DEEPEST else None
    if condition is None:
        return TreeNode(path, rows, effect)
    feature = cells.features[condition.feature]
    at = feature.values.index(condition.value)
    met = feature.place >= at if condition.later else feature.place == at
    children = (
        _grown(cells, (*path, condition), rows & met, least),
        _grown(cells, (*path, condition.opposite()), rows & ~met, least),
    )
    return TreeNode(path, rows, effect, children)


def _best(cells: ConditionCells, rows: Bool, least: float) -> FeatureCondition | None:
    """The condition that parts these cells most surely."""
    told = np.flatnonzero(rows & (cells.w > 0))
    clients, cluster = np.unique(cells.cluster[told], return_inverse=True)
    own = _Told(cluster, len(clients), cells.s[told], cells.w[told])
    whole = own.by(np.zeros(len(told), np.int64), 1)
    tries: list[tuple[FeatureCondition, int, int]] = []
    found: list[Contrasts] = []
    for conditions, met in _candidates(cells, told, own):
        rest = other_side(whole, met)
        enough = np.minimum(*(np.count_nonzero(part[2], axis=0) for part in (met, rest))) >= _FEW_CLIENTS
        tries += [(conditions[column], len(found), column) for column in np.flatnonzero(enough).tolist()]
        found.append(contrasts(met, rest))
    part = 1 - (1 - CONFIDENCE) / 2 / max(len(tries), 1)
    sure = [one.sure(part) for one in found]
    best, gap = None, 0.0
    for condition, block, column in tries:
        if sure[block][column] > gap * _SURER and abs(found[block].value[column]) >= least:
            best, gap = condition, float(sure[block][column])
    return best


@dataclass(frozen=True, slots=True)
class _Told:
    """Rows that tell something."""

    cluster: I64
    clients: int
    s: F64
    w: F64

    def by(self, value: I64, values: int, rows: Bool | slice = slice(None)) -> F64:
        """A column for each value, of these rows."""
        return side(self.cluster[rows], (self.s[rows], self.w[rows]), value[rows], (self.clients, values))


def _candidates(cells: ConditionCells, told: I64, own: _Told) -> Iterator[tuple[list[FeatureCondition], F64]]:
    """Conditions on values that occur, and a side of what meets them; the later values first, for *or later* includes them."""
    for feature, column in cells.features.items():
        known, place = np.unique(column.place[told], return_inverse=True)
        place = place - np.count_nonzero(known < 0)
        values = [column.values[at] for at in known[known >= 0].tolist()]
        last, width = len(values), max(_BLOCK // max(own.clients, 1), 1)
        later = np.zeros((3, own.clients, 1))
        for low in range((last - 1) // width * width, -1, -width):
            high = min(low + width, last)
            each = own.by(place - low, high - low, (place >= low) & (place < high))
            if feature not in ORDERED:
                yield [FeatureCondition(feature, value, True) for value in values[low:high]], each
                continue
            inner = [at for at in range(low, high) if 0 < at < last - 1]
            yield [FeatureCondition(feature, values[at], True) for at in inner], each[..., [at - low for at in inner]]
            upwards = later + np.cumsum(each[..., ::-1], axis=2)[..., ::-1]
            outer = [at for at in range(low, high) if at]
            yield (
                [FeatureCondition(feature, values[at], True, later=True) for at in outer],
                upwards[..., [at - low for at in outer]],
            )
            later = upwards[..., :1]
