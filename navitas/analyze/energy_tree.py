"""Energy call trees: the calls of each thread over all tests, with self and inclusive energy by component."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from navitas.analyze.records import Nodes
from navitas.attribute.calls.paths import OUTSIDE, PROBES
from navitas.attribute.forest import binned, preorder, subtree_sums
from navitas.attribute.ledger import NO_TEST, Ledger, counted_runs
from navitas.attribute.owner_kind import OwnerKind
from navitas.parse.arrays import F64, I64, Bool


@dataclass(frozen=True, slots=True)
class EnergyTree:
    """The threads of one name and role: Σ exclusive_j of nodes + untraced + probes + outside_tests = energy.

    Each of these energies has a value for each of `components`. `nodes` are in depth-first order, siblings by inclusive energy,
    largest first. Energies of nodes (`inclusive_j`, `exclusive_j`) are sums over `components`.
    """

    name: str
    role: str
    components: tuple[str, ...]
    energy: tuple[float, ...]
    untraced: tuple[float, ...]
    probes: tuple[float, ...]
    outside_tests: tuple[float, ...]
    nodes: Nodes

    @property
    def energy_j(self) -> float:
        """The sum over components."""
        return sum(self.energy)


def energy_trees(ledger: Ledger, component: str | None = None) -> tuple[EnergyTree, ...]:
    """Return the call trees of all threads by name and role, largest energy first, over all runs without baseline runs.

    Charges of calls are in the call that caused them. With a component, trees have only its energy, and the calls that used it.
    """
    places = [i for i, name in enumerate(ledger.components) if component in (None, name)]
    counted = counted_runs(ledger)[ledger.owners.run]
    label, labels = _labels(ledger, counted)
    size, width = len(labels), len(ledger.paths)
    energy, calls = ledger.energy, ledger.calls
    called = np.flatnonzero(label[calls.owner] >= 0)
    key, index = np.unique(label[calls.owner[called]] * width + calls.path[called], return_inverse=True)
    of_threads = np.flatnonzero(label[energy.owner] >= 0)
    owner, path, test = label[energy.owner[of_threads]], energy.path[of_threads], energy.test[of_threads]
    column, joules = energy.component[of_threads].astype(np.int64), energy.exclusive_j[of_threads]

    def table(rows: Bool, place: I64, count: int) -> F64:
        cells = place * len(ledger.components) + column[rows]
        found = np.bincount(cells, joules[rows], count * len(ledger.components))
        return found.reshape(count, len(ledger.components))[:, places].astype(np.float64)

    in_calls, outside = path > PROBES, test == NO_TEST
    exclusive_j = table(in_calls, np.searchsorted(key, owner[in_calls] * width + path[in_calls]), len(key))
    of_thread = (np.ones(len(path), bool), (path == OUTSIDE) & ~outside, path == PROBES, (path == OUTSIDE) & outside)
    figures = (list(map(tuple, table(rows, owner[rows], size).tolist())) for rows in of_thread)
    forest = _forest(ledger, key, exclusive_j)
    count, self_ns = (binned(index, column[called], len(key)) for column in (calls.calls, calls.self_ns))
    nodes = forest.nodes(np.rint(count).astype(np.int64), self_ns, size, everything=component is None)
    names = tuple(ledger.components[i] for i in places)
    found = [
        EnergyTree(name, role, names, whole, untraced, probes, beyond, own)
        for (role, name), whole, untraced, probes, beyond, own in zip(labels, *figures, nodes, strict=True)
    ]
    used = [tree for tree in found if len(tree.nodes) or any(tree.energy)]
    return tuple(sorted(used, key=lambda tree: -tree.energy_j))


def _labels(ledger: Ledger, counted: Bool) -> tuple[I64, list[tuple[str, str]]]:
    """Return a number for each owner (-1: no thread, or of a baseline run), and the role and name of each number."""
    owners, numbers = ledger.owners, dict[tuple[str, str], int]()
    label = np.full(len(owners), -1)
    for owner in np.flatnonzero(counted & (owners.kind == OwnerKind.THREAD)).tolist():
        label[owner] = numbers.setdefault((owners.role[owner], owners.name[owner]), len(numbers))
    return label, list(numbers)


@dataclass(frozen=True, slots=True)
class _Forest:
    """The nodes of all trees: the tree of each, the row of its caller (-1 at a root), its method, and its self energies."""

    tree: I64
    parent: I64
    method: I64
    exclusive_j: F64

    def nodes(self, calls: I64, self_ns: F64, trees: int, *, everything: bool) -> list[Nodes]:
        """Return the nodes of each tree in depth-first order. Without `everything`, only those with energy at or below them."""
        components = self.exclusive_j.shape[1]
        is_used = (self.exclusive_j != 0).any(axis=1)
        below = subtree_sums(self.parent, np.column_stack([self.exclusive_j, self_ns, np.ones(len(calls)), is_used]))
        inclusive_j, wall_ns, size = below[:, :components], below[:, components], below[:, components + 1]
        rank = np.empty(len(calls), np.int64)
        rank[np.lexsort((self.method, -inclusive_j.sum(axis=1), self.tree))] = np.arange(len(calls))
        at = preorder(self.parent, rank, np.rint(size).astype(np.int64))
        row = np.empty(len(at), np.int64)
        row[at] = np.arange(len(at))
        row = row if everything else row[below[row, components + 2] > 0]
        place = np.full(len(calls) + 1, -1)
        place[row] = np.arange(len(row))
        start = np.searchsorted(self.tree[row], np.arange(trees + 1))
        parent = place[self.parent[row]]
        found = []
        for low, high in zip(start[:-1].tolist(), start[1:].tolist(), strict=True):
            rows, own = row[low:high], parent[low:high]
            by = self.exclusive_j[rows], inclusive_j[rows]
            columns = (np.where(own >= 0, own - low, -1), self.method[rows], calls[rows], by[1].sum(axis=1), by[0].sum(axis=1))
            wall = np.rint(wall_ns[rows]).astype(np.int64)
            found.append(Nodes(*columns, wall, exclusive_by=by[0], inclusive_by=by[1]))
        return found


def _forest(ledger: Ledger, key: I64, exclusive_j: F64) -> _Forest:
    """Link the nodes with these keys (tree × number of paths + path). The callers of a call path have rows, too."""
    width = len(ledger.paths)
    tree, path = key // width, key % width
    caller = ledger.paths.parent[path]
    parent = np.where(caller == OUTSIDE, -1, np.searchsorted(key, tree * width + caller))
    return _Forest(tree, parent, ledger.paths.method[path], exclusive_j)
