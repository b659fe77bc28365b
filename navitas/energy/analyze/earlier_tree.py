"""Call trees of two recordings as one: each node has its energy in both. Methods are equal by module, class, name, descriptor."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from navitas.energy.analyze.bounded_tree import FullTree
from navitas.energy.analyze.roll_up import first_ids
from navitas.energy.attribute.calls.paths import PROBES
from navitas.energy.attribute.forest import binned, path_sums
from navitas.energy.attribute.ledger import Ledger
from navitas.recording.parse.arrays import I64
from navitas.recording.parse.tables import MethodTable


def earlier_methods(methods: MethodTable, earlier: MethodTable) -> I64:
    """Return the number of each method of an earlier recording: that of the same method, or one beyond those of `methods`."""
    size, numbers = len(methods.methods), dict[tuple[str, str, str, str], int]()
    for number, method in enumerate(methods.methods):
        numbers.setdefault(method.identity, number)
    for number, method in enumerate(earlier.methods, size):
        numbers.setdefault(method.identity, number)
    return np.array([numbers[method.identity] for method in earlier.methods], np.int64)


def joined_tree(ledger: Ledger, tree: FullTree, earlier_ledger: Ledger, earlier: FullTree) -> FullTree:
    """Return the rows of both trees, whose tests have the same numbers. Methods have the numbers of `earlier_methods`."""
    threads = {thread: number for number, thread in enumerate(tree.threads[:-1])}
    for thread in earlier.threads[:-1]:
        threads.setdefault(thread, len(threads))
    smaller = tree.threads[-1]
    places = np.array([*(threads[thread] for thread in earlier.threads[:-1]), len(threads)])
    names = (*threads, smaller)
    is_app = np.zeros(len(names), bool)
    is_app[places], is_app[: len(tree.threads) - 1], is_app[-1] = earlier.is_app, tree.is_app[:-1], True
    paths, parent, method = _joined_paths(ledger, earlier_ledger)

    def keys(full: FullTree, thread: I64, path: I64) -> I64:
        return (full.test * len(names) + thread) * len(parent) + path

    own = keys(tree, tree.thread, tree.key % tree.paths)
    others = keys(earlier, places[earlier.thread], paths[earlier.key % earlier.paths])
    key = np.unique(np.concatenate([own, others]))
    row, size = np.searchsorted(key, own), len(key)
    path = key % len(parent)
    caller = parent[path]
    self_by = np.zeros((size, tree.self_by.shape[1]))
    calls, self_ns = np.zeros(size), np.zeros(size)
    self_by[row], calls[row], self_ns[row] = tree.self_by, tree.calls, tree.self_ns
    return replace(
        tree,
        threads=names,
        is_app=is_app,
        key=key,
        parent=np.where(caller <= PROBES, -1, np.searchsorted(key, key - path + caller)),
        method=method[path],
        test=key // len(parent) // len(names),
        thread=key // len(parent) % len(names),
        self_by=self_by,
        calls=calls,
        self_ns=self_ns,
        before_j=binned(np.searchsorted(key, others), earlier.self_by.sum(axis=1), size),
        paths=len(parent),
    )


def _joined_paths(ledger: Ledger, earlier: Ledger) -> tuple[I64, I64, I64]:
    """Return the path of each of the earlier recording's paths, and parent and method of all paths: the ledger's come first."""
    methods = np.append(first_ids(ledger.methods, np.arange(len(ledger.methods.methods))), -1)
    parent, method = ledger.paths.parent.tolist(), methods[ledger.paths.method].tolist()
    path_of = {key: path for path, key in enumerate(zip(parent, method, strict=True)) if path > PROBES}
    numbers = np.append(earlier_methods(ledger.methods, earlier.methods), -1)[earlier.paths.method].tolist()
    above = earlier.paths.parent
    depth = path_sums(np.where(above <= PROBES, -1, above), np.ones(len(above), np.int64))
    joined = np.arange(len(above))  # those of no path stay
    for path in np.argsort(depth, kind="stable").tolist():
        if path > PROBES:
            key = (int(joined[above[path]]), numbers[path])
            if key not in path_of:
                path_of[key] = len(parent)
                parent.append(key[0])
                method.append(key[1])
            joined[path] = path_of[key]
    return joined, np.array(parent, np.int64), np.array(method, np.int64)
