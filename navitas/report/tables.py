"""The terminal report's tables."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from rich.table import Table
from rich.text import Text

from navitas.attribute.repeats import Repeats
from navitas.attribute.result import Analysis, MethodEnergy, TestEnergy, ThreadEnergy
from navitas.report.names import printable, short_class, short_method_label
from navitas.report.units import battery_share, charge, duration, joules, percent

_STATUS_STYLE = {"passed": "green", "failed": "bold red", "cut": "bold yellow"}


def tests_table(analysis: Analysis, groups: Sequence[Repeats]) -> Table:
    """Every run of every test, with medians where there are several."""
    table = _table("Tests", "Test", ["Run", "Energy", "Charge", "Battery", "Wall"], last="Status")
    for group in groups:
        for test in group.tests:
            figures = _energy(test.energy_j, analysis)
            status = Text(test.status, style=_STATUS_STYLE.get(test.status, ""))
            table.add_row(_test_name(test), str(test.repeat), *figures, duration(test.wall_ns), status)
        if len(group.tests) > 1:
            medians = [Text(figure, style="bold") for figure in _energy(group.median_j, analysis)]
            table.add_row("", Text("median", style="bold"), *medians, "", "", end_section=True)
    for test in analysis.tests:
        if test.wall_ns == 0:
            table.add_row(_test_name(test), str(test.repeat), "", "", "", "", test.status)
    return table


def threads_table(shown: Sequence[TestEnergy], top: int) -> Table:
    """The threads that used most, over the given tests."""
    table = _table("Threads", "Thread", ["Energy", "Share", "CPU", "Untraced"], last="Test")
    whole = sum(test.energy_j for test in shown)
    rows = [(thread, test) for test in shown for thread in test.threads]
    rows.sort(key=lambda row: -row[0].energy_j)
    for thread, test in rows[:top]:
        figures = (joules(thread.energy_j), percent(thread.energy_j, whole), duration(thread.cpu_ns), joules(thread.untraced_j))
        table.add_row(thread_name(thread), *figures, _test_name(test))
    _more(table, len(rows) - top, "threads")
    return table


def methods_table(analysis: Analysis, shown: Sequence[TestEnergy], top: int, paper1: bool) -> Table:
    """The methods that used most, over all threads of the given tests."""
    paper = ["Paper 1"] if paper1 else []
    figures = ["Inclusive", "Exclusive", "Share", "Calls", "mJ/call", "Time", *paper]
    table = _table("Methods", "Method", figures, last="Notes")
    whole = sum(test.energy_j for test in shown)
    sums: defaultdict[int, _Sum] = defaultdict(_Sum)
    for method in (method for test in shown for thread in test.threads for method in thread.methods):
        sums[method.method].add(method)
    ranked = sorted(sums.items(), key=lambda item: (-item[1].inclusive_j, item[0]))
    for index, total in ranked[:top]:
        per_call = f"{1e3 * total.inclusive_j / total.calls:.4g}" if total.calls else "–"
        values = [joules(total.inclusive_j), joules(total.exclusive_j), percent(total.exclusive_j, whole)]
        values += [f"{total.calls:,}", per_call, duration(total.wall_ns), *([joules(total.paper1_j)] if paper1 else [])]
        table.add_row(Text(printable(short_method_label(analysis.methods, index))), *values, total.notes())
    _more(table, len(ranked) - top, "methods")
    return table


def thread_name(thread: ThreadEnergy) -> Text:
    """A thread's name, how many it stands for, and its role when it is not the app's."""
    name = Text(printable(thread.name, 60) or "(no name)")
    if thread.count > 1:
        name.append(f" ×{thread.count:,}", style="dim")
    if thread.role != "app":
        name.append(f" {thread.role}", style="dim")
    return name


@dataclass(slots=True)
class _Sum:
    inclusive_j: float = 0.0
    exclusive_j: float = 0.0
    paper1_j: float = 0.0
    calls: int = 0
    throws: int = 0
    cut: int = 0
    wall_ns: int = 0

    def add(self, method: MethodEnergy) -> None:
        self.inclusive_j += method.inclusive_j
        self.exclusive_j += method.exclusive_j
        self.paper1_j += method.paper1_j or 0.0
        self.calls += method.calls
        self.throws += method.throws
        self.cut += method.cut
        self.wall_ns += method.wall_ns

    def notes(self) -> str:
        parts = [f"{self.throws:,} thrown"] if self.throws else []
        return ", ".join([*parts, f"{self.cut:,} cut"] if self.cut else parts)


def _table(title: str, first: str, figures: Sequence[str], *, last: str) -> Table:
    table = Table(title=title, title_justify="left", title_style="bold", header_style="dim", box=None, pad_edge=False)
    table.add_column(first, overflow="fold")
    for name in figures:
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column(last, overflow="fold")
    return table


def _more(table: Table, count: int, what: str) -> None:
    if count > 0:
        table.add_row(Text(f"… {count:,} more {what} (--top)", style="dim"))


def _test_name(test: TestEnergy) -> Text:
    return Text(printable(f"{short_class(test.class_name)}#{test.method}"))


def _energy(energy_j: float, analysis: Analysis) -> list[str]:
    volts = analysis.voltage_v
    return [joules(energy_j), charge(energy_j, volts), battery_share(energy_j, volts, analysis.battery_mah)]
