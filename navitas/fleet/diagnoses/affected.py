"""Trees of apps with bugs: which phones have the bug, and under which conditions the app drains there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from navitas.fleet.diagnoses.conditions import ConditionStrata
from navitas.fleet.diagnoses.strata import random_clients
from navitas.fleet.diagnoses.tree import ORDERED, FeatureCondition, TreeNode, narrowed
from navitas.fleet.statistics import CONFIDENCE, I64, Bool, Contrast, contrast, overlap_p_value, shrunk, within

_PHONES = ("os", "model")
_WITHIN = ("version", "network", "screen")
_MIN_CLIENTS, _MIN_AFFECTED = 3, 2
_MAX_DEPTH = 2


@dataclass(frozen=True, slots=True)
class Affected:
    """Clients on which an app has a bug.

    `noise_scale` is the clients' real spread divided by the spread that the variance of their pairs implies. `spread` is the
    mean square of all bugs' drains. Estimates are shrunk by it, because selection by size makes them too large.
    """

    clients: I64
    noise_scale: float
    spread: float


def grow_affected(strata: ConditionStrata, affected: Affected, least_ppm_s: float) -> TreeNode:
    """Split an app's strata by a condition that the affected phones share, then by other conditions of the drain.

    Few phones have a bug, so means over all phones show little. The first condition is on the OS or the model: affected clients
    meet it far more often than all clients that run the app (hypergeometric test, Bonferroni over conditions). Further
    conditions compare an affected client with itself, by the noise of its own pairs. Pairs whose ends differ are on neither
    side. Randomly chosen clients that do not meet the first condition are the control group.
    """
    hit = np.isin(strata.clients, affected.clients)
    shared = _shared(strata, hit)
    if shared is None:
        return _grown(strata, affected, (), hit[strata.cluster], least_ppm_s)
    condition, met = shared
    chosen = np.isin(strata.clients, random_clients(strata.clients[strata.contrasted]))
    rest = (chosen & ~met)[strata.cluster]
    against = TreeNode((condition.opposite(),), rest, contrast(strata.cluster, strata.s, strata.w, rest), is_control=True)
    inside = _grown(strata, affected, (condition,), (hit & met)[strata.cluster], least_ppm_s)
    return TreeNode((), rest | inside.rows, inside.effect, (inside, against))


def _shared(strata: ConditionStrata, hit: Bool) -> tuple[FeatureCondition, Bool] | None:
    """The condition with the most significant excess of affected clients, and the clients that meet it."""
    contrasted = strata.contrasted
    first = np.unique(strata.cluster, return_index=True)[1]
    tries = []
    for feature in _PHONES:
        place = strata.features[feature].place[first]
        for condition, met in _conditions(strata, feature, place, contrasted):
            if min(np.count_nonzero(contrasted & met), np.count_nonzero(contrasted & ~met)) >= _MIN_CLIENTS:
                tries.append((condition, met))
                if condition.later:
                    tries.append((condition.opposite(), ~met & (place >= 0)))
    if not tries or np.count_nonzero(hit & contrasted) < _MIN_AFFECTED:
        return None
    p = [overlap_p_value(contrasted, hit & contrasted, met) for _, met in tries]
    best = int(np.argmin(p))
    return tries[best] if p[best] * len(tries) <= 1 - CONFIDENCE else None


def _grown(strata: ConditionStrata, affected: Affected, path: tuple[FeatureCondition, ...], rows: Bool, least: float) -> TreeNode:
    effect = _effect(strata, affected, rows)
    known = [feature for feature in _WITHIN if feature in strata.features]
    tries = [one for feature in known for one in _sides(strata, feature, rows)] if len(path) < _MAX_DEPTH else []
    best, gap = None, 0.0
    for condition, met, rest in tries:
        found = within(strata.cluster, (strata.s, strata.w, strata.noise), met, rest)
        error = affected.noise_scale * found.error
        bound = abs(found.value) - found.quantile(1 - (1 - CONFIDENCE) / 2 / len(tries)) * error
        if bound > gap and abs(found.value) >= least:
            best, gap = (condition, met, rest), bound
    if best is None:
        return TreeNode(path, rows, effect)
    condition, met, rest = best
    feature = strata.features[condition.feature]
    children = (
        _grown(strata, affected, narrowed(path, condition, feature), met, least),
        _grown(strata, affected, narrowed(path, condition.opposite(), feature), rest, least),
    )
    return TreeNode(path, rows, effect, children)


def _effect(strata: ConditionStrata, affected: Affected, rows: Bool) -> Contrast:
    w = float(strata.w[rows].sum())
    if not w:
        return Contrast(np.nan, np.nan, np.nan)
    value, error = float(strata.s[rows].sum()) / w, affected.noise_scale * float(np.sqrt(strata.noise[rows].sum())) / w
    (value,), (error,) = (ends.tolist() for ends in shrunk(np.array([value]), np.array([error]), affected.spread))
    return Contrast(value, error, np.inf)


def _sides(strata: ConditionStrata, feature: str, rows: Bool) -> Iterator[tuple[FeatureCondition, Bool, Bool]]:
    place = strata.features[feature].place
    contrasted = rows & (strata.w > 0)
    for condition, met in _conditions(strata, feature, place, contrasted):
        yield condition, rows & met, rows & ~met & (place >= 0)


def _conditions(
    strata: ConditionStrata, feature: str, place: NDArray[np.int32], contrasted: Bool
) -> Iterator[tuple[FeatureCondition, Bool]]:
    """Conditions on the feature's values among `contrasted` rows, and the rows that meet each."""
    names = strata.features[feature].values
    values = np.unique(place[contrasted & (place >= 0)]).tolist()
    for value in values if len(values) > 1 else []:
        if feature not in ORDERED or value not in (values[0], values[-1]):
            yield FeatureCondition(feature, names[value], True), place == value
        if feature in ORDERED and value != values[0]:
            yield FeatureCondition(feature, names[value], True, later=True), place >= value
