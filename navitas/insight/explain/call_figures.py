"""Self energy and calls by method, thread, test and caller, from the call trees of all tests."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from navitas.energy.analyze.bounded_tree import OUTSIDE_CALLS, FullTree, full_tree
from navitas.energy.attribute.forest import binned, path_sums
from navitas.insight.verdict.figures import Figures
from navitas.recording.parse.arrays import F64, I64, Bool


class CallFigures:
    """Sums over the nodes of call trees. Energies add up to app energy, as those of `Figures`.

    Sums are lists of keys with joules and calls, largest energy first.
    """

    def __init__(self, figures: Figures) -> None:
        self.figures = figures

    @cached_property
    def tree(self) -> FullTree:
        """The call trees: test i is `figures.groups[i]`."""
        return full_tree(self.figures.profile.ledger, [[group] for group in self.figures.groups])

    @cached_property
    def app(self) -> I64:
        """The nodes of the app's threads."""
        return np.flatnonzero(self.tree.is_app[self.tree.thread])

    def by(self, key: I64, nodes: I64, energy_j: F64 | None = None) -> list[tuple[int, float, float]]:
        """Return each key with the self energy and the calls of the nodes that have it. `key` has a value for each node."""
        joules = self.tree.self_by.sum(axis=1) if energy_j is None else energy_j
        keys, index = np.unique(key[nodes], return_inverse=True)
        sums_j = binned(index, joules[nodes], len(keys))
        calls = binned(index, self.tree.calls[nodes], len(keys))
        rows = zip(keys.tolist(), sums_j.tolist(), calls.tolist(), strict=True)
        return sorted(rows, key=lambda row: -row[1])

    def of_method(self, method: int) -> I64:
        """Return the nodes of a method, on threads of the app."""
        return np.asarray(self.app[self.tree.method[self.app] == method], np.int64)

    def of_threads(self, role: str, name: str | None) -> I64:
        """Return the nodes of the threads of a role, or of those with the name, also of threads outside of the app."""
        is_chosen = [of == role and name in (None, own) for own, of in self.tree.threads]
        return np.flatnonzero(np.array(is_chosen, bool)[self.tree.thread])

    def callers(self, nodes: I64) -> I64:
        """Return the method that called each node; `OUTSIDE_CALLS` for an outermost call. One for each node of the tree."""
        parent = self.tree.parent
        return np.asarray(np.where(parent >= 0, self.tree.method[parent], OUTSIDE_CALLS), np.int64)

    def below(self, nodes: I64) -> I64:
        """Return the nodes below these ones, without these."""
        is_start = np.zeros(len(self.tree.key), np.int64)
        is_start[nodes] = 1
        is_below: Bool = path_sums(self.tree.parent, is_start) > 0
        is_below[nodes] = False
        return np.flatnonzero(is_below)

    def is_call(self, nodes: I64) -> I64:
        """Return those of the nodes that are calls, not energy outside of calls."""
        return nodes[self.tree.method[nodes] >= 0]
