"""Call trees of all threads in all tests, as columns: energies with and without callees."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from navitas.attribute.forest import outermost, preorder, subtree_sums
from navitas.attribute.ledger import OUTSIDE, PROBES, Ledger
from navitas.parse.arrays import F64, I32, I64, Bool


@dataclass(frozen=True, slots=True)
class CallTrees:
    """Nodes of all call trees, tree by tree and depth first, siblings by method.

    Tree i is that of row `order[i]` of `Ledger.shares` (test by test, largest energy first) and has the nodes `start[i]` to
    `start[i + 1] - 1`. `parent` is a node's caller in this table, -1 at a root. Energies have a column for each component;
    `raw_j` is their sum with what probes used. `is_outermost`: no node above has the same method. `alternative_j` is None
    without an alternative model.
    """

    order: I64
    start: I64
    tree: I64
    parent: I64
    method: I64
    counts: I64
    exclusive_j: F64
    inclusive_j: F64
    raw_exclusive_j: F64
    raw_inclusive_j: F64
    self_ns: F64
    wall_ns: F64
    cpu_ns: F64
    alternative_j: F64 | None
    is_outermost: Bool


def call_trees(ledger: Ledger) -> CallTrees:
    """Build all trees of a ledger."""
    order, place = _tree_order(ledger)
    calls, components = ledger.calls, len(ledger.components)
    share, parent, own = _nodes(ledger)
    more = [] if calls.alternative_j is None else [calls.alternative_j]
    whole = subtree_sums(parent, np.column_stack([own, calls.self_ns, calls.cpu_ns, *more, np.ones(len(share))]))
    tree, method = place[share], ledger.paths.method[calls.path]
    row, at, is_outermost = _placed(parent, tree * (method.max(initial=0) + 1) + method, np.rint(whole[:, -1]).astype(np.int64))
    up = parent[row]
    return CallTrees(
        order=order,
        start=np.searchsorted(tree[row], np.arange(len(order) + 1)),
        tree=tree[row],
        parent=np.where(up >= 0, at[up], -1),
        method=method[row],
        counts=np.stack([column[row] for column in (calls.calls, calls.throws, calls.cut)], axis=1),
        exclusive_j=own[row, :components],
        inclusive_j=whole[row, :components],
        raw_exclusive_j=own[row, components],
        raw_inclusive_j=whole[row, components],
        self_ns=calls.self_ns[row],
        wall_ns=whole[row, components + 1],
        cpu_ns=whole[row, components + 2],
        alternative_j=whole[row, components + 3] if more else None,
        is_outermost=is_outermost,
    )


def _nodes(ledger: Ledger) -> tuple[I64, I64, F64]:
    """Of each row of `Ledger.calls`: its row of `Ledger.shares`, its caller's row (-1 at a root), and its own energies.

    These have a column for each component and one for the raw sum.
    """
    calls, energy, width = ledger.calls, ledger.energy, len(ledger.paths)
    cell_key = _cell(ledger, ledger.shares.test, ledger.shares.owner)
    share = np.searchsorted(cell_key, _cell(ledger, calls.test, calls.owner))
    key = share * width + calls.path
    caller = ledger.paths.parent[calls.path]
    parent = np.where(caller == OUTSIDE, -1, np.searchsorted(key, share * width + caller))
    components = len(ledger.components)
    own = np.zeros((len(key), components + 1))
    of_calls = energy.path > PROBES
    node_share = np.searchsorted(cell_key, _cell(ledger, energy.test[of_calls], energy.owner[of_calls]))
    node = np.searchsorted(key, node_share * width + energy.path[of_calls])
    own[node, energy.component[of_calls]] = energy.exclusive_j[of_calls]
    own[:, -1] = np.bincount(node, energy.raw_j[of_calls], len(key))
    return share, parent, own


def _placed(parent: I64, rank: I64, below: I64) -> tuple[I64, I64, Bool]:
    """Nodes in order of their place, each node's place, and which nodes, in that order, have none of their rank above them."""
    at = preorder(parent, rank, below)
    row = np.empty(len(at), np.int64)
    row[at] = np.arange(len(at))
    return row, at, outermost(rank[row], below[row])


def _cell(ledger: Ledger, test: I32, owner: I32) -> I64:
    return test.astype(np.int64) * len(ledger.owners) + owner


def _tree_order(ledger: Ledger) -> tuple[I64, I64]:
    """Rows of `Ledger.shares` test by test, largest energy first, and the place of each row in that order."""
    shares = ledger.shares
    order = np.lexsort((-shares.energy_j.sum(axis=1), shares.test))
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    return order, place
