"""Rows and call trees of one run → result records of its tests."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import fsum

import numpy as np

from navitas.attribute.amounts import CPU_NS, JOULES, PAPER1_J, WALL_NS
from navitas.attribute.curves import F64, Curve
from navitas.attribute.items import CALLS, CUTS, THROWS, Items
from navitas.attribute.overhead import Probes, compensated, probes_of
from navitas.attribute.result import MethodEnergy, Nodes, TestEnergy, ThreadEnergy
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
    probes_spread: float | None
    """The relative error of what probes took; None where that is not known."""


def tests_of_run(view: RunView, parts: Sequence[Items], tests: Mapping[int, Test]) -> list[TestEnergy]:
    """One result for each window whose test the manifest knows."""
    rows, spans = view.rows, view.curves.spans
    tree = build_tree([(rows.of(items), items) for items in parts], view.curves.paths)
    threads = list(_threads(view, tree))
    bounds = np.searchsorted(rows.window, np.arange(len(spans.windows) + 1)).tolist()
    others, nobody, idle, paper1 = _beside_threads(view)
    found = []
    for number, window in enumerate(spans.windows):
        if window.test_id not in tests:
            continue
        own = tuple(threads[bounds[number] : bounds[number + 1]])
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
                energy_j=fsum([*rest, *(thread.energy_j for thread in own)]),
                other_processes_j=rest[0],
                idle_j=rest[1],
                unattributed_j=rest[2],
                threads=own,
                paper1_j=None if paper1 is None else paper1[number],
            )
        )
    return found


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


def _threads(view: RunView, tree: Tree) -> Iterator[ThreadEnergy]:
    """The result of every row, in the rows' order."""
    rows = view.rows
    roots = tree.parent < 0
    in_calls = np.bincount(tree.row[roots], tree.inclusive[roots, JOULES], len(rows))
    probes = probes_of(tree, rows)
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
    rows, spread = len(view.rows), view.probes_spread
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
        *([] if spread is None else [*(spread * np.abs(joules) for joules in of_probes), *raw]),
    )
    ordered = [column[order] for column in columns]
    bounds = np.searchsorted(key // width, np.arange(rows + 1)).tolist()
    for low, high in pairwise(bounds):
        yield tuple(MethodEnergy(*values) for values in zip(*(column[low:high].tolist() for column in ordered), strict=True))


def _integers(values: F64) -> I64:
    return np.rint(values).astype(np.int64)
