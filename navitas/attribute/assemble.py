"""Rows and call trees of one run → result records of its tests."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import fsum

import numpy as np

from navitas.attribute.amounts import CPU_NS, JOULES, PAPER1_J, WALL_NS
from navitas.attribute.compensation import Baselines, Compensation, Measured, compensation
from navitas.attribute.curves import F64, Curve
from navitas.attribute.items import CALLS, CUTS, THROWS, Items
from navitas.attribute.overhead import Probes, compensated, probes_of
from navitas.attribute.result import NOT_THE_TESTS, MethodEnergy, Nodes, TestEnergy, ThreadEnergy
from navitas.attribute.rows import Rows, stem
from navitas.attribute.run import RunCurves
from navitas.attribute.tree import Tree, build_tree
from navitas.parse.tables import I64, Thread
from navitas.recording.manifest import Test


@dataclass(frozen=True, slots=True)
class RunView:
    """What results of one run are read from; `paper1` is None unless that method was asked for."""

    threads: Sequence[Thread]
    curves: RunCurves
    rows: Rows
    paper1: Curve | None
    probes_error: float | None
    """The relative error of what probes took; None where that is not known."""
    baselines: Baselines


def tests_of_run(view: RunView, parts: Sequence[Items], tests: Mapping[int, Test]) -> list[TestEnergy]:
    """One result for each window whose test the manifest knows."""
    rows, spans = view.rows, view.curves.spans
    tree = build_tree([(rows.of(items), items) for items in parts], view.curves.paths)
    bounds = np.searchsorted(rows.window, np.arange(len(spans.windows) + 1)).tolist()
    others, nobody, idle, paper1 = _beside_threads(view)
    sampled = probes_of(tree, rows)
    compensations: dict[int, Compensation] = {}
    factor = np.ones(len(rows))
    for number, window in enumerate(spans.windows):
        if view.probes_error is not None and window.test_id in tests:
            own = slice(bounds[number], bounds[number + 1])
            rest = (others[number], idle[number], nobody[number])
            measured = _measured(view, own, sampled, rest, int(spans.end_ns[number] - spans.start_ns[number]))
            test = tests[window.test_id]
            baseline = view.baselines.of((test.module, test.class_name, test.method), test.status)
            compensations[number] = compensation(measured, view.probes_error, baseline)
            factor[own] = compensations[number].probes.value_j / measured.probes_j if measured.probes_j else 1.0
    threads = list(_threads(view, tree, sampled.scaled(tree, factor)))
    found = []
    for number, window in enumerate(spans.windows):
        if window.test_id not in tests:
            continue
        own_threads = tuple(threads[bounds[number] : bounds[number + 1]])
        rest = (others[number], idle[number], nobody[number])
        test = tests[window.test_id]
        found.append(
            TestEnergy(
                id=test.id,
                run=test.run,
                module=test.module,
                class_name=test.class_name,
                method=test.method,
                repeat=test.repeat,
                status=test.status,
                wall_ns=int(spans.end_ns[number] - spans.start_ns[number]),
                energy_j=fsum([*rest, *(thread.energy_j for thread in own_threads)]),
                other_processes_j=rest[0],
                idle_j=rest[1],
                unattributed_j=rest[2],
                threads=own_threads,
                paper1_j=None if paper1 is None else paper1[number],
                **_of_probes(compensations.get(number)),
            )
        )
    return found


def _measured(view: RunView, own: slice, probes: Probes, rest: tuple[float, float, float], wall_ns: int) -> Measured:
    """What the rows of one window used, beside others, idle time and nobody."""
    rows, (others_j, idle_j, _) = view.rows, rest
    energy_j, probes_j = rows.energy_j[own], probes.row_j[own]
    roles = [view.threads[index].role for index in rows.thread[own].tolist()]
    is_own = np.array([role not in NOT_THE_TESTS for role in roles], bool)
    is_jit = np.array([role == "jit" for role in roles], bool)
    probes_ns = np.divide(probes_j * rows.cpu_ns[own], energy_j, out=np.zeros(len(energy_j)), where=energy_j > 0)
    return Measured(
        energy_j=fsum([*rest, *energy_j.tolist()]),
        threads_j=fsum(energy_j[is_own].tolist()),
        jit_j=fsum(energy_j[is_jit].tolist()),
        passive_j=others_j + idle_j,
        probes_j=fsum(probes_j.tolist()),
        probes_share=float(probes_ns.max(initial=0.0)) / max(wall_ns, 1),
    )


def _of_probes(found: Compensation | None) -> dict[str, float]:
    if found is None:
        return {}
    return {
        "probes_error_j": found.probes.error_j,
        "whole_compensated_j": found.whole.value_j,
        "compensated_error_j": found.whole.error_j,
        "sampled_probes_j": found.sampled_probes_j,
    }


def untimed_test(test: Test, paper1: bool) -> TestEnergy:
    """A test that was listed but has no window (ignored, or never begun)."""
    fields = (test.id, test.run, test.module, test.class_name, test.method, test.repeat, test.status)
    return TestEnergy(*fields, 0, 0.0, 0.0, 0.0, 0.0, (), 0.0 if paper1 else None)


def _beside_threads(view: RunView) -> tuple[list[float], list[float], list[float], list[float] | None]:
    """Each window's joules of other processes, of nobody and of idle, and paper 1's."""
    energy, spans = view.curves.energy, view.curves.spans

    def grown(curve: Curve) -> list[float]:
        found: list[float] = (curve.at(spans.end_ns) - curve.at(spans.start_ns)).tolist()
        return found

    idle: list[float] = (energy.idle_w * (spans.end_ns - spans.start_ns) / 1e9).tolist()
    paper1 = None if view.paper1 is None else grown(view.paper1)
    return grown(energy.others), grown(energy.unattributed), idle, paper1


def _threads(view: RunView, tree: Tree, probes: Probes) -> Iterator[ThreadEnergy]:
    """The result of every row, in the rows' order."""
    rows = view.rows
    roots = tree.parent < 0
    in_calls = np.bincount(tree.row[roots], tree.inclusive[roots, JOULES], len(rows))
    nodes = _nodes(compensated(tree, probes), len(rows))
    methods = _methods(tree, view, probes)
    untraced = rows.energy_j - in_calls - probes.row_untraced_j
    columns = (rows.thread, rows.count, rows.energy_j, np.rint(rows.cpu_ns).astype(np.int64), untraced, probes.row_j)
    for index, count, energy_j, cpu_ns, untraced_j, probes_j in zip(*(column.tolist() for column in columns), strict=True):
        thread = view.threads[index]
        alone = count == 1
        yield ThreadEnergy(
            serial=thread.serial if alone else -1,
            tid=thread.tid if alone else 0,
            name=thread.name if alone else stem(thread.name),
            role=thread.role,
            count=count,
            energy_j=energy_j,
            cpu_ns=cpu_ns,
            untraced_j=untraced_j,
            probes_j=probes_j,
            methods=next(methods),
            nodes=next(nodes),
        )


