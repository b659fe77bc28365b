"""The facts of one run: its energies, calls and shares, by test, owner and path, ready to join those of other runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from navitas.attribute.amounts import ALTERNATIVE_J, CPU_NS, JOULES, WALL_NS
from navitas.attribute.component import ComponentCurves, threads_between
from navitas.attribute.curves import F64, Bool, Curve
from navitas.attribute.items import CALLS, CUTS, THROWS, Items
from navitas.attribute.ledger import NO_TEST, OUTSIDE, PROBES, Calls, Energy, Shares
from navitas.attribute.nodes import Nodes, nodes_of
from navitas.attribute.overhead import ProbesEnergy, probes_energy
from navitas.attribute.paths import Paths
from navitas.attribute.rows import Rows, rows_of, stem
from navitas.attribute.spans import Spans
from navitas.parse.tables import I64, RunTables

Columns = tuple[I64 | F64, ...]


@dataclass(frozen=True, slots=True)
class Run:
    """A run as its facts are made of it. `tests`: the row of `Ledger.tests` of each window, `NO_TEST` where it has none."""

    tables: RunTables
    spans: Spans
    tests: I64
    components: Sequence[ComponentCurves | None]
    first_owner: int
    probes_error: float | None


@dataclass(frozen=True, slots=True)
class RunFacts:
    """Columns in the order of `Energy`, `Calls` and `Shares`, and the owners beyond the run's threads, in their order."""

    energy: Columns
    calls: Columns
    shares: Columns
    groups: tuple[int, ...]
    """For each group of threads one thread of it; after the groups come other processes, base and unattributed."""


def facts_of(run: Run, parts: Sequence[Items], paths: Paths) -> RunFacts:
    """Join what calls and folded calls spent (`parts`, with the columns of `with_probes`) with what the curves say."""
    curves = [None if component is None else component.threads for component in run.components]
    rows = rows_of(run.tables.threads, curves, run.spans, parts)
    nodes = nodes_of([(rows.at(items), items) for items in parts], paths)
    priced = next((i for i, one in enumerate(curves) if one is not None and one.cpu_ns is not None), None)
    probes = None if priced is None else probes_energy(nodes, rows.energy_j[:, priced], rows.cpu_ns)
    owner, groups = _owners(run, rows)
    test, kept = run.tests[rows.window], run.tests[rows.window] != NO_TEST
    beside = run.first_owner + len(run.tables.threads) + len(groups)
    energy = [*_outside_tests(run, rows), *_beside_threads(run, beside)]
    for number in range(len(run.components)):
        energy += _of_rows(number, test, owner, kept, rows, nodes, probes if number == priced else None, run.probes_error)
    named = kept[nodes.row]
    row = nodes.row[named]
    amounts, counts = nodes.amounts[named], nodes.counts[named]
    calls = (test[row], owner[row], nodes.path[named] + 1, counts[:, CALLS], counts[:, THROWS], counts[:, CUTS])
    times = (amounts[:, WALL_NS], amounts[:, CPU_NS], amounts[:, ALTERNATIVE_J])
    shares = (test[kept], owner[kept], rows.count[kept], np.rint(rows.cpu_ns[kept]).astype(np.int64), rows.energy_j[kept])
    return RunFacts(_stacked(energy), (*calls, *times), shares, groups)


def _owners(run: Run, rows: Rows) -> tuple[I64, tuple[int, ...]]:
    """The owner of each row: its thread, or the group that it stands for; and one thread of each group."""
    owner = run.first_owner + rows.thread
    known: dict[tuple[str, str], int] = {}
    groups: list[int] = []
    threads = run.tables.threads
    for row in np.flatnonzero(rows.count > 1).tolist():
        thread = int(rows.thread[row])
        label = threads[thread].role, stem(threads[thread].name)
        if label not in known:
            known[label] = run.first_owner + len(threads) + len(groups)
            groups.append(thread)
        owner[row] = known[label]
    return owner, tuple(groups)


def _energy(
    test: I64, owner: I64, component: int, path: I64, exclusive_j: F64, raw_j: F64, variance_j2: F64 | None = None
) -> Columns:
    variance = np.zeros(len(test)) if variance_j2 is None else variance_j2
    return test, owner, np.full(len(test), component), path, exclusive_j, raw_j, variance


def _stacked(parts: Sequence[Columns]) -> Columns:
    return tuple(np.concatenate(column) for column in zip(*parts, strict=True))


