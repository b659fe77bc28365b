"""Trees that split an app's strata by what its extra drain depends on (paper 5, section 2.5)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from navitas.fleet.diagnoses.conditions import ConditionStrata, Feature, version_key
from navitas.fleet.schema import NETWORKS
from navitas.fleet.statistics import (
    CONFIDENCE,
    F64,
    I64,
    Bool,
    Contrast,
    Contrasts,
    contrast,
    contrasts,
    remainder,
    sums_by_client,
)

ORDERED = ("version", "os")
"""Features whose values are versions, and so have an order."""
_MAX_DEPTH = 4
_MIN_CLIENTS = 3
_NO_NETWORK = "no network"
_NETWORK_WORDS = {name: name for name in NETWORKS if name != "none"} | {"none": _NO_NETWORK}
_BLOCK = 1 << 21
"""Sums of clients by value computed at once. A fleet may have thousands of models."""
_ROUNDING = 1 + 1e-9
"""Conditions that select the same strata differ by rounding. The first one wins."""


@dataclass(frozen=True, slots=True)
class FeatureCondition:
    """The feature is `value` (with `later`: `value` or a later version). If `holds` is false, the condition is negated."""

    feature: str
    value: str
    holds: bool
    later: bool = False

    def admits(self, value: str) -> bool:
        """Whether a value of the feature meets the condition. An unknown value meets none."""
        met = version_key(value) >= version_key(self.value) if self.later else value == self.value
        return bool(value) and met == self.holds

    def opposite(self) -> FeatureCondition:
        return FeatureCondition(self.feature, self.value, not self.holds, self.later)

    def __str__(self) -> str:
        if self.feature == "network":
            words = [_NETWORK_WORDS[name] for name in _NETWORK_WORDS if self.admits(name)]
            return words[0] if words == [_NO_NETWORK] else f"network {' or '.join(words)}"
        if self.later:
            return f"{self.feature} {self.value} or later" if self.holds else f"{self.feature} before {self.value}"
        return f"{self.feature} {self.value}" if self.holds else f"{self.feature} not {self.value}"


def narrowed(path: tuple[FeatureCondition, ...], condition: FeatureCondition, feature: Feature) -> tuple[FeatureCondition, ...]:
    """The path with another condition. If they leave one value of the feature, a single condition names it."""
    whole = (*path, condition)
    others = tuple(one for one in whole if one.feature != condition.feature)
    if condition.later:
        return whole
    left = [value for value in feature.values if all(one.admits(value) for one in whole if one not in others)]
    return (*others, FeatureCondition(condition.feature, left[0], True)) if len(left) == 1 else whole


@dataclass(frozen=True, slots=True)
class TreeNode:
    """Strata that meet all conditions, split into two children or none.

    If `is_control`, the node is only a control group. Its drain is never a finding.
    """

    conditions: tuple[FeatureCondition, ...]
    rows: Bool
    effect: Contrast
    children: tuple[TreeNode, ...] = ()
    is_control: bool = False

    def walk(self) -> Iterator[TreeNode]:
        """Yield the node and all nodes below."""
        yield self
        for child in self.children:
            yield from child.walk()

    def leaves(self) -> list[TreeNode]:
        """The nodes without children."""
        return [node for node in self.walk() if not node.children]

    def admits(self, feature: str, value: str) -> bool:
        """Whether a value of a feature may occur in the node."""
        return all(condition.admits(value) for condition in self.conditions if condition.feature == feature)


def grow(strata: ConditionStrata, least_ppm_s: float) -> TreeNode:
    """Split all strata by the condition with the greatest lower confidence bound of the difference, then each side.

    A split must be significant (paper: d′ > 0), here with clustered standard errors by client and Bonferroni over conditions.
    The difference must be at least `least_ppm_s`. Strata whose value of a feature is unknown, or changes within a pair, are on
    neither side of a condition on it.
    """
    return _grown(strata, (), np.ones(len(strata.s), bool), least_ppm_s)


def _grown(strata: ConditionStrata, path: tuple[FeatureCondition, ...], rows: Bool, least: float) -> TreeNode:
    effect = contrast(strata.cluster, strata.s, strata.w, rows)
    condition = _best(strata, rows, least) if len(path) < _MAX_DEPTH else None
    if condition is None:
        return TreeNode(path, rows, effect)
    feature = strata.features[condition.feature]
    at = feature.values.index(condition.value)
    met = feature.place >= at if condition.later else feature.place == at
    children = (
        _grown(strata, narrowed(path, condition, feature), rows & met, least),
        _grown(strata, narrowed(path, condition.opposite(), feature), rows & ~met & (feature.place >= 0), least),
    )
    return TreeNode(path, rows, effect, children)


def _best(strata: ConditionStrata, rows: Bool, least: float) -> FeatureCondition | None:
    """The condition with the greatest lower confidence bound of the difference."""
    informative = np.flatnonzero(rows & (strata.w > 0))
    clients, cluster = np.unique(strata.cluster[informative], return_inverse=True)
    own = _Informative(cluster, len(clients), strata.s[informative], strata.w[informative])
    tries: list[tuple[FeatureCondition, int, int]] = []
    found: list[Contrasts] = []
    for conditions, met, known in _candidates(strata, informative, own):
        rest = remainder(known, met)
        enough = np.minimum(*(np.count_nonzero(sums[2], axis=0) for sums in (met, rest))) >= _MIN_CLIENTS
        tries += [(conditions[column], len(found), column) for column in np.flatnonzero(enough).tolist()]
        found.append(contrasts(met, rest))
    level = 1 - (1 - CONFIDENCE) / 2 / max(len(tries), 1)
    bounds = [one.lower_bounds(level) for one in found]
    best, gap = None, 0.0
    for condition, block, column in tries:
        if bounds[block][column] > gap * _ROUNDING and abs(found[block].value[column]) >= least:
            best, gap = condition, float(bounds[block][column])
    return best


@dataclass(frozen=True, slots=True)
class _Informative:
    """Rows with a positive weight."""

    cluster: I64
    clients: int
    s: F64
    w: F64

    def sums_by(self, value: I64, values: int, rows: Bool | slice = slice(None)) -> F64:
        """Sums of these rows, with a column for each value."""
        return sums_by_client(self.cluster[rows], (self.s[rows], self.w[rows]), value[rows], (self.clients, values))


def _candidates(
    strata: ConditionStrata, informative: I64, own: _Informative
) -> Iterator[tuple[list[FeatureCondition], F64, F64]]:
    """Yield conditions on values that occur, with the sums of rows that meet them, and of rows with a known value.

    Later values come first, for cumulation.
    """
    for feature, column in strata.features.items():
        known, place = np.unique(column.place[informative], return_inverse=True)
        place = place - np.count_nonzero(known < 0)
        values = [column.values[at] for at in known[known >= 0].tolist()]
        whole = own.sums_by(np.zeros(len(place), np.int64), 1, place >= 0)
        last, width = len(values), max(_BLOCK // max(own.clients, 1), 1)
        later = np.zeros((3, own.clients, 1))
        for low in range((last - 1) // width * width, -1, -width):
            high = min(low + width, last)
            each = own.sums_by(place - low, high - low, (place >= low) & (place < high))
            if feature not in ORDERED:
                yield [FeatureCondition(feature, value, True) for value in values[low:high]], each, whole
                continue
            inner = [at for at in range(low, high) if 0 < at < last - 1]
            yield [FeatureCondition(feature, values[at], True) for at in inner], each[..., [at - low for at in inner]], whole
            upwards = later + np.cumsum(each[..., ::-1], axis=2)[..., ::-1]
            outer = [at for at in range(low, high) if at]
            yield (
                [FeatureCondition(feature, values[at], True, later=True) for at in outer],
                upwards[..., [at - low for at in outer]],
                whole,
            )
            later = upwards[..., :1]
