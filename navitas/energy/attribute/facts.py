"""The facts of one run: energy, calls and shares by test, owner and path, in the columns of the ledger."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from navitas.energy.attribute.calls.paths import OUTSIDE, PROBES, Paths
from navitas.energy.attribute.calls.self_totals import (
    ALTERNATIVE_J,
    AMOUNTS,
    CALLS,
    CPU_NS,
    CUTS,
    THROWS,
    WALL_NS,
    CallNodes,
    ProbesEnergy,
    SelfTotals,
    merged_totals,
    no_probes,
    nodes_of,
    probes_energy,
)
from navitas.energy.attribute.compensation import Estimates, Unprobed
from navitas.energy.attribute.component import NO_CHARGES, Charges, threads_j
from navitas.energy.attribute.curves import group_starts
from navitas.energy.attribute.handed_tasks import handed_tasks
from navitas.energy.attribute.ledger import NO_TEST, Calls, CallSteps, Compensation, Energy, HandedTasks, Shares, Transfers
from navitas.energy.attribute.run_rows import Label, RunRows, labels_of, rows_of
from navitas.energy.attribute.window_spans import NO_WINDOW, WindowSpans
from navitas.energy.attribute.windows import AttributedRun, compensations, corrections, unprobed, windows_of
from navitas.recording.parse.arrays import F64, I32, I64, Bool

Columns = tuple[I32 | I64 | F64, ...]


@dataclass(frozen=True, slots=True)
class RunFacts:
    """Columns in the order of `Energy`, `Calls`, `CallSteps`, `Shares` and `Transfers`, handed work, groups, and estimates.

    Without stack samples, `calls` ends before their columns.
    """

    energy: Columns
    calls: Columns
    steps: Columns | None
    shares: Columns
    transfers: Sequence[Columns]
    handed: HandedTasks
    groups: tuple[int, ...]
    """The index of one thread of each group. As owners, groups follow threads and precede `NON_THREAD_OWNERS`."""
    estimates: Mapping[int, Estimates]
    """The probes' energy and compensated energy by row of `Ledger.tests`; empty if the probes' cost is unknown."""
    unprobed: Sequence[Unprobed]
    """Each test's energy in this run, as a baseline."""


def facts_of(run: AttributedRun, parts: Sequence[SelfTotals], paths: Paths) -> RunFacts:
    """Combine the totals of calls and folded calls (`parts`) with the curves."""
    curves = [None if component is None else component.threads for component in run.components]
    charges = [NO_CHARGES if component is None else component.charges for component in run.components]
    parts = [*parts, *_charged_paths(charges, run.spans)]
    labels = labels_of(run.tables.threads, run.is_known)
    rows = rows_of(labels, curves, run.spans, parts, charges)
    nodes = nodes_of([(rows.at(totals), totals) for totals in parts], paths)
    probes_component = next((i for i, one in enumerate(curves) if one is not None and one.cpu_ns is not None), None)
    probes = (
        no_probes(nodes, len(rows))
        if probes_component is None
        else probes_energy(nodes, len(rows)).scaled(nodes, (rows.energy_j[:, probes_component] > 0).astype(np.float64))
    )
    windows = windows_of(run, rows, probes_component)
    estimates = compensations(run, windows, rows, probes)
    probes = probes.scaled(nodes, corrections(estimates, len(run.spans.windows))[rows.window])
    owner, groups = _owners(run.first_owner, labels, rows)
    test, kept = run.tests[rows.window], run.tests[rows.window] != NO_TEST
    first_non_thread = run.first_owner + len(run.tables.threads) + len(groups)
    energy = [*_outside_tests(run, rows), *_non_threads(run, first_non_thread)]
    for number, component in enumerate(run.components):
        if component is not None and component.uses_threads:
            used_by_probes = probes if number == probes_component else no_probes(nodes, len(rows))
            placed = _PlacedRows(rows, nodes, test, owner, kept)
            columns = _threads_energy(placed, number, used_by_probes, 0.0 if run.probes_error is None else run.probes_error.total)
            energy += columns if component.threads is not None else [_nonzero(each) for each in columns]
    named = kept[nodes.row]
    row = nodes.row[named]
    amounts, counts = nodes.amounts[:, named], nodes.counts[:, named]
    calls = (test[row], owner[row], nodes.path[named], counts[CALLS], counts[THROWS], counts[CUTS])
    times = (amounts[WALL_NS], amounts[CPU_NS], amounts[ALTERNATIVE_J])
    draws = () if nodes.draws is None else tuple(nodes.draws[:, named])
    shares = (test[kept], owner[kept], rows.count[kept], np.rint(rows.cpu_ns[kept]).astype(np.int64), rows.energy_j[kept])
    by_test = {int(run.tests[window]): each for window, each in estimates.items()}
    transfers = _transfers(charges, run.spans, run.tests, rows, (owner, run.first_owner))
    handed = handed_tasks(run, rows, owner)
    steps = _steps(run, charges, rows, owner)
    energy_columns, calls_columns = _stacked(energy), (*calls, *times, *draws)
    return RunFacts(energy_columns, calls_columns, steps, shares, transfers, handed, groups, by_test, unprobed(run, windows))