def _nodes(tree: Tree, rows: int) -> Iterator[Nodes]:
    """The nodes of every row; parents count from the row's first."""
    bounds = np.searchsorted(tree.row, np.arange(rows + 1))
    columns = (
        np.where(tree.parent >= 0, tree.parent - bounds[tree.row], -1),
        tree.method,
        tree.counts[:, CALLS],
        tree.inclusive[:, JOULES],
        tree.exclusive[:, JOULES],
        _integers(tree.inclusive[:, WALL_NS]),
    )
    for low, high in pairwise(bounds.tolist()):
        yield Nodes(*(column[low:high] for column in columns))


def _methods(tree: Tree, view: RunView, probes: Probes) -> Iterator[tuple[MethodEnergy, ...]]:
    """The methods of every row, largest inclusive energy first; inclusive figures skip nodes below one of their own method."""
    rows, error = len(view.rows), view.probes_error
    width = int(tree.method.max(initial=0)) + 1
    key, index = np.unique(tree.row * width + tree.method, return_inverse=True)
    outer = tree.is_outermost

    def total(values: I64 | F64) -> F64:
        return np.bincount(index, values, len(key)).astype(np.float64)

    def once(column: int) -> F64:
        return total(np.where(outer, tree.inclusive[:, column], 0.0))

    raw = once(JOULES), total(tree.exclusive[:, JOULES])
    of_probes = total(np.where(outer, probes.inclusive_j, 0.0)), total(probes.exclusive_j)
    inclusive_j, exclusive_j = raw[0] - of_probes[0], raw[1] - of_probes[1]
    unknown = np.full(len(key), None)
    order = np.lexsort((key % width, -inclusive_j, key // width))
    whole = [total(tree.counts[:, column]) for column in (CALLS, THROWS, CUTS)]
    times = [once(WALL_NS), total(tree.exclusive[:, WALL_NS]), once(CPU_NS)]
    columns = (
        key % width,
        *(_integers(column) for column in whole),
        inclusive_j,
        exclusive_j,
        *(_integers(column) for column in times),
        unknown if view.paper1 is None else once(PAPER1_J),
        *([] if error is None else [*(error * np.abs(joules) for joules in of_probes), *raw]),
    )
    ordered = [column[order] for column in columns]
    bounds = np.searchsorted(key // width, np.arange(rows + 1)).tolist()
    for low, high in pairwise(bounds):
        yield tuple(MethodEnergy(*values) for values in zip(*(column[low:high].tolist() for column in ordered), strict=True))


def _integers(values: F64) -> I64:
    return np.rint(values).astype(np.int64)
