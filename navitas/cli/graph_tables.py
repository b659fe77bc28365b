"""The terminal tables of `navitas graph`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TypeVar

from rich.text import Text

from navitas.graph.advice import Advice
from navitas.graph.difference import EdgeChange, GraphDifference, ModuleChange
from navitas.graph.module_graph import ModuleEdge, ModuleGraph, ModuleNode
from navitas.graph.wake_ups import WakeUp
from navitas.report.names import short_class
from navitas.report.terminal.fitted_table import Column, FittedTable
from navitas.report.terminal.paragraph import Paragraph
from navitas.report.units import duration, joules, percent, share, unbroken
from navitas.untrusted_text import printable

_Row = TypeVar("_Row")
_LONGEST = 10_000
_MAX_BASES = 3
_KINDS = {"system_broadcast": "system broadcast"}
_REASONS = {
    "leaves_app": "leaves the app",
    "not_received": "not received",
    "no_identity": "no identity",
    "sender_unknown": "sender unknown",
    "already_received": "received before",
    "unknown_kind": "unknown kind",
}


def graph_modules_table(graph: ModuleGraph, top: int) -> FittedTable:
    """The modules with their energy, and what no module ran."""
    table = FittedTable(
        "Modules",
        [
            Column("Module", text=True),
            Column("Energy"),
            Column("Share", drop=1),
            Column("Received", drop=2),
            Column("On other threads", drop=3),
            Column("Time", drop=4),
        ],
    )
    shown = _Names(node.name for node in graph.nodes)
    for node in _listed(table, graph.nodes, top, "modules"):
        _add_module(table, node, graph, shown)
    if graph.outside.components:
        _add_module(table, graph.outside, graph, shown)
    for base in graph.bases[:_MAX_BASES]:
        heirs = " and ".join(str(shown.of(name)) for name in base.heirs)
        text = f"(outside modules) has {unbroken(joules(base.energy_j))} of {shown.of(base.name)}, which {heirs} share."
        table.notes.append(Paragraph(text, style="dim"))
    return table


def _add_module(table: FittedTable, node: ModuleNode, graph: ModuleGraph, shown: _Names) -> None:
    figures = (joules(node.energy_j), percent(share(node.energy_j, graph.energy_j)), f"{node.received:,}")
    table.add(shown.of(node.name), *figures, joules(node.handed_j), duration(node.busy_ns))


def graph_edges_table(edges: Sequence[ModuleEdge], top: int) -> FittedTable:
    """The communications between modules."""
    table = FittedTable(
        "Communications",
        [
            Column("From", text=True),
            Column("To", text=True),
            Column("Kind", drop=1, text=True),
            Column("Count"),
            Column("Every", drop=3),
            Column("Mean period", drop=4),
            Column("Energy", drop=2),
        ],
    )
    shown = _Names(name for edge in edges for name in (edge.sender, edge.receiver))
    for edge in _listed(table, edges, top, "edges"):
        period = "–" if edge.mean_period_ns is None else duration(edge.mean_period_ns)
        every = "–" if edge.period_ms is None else duration(edge.period_ms * 1_000_000)
        kind = Text(_KINDS.get(edge.kind.value, edge.kind.value))
        names = shown.of(edge.sender), shown.of(edge.receiver)
        table.add(*names, kind, f"{edge.count:,}", every, period, joules(edge.energy_j))
    return table


def wake_ups_table(wakes: Sequence[WakeUp], top: int) -> FittedTable:
    """What alarms, jobs, work and broadcasts start, per message and per day."""
    table = FittedTable(
        "Cost of alarms, jobs, work and broadcasts",
        [
            Column("Starts", text=True),
            Column("Each"),
            Column("Count", drop=1),
            Column("Total", drop=2),
            Column("Per day", drop=3),
            Column("By", drop=4, text=True),
        ],
    )
    shown = _Names(name for one in wakes for name in (one.edge.sender, one.edge.receiver))
    for one in _listed(table, wakes, top, "rows"):
        each, total, day = ("–" if value is None else joules(value) for value in (one.each_j, one.total_j, one.per_day_j))
        table.add(shown.of(one.edge.receiver), each, f"{one.edge.count:,}", total, day, shown.of(one.edge.sender))
    if table.rows:
        table.notes.append(
            Paragraph(
                "With everything that they start. A day is by the requested period; else extrapolated from this recording.",
                style="dim",
            )
        )
    return table


def unmatched_table(graph: ModuleGraph, top: int) -> FittedTable:
    """Messages without a known sender or receiver."""
    table = FittedTable(
        "Unmatched",
        [
            Column("Module", text=True),
            Column("What", text=True),
            Column("Count"),
            Column("Action", drop=2, text=True),
            Column("Why", drop=1, text=True),
        ],
    )
    shown = _Names(one.module for one in graph.unmatched)
    for one in _listed(table, graph.unmatched, top, "rows"):
        what, action = one.kind.replace("_", " "), printable(one.action or "–", _LONGEST)
        reason = _REASONS.get(one.reason, one.reason)
        table.add(
            shown.of(one.module), Text(printable(what, _LONGEST)), f"{one.count:,}", Text(action), Text(reason, style="dim")
        )
    return table


def module_changes_table(changes: Sequence[ModuleChange], top: int) -> FittedTable:
    """New, gone and changed modules."""
    columns = [Column("Module", text=True), Column("Change", drop=2), Column("Before", drop=1), Column("After")]
    table = FittedTable("Changed modules, per run", columns)
    shown = _Names(one.name for one in changes)
    for one in _listed(table, changes, top, "modules"):
        table.add(shown.of(one.name), one.change, joules(one.before_j), joules(one.after_j))
    return table


def edge_changes_table(changes: Sequence[EdgeChange], top: int) -> FittedTable:
    """New, gone and changed edges."""
    columns = [
        Column("From", text=True),
        Column("To", text=True),
        Column("Change", drop=1),
        Column("Count", drop=2),
        Column("Before", drop=3),
        Column("After"),
    ]
    table = FittedTable("Changed communications, per run", columns)
    shown = _Names(name for one in changes for name in (one.sender, one.receiver))
    for one in _listed(table, changes, top, "edges"):
        counts = f"{one.before_count:.4g} → {one.after_count:.4g}"
        table.add(shown.of(one.sender), shown.of(one.receiver), one.change, counts, joules(one.before_j), joules(one.after_j))
    return table


def difference_line(changed: GraphDifference) -> Paragraph:
    """The energy of the app before and after."""
    before, after = (unbroken(joules(value)) for value in (changed.before_j, changed.after_j))
    return Paragraph(f"The app's threads: {before} → {after} per run")


def advice_lines(found: Sequence[Advice], graph: ModuleGraph, top: int) -> list[Paragraph]:
    """Each advice with its message, its place, its mechanism and its saving."""
    lines = [Paragraph("Advice", style="bold")] if found else []
    for one in found[:top]:
        saving = "saving not known"
        if one.saving_j is not None:
            saving = f"saves {unbroken(joules(one.saving_j))} ({unbroken(percent(one.saving_share))})"
        places = [_place(*graph.places[method]) for method in one.edge.methods[:1] if method in graph.places]
        where = f" Sent by {places[0]}." if places else ""
        text = f"{printable(one.message, 500)}: {saving}. {one.rule.mechanism} {one.rule.change}{where}"
        lines.append(Paragraph(Text(f"- {text}"), indent="  "))
    return lines


def _place(label: str, file: str | None, line: int | None) -> str:
    place = f" ({file}:{line})" if file and line else ""
    return printable(f"{label}{place}", 300)


class _Names:
    """Names of a table's modules: without packages, if no other one has the same."""

    def __init__(self, names: Iterable[str]) -> None:
        self._count = Counter(name.rpartition(".")[2] for name in set(names))

    def of(self, name: str) -> Text:
        last = name.rpartition(".")[2]
        shown = name if name.startswith("(") else last if last and self._count[last] < 2 else short_class(name)
        return Text(printable(shown, _LONGEST))


def _listed(table: FittedTable, rows: Sequence[_Row], top: int, what: str) -> Sequence[_Row]:
    if len(rows) > top:
        table.notes.append(Paragraph(f"… {len(rows) - top:,} more {what} (--top, --json)", style="dim"))
    return rows[:top]