def _owners(first_owner: int, labels: Sequence[Label], rows: RunRows) -> tuple[I64, tuple[int, ...]]:
    """The owner of each row (a thread or a group), and the index of one thread of each group."""
    owner = first_owner + rows.thread
    known: dict[Label, int] = {}
    groups: list[int] = []
    for row in np.flatnonzero(rows.count > 1).tolist():
        thread = int(rows.thread[row])
        label = labels[thread]
        if label not in known:
            known[label] = first_owner + len(labels) + len(groups)
            groups.append(thread)
        owner[row] = known[label]
    return owner, tuple(groups)


@dataclass(frozen=True, slots=True)
class _PlacedRows:
    """The rows of a run with their tests and owners; `kept` selects rows with a known test."""

    rows: RunRows
    nodes: CallNodes
    test: I64
    owner: I64
    kept: Bool

    def energy(self, component: int, chosen: Bool, path: int, joules: tuple[F64, F64, F64]) -> Columns:
        """Energy of the chosen rows outside of calls. `joules` are without probes, with probes, and their standard error."""
        exclusive_j, raw_j, error_j = joules
        count = int(chosen.sum())
        where = (self.test[chosen], self.owner[chosen], np.full(count, component), np.full(count, path))
        return *where, exclusive_j[chosen], raw_j[chosen], np.square(error_j[chosen])


def _stacked(parts: Sequence[Columns]) -> Columns:
    return tuple(np.concatenate(column) for column in zip(*parts, strict=True))


def _threads_energy(placed: _PlacedRows, component: int, probes: ProbesEnergy, error: float) -> list[Columns]:
    """A component's energy in tests: in call paths, outside of calls, and in probes."""
    rows, nodes = placed.rows, placed.nodes
    raw_j = nodes.joules.get(component, np.zeros(len(nodes.row)))
    rest_j = rows.energy_j[:, component] - np.bincount(nodes.row, raw_j, len(rows))
    chosen = placed.kept[nodes.row] & ((raw_j != 0) | (probes.node_j != 0) | (nodes.counts[CALLS] > 0))
    row, own_j, path = nodes.row[chosen], probes.node_j[chosen], nodes.path[chosen]
    in_calls = (raw_j[chosen] - own_j, raw_j[chosen], np.square(error * own_j))
    outside_j, all_j = probes.row_outside_j, probes.row_j
    return [
        (placed.test[row], placed.owner[row], np.full(len(row), component), path, *in_calls),
        placed.energy(component, placed.kept, OUTSIDE, (rest_j - outside_j, rest_j, error * outside_j)),
        placed.energy(component, placed.kept & (all_j != 0), PROBES, (all_j, np.zeros(len(rows)), error * all_j)),
    ]


