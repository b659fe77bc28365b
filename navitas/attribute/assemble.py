"""Rows and call trees of one run → result records of its tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from navitas.attribute.curves import Curve
from navitas.attribute.energy import RunEnergy
from navitas.attribute.items import CALLS, CPU_NS, CUTS, JOULES, PAPER1_J, THROWS, WALL_NS, Items, Spans
from navitas.attribute.result import MethodEnergy, Node, TestEnergy, ThreadEnergy
from navitas.attribute.rows import Row, Rows
from navitas.attribute.tree import Tree, build_tree
from navitas.parse.tables import I64, Window
from navitas.recording.manifest import Test


@dataclass(frozen=True, slots=True)
class RunView:
    """What results of one run are read from; `paper1` is None unless that method was asked for."""

    energy: RunEnergy
    spans: Spans
    rows: Rows
    paper1: Curve | None


def tests_of_run(view: RunView, parts: Sequence[Items], methods: int, tests: Mapping[int, Test]) -> list[TestEnergy]:
    """One result for each window whose test the manifest knows; `methods` is the size of the method table."""
    rows = view.rows.rows
    tree = build_tree([(view.rows.of(items), items) for items in parts], len(rows), max(methods, 1))
    nodes_of, nodes = _by_row(tree.row, len(rows))
    by_window: list[list[ThreadEnergy]] = [[] for _ in view.spans.windows]
    for number, row in enumerate(rows):
        own = nodes[nodes_of[number] : nodes_of[number + 1]]
        by_window[row.window].append(_thread(row, tree, own, view.paper1 is not None))
    return [
        _test(tests[window.test_id], window, tuple(sorted(threads, key=lambda thread: -thread.energy_j)), view)
        for window, threads in zip(view.spans.windows, by_window, strict=True)
        if window.test_id in tests
    ]


def _test(test: Test, window: Window, threads: tuple[ThreadEnergy, ...], view: RunView) -> TestEnergy:
    start_ns, end_ns = window.start_ns, max(window.start_ns, window.end_ns)
    energy = view.energy
    return TestEnergy(
        id=test.id,
        run=test.run,
        module=test.module,
        class_name=test.class_name,
        method=test.method,
        repeat=test.repeat,
        status=test.status,
        wall_ns=end_ns - start_ns,
        energy_j=energy.between(start_ns, end_ns),
        other_processes_j=energy.others.between(start_ns, end_ns),
        idle_j=energy.idle_between(start_ns, end_ns),
        unattributed_j=energy.unattributed.between(start_ns, end_ns),
        threads=threads,
        paper1_j=view.paper1.between(start_ns, end_ns) if view.paper1 is not None else None,
    )


def untimed_test(test: Test, paper1: bool) -> TestEnergy:
    """A test that was listed but has no window (ignored, or never begun)."""
    fields = (test.id, test.run, test.module, test.class_name, test.method, test.repeat, test.status)
    return TestEnergy(*fields, 0, 0.0, 0.0, 0.0, 0.0, (), 0.0 if paper1 else None)


def _thread(row: Row, tree: Tree, nodes: I64, paper1: bool) -> ThreadEnergy:
    roots = nodes[tree.parent[nodes] < 0]
    return ThreadEnergy(
        serial=row.serial,
        tid=row.tid,
        name=row.name,
        role=row.role,
        count=row.count,
        energy_j=row.energy_j,
        cpu_ns=round(row.cpu_ns),
        untraced_j=row.energy_j - float(np.sum(tree.inclusive[roots, JOULES])),
        probes_j=0.0,
        methods=_methods(tree, nodes, paper1) if len(nodes) else (),
        nodes=_nodes(tree, nodes),
    )


def _nodes(tree: Tree, nodes: I64) -> tuple[Node, ...]:
    parent = np.where(tree.parent[nodes] >= 0, np.searchsorted(nodes, tree.parent[nodes]), -1)
    columns = (
        range(len(nodes)),
        parent.tolist(),
        tree.method[nodes].tolist(),
        tree.counts[nodes, CALLS].tolist(),
        tree.inclusive[nodes, JOULES].tolist(),
        tree.exclusive[nodes, JOULES].tolist(),
        np.rint(tree.inclusive[nodes, WALL_NS]).astype(np.int64).tolist(),
    )
    return tuple(Node(*values) for values in zip(*columns, strict=True))


def _methods(tree: Tree, nodes: I64, paper1: bool) -> tuple[MethodEnergy, ...]:
    """Sum nodes up by method, largest inclusive energy first; inclusive figures skip nodes below one of their own method."""
    method, index = np.unique(tree.method[nodes], return_inverse=True)
    size = len(method)
    outer = tree.is_outermost[nodes]

    def total(values: np.ndarray[tuple[int], np.dtype[np.float64]], *, once: bool) -> list[float]:
        found: list[float] = np.bincount(index, np.where(outer, values, 0.0) if once else values, size).tolist()
        return found

    inclusive, exclusive = tree.inclusive[nodes], tree.exclusive[nodes]
    counts = tree.counts[nodes].astype(np.float64)
    columns = (
        total(counts[:, CALLS], once=False),
        total(counts[:, THROWS], once=False),
        total(counts[:, CUTS], once=False),
        total(inclusive[:, JOULES], once=True),
        total(exclusive[:, JOULES], once=False),
        total(inclusive[:, WALL_NS], once=True),
        total(exclusive[:, WALL_NS], once=False),
        total(inclusive[:, CPU_NS], once=True),
        total(inclusive[:, PAPER1_J], once=True),
    )
    found = []
    for one, calls, throws, cut, incl_j, excl_j, wall, own, cpu, paper1_j in zip(method.tolist(), *columns, strict=True):
        counted = (one, round(calls), round(throws), round(cut))
        times = (round(wall), round(own), round(cpu))
        found.append(MethodEnergy(*counted, incl_j, excl_j, *times, paper1_j if paper1 else None))
    return tuple(sorted(found, key=lambda one: (-one.inclusive_j, one.method)))


def _by_row(row: I64, rows: int) -> tuple[list[int], I64]:
    order = np.argsort(row, kind="stable")
    return np.searchsorted(row[order], np.arange(rows + 1)).tolist(), order
