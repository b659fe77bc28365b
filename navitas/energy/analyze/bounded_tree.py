"""The call trees of tests by thread, of bounded size: calls that are too small to see are merged below their caller."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from navitas.energy.analyze.repeats import Repeats, weights_of_tests
from navitas.energy.analyze.roll_up import first_ids
from navitas.energy.attribute.calls.paths import OUTSIDE, PROBES
from navitas.energy.attribute.component import OwnerKind
from navitas.energy.attribute.forest import binned, path_sums, positions, preorder, subtree_sums, sums
from navitas.energy.attribute.ledger import NO_TEST, Calls, Energy, Ledger
from navitas.recording.parse.arrays import F64, I64, Bool
from navitas.recording.parse.roles import NOT_THE_TESTS

OUTSIDE_CALLS = -1
"""A method number for energy outside of methods with probes."""
SMALLER = -2
"""A method number for the merged small calls of one caller."""
NON_THREADS = {
    OwnerKind.BASE: ("(base)", "base"),
    OwnerKind.OTHER_PROCESSES: ("(other processes)", "other_processes"),
    OwnerKind.UNATTRIBUTED: ("(unattributed)", "unattributed"),
}
"""Name and role that stand for what is no thread."""
SMALLER_THREADS = ("(smaller threads)", "smaller")


@dataclass(frozen=True, slots=True)
class BoundedTree:
    """Nodes in depth-first order: callers precede callees, siblings are sorted by inclusive energy, largest first.

    - `threads`: name and role of each thread; threads of equal name and role are one. `is_app`: whether it counts as app energy.
    - `parent`: a node, -1 at a root. `method`: an index of `Ledger.methods`, `OUTSIDE_CALLS` or `SMALLER`.
    - `test`: an index of the tests that the tree is of. `thread`: an index of `threads`.
    - `self_by`: self energy by component. `calls` (or stack samples), `self_ns`: means over the runs that count. Merged nodes
      have sums.
    - `node_of`: the node that has the energy of each row of `FullTree`.
    - `before_j`: self energy in an earlier recording.
    """

    threads: tuple[tuple[str, str], ...]
    is_app: tuple[bool, ...]
    parent: I64
    method: I64
    test: I64
    thread: I64
    self_by: F64
    calls: F64
    self_ns: F64
    node_of: I64
    before_j: F64

    def __len__(self) -> int:
        return len(self.parent)


@dataclass(frozen=True, slots=True)
class FullTree:
    """All nodes of the trees of some tests, by `key`: test, then thread, then call path. Columns are those of `BoundedTree`.

    `label` is the thread of each owner, `group` the test of each row of `Ledger.tests` (-1: left out), and `weights` what a
    joule of each row counts: of an app's thread, and of others. `paths` is the number of call paths.
    """

    threads: tuple[tuple[str, str], ...]
    is_app: Bool
    key: I64
    parent: I64
    method: I64
    test: I64
    thread: I64
    self_by: F64
    calls: F64
    self_ns: F64
    before_j: F64
    label: I64
    group: I64
    weights: F64
    paths: int

    def key_of(self, test: I64, owner: I64, path: I64) -> I64:
        """Return the key of a call path of an owner in a row of `Ledger.tests`."""
        return (self.group[test] * len(self.threads) + self.label[owner]) * self.paths + path


def full_tree(ledger: Ledger, tests: Sequence[Sequence[Repeats]]) -> FullTree:
    """Return the trees of each of `tests`, which can each merge several tests of a recording.

    A test's tree is the mean of its runs that count, scaled to its median: the nodes of app threads add up to the median of app
    energy, and all nodes to the median of compensated energy, if that of other energy is within the limits of scaling
    (`_weights`). Energy is without that of probes.
    """
    group, weights = weights_of_tests(len(ledger.tests), tests)
    threads, is_app, label = _threads(ledger)
    energy, calls, width = ledger.energy, ledger.calls, len(ledger.paths)
    of_energy = (energy.test != NO_TEST) & (group[energy.test] >= 0) & (energy.path != PROBES)
    of_calls = group[calls.test] >= 0

    def keys(table: Energy | Calls, rows: Bool) -> I64:
        return (group[table.test[rows]] * len(threads) + label[table.owner[rows]]) * width + table.path[rows]

    key = np.unique(np.concatenate([keys(energy, of_energy), keys(calls, of_calls)]))
    size, components = len(key), len(ledger.components)

    # Columns of all rows are large: those of a function go at its end.
    def self_by() -> F64:
        weight = weights[np.where(is_app[label[energy.owner[of_energy]]], 0, 1), energy.test[of_energy]]
        cell = np.searchsorted(key, keys(energy, of_energy)) * components + energy.component[of_energy]
        return binned(cell, energy.exclusive_j[of_energy] * weight, size * components).reshape(size, components)

    def per_run(column: I64 | F64) -> F64:
        row = np.searchsorted(key, keys(calls, of_calls))
        return binned(row, column[of_calls] * weights[2, calls.test[of_calls]], size)

    path = key % width
    caller = np.maximum(ledger.paths.parent[path], OUTSIDE)
    method = ledger.paths.method[path]
    methods, method_of = np.unique(method, return_inverse=True)
    is_call = methods >= 0
    methods[is_call] = first_ids(ledger.methods, methods[is_call])
    return FullTree(
        threads=threads,
        is_app=is_app,
        key=key,
        parent=np.where(caller == OUTSIDE, -1, np.searchsorted(key, key - path + caller)),
        method=methods[method_of],
        test=key // width // len(threads),
        thread=key // width % len(threads),
        self_by=self_by(),
        calls=per_run(calls.counted),
        self_ns=per_run(calls.self_ns),
        before_j=np.zeros(size),
        label=label,
        group=group,
        weights=weights,
        paths=width,
    )


def _threads(ledger: Ledger) -> tuple[tuple[tuple[str, str], ...], Bool, I64]:
    """Return the threads by name and role, whether each counts as app energy, and the thread of each owner."""
    owners, numbers = ledger.owners, dict[tuple[str, str], int]()
    label = np.zeros(len(owners), np.int64)
    for owner, (kind, name, role) in enumerate(zip(owners.kind.tolist(), owners.name, owners.role, strict=True)):
        thread = (name, role) if kind == OwnerKind.THREAD else NON_THREADS[OwnerKind(kind)]
        label[owner] = numbers.setdefault(thread, len(numbers))
    numbers.setdefault(SMALLER_THREADS, len(numbers))
    others = {*NOT_THE_TESTS, *(role for _, role in NON_THREADS.values())}
    return tuple(numbers), np.array([role not in others for _, role in numbers]), label


def bounded_tree(tree: FullTree, most: int) -> BoundedTree:
    """Keep the nodes with the most energy at or below them, at most `most`, and merge the others below their caller.

    Small calls of one caller become one node. The small threads of one test become one, unless a node of the thread is kept.
    """
    levels = path_sums(tree.parent, np.ones(len(tree.key), np.int64))
    size_j = np.abs(tree.self_by.sum(axis=1)) + np.abs(tree.before_j)
    below = subtree_sums(tree.parent, np.column_stack([tree.self_by, tree.self_ns, tree.before_j, size_j]))
    size_j = below[:, -1]
    is_large = np.ones(len(size_j), bool)
    if len(size_j) > most:
        is_large = size_j > np.partition(size_j, len(size_j) - most - 1)[len(size_j) - most - 1]
    kept = np.flatnonzero(path_sums(tree.parent, is_large.astype(np.int64)) == levels)
    node = np.full(len(tree.key) + 1, -1)
    node[kept] = np.arange(len(kept))
    # What is left out below a node that is kept, or as a root.
    is_cut = node[:-1] < 0
    is_cut[is_cut] = (tree.parent[is_cut] < 0) | (node[tree.parent[is_cut]] >= 0)
    cut = np.flatnonzero(is_cut)
    app = tree.is_app[tree.thread]
    cell = tree.test * len(tree.threads) + tree.thread
    # App energy stays app energy: small threads that do not count as such stay what they are.
    is_lone = app & ~np.isin(cell, cell[kept])
    thread = np.where(is_lone, len(tree.threads) - 1, tree.thread)
    owner = np.stack([node[tree.parent[cut]], tree.test[cut], thread[cut]])
    merged, index = np.unique(owner, axis=1, return_inverse=True)
    index, count = index.reshape(-1), merged.shape[1]
    components = tree.self_by.shape[1]
    node_of = node[:-1].copy()
    node_of[cut] = len(kept) + index
    bounded = BoundedTree(
        threads=tree.threads,
        is_app=tuple(tree.is_app.tolist()),
        parent=np.concatenate([node[tree.parent[kept]], merged[0]]),
        method=np.concatenate([tree.method[kept], np.full(count, SMALLER)]),
        test=np.concatenate([tree.test[kept], merged[1]]),
        thread=np.concatenate([tree.thread[kept], merged[2]]),
        self_by=np.concatenate([tree.self_by[kept], sums(index, below[cut, :components], count)]),
        calls=np.concatenate([tree.calls[kept], binned(index, tree.calls[cut], count)]),
        self_ns=np.concatenate([tree.self_ns[kept], binned(index, below[cut, components], count)]),
        node_of=node_of[_nearest(node_of, tree.parent)],
        before_j=np.concatenate([tree.before_j[kept], binned(index, below[cut, components + 1], count)]),
    )
    return in_order(bounded)


def _nearest(node_of: I64, parent: I64) -> I64:
    """Return for each row itself if it has a node, else the nearest of its callers that has one."""
    up = np.where(node_of >= 0, np.arange(len(parent)), parent)
    while (node_of[up] < 0).any():
        up = up[up]
    return up


def in_order(tree: BoundedTree) -> BoundedTree:
    """Return the tree with its nodes in depth-first order, by test, then thread, siblings by inclusive energy."""
    below = subtree_sums(tree.parent, np.column_stack([tree.self_by.sum(axis=1), np.ones(len(tree))]))
    rank = positions(np.lexsort((tree.method, -below[:, 0], tree.thread, tree.test)))
    at = preorder(tree.parent, rank, np.rint(below[:, 1]).astype(np.int64))
    row = positions(at)
    return replace(
        tree,
        parent=np.where(tree.parent[row] >= 0, at[tree.parent[row]], -1),
        method=tree.method[row],
        test=tree.test[row],
        thread=tree.thread[row],
        self_by=tree.self_by[row],
        calls=tree.calls[row],
        self_ns=tree.self_ns[row],
        node_of=at[tree.node_of],
        before_j=tree.before_j[row],
    )