def _nonzero(energy: Columns) -> Columns:
    """The rows with energy. Few calls have charges, so there is no row for each call."""
    used = energy[4] != 0
    return tuple(column[used] for column in energy)


def _non_threads(run: AttributedRun, first: int) -> list[Columns]:
    """The energy of `NON_THREAD_OWNERS` in each test, and outside of all tests. `first` is their first owner."""
    kept = run.tests != NO_TEST
    test = run.tests[kept]
    start_ns, end_ns = run.spans.start_ns[kept], run.spans.end_ns[kept]
    energy = []
    for number, curves in enumerate(run.components):
        for place, curve in enumerate(() if curves is None else curves.non_threads):
            joules = curve.at(end_ns) - curve.at(start_ns)
            run_j = curve.between(run.tables.start_ns, run.tables.end_ns)
            column_j = np.append(joules, run_j - joules.sum())
            nonzero = column_j != 0
            energy.append(
                _outside_calls(
                    np.append(test, NO_TEST)[nonzero], np.full(nonzero.sum(), first + place), number, column_j[nonzero]
                )
            )
    return energy


def _outside_tests(run: AttributedRun, rows: RunRows) -> list[Columns]:
    """The energy of each thread outside of all known tests."""
    used_j = rows.used_by_thread(run.tests != NO_TEST)
    energy = []
    for number, curves in enumerate(run.components):
        if curves is not None and curves.uses_threads and len(run.tables.threads):
            run_j = threads_j(curves, len(run.tables.threads), run.tables.start_ns, run.tables.end_ns)
            joules = run_j - used_j[: len(run_j), number]
            nonzero = np.flatnonzero(joules != 0)
            energy.append(_outside_calls(np.full(len(nonzero), NO_TEST), run.first_owner + nonzero, number, joules[nonzero]))
    return energy


def _outside_calls(test: I64, owner: I64, component: int, joules: F64) -> Columns:
    """Energy outside of calls that contains no probes' energy."""
    count = len(test)
    return test, owner, np.full(count, component), np.full(count, OUTSIDE), joules, joules, np.zeros(count)


def joined_energy(runs: Sequence[RunFacts]) -> Energy:
    """The energy of all runs, sorted."""
    kinds = (np.int32, np.int32, np.uint8, np.int32, np.float64, np.float64, np.float64)
    return Energy(*_sorted([run.energy for run in runs], [np.empty(0, kind) for kind in kinds], keys=4))


def joined_calls(runs: Sequence[RunFacts], *, alternative: bool) -> Calls:
    """The calls of all runs, sorted."""
    kinds = [*(np.int32,) * 3, *(np.int64,) * 3, *(np.float64,) * 3]
    of_samples = (np.int64, *(np.float64,) * 3)
    parts = [run.calls for run in runs]
    if any(len(part) > len(kinds) for part in parts):
        parts = [part if len(part) > len(kinds) else (*part, *np.zeros((len(of_samples), len(part[0])))) for part in parts]
        kinds += of_samples
    calls = Calls(*_sorted(parts, [np.empty(0, kind) for kind in kinds], keys=3))
    return calls if alternative else replace(calls, alternative_j=None)


def joined_steps(runs: Sequence[RunFacts]) -> CallSteps:
    """The energy of calls over time of all runs, sorted."""
    parts = [run.steps for run in runs if run.steps is not None]
    return CallSteps(*_sorted(parts, [np.empty(0, kind) for kind in (*(np.int32,) * 4, np.float64)], keys=4))


def joined_shares(runs: Sequence[RunFacts], components: int) -> Shares:
    """The shares of all runs, sorted."""
    none = [np.empty(0, kind) for kind in (np.int32, np.int32, np.int64, np.int64)]
    return Shares(*_sorted([run.shares for run in runs], [*none, np.empty((0, components))], keys=2))


