"""Which commit changed a figure, given noisy comparisons of pairs of commits: the probability of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from navitas.extra_libraries import extra_library

_RUNS, _RUNS_FREEDOM = 0.05, 4
"""The deviation of a turn's difference that is assumed before there is data, and how many turns it counts as."""
_COMMITS = 0.005
"""The standard deviation of commits that change nothing: each build's code is laid out and compiled differently."""
_GRID = 81


@dataclass(frozen=True, slots=True)
class Pair:
    """Turns that measured two commits, by their index: the logarithms of the later one's energy over that of the earlier one."""

    earlier: int
    later: int
    changes: np.ndarray


@dataclass(slots=True)
class Evidence:
    """All turns of a search among commits 0 (good) to `last` (bad)."""

    last: int
    pairs: list[Pair] = field(default_factory=list)

    def add(self, earlier: int, later: int, changes: Sequence[float] | np.ndarray) -> None:
        """Add turns. Those of one pair are one sample, however many times it was measured."""
        values = np.asarray(changes, dtype=float)
        known = next((pair for pair in self.pairs if (pair.earlier, pair.later) == (earlier, later)), None)
        if known is not None:
            self.pairs.remove(known)
            values = np.concatenate([known.changes, values])
        self.pairs.append(Pair(earlier, later, values))

    def turns(self, earlier: int, later: int) -> int:
        """Return how many turns measured a pair."""
        return sum(len(pair.changes) for pair in self.pairs if (pair.earlier, pair.later) == (earlier, later))

    def deviation(self) -> tuple[float, float]:
        """Return the standard deviation of a turn's difference, and its degrees of freedom, from all pairs together."""
        squares = sum(float(((pair.changes - pair.changes.mean()) ** 2).sum()) for pair in self.pairs)
        freedom = _RUNS_FREEDOM + sum(len(pair.changes) - 1 for pair in self.pairs)
        return float(np.sqrt((_RUNS_FREEDOM * _RUNS**2 + squares) / freedom)), float(freedom)

    def probabilities(self) -> np.ndarray:
        """Return the probability of each commit 1 to `last` to be the one that changed the figure.

        Bayes' rule: before the data, all are equally likely. The size of the change is unknown: it is near the one between good
        and bad, and the result is a mean over its values.
        """
        deviation, freedom = self.deviation()
        whole = next(pair for pair in self.pairs if (pair.earlier, pair.later) == (0, self.last))
        error = np.sqrt(deviation**2 / len(whole.changes) + _COMMITS**2)
        sizes = whole.changes.mean() + error * np.linspace(-4, 4, _GRID)
        first = np.arange(1, self.last + 1)
        logs = np.zeros((self.last, _GRID))
        for pair in self.pairs:
            within = (first > pair.earlier) & (first <= pair.later)
            scale = np.sqrt(deviation**2 / len(pair.changes) + _COMMITS**2)
            logs += _stats().t.logpdf(pair.changes.mean(), freedom, within[:, None] * sizes, scale)
        likelihood = np.exp(logs - logs.max()).sum(axis=1)
        return np.asarray(likelihood / likelihood.sum())


def _stats() -> Any:
    return extra_library("scipy.stats", "bisecting needs", "history")
