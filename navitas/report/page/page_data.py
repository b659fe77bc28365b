"""The data that the page's scripts read: columns of tests, threads, methods and call-tree nodes, and power over time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from navitas.base.json_text import JsonLines, column
from navitas.base.units import UJ_PER_J, plus_minus
from navitas.energy.analyze.bounded_tree import BoundedTree, bounded_tree
from navitas.energy.analyze.cpu_use import CPU
from navitas.energy.analyze.energy_by_step import RunSteps
from navitas.energy.analyze.names import MethodNames, source_of, test_label
from navitas.energy.analyze.records import TestEnergy
from navitas.energy.analyze.spread import Interval
from navitas.insight.verdict.thread_figures import ROLE_NAMES
from navitas.recording.parse.arrays import F64, I64
from navitas.report.figure_notes import failure_of, method_note, statuses
from navitas.report.page.differences import Compared, difference_ranges
from navitas.report.page.energy_over_time import node_steps
from navitas.report.page.page_basis import MAX_TESTS, PageBasis, shown_text, thread_label
from navitas.report.page.power_over_time import page_runs, power_columns


@dataclass(frozen=True, slots=True)
class PageLimits:
    """How much the page holds: nodes of call trees, rows of tables, methods that no node names, values over time."""

    nodes: int = 30_000
    rows: int = 2_000
    methods: int = 2_000
    powers: int = 100_000
    steps: int = 50_000

    def smaller(self) -> PageLimits:
        """Return half of these limits."""
        return replace(self, **{name: max(getattr(self, name) // 2, 1) for name in self.__slots__})


def page_data(basis: PageBasis, limits: PageLimits) -> dict[str, Any]:
    """Return the document that the page embeds."""
    runs = page_runs(basis)
    tree = bounded_tree(basis.tree, limits.nodes)
    # What is large goes before the next such thing is made.
    bins, timeline = _bins(basis, tree, runs, limits.steps), power_columns(basis, runs, limits.powers)
    del basis.tree
    methods = _Methods(basis, tree, limits.methods)
    threads, thread = np.unique(tree.thread, return_inverse=True)
    nodes = _nodes(tree, methods.number(tree.method), thread, basis.profile.components)
    return {
        "figures": {"app_uj": _uj(basis.app_j)},
        **({"samples": True} if basis.profile.is_sampled else {}),
        "components": list(basis.profile.components),
        "modules": methods.modules,
        "tests": _tests(basis, runs),
        "threads": {
            "name": [thread_label(*tree.threads[i]) for i in threads.tolist()],
            "role": [ROLE_NAMES.get(tree.threads[i][1], "") for i in threads.tolist()],
            "app": [tree.is_app[i] for i in threads.tolist()],
        },
        "methods": methods.columns(),
        "nodes": nodes,
        "bins": bins,
        "timeline": timeline,
        "baseline": _before(basis, tree, methods),
    }


def _tests(basis: PageBasis, runs: Sequence[RunSteps]) -> dict[str, Any]:
    profile, groups = basis.profile, basis.listed
    numbers = {run.row: number for number, run in enumerate(runs)}
    tests = profile.ledger.tests
    spans = []
    for group in groups:
        rows = list(group.typical.rows)
        run = numbers.get(int(tests.run[rows[0]]), -1)
        start_ns = runs[run].start_ns if run >= 0 else 0
        spans.append((run, int(tests.start_ns[rows].min()) - start_ns, int(tests.end_ns[rows].max()) - start_ns))
    columns: dict[str, list[Any]] = {
        "label": [shown_text(test_label(group.typical)) for group in groups],
        "class": [shown_text(group.class_name) for group in groups],
        "name": [shown_text(group.method) for group in groups],
        "app_uj": [_uj(group.app_j.median) for group in groups],
        "interval": [_interval(group.app_j.median, profile.app_interval(group)) for group in groups],
        "wall_ms": [_figure(group.typical.wall_ns / 1e6) for group in groups],
        "mean_mw": [_milliwatts(group.typical.mean_power_w) for group in groups],
        "status": [_status(group.tests) for group in groups],
        "failure": [shown_text(failure_of(group.tests)) for group in groups],
        "run": [run for run, _, _ in spans],
        "start_ms": [_figure(start_ns / 1e6) for _, start_ns, _ in spans],
        "end_ms": [_figure(end_ns / 1e6) for _, _, end_ns in spans],
    }
    if basis.smaller:
        name = f"({len(basis.smaller):,} smaller tests)"
        last: dict[str, Any] = {
            "label": name,
            "class": "",
            "name": name,
            "status": "",
            "failure": "",
            "interval": None,
            "mean_mw": None,
            "run": -1,
        }
        last |= {"start_ms": 0, "end_ms": 0, "wall_ms": _figure(sum(group.typical.wall_ns for group in basis.smaller) / 1e6)}
        last |= {"app_uj": _uj(sum(group.app_j.median for group in basis.smaller))}
        for column, value in last.items():
            columns[column].append(value)
    for tests_of_idle in basis.idle[:MAX_TESTS]:
        first = tests_of_idle[0]
        texts = {
            "label": test_label(first),
            "class": first.class_name,
            "name": first.method,
            "failure": failure_of(tests_of_idle),
        }
        row = {"status": _status(tests_of_idle), "run": -1, "start_ms": 0, "end_ms": 0}
        row |= {name: shown_text(text) for name, text in texts.items()}
        for name, values in columns.items():
            values.append(row.get(name))  # A test that never ran has no figures.
    return columns


def _status(tests: Sequence[TestEnergy]) -> str:
    return ", ".join(label for _, label in statuses(tests))


class _Methods:
    """The methods that nodes name, and those with the most self energy, largest self energy first.

    Methods that only the earlier recording has are last.
    """

    def __init__(self, basis: PageBasis, tree: BoundedTree, most: int) -> None:
        named = set(tree.method[tree.method >= 0].tolist())
        self._basis = basis
        self._methods = [method for rank, method in enumerate(basis.methods) if rank < most or method.total.id in named]
        numbers = [method.total.id for method in self._methods]
        before = {} if basis.before is None else basis.before.methods
        gone = [(number, method) for number, method in before.items() if number in named.difference(numbers)]
        self._gone = [method for _, method in gone]
        self._before = [*(before.get(number) for number in numbers), *self._gone]
        numbers += [number for number, _ in gone]
        self._number = np.full(max([-1, *numbers]) + 1, -1)
        self._number[numbers] = np.arange(len(numbers))
        names = dict.fromkeys(method.total.method.module for method in (*self._methods, *self._gone))
        self._module = {name: number for number, name in enumerate(names)}
        self.modules = [shown_text(name) for name in names]

    def number(self, method: I64) -> I64:
        """Return the place of each method of nodes; negative numbers stay."""
        return np.where(method >= 0, self._number[np.maximum(method, 0)], method) if len(self._number) else method

    def columns(self) -> dict[str, Any]:
        methods, gone = self._methods, self._gone
        none, none_known = [0] * len(gone), [None] * len(gone)
        names = [(self._basis.names, method) for method in methods]
        if self._basis.before is not None:
            names += [(MethodNames(self._basis.before.profile.method_table), method) for method in gone]
        sources = self._basis.sources
        lines = {} if sources is None else {"code": [sources.line(method.total.method) for method in (*methods, *gone)]}
        return {
            "label": [shown_text(of.short(method.total.id)) for of, method in names],
            "full": [shown_text(of.label(method.total.id)) for of, method in names],
            **({"module": [self._module[method.total.method.module] for _, method in names]} if len(self.modules) > 1 else {}),
            "source": [shown_text(source_of(method.total.method)) for _, method in names],
            "note": [*(method_note(method.total) for method in methods), *("only in the earlier recording" for _ in gone)],
            **{name: [None if line is None else shown_text(line) for line in column] for name, column in lines.items()},
            "self_uj": [*(_uj(method.self_j) for method in methods), *none],
            "interval": [*(_interval(method.self_j, method.interval) for method in methods), *none_known],
            "inclusive_uj": [*(_uj(method.inclusive_j) for method in methods), *none],
            "calls": [*(round(method.calls) for method in methods), *none],
            "self_mw": [*(_milliwatts(method.self_power_w) for method in methods), *none_known],
        }

    def before(self) -> dict[str, Any]:
        """Return the figures of the methods in the earlier recording, 0 for methods that it lacks."""
        return {
            "self_uj": [0 if method is None else _uj(method.self_j) for method in self._before],
            **_ranges([*map(self._basis.compared, self._methods), *[None] * len(self._gone)]),
        }


def _ranges(figures: Sequence[Compared]) -> dict[str, list[float | None]]:
    """Return both ends of the interval of each difference, in percent of the figure before."""
    ranges = difference_ranges(figures)
    return {
        name: [None if limits is None else round(limits[end], 2) for limits in ranges]
        for end, name in enumerate(("low_percent", "high_percent"))
    }


def _before(basis: PageBasis, tree: BoundedTree, methods: _Methods) -> dict[str, Any] | None:
    """Return the figures of the earlier recording. None without one."""
    if basis.before is None:
        return None
    tests = [basis.before.test(group) for group in basis.listed] + [None] * (bool(basis.smaller) + len(basis.idle[:MAX_TESTS]))
    return {
        "name": shown_text(basis.before.name),
        "tests": {
            "app_uj": [None if test is None else _uj(test.app_j.median) for test in tests],
            **_ranges([*map(basis.compared, basis.listed), *[None] * (len(tests) - len(basis.listed))]),
        },
        "nodes": {"self_uj": _column(tree.before_j * UJ_PER_J)},
        "methods": methods.before(),
    }


def _nodes(tree: BoundedTree, method: I64, thread: I64, components: Sequence[str]) -> dict[str, Any]:
    by = {}
    for number, component in enumerate(components):
        used = np.flatnonzero(tree.self_by[:, number])
        if component != CPU and len(used):
            by[component] = {"node": _column(used), "uj": _column(tree.self_by[used, number] * UJ_PER_J)}
    return {
        "parent": _column(tree.parent),
        "method": _column(method),
        "test": _column(tree.test),
        "thread": _column(thread),
        "self_uj": _column(tree.self_by.sum(axis=1) * UJ_PER_J),
        "calls": _column(np.rint(tree.calls).astype(np.int64)),
        "by": by,
    }


def _bins(basis: PageBasis, tree: BoundedTree, runs: list[RunSteps], most: int) -> dict[str, Any] | None:
    """Return the energy of nodes over time. None if the analysis left that out."""
    calls = basis.profile.ledger.call_steps
    if calls is None:
        return None
    steps = node_steps(basis, calls, tree, runs, most)
    return {
        "run": [{"edges_ms": ((run.edges_ns - run.start_ns) / 1e6).round(3).tolist()} for run in runs],
        "node": _column(steps.node),
        "run_of": _column(steps.run),
        "bin": _column(steps.step),
        "uj": _column(steps.joules * UJ_PER_J),
    }


def _interval(value_j: float, interval: Interval) -> str:
    return plus_minus(value_j, interval.low, interval.high)


def _milliwatts(power_w: float | None) -> float | None:
    return None if power_w is None else _figure(power_w * 1e3)


def _uj(joules: float) -> float:
    return _figure(joules * UJ_PER_J)


def _figure(value: float) -> float:
    """Return a number of six digits, as an integer if it is one."""
    rounded = float(f"{value:.6g}")
    return int(rounded) if rounded.is_integer() else rounded


def _column(values: I64 | F64) -> JsonLines:
    numbers = values.tolist()
    if values.dtype == np.float64:
        numbers = map(_figure, numbers)
    return column(map(repr, numbers))
