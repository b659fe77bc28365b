"""Call trees of all threads in all tests, as columns of inclusive and self energy, and the methods in each tree."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from navitas.energy.analyze.cpu_use import cpu_column
from navitas.energy.attribute.calls.paths import OUTSIDE, PROBES
from navitas.energy.attribute.forest import binned, outermost, positions, preorder, subtree_sums, sums
from navitas.energy.attribute.ledger import Ledger
from navitas.recording.parse.arrays import F64, I32, I64, Bool


@dataclass(frozen=True, slots=True)
class CallTrees:
    """The nodes of all call trees, tree by tree, in depth-first order, siblings sorted by method.

    - `order`: tree i belongs to row `order[i]` of `Ledger.shares`. Trees are sorted by test, then by descending energy.
    - `start`: tree i has the nodes `start[i]` to `start[i + 1] - 1`.
    - `parent`: the row of the caller, -1 at a root. `path`: the row of `Ledger.paths`.
    - `counts`: columns are calls, calls ended by an exception, cut calls.
    - `exclusive_j`, `inclusive_j`: a column for each component. `raw_*` are sums over components with the probes' energy.
    - `alternative_j`: None without an alternative model.
    - `samples`: stack samples with the node as the innermost frame. `draws_j2` has the sum of the squares of their energies and
      their turns (energy/attribute/calls/sample_turns.py), `inclusive_draws_j2` both with those of the nodes below. None without
      samples.
    - `is_outermost`: whether no ancestor has the same method.
    """

    order: I64
    start: I64
    tree: I64
    parent: I64
    path: I64
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
    samples: I64 | None
    draws_j2: F64 | None
    inclusive_draws_j2: F64 | None


def call_trees(ledger: Ledger) -> CallTrees:
    calls, components = ledger.calls, len(ledger.components)
    share, parent, self_values = _nodes(ledger)
    draws_j2, more = None, [] if calls.alternative_j is None else [calls.alternative_j]
    if calls.squares_j2 is not None and calls.self_turns_j2 is not None and calls.turns_j2 is not None:
        draws_j2 = np.stack([calls.squares_j2, calls.self_turns_j2], axis=1)
        more += [calls.squares_j2, calls.turns_j2]
    subtree = subtree_sums(parent, np.column_stack([self_values, calls.self_ns, calls.cpu_ns, *more, np.ones(len(share))]))
    order = np.lexsort((-ledger.shares.energy_j.sum(axis=1), ledger.shares.test))
    tree, method = positions(order)[share], ledger.paths.method[calls.path]
    rank, size = tree * (method.max(initial=0) + 1) + method, np.rint(subtree[:, -1]).astype(np.int64)
    at = preorder(parent, rank, size)
    row = positions(at)
    parent_row = parent[row]
    return CallTrees(
        order=order,
        start=np.searchsorted(tree[row], np.arange(len(order) + 1)),
        tree=tree[row],
        parent=np.where(parent_row >= 0, at[parent_row], -1),
        path=calls.path[row].astype(np.int64),
        method=method[row],
        counts=np.stack([column[row] for column in (calls.calls, calls.throws, calls.cut)], axis=1),
        exclusive_j=self_values[row, :components],
        inclusive_j=subtree[row, :components],
        raw_exclusive_j=self_values[row, components],
        raw_inclusive_j=subtree[row, components],
        self_ns=calls.self_ns[row],
        wall_ns=subtree[row, components + 1],
        cpu_ns=subtree[row, components + 2],
        alternative_j=None if calls.alternative_j is None else subtree[row, components + 3],
        is_outermost=outermost(rank[row], size[row]),
        samples=None if calls.samples is None else calls.samples[row],
        draws_j2=None if draws_j2 is None else draws_j2[row],
        inclusive_draws_j2=None if draws_j2 is None else subtree[row, -3:-1],
    )


def _nodes(ledger: Ledger) -> tuple[I64, I64, F64]:
    """Return three columns for the rows of `Ledger.calls`: row of `Ledger.shares`, caller's row (-1 at a root), self energies.

    The energies have a column for each component and one for the raw sum.
    """
    calls, energy, width = ledger.calls, ledger.energy, len(ledger.paths)
    cell_key = _cell_key(ledger, ledger.shares.test, ledger.shares.owner)
    share = np.searchsorted(cell_key, _cell_key(ledger, calls.test, calls.owner))
    key = share * width + calls.path
    caller = ledger.paths.parent[calls.path]
    parent = np.where(caller == OUTSIDE, -1, np.searchsorted(key, share * width + caller))
    components = len(ledger.components)
    self_values = np.zeros((len(key), components + 1))
    of_calls = energy.path > PROBES
    node_share = np.searchsorted(cell_key, _cell_key(ledger, energy.test[of_calls], energy.owner[of_calls]))
    node = np.searchsorted(key, node_share * width + energy.path[of_calls])
    self_values[node, energy.component[of_calls]] = energy.exclusive_j[of_calls]
    self_values[:, -1] = np.bincount(node, energy.raw_j[of_calls], len(key))
    return share, parent, self_values


def _cell_key(ledger: Ledger, test: I32, owner: I32) -> I64:
    return test.astype(np.int64) * len(ledger.owners) + owner


@dataclass(frozen=True, slots=True)
class MethodRows:
    """One row for each tree and method, sorted by tree, then by descending inclusive energy.

    - `start`: tree i has the rows `start[i]` to `start[i + 1] - 1`.
    - `counts`: columns are calls, calls ended by an exception, cut calls.
    - `inclusive_j`, `wall_ns`, `cpu_ns`, `alternative_j`: sums over outermost calls.
    - `inclusive_j`, `exclusive_j`: a column for each component. `raw_*` are sums over components.
    - `*_draws_j`: standard errors by ticks or stack samples, NaN without either.
    - `samples`: stack samples with the method as the innermost frame; None without samples.
    """

    start: I64
    tree: I64
    method: I64
    counts: I64
    inclusive_j: F64
    exclusive_j: F64
    raw_inclusive_j: F64
    raw_exclusive_j: F64
    wall_ns: I64
    self_ns: I64
    cpu_ns: I64
    alternative_j: F64 | None
    inclusive_draws_j: F64
    exclusive_draws_j: F64
    samples: I64 | None

    @property
    def counted(self) -> I64:
        """Calls; in a recording with stack samples, samples."""
        return self.counts[:, 0] if self.samples is None else self.samples


def method_rows(ledger: Ledger, trees: CallTrees) -> MethodRows:
    """Group all nodes by tree and method."""
    width = int(trees.method.max(initial=0)) + 1
    key, index = np.unique(trees.tree * width + trees.method, return_inverse=True)
    size, outer = len(key), trees.is_outermost

    def outermost_sum(values: F64) -> F64:
        return binned(index, np.where(outer, values, 0.0), size)

    inclusive_j = sums(index, trees.inclusive_j * outer[:, None], size)
    exclusive_j = sums(index, trees.exclusive_j, size)
    raw_inclusive_j, raw_exclusive_j = outermost_sum(trees.raw_inclusive_j), binned(index, trees.raw_exclusive_j, size)
    tree, total_j = key // width, (inclusive_j.sum(axis=1), exclusive_j.sum(axis=1))
    cpu_j = cpu_column(ledger, inclusive_j), cpu_column(ledger, exclusive_j)
    inclusive_draws_j, exclusive_draws_j = _draws(ledger, trees, tree, cpu_j)
    if trees.samples is not None:
        of_samples = _sample_errors(trees, (index, tree), cpu_j)
        inclusive_draws_j, exclusive_draws_j = (
            np.where(np.isnan(by_samples), by_ticks, by_samples)
            for by_samples, by_ticks in zip(of_samples, (inclusive_draws_j, exclusive_draws_j), strict=True)
        )
    order = np.lexsort((key % width, -total_j[0], tree))
    return MethodRows(
        start=np.searchsorted(tree, np.arange(len(trees.order) + 1)),
        tree=tree,
        method=(key % width)[order],
        counts=sums(index, trees.counts, size).astype(np.int64)[order],
        inclusive_j=inclusive_j[order],
        exclusive_j=exclusive_j[order],
        raw_inclusive_j=raw_inclusive_j[order],
        raw_exclusive_j=raw_exclusive_j[order],
        wall_ns=_integers(outermost_sum(trees.wall_ns)[order]),
        self_ns=_integers(binned(index, trees.self_ns, size)[order]),
        cpu_ns=_integers(outermost_sum(trees.cpu_ns)[order]),
        alternative_j=None if trees.alternative_j is None else outermost_sum(trees.alternative_j)[order],
        inclusive_draws_j=inclusive_draws_j[order],
        exclusive_draws_j=exclusive_draws_j[order],
        samples=None if trees.samples is None else _integers(binned(index, trees.samples, size)[order]),
    )


def _sample_errors(trees: CallTrees, groups: tuple[I64, I64], cpu_j: tuple[F64, F64]) -> tuple[F64, F64]:
    """Return standard errors of inclusive and self energies by stack samples. NaN for trees without samples.

    `groups` are the method in a tree of each node, and the tree of each of these. `cpu_j` are their energies of the CPU.
    """
    assert trees.samples is not None and trees.draws_j2 is not None and trees.inclusive_draws_j2 is not None
    (index, tree), size = groups, len(trees.order)
    all_draws = sums(trees.tree, np.column_stack([trees.samples, trees.draws_j2[:, 0]]), size)[tree]
    total_j = binned(tree, cpu_j[1], size)[tree]
    draws_j2 = trees.inclusive_draws_j2 * trees.is_outermost[:, None], trees.draws_j2
    inclusive_j, exclusive_j = (
        share_error_j(own_j, sums(index, own_j2, len(tree)), total_j, all_draws)
        for own_j, own_j2 in zip(cpu_j, draws_j2, strict=True)
    )
    return inclusive_j, exclusive_j


def share_error_j(own_j: F64, own_draws_j2: F64, total_j: F64, all_draws: F64) -> F64:
    """Return the standard error of the share `own_j` of `total_j`, whose samples have a sum of squared energies, and turns.

    `own_draws_j2` has both columns, `all_draws` the number of all samples, and the sum of their squared energies. With the share
    p, independent draws have a variance of (1 − p)² · own_j2 + p² · (all_j2 − own_j2). Turns are the variance if they are less:
    calls last longer than the period. Half a sample of mean size is added to both outcomes, so a method that no sample hit has an
    error above zero. NaN without samples.
    """
    own_j2, turns_j2 = own_draws_j2.T
    count, all_j2 = all_draws.T
    size = np.maximum(count, 1.0)
    half_j, half_j2 = total_j / size / 2, all_j2 / size / 2
    whole_j = total_j + 2 * half_j
    share = np.divide(np.clip(own_j, 0.0, total_j) + half_j, whole_j, out=np.zeros(len(own_j)), where=whole_j > 0)
    drawn_j2 = (1 - share) ** 2 * own_j2 + share**2 * np.maximum(all_j2 - own_j2, 0.0)
    variance = np.clip(turns_j2, 0.0, drawn_j2) + ((1 - share) ** 2 + share**2) * half_j2
    return np.asarray(np.where(count > 0, np.sqrt(variance), np.nan), np.float64)


def _draws(ledger: Ledger, trees: CallTrees, tree: I64, cpu_j: tuple[F64, F64]) -> tuple[F64, F64]:
    """Return standard errors from the uncertainty of tick sampling. NaN without ticks.

    Ticks split the CPU's energy only, so the energy of other components has no such error.
    """
    share = trees.order[tree]
    run = ledger.tests.run[ledger.shares.test[share]]
    tick_ns = np.array([np.nan if entry.tick_ns is None else entry.tick_ns for entry in ledger.runs] or [np.nan], np.float64)[run]
    cpu_ns = ledger.shares.cpu_ns[share]
    energy_j = cpu_column(ledger, ledger.shares.energy_j[share])
    tick_j = np.divide(tick_ns * energy_j, cpu_ns, out=np.full(len(tree), np.nan), where=cpu_ns > 0)
    in_calls_j: F64 = binned(tree, cpu_j[1], len(trees.order))[tree]
    return standard_error_j(cpu_j[0], in_calls_j, tick_j), standard_error_j(cpu_j[1], in_calls_j, tick_j)


def standard_error_j(value_j: F64, total_j: F64, tick_j: F64) -> F64:
    """Return the standard error of n = value / tick hits in N = total / tick draws: tick · √((n + ½)(N − n + ½) / (N + 1)).

    This is the binomial error with half a draw added to both outcomes. A method that no tick hit thus has an error above zero.
    NaN where `tick_j` is NaN.
    """
    safe = np.where(tick_j > 0, tick_j, 1.0)
    hits, misses = np.maximum(value_j, 0.0) / safe, np.maximum(total_j - value_j, 0.0) / safe
    error = tick_j * np.sqrt((hits + 0.5) * (misses + 0.5) / (hits + misses + 1))
    return np.asarray(np.where(tick_j <= 0, 0.0, error), np.float64)


def _integers(values: F64) -> I64:
    return np.rint(values).astype(np.int64)