def _of_rows(
    number: int,
    test: I64,
    owner: I64,
    kept: Bool,
    rows: Rows,
    nodes: Nodes,
    probes: ProbesEnergy | None,
    probes_error: float | None,
) -> list[Columns]:
    """A component's energy of the rows that are kept: by call path, outside of calls, and of probes."""
    raw_j: F64 = nodes.amounts[:, JOULES + number]
    rest_j = rows.energy_j[:, number] - np.bincount(nodes.row, raw_j, len(rows))
    some = kept[nodes.row] & (raw_j != 0 if probes is None else True)
    row = nodes.row[some]
    zero, none = np.zeros(len(rows), np.int64), np.zeros(len(rows))
    if probes is None:
        found = [_energy(test[row], owner[row], number, nodes.path[some] + 1, raw_j[some], raw_j[some])]
        used = kept & (rest_j != 0)
        return [*found, _energy(test[used], owner[used], number, zero[used] + OUTSIDE, rest_j[used], rest_j[used])]
    own_j, outside_j, all_j = probes.node_j[some], probes.row_outside_j, probes.row_j
    error = probes_error or 0.0
    used = kept & (all_j != 0)
    return [
        _energy(
            test[row], owner[row], number, nodes.path[some] + 1, raw_j[some] - own_j, raw_j[some], np.square(error * own_j)
        ),
        _energy(
            test[kept],
            owner[kept],
            number,
            zero[kept] + OUTSIDE,
            (rest_j - outside_j)[kept],
            rest_j[kept],
            np.square(error * outside_j[kept]),
        ),
        _energy(test[used], owner[used], number, zero[used] + PROBES, all_j[used], none[used], np.square(error * all_j[used])),
    ]


def _beside_threads(run: Run, first: int) -> list[Columns]:
    """What other processes, base and no known thread used in each test, and outside of all."""
    kept = run.tests != NO_TEST
    test = run.tests[kept]
    start_ns, end_ns = run.spans.start_ns[kept], run.spans.end_ns[kept]
    found = []
    for number, curves in enumerate(run.components):
        for place, curve in enumerate(_rest(curves)):
            joules = curve.at(end_ns) - curve.at(start_ns)
            whole_j = curve.between(run.tables.start_ns, run.tables.end_ns)
            found.append(_row_each(np.append(test, NO_TEST), first + place, number, np.append(joules, whole_j - joules.sum())))
    return found


def _outside_tests(run: Run, rows: Rows) -> list[Columns]:
    """What each thread used outside of all tests that are known."""
    used_j = rows.used_by_thread(run.tests != NO_TEST)
    found = []
    for number, curves in enumerate(run.components):
        if curves is not None and curves.threads is not None and len(run.tables.threads):
            whole_j = threads_between(curves.threads, run.tables.start_ns, run.tables.end_ns)
            joules = whole_j - used_j[: len(whole_j), number]
            some = np.flatnonzero(joules != 0)
            test, path = np.full(len(some), NO_TEST), np.full(len(some), OUTSIDE)
            found.append(_energy(test, run.first_owner + some, number, path, joules[some], joules[some]))
    return found


def _row_each(test: I64, owner: int, component: int, joules: F64) -> Columns:
    some = joules != 0
    count = int(some.sum())
    return _energy(test[some], np.full(count, owner), component, np.full(count, OUTSIDE), joules[some], joules[some])


def _rest(curves: ComponentCurves | None) -> tuple[Curve, ...]:
    """In the order of `OwnerKind` from `OTHER_PROCESSES` on."""
    return () if curves is None else (curves.other_processes, curves.base, curves.unattributed)


def joined_energy(runs: Sequence[RunFacts]) -> Energy:
    """The energies of all runs, sorted."""
    kinds = (np.int32, np.int32, np.uint8, np.int32, np.float64, np.float64, np.float64)
    return Energy(*_sorted([run.energy for run in runs], [np.empty(0, kind) for kind in kinds], keys=4))


def joined_calls(runs: Sequence[RunFacts], *, alternative: bool) -> Calls:
    """The calls of all runs, sorted."""
    kinds = (*(np.int32,) * 3, *(np.int64,) * 3, *(np.float64,) * 3)
    columns = _sorted([run.calls for run in runs], [np.empty(0, kind) for kind in kinds], keys=3)
    found = Calls(*columns)
    return found if alternative else replace(found, alternative_j=None)


def joined_shares(runs: Sequence[RunFacts], components: int) -> Shares:
    """The shares of all runs, sorted."""
    none = [np.empty(0, kind) for kind in (np.int32, np.int32, np.int64, np.int64)]
    return Shares(*_sorted([run.shares for run in runs], [*none, np.empty((0, components))], keys=2))


def _sorted(parts: Sequence[Columns], none: Sequence[NDArray[Any]], keys: int) -> list[NDArray[Any]]:
    """The columns of all parts, of the types of `none`, sorted by the first `keys` of them."""
    columns = [np.concatenate([empty, *(part[i].astype(empty.dtype) for part in parts)]) for i, empty in enumerate(none)]
    order = np.lexsort(columns[keys - 1 :: -1])
    return [column[order] for column in columns]
