"""Each method by thread and test: a group-by over the nodes of call trees that counts recursion once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from navitas.analyze.cpu_use import cpu_column
from navitas.analyze.trees import CallTrees
from navitas.attribute.forest import sums
from navitas.attribute.ledger import Ledger
from navitas.parse.arrays import F64, I64


@dataclass(frozen=True, slots=True)
class MethodRows:
    """One row for each tree and method, sorted by tree, then by descending inclusive energy.

    - `start`: tree i has the rows `start[i]` to `start[i + 1] - 1`.
    - `counts`: columns are calls, calls ended by an exception, cut calls.
    - `inclusive_j`, `wall_ns`, `cpu_ns`, `alternative_j`: sums over outermost calls.
    - `inclusive_j`, `exclusive_j`: a column for each component. `raw_*` are sums over components.
    - `*_draws_j`: standard errors by ticks, NaN without ticks.
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


def method_rows(ledger: Ledger, trees: CallTrees) -> MethodRows:
    """Group all nodes by tree and method."""
    width = int(trees.method.max(initial=0)) + 1
    key, index = np.unique(trees.tree * width + trees.method, return_inverse=True)
    size, outer = len(key), trees.is_outermost

    def outermost_sum(values: F64) -> F64:
        return np.bincount(index, np.where(outer, values, 0.0), size).astype(np.float64)

    def full_sum(values: F64) -> F64:
        return np.bincount(index, values, size).astype(np.float64)

    inclusive_j = sums(index, trees.inclusive_j * outer[:, None], size)
    exclusive_j = sums(index, trees.exclusive_j, size)
    raw_inclusive_j, raw_exclusive_j = outermost_sum(trees.raw_inclusive_j), full_sum(trees.raw_exclusive_j)
    tree, total_j = key // width, (inclusive_j.sum(axis=1), exclusive_j.sum(axis=1))
    cpu_j = cpu_column(ledger, inclusive_j), cpu_column(ledger, exclusive_j)
    inclusive_draws_j, exclusive_draws_j = _draws(ledger, trees, tree, cpu_j)
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
        self_ns=_integers(full_sum(trees.self_ns)[order]),
        cpu_ns=_integers(outermost_sum(trees.cpu_ns)[order]),
        alternative_j=None if trees.alternative_j is None else outermost_sum(trees.alternative_j)[order],
        inclusive_draws_j=inclusive_draws_j[order],
        exclusive_draws_j=exclusive_draws_j[order],
    )


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
    in_calls_j: F64 = np.bincount(tree, cpu_j[1], len(trees.order)).astype(np.float64)[tree]
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