def joined_transfers(runs: Sequence[RunFacts]) -> Transfers:
    """The bytes of all runs, sorted, with one row for each path."""
    none = [np.empty(0, kind) for kind in (np.int32, np.int32, np.uint8, np.int32, np.float64, np.float64)]
    *keys, received, sent = _sorted([part for run in runs for part in run.transfers], none, keys=4)
    first = np.flatnonzero(group_starts(*keys))
    sums = [np.add.reduceat(column, first) if len(first) else column for column in (received, sent)]
    return Transfers(*(key[first] for key in keys), *sums)


def _sorted(parts: Sequence[Columns], none: Sequence[NDArray[Any]], keys: int) -> list[NDArray[Any]]:
    """The columns of all parts, with the types of `none`, sorted by the first `keys` columns."""
    columns = [
        np.concatenate([empty, *(part[i].astype(empty.dtype, copy=False) for part in parts)]) for i, empty in enumerate(none)
    ]
    order = np.lexsort(columns[keys - 1 :: -1])
    for number, column in enumerate(columns):
        columns[number] = column[order]  # One at a time: they are large.
    return columns


def joined_estimates(runs: Sequence[RunFacts], tests: int) -> Compensation:
    """The estimates of all runs by test, NaN for tests without an estimate."""
    estimates = np.full((4, tests), np.nan)
    for row, each in ((row, each) for run in runs for row, each in run.estimates.items()):
        estimates[:, row] = each.sampled_probes_j, each.probes.error_j, each.compensated.value_j, each.compensated.error_j
    return Compensation(*estimates)


def _charged_paths(charges: Sequence[Charges], spans: WindowSpans) -> list[SelfTotals]:
    """The charges of each component, by window, thread and path, with no calls and no times.

    Charges without a known path are left out: they are energy outside of calls.
    """
    parts = []
    for number, one in enumerate(charges):
        window = spans.at(one.t_ns)
        known = (window != NO_WINDOW) & (one.path != OUTSIDE)
        if known.any():
            size = int(known.sum())
            keys, counts = (window[known], one.thread[known], one.path[known]), np.zeros((3, size), np.int64)
            parts.append(merged_totals([SelfTotals(*keys, counts, np.zeros((AMOUNTS, size)), {number: one.energy_j[known]})]))
    return parts


def _steps(run: AttributedRun, charges: Sequence[Charges], rows: RunRows, owner: I64) -> Columns | None:
    """The energy of calls over time, with their charges, if it is wanted. `owner` is that of each row."""
    if (totals := run.calls.take_steps()) is None:
        return None
    for one in charges:
        window = run.spans.at(one.t_ns)
        inside = np.flatnonzero((window != NO_WINDOW) & (one.path != OUTSIDE))
        totals.add_at(one.t_ns[inside], window[inside], one.thread[inside], one.path[inside], one.energy_j[inside])
    steps = totals.take()
    kept = steps.chosen(run.tests[steps.window] != NO_TEST)
    window, thread = kept.window.astype(np.int64), kept.thread.astype(np.int64)
    test, of_row = run.tests[window], owner[rows.row(window, thread)]
    return test.astype(np.int32), of_row.astype(np.int32), kept.path, kept.step, kept.joules


def _transfers(
    charges: Sequence[Charges], spans: WindowSpans, tests: I64, rows: RunRows, owners: tuple[I64, int]
) -> list[Columns]:
    """Test, owner, component, path, received and sent bytes of all charges that moved bytes.

    `tests` has the test of each window. `owners` are the owner of each row, and that of the run's first thread.
    """
    of_row, first = owners
    found: list[Columns] = []
    for component, one in enumerate(charges):
        moved = np.flatnonzero((one.received_bytes > 0) | (one.sent_bytes > 0))
        if not len(moved):
            continue
        window, thread = spans.at(one.t_ns[moved]), one.thread[moved]
        inside = window != NO_WINDOW
        test, owner = np.full(len(moved), NO_TEST), first + thread
        test[inside] = tests[window[inside]]
        owner[inside] = of_row[rows.row(window[inside], thread[inside])]
        found.append(
            (test, owner, np.full(len(moved), component), one.path[moved], one.received_bytes[moved], one.sent_bytes[moved])
        )
    return found
