"""When the nodes of the page's call trees used their energy, in steps of the runs that the page shows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from navitas.energy.analyze.bounded_tree import BoundedTree
from navitas.energy.analyze.energy_by_step import RunSteps, energy_by_step
from navitas.energy.attribute.forest import binned
from navitas.energy.attribute.ledger import CallSteps
from navitas.recording.parse.arrays import F64, I64, ColumnTable
from navitas.report.page.page_basis import PageBasis


@dataclass(frozen=True, slots=True)
class NodeSteps(ColumnTable):
    """The energy of nodes by step, by node, then step. `run` is a place in the page's runs, which have the steps."""

    run: I64
    node: I64
    step: I64
    joules: F64


def node_steps(basis: PageBasis, calls: CallSteps, tree: BoundedTree, runs: list[RunSteps], most: int) -> NodeSteps:
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


def _middles(basis: PageBasis, runs: list[RunSteps]) -> tuple[I64, I64]:
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


def _shares(basis: PageBasis, calls: CallSteps, tree: BoundedTree, number: int, run: RunSteps) -> NodeSteps:
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
