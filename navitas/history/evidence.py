"""Which commit changed a figure, given noisy comparisons of pairs of commits: the probability of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

_FREEDOM = 3
"""Student's t with few degrees of freedom: now and then a run is far off, since it was compiled or scheduled differently."""
_SCALES = np.geomspace(0.005, 0.4, 12)
"""Possible scales of a turn's difference. The least one is that of commits that change nothing."""
_SIZES = 31


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

    def add(self, earlier: int, later: int, changes: Sequence[float] | np.ndarray) -> None:
        """Add the turns of a measurement."""
        self.pairs.append(Pair(earlier, later, np.asarray(changes, dtype=float)))

    def probabilities(self) -> np.ndarray:
        """Return the probability of each commit 1 to `last` to be the one that changed the figure.

        Bayes' rule. Before the data, all commits are equally likely, and so are all sizes of the change near that between good
        and bad, and all scales of the turns' errors. The result is a mean over sizes and scales.
        """
        sizes = self._sizes()
        first = np.arange(1, self.last + 1)
        logs = np.zeros((self.last, len(_SCALES), len(sizes)))
        for pair in self.pairs:
            within = (first > pair.earlier) & (first <= pair.later)
            logs[within] += _likelihood(pair.changes, sizes)
            logs[~within] += _likelihood(pair.changes, np.zeros(1))
        likelihood = np.exp(logs - logs.max()).sum(axis=(1, 2))
        return np.asarray(likelihood / likelihood.sum())

    def _sizes(self) -> np.ndarray:
        known = [pair.changes for pair in self.pairs if (pair.earlier, pair.later) == (0, self.last)]
        changes = np.concatenate(known)
        middle = float(np.median(changes))
        error = 2 * float(np.median(np.abs(changes - middle))) / np.sqrt(len(changes))
        width = max(4 * error, abs(middle) / 2)
        return np.linspace(middle - width, middle + width, _SIZES)


def _likelihood(changes: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Logarithms of the likelihood of turns, by scale and size, but for a constant: Student's t."""
    scales = _SCALES[:, None]
    errors = (changes[:, None, None] - sizes) / scales
    return np.asarray((-(_FREEDOM + 1) / 2 * np.log1p(errors**2 / _FREEDOM) - np.log(scales)).sum(axis=0))
