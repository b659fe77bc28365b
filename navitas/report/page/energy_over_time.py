"""When the nodes of the page's call trees used their energy, in steps of the runs that the page shows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from navitas.energy.analyze.bounded_tree import BoundedTree
from navitas.energy.attribute.calls.paths import OUTSIDE
from navitas.energy.attribute.curves import in_sorted, overlaps
from navitas.energy.attribute.forest import binned
from navitas.energy.attribute.ledger import CallSteps, Ledger
from navitas.recording.parse.arrays import F64, I64, Bool, ColumnTable
from navitas.report.page.page_basis import PageBasis
from navitas.report.page.power_over_time import PageRun

_MOST_OWNERS = 200
"""The owners of a run whose curves are read."""


@dataclass(frozen=True, slots=True)
class NodeSteps(ColumnTable):
    """The energy of nodes by step, by node, then step. `run` is a place in the page's runs, which have the steps."""

    run: I64
    node: I64
    step: I64
    joules: F64


def node_steps(basis: PageBasis, calls: CallSteps, tree: BoundedTree, runs: list[PageRun], most: int) -> NodeSteps:
    """Return at most `most` rows, and one for each other node with energy. The rows of a node add up to its self energy.

    What is smaller than the `most` largest rows is part of the largest row of its node. If it is unknown when a node used its
    energy, that is in the middle of its test.
    """
    energy_j = tree.self_by.sum(axis=1)
    parts = [_shares(basis, calls, tree, number, run) for number, run in enumerate(runs)]
    shares = NodeSteps.joined([NodeSteps(*(np.empty(0, np.int64),) * 3, np.empty(0)), *parts])
    total = binned(shares.node, shares.joules, len(tree))
    shares = shares.chosen(total[shares.node] > 0)
    joules = shares.joules / total[shares.node] * energy_j[shares.node]
    has_rows = np.zeros(len(tree), bool)
    has_rows[shares.node] = True
    unknown = np.flatnonzero(~has_rows & (energy_j != 0))
    run, step = _middles(basis, runs)
    placed = NodeSteps(run[tree.test[unknown]], unknown, step[tree.test[unknown]], energy_j[unknown])
    rows = [NodeSteps(shares.run, shares.node, shares.step, joules), placed.chosen(placed.run >= 0)]
    return _fewer(NodeSteps.joined(rows), most)


def _fewer(rows: NodeSteps, most: int) -> NodeSteps:
    """Add the smaller rows of each node to its largest one, so that `most` rows remain, and the largest one of each node."""
    order = np.lexsort((-np.abs(rows.joules), rows.node))
    is_largest = np.ones(len(rows), bool)
    is_largest[order[1:]] = np.diff(rows.node[order]) != 0
    kept = is_largest.copy()
    if len(rows) > most:
        kept[np.argpartition(-np.abs(rows.joules), most)[:most]] = True
    else:
        kept[:] = True
    largest = np.zeros(int(rows.node.max(initial=-1)) + 1, np.int64)
    largest[rows.node[is_largest]] = np.flatnonzero(is_largest)
    joules = rows.joules.copy()
    np.add.at(joules, largest[rows.node[~kept]], rows.joules[~kept])
    rows = NodeSteps(rows.run, rows.node, rows.step, joules).chosen(kept)
    return rows.chosen(np.lexsort((rows.step, rows.node)))


def _middles(basis: PageBasis, runs: list[PageRun]) -> tuple[I64, I64]:
    """Return for each test of the tree its run, and the step in its middle; -1 for a test that no run shows."""
    ledger, size = basis.profile.ledger, len(basis.listed) + 1
    run, step = np.full(size, -1), np.full(size, -1)
    numbers = {shown.row: number for number, shown in enumerate(runs)}
    for test, group in enumerate(basis.listed):
        row = group.typical.rows[0]
        number = numbers.get(int(ledger.tests.run[row]), -1)
        if number >= 0:
            middle_ns = (int(ledger.tests.start_ns[row]) + int(ledger.tests.end_ns[row])) // 2
            run[test], step[test] = number, runs[number].step_of(np.array([middle_ns]))[0]
    return run, step


