"""Energy call trees: the calls of each thread over all tests by component, and the branches of a call tree for people."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from navitas.energy.analyze.records import Nodes
from navitas.energy.attribute.calls.paths import OUTSIDE, PROBES
from navitas.energy.attribute.component import OwnerKind
from navitas.energy.attribute.forest import binned, positions, preorder, subtree_sums
from navitas.energy.attribute.ledger import NO_TEST, Ledger, counted_runs
from navitas.recording.parse.arrays import F64, I64, Bool


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

    @property
    def without_probes_j(self) -> float:
        """The sum over components of the energy without that of probes and that outside of tests."""
        return self.energy_j - sum(self.probes) - sum(self.outside_tests)


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
    count, self_ns = (binned(index, column[called], len(key)) for column in (calls.calls, calls.self_ns))
    samples = None if calls.samples is None else binned(index, calls.samples[called], len(key))
    nodes = _nodes(ledger, key, (exclusive_j, count, self_ns, samples), size, everything=component is None)
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


def _nodes(ledger: Ledger, key: I64, columns: tuple[F64, F64, F64, F64 | None], trees: int, *, everything: bool) -> list[Nodes]:
    """Return the nodes of each tree in depth-first order. Without `everything`, only those with energy at or below them.

    `key` is tree × number of paths + path. The callers of a call path have rows, too. `columns` are self energies by component,
    calls, self time, and stack samples.
    """
    (exclusive_j, calls, self_ns, samples), width = columns, len(ledger.paths)
    tree, path = key // width, key % width
    caller, method, components = ledger.paths.parent[path], ledger.paths.method[path], exclusive_j.shape[1]
    above = np.where(caller == OUTSIDE, -1, np.searchsorted(key, tree * width + caller))
    is_used = (exclusive_j != 0).any(axis=1)
    below = subtree_sums(above, np.column_stack([exclusive_j, self_ns, np.ones(len(key)), is_used]))
    inclusive_j, wall_ns, size = below[:, :components], below[:, components], below[:, components + 1]
    rank = positions(np.lexsort((method, -inclusive_j.sum(axis=1), tree)))
    row = positions(preorder(above, rank, np.rint(size).astype(np.int64)))
    row = row if everything else row[below[row, components + 2] > 0]
    place = np.full(len(key) + 1, -1)
    place[row] = np.arange(len(row))
    start = np.searchsorted(tree[row], np.arange(trees + 1))
    parent, count = place[above[row]], np.rint(calls).astype(np.int64)
    nodes = []
    for low, high in zip(start[:-1].tolist(), start[1:].tolist(), strict=True):
        rows, own = row[low:high], parent[low:high]
        by = exclusive_j[rows], inclusive_j[rows]
        energies = by[1].sum(axis=1), by[0].sum(axis=1)
        wall = np.rint(wall_ns[rows]).astype(np.int64)
        parents = np.where(own >= 0, own - low, -1)
        own_samples = None if samples is None else np.rint(samples[rows]).astype(np.int64)
        columns_of = parents, method[rows], count[rows], *energies, wall
        nodes.append(Nodes(*columns_of, exclusive_by=by[0], inclusive_by=by[1], samples=own_samples))
    return nodes


@dataclass(frozen=True, slots=True)
class Branch:
    """The calls of one method below one branch, with direct recursion folded in.

    - `id`: the id of its first node.
    - `inclusive_j`, `wall_ns`: sums over the outermost calls.
    - `levels`: the depth of the recursion; 1 without recursion.
    - `below`: the nodes that calls at any level call.
    - `outermost`: the nodes of the outermost calls.
    """

    id: int
    method: int
    inclusive_j: float
    exclusive_j: float
    calls: int
    wall_ns: int
    levels: int
    below: tuple[int, ...]
    outermost: tuple[int, ...] = ()


class Branches:
    """The branches of one call tree, computed level by level on demand. Nodes are integers, since trees have millions of them."""

    def __init__(self, nodes: Nodes) -> None:
        parents, self._method, _, self._inclusive_j, self._exclusive_j, self._wall_ns = (
            column.tolist() for column in nodes.columns
        )
        self._calls = nodes.counted.tolist()
        self._children: dict[int, list[int]] = {}
        for node, parent in enumerate(parents):
            self._children.setdefault(parent, []).append(node)

    def top(self) -> list[Branch]:
        """Return the outermost branches, largest inclusive energy first."""
        return self._branches(self._children.get(-1, ()))

    def below(self, branch: Branch) -> list[Branch]:
        """Return the branches that a branch calls, largest inclusive energy first. Calls from all recursion levels are merged."""
        return self._branches(branch.below)

    def _branches(self, nodes: Iterable[int]) -> list[Branch]:
        by_method: defaultdict[int, list[int]] = defaultdict(list)
        for node in nodes:
            by_method[self._method[node]].append(node)
        return sorted(map(self._branch, by_method.values()), key=lambda branch: (-branch.inclusive_j, branch.id))

    def _branch(self, outermost: Sequence[int]) -> Branch:
        method = self._method[outermost[0]]
        exclusive_j, calls, levels = 0.0, 0, 0
        below: list[int] = []
        level: Sequence[int] = outermost
        while level:
            levels += 1
            exclusive_j += sum(self._exclusive_j[node] for node in level)
            calls += sum(self._calls[node] for node in level)
            called = [child for node in level for child in self._children.get(node, ())]
            below += [child for child in called if self._method[child] != method]
            level = [child for child in called if self._method[child] == method]
        return Branch(
            id=outermost[0],
            method=method,
            inclusive_j=sum(self._inclusive_j[node] for node in outermost),
            exclusive_j=exclusive_j,
            calls=calls,
            wall_ns=sum(self._wall_ns[node] for node in outermost),
            levels=levels,
            below=tuple(below),
            outermost=tuple(outermost),
        )


def inclusive_j(branches: Iterable[Branch]) -> float:
    """Return the sum of the inclusive energies of sibling branches."""
    return sum(branch.inclusive_j for branch in branches)
