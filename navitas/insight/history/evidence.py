"""Which commit changed a figure, given noisy comparisons of pairs of commits: the probability of each.

A model with random offsets: each build differs from others of the same code, by how it is laid out and compiled, and all its
measurements share this. More turns make an offset certain, but do not distinguish it from a change; other builds do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

_FREEDOM = 3
"""Student's t with few degrees of freedom: now and then a run is far off, since it was compiled or scheduled differently."""
_SCALES = np.geomspace(0.005, 0.4, 12)
"""Possible scales of a turn's difference. The least one is that of commits that change nothing."""
_OFFSETS = ((0.003, 0.3), (0.007, 0.3), (0.015, 0.3), (0.03, 0.08), (0.05, 0.02))
"""Possible standard deviations of builds' offsets, with their probabilities before the data."""
_SIZES = (0.03, 0.1, 0.3, 1.0)
"""Possible standard deviations of the change."""
_NO_CHANGE = 0.1
"""The probability before the data that no commit changed the figure: then the builds of the ends differ by their offsets."""
_GRID = 101
_NEGLIGIBLE = 12.0


_Locations = tuple[np.ndarray, np.ndarray, np.ndarray]


@dataclass(frozen=True, slots=True)
class Pair:
    """Turns that measured two commits, by their index: the logarithms of the later one's energy over that of the earlier one."""

    earlier: int
    later: int
    changes: np.ndarray


@dataclass(slots=True)
class CommitEvidence:
    """All turns of a search among commits 0 (good) to `last` (bad)."""

    last: int
    pairs: list[Pair] = field(default_factory=list)
    _known: dict[tuple[int, int, int], _Locations] = field(default_factory=dict)

    def add(self, earlier: int, later: int, changes: Sequence[float] | np.ndarray) -> None:
        """Add the turns of a measurement."""
        self.pairs.append(Pair(earlier, later, np.asarray(changes, dtype=float)))

    def probabilities(self) -> np.ndarray:
        """Return the probability of no change, and of each commit 1 to `last` to be the only one that changed the figure.

        Bayes' rule. Before the data, all commits are equally likely. The result is a mean over the scale of the turns' errors, of
        the offsets and of the change.
        """
        prior = np.full(self.last + 1, (1 - _NO_CHANGE) / self.last)
        prior[0] = _NO_CHANGE
        known = self._measured()
        if not known:
            return prior
        within = np.array([[one.earlier < index <= one.later for index in range(self.last + 1)] for one in known], dtype=float)
        shared = self._shared_offsets(known)
        logs = []
        located = [self._location(one) for one in known]
        weights = np.sum([weight for weight, _, _ in located], axis=0)
        means, variances = (np.array([one[part] for one in located]).T for part in (1, 2))
        likely = weights > weights.max() - _NEGLIGIBLE
        for weight, mean, variance in zip(weights[likely], means[likely], variances[likely], strict=True):
            for offset, chance in _OFFSETS:
                base, gains = _likelihoods(mean, np.diag(variance) + offset**2 * shared, within)
                logs.append(weight + np.log(chance) + base + gains)
        found = np.logaddexp.reduce(np.array(logs), axis=0) + np.log(prior)
        found = np.exp(found - found.max())
        return np.asarray(found / found.sum())

    def change(self, earlier: int, later: int) -> tuple[float, float] | None:
        """Return the mean logarithm of the change between two commits by their own turns, and its standard error by the turns."""
        known = [one for one in self._measured() if (one.earlier, one.later) == (earlier, later)]
        if not known:
            return None
        weights, means, variances = self._location(known[0])
        shares = np.exp(weights - weights.max())
        shares /= shares.sum()
        mean = float(shares @ means)
        return mean, float(np.sqrt(shares @ (variances + (means - mean) ** 2)))

    def _location(self, pair: Pair) -> _Locations:
        key = pair.earlier, pair.later, len(pair.changes)
        if key not in self._known:
            self._known[key] = _locations(pair.changes)
        return self._known[key]

    def _measured(self) -> list[Pair]:
        """The turns of each pair of commits that has some, together."""
        turns: dict[tuple[int, int], list[np.ndarray]] = {}
        for one in self.pairs:
            turns.setdefault((one.earlier, one.later), []).append(one.changes)
        joined = [Pair(*ends, np.concatenate(changes)) for ends, changes in turns.items()]
        return [one for one in joined if len(one.changes)]

    def _shared_offsets(self, known: Sequence[Pair]) -> np.ndarray:
        signs = np.zeros((len(known), self.last + 1))
        for row, one in enumerate(known):
            signs[row, one.earlier], signs[row, one.later] = -1, 1
        return np.asarray(signs @ signs.T)


def _locations(changes: np.ndarray) -> _Locations:
    """For each scale: the logarithm of its likelihood, and the mean and variance of the change. Student's t."""
    scales = _SCALES[:, None, None]
    points = np.linspace(changes.min() - 4 * _SCALES, changes.max() + 4 * _SCALES, _GRID).T
    errors = (changes - points[..., None]) / scales
    logs = (-(_FREEDOM + 1) / 2 * np.log1p(errors**2 / _FREEDOM) - np.log(scales)).sum(axis=2)
    most = logs.max(axis=1, keepdims=True)
    density = np.exp(logs - most)
    mass = density.sum(axis=1)
    means = (density * points).sum(axis=1) / mass
    variances = (density * (points - means[:, None]) ** 2).sum(axis=1) / mass
    return most[:, 0] + np.log(mass * (points[:, 1] - points[:, 0])), means, variances


def _likelihoods(means: np.ndarray, covariance: np.ndarray, within: np.ndarray) -> tuple[float, np.ndarray]:
    """Logarithms of the likelihood without a change, and what each commit's change adds to it. Normal; sizes are averaged."""
    lower = np.linalg.cholesky(covariance)
    white, directions = np.linalg.solve(lower, means), np.linalg.solve(lower, within)
    base = -0.5 * float(white @ white) - float(np.log(np.diag(lower)).sum())
    along, length = (directions * white[:, None]).sum(axis=0), (directions**2).sum(axis=0)
    gains = [0.5 * along**2 / (1 / size**2 + length) - 0.5 * np.log1p(size**2 * length) for size in _SIZES]
    return base, np.logaddexp.reduce(np.array(gains), axis=0) - np.log(len(_SIZES))