def _shares(basis: PageBasis, calls: CallSteps, tree: BoundedTree, number: int, run: PageRun) -> NodeSteps:
    """Return what is known of one run. The joules of a node are in proportion to its energy in that step."""
    ledger, full = basis.profile.ledger, basis.tree
    rows = (row for group in basis.listed for row in group.typical.rows if ledger.tests.run[row] == run.row)
    is_shown = np.zeros(len(ledger.tests), bool)
    is_shown[list(rows)] = True
    path, pairs, step, joules = energy_by_step(ledger, calls.chosen(is_shown[calls.test]), is_shown, run)
    key = full.key_of(pairs // len(ledger.owners), pairs % len(ledger.owners), path)
    at = np.minimum(np.searchsorted(full.key, key), len(full.key) - 1)
    in_tree = np.flatnonzero(full.key[at] == key) if len(full.key) else at[:0]
    cells, cell = np.unique(tree.node_of[at[in_tree]] * run.steps + step[in_tree], return_inverse=True)
    joules = binned(cell, joules[in_tree], len(cells))
    return NodeSteps(np.full(len(cells), number), cells // run.steps, cells % run.steps, joules)


def energy_by_step(ledger: Ledger, called: CallSteps, is_shown: Bool, run: PageRun) -> tuple[I64, I64, I64, F64]:
    """Return when the shown tests of a run used their energy: path, test · `len(ledger.owners)` + owner, step, joules.

    `called` are the steps of calls in these tests. Joules show only how the energy of a path is spread over time: those of calls
    include the energy of probes. The path of energy outside of calls is `OUTSIDE`.
    """
    pairs = called.test.astype(np.int64) * len(ledger.owners) + called.owner
    # Steps of small rows are rounded, and so may lie beyond the test.
    last_ns = np.maximum(ledger.tests.end_ns - 1, ledger.tests.start_ns)[called.test]
    step = np.clip(called.step, run.step_of(ledger.tests.start_ns[called.test]), run.step_of(last_ns)).astype(np.int64)
    in_calls = called.path.astype(np.int64), pairs, step, called.raw_j
    outside = _outside_calls(ledger, is_shown, run, pairs * run.steps + step, called.raw_j)
    path, pairs, step, joules = (np.concatenate(columns) for columns in zip(in_calls, outside, strict=True))
    return path, pairs, step, joules


def _outside_calls(ledger: Ledger, is_shown: Bool, run: PageRun, called: I64, called_j: F64) -> tuple[I64, I64, I64, F64]:
    """Return path, test and owner, step, and joules of the energy outside of calls: what the owner's curve has beyond its calls.

    `called` are test, owner and step of calls.
    """
    energy = ledger.energy
    rows = np.flatnonzero((energy.test >= 0) & (energy.path == OUTSIDE) & is_shown[energy.test])
    pairs, pair_of = np.unique(energy.test[rows].astype(np.int64) * len(ledger.owners) + energy.owner[rows], return_inverse=True)
    pair_j = binned(pair_of, energy.exclusive_j[rows], len(pairs))
    owners, owner_place = np.unique(pairs % len(ledger.owners), return_inverse=True)
    ranked = np.argsort(-binned(owner_place, np.abs(pair_j), len(owners)), kind="stable")
    chosen = np.flatnonzero(np.isin(owner_place, ranked[:_MOST_OWNERS]))
    pairs, pair_j = pairs[chosen], pair_j[chosen]
    test = pairs // len(ledger.owners)
    start_ns, end_ns = ledger.tests.start_ns[test], ledger.tests.end_ns[test]
    pair, step = overlaps(run.step_of(start_ns), run.step_of(np.maximum(end_ns - 1, start_ns)))
    low_ns = np.maximum(start_ns[pair], run.edges_ns[step])
    high_ns = np.maximum(np.minimum(end_ns[pair], run.edges_ns[step + 1]), low_ns)
    spent_j = np.zeros(len(pair))
    owner = pairs[pair] % len(ledger.owners)
    for number in np.unique(owner).tolist():
        own = np.flatnonzero(owner == number)
        for component in range(len(ledger.components)):
            curve = ledger.curves.curve(number, component)
            spent_j[own] += curve.at(high_ns[own]) - curve.at(low_ns[own])
    cells, cell_of = np.unique(called, return_inverse=True)
    calls_j = binned(cell_of, called_j, len(cells))
    cell = pairs[pair] * run.steps + step
    is_called = in_sorted(cell, cells)
    spent_j[is_called] -= calls_j[np.searchsorted(cells, cell[is_called])]
    spent_j = np.maximum(spent_j, 0.0)
    whole_j = binned(pair, spent_j, len(pairs))
    joules = spent_j * np.divide(np.maximum(pair_j, 0.0), whole_j, out=np.zeros(len(pairs)), where=whole_j > 0)[pair]
    return np.full(len(pair), OUTSIDE), pairs[pair], step, joules
