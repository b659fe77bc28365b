"""What `navitas graph` prints: tables and advice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from rich.text import Text

from navitas.base.units import duration, joules, percent, share, unbroken
from navitas.base.untrusted_text import printable
from navitas.cli.habits.row_tables import more_rows, rows_table
from navitas.cli.habits.standard_output import output_console
from navitas.energy.analyze.names import short_class
from navitas.insight.graph.advice import Advice
from navitas.insight.graph.delivery_tags import CheckedTag, Difference, HistoryCheck
from navitas.insight.graph.difference import EdgeChange, GraphDifference, ModuleChange
from navitas.insight.graph.module_graph import ModuleEdge, ModuleGraph, ModuleNode, UnmatchedMessages
from navitas.insight.graph.processing import Processing
from navitas.insight.graph.wake_ups import WakeUp
from navitas.recording.parse.communication_records import FIRST_RECEIVE, CommunicationKind
from navitas.report.terminal.fitted_table import Cell, Column, FittedTable
from navitas.report.terminal.paragraph import Paragraph

_LONGEST = 10_000
_MAX_BASES = 3
_SENDS = frozenset(kind.name.lower() for kind in CommunicationKind if kind < FIRST_RECEIVE)
_KINDS = {"system_broadcast": "system broadcast"}
_REASONS = {
    "leaves_app": "leaves the app",
    "not_received": "not received",
    "no_identity": "no identity",
    "sender_unknown": "sender unknown",
    "already_received": "received before",
    "unknown_kind": "unknown kind",
}
_DIFFERENCES: dict[Difference, str] = {
    "": "",
    "no_alarms_in_history": "no alarms in history",
    "no_jobs_in_history": "no jobs in history",
    "listener": "for a listener",
    "work": "runs WorkManager's work",
    "only_in_history": "not recorded",
    "fewer_in_recording": "fewer recorded",
    "only_in_recording": "not in the history",
    "fewer_in_history": "fewer in history",
}
_FULL_HISTORY = "Android writes alarms to its history only after: adb shell dumpsys batterystats --enable full-history"
_WAKE_UPS = "With everything that they start. A day is by the requested period; else extrapolated from this recording."


def print_graph(
    graph: ModuleGraph,
    *,
    reached: Processing | None,
    wakes: tuple[WakeUp, ...],
    found: tuple[Advice, ...],
    check: HistoryCheck | None,
    top: int,
) -> None:
    """Print a graph, or that of a processing, with the cost of its messages and advice."""
    console = output_console()
    if reached is not None:
        names = ", ".join(printable(name, 200) for name in reached.entries)
        part = percent(reached.energy_j / graph.energy_j if graph.energy_j else None)
        figures = f"{unbroken(joules(reached.energy_j))}, {unbroken(part)} of the app's threads"
        graph = _in_tables(graph, reached)
        console.print(Paragraph(f"E_processing from {names}: {figures}", style="bold"), "", sep="\n")
    tables = (
        graph_modules_table(graph, top),
        graph_edges_table(graph.edges, top),
        wake_ups_table(wakes, top),
        unmatched_table(graph, top),
        *(() if check is None else (history_table(check, top),)),
    )
    for table in tables:
        if table.rows:
            console.print(table, "", sep="\n")
    for line in _advice_lines(found, graph, top):
        console.print(line)


def print_difference(changed: GraphDifference, top: int) -> None:
    """Print what changed from one graph to another."""
    console = output_console()
    before, after = (unbroken(joules(value)) for value in (changed.before_j, changed.after_j))
    console.print(Paragraph(f"The app's threads: {before} → {after} per run"))
    for table in (module_changes_table(changed.modules, top), edge_changes_table(changed.edges, top)):
        if table.rows:
            console.print("", table, sep="\n")
    if not changed.modules and not changed.edges:
        console.print(Paragraph("No module and no communication changed."))


def _in_tables(graph: ModuleGraph, reached: Processing) -> ModuleGraph:
    """What the tables show of the graph of a processing: only its messages, and no other energy."""
    counts: Counter[str] = Counter()
    for edge in reached.edges:
        counts[edge.receiver] += edge.count
    nodes = tuple(replace(node, received=counts[node.name]) for node in graph.nodes)
    nothing = replace(graph.outside, energy_j=0.0, components=(), received=0)
    unmatched = tuple(one for one in graph.unmatched if one.kind in _SENDS)
    return replace(graph, nodes=nodes, outside=nothing, unmatched=unmatched, bases=())


def graph_modules_table(graph: ModuleGraph, top: int) -> FittedTable:
    """The modules with their energy, and what no module ran."""
    name_of = _names(node.name for node in graph.nodes)
    columns: dict[Column, Callable[[ModuleNode], Cell]] = {
        Column("Module", text=True): lambda row: name_of(row.name),
        Column("Energy"): lambda row: joules(row.energy_j),
        Column("Share", drop=1): lambda row: percent(share(row.energy_j, graph.energy_j)),
        Column("Received", drop=2): lambda row: f"{row.received:,}",
        Column("On other threads", drop=3): lambda row: joules(row.handed_j),
        Column("Time", drop=4): lambda row: duration(row.busy_ns),
    }
    outside = [graph.outside] if graph.outside.components else []
    table = rows_table("Modules", columns, [*graph.nodes[:top], *outside], top + 1)
    table.notes += more_rows(len(graph.nodes) - top, " modules (--top, --json)")
    for base in graph.bases[:_MAX_BASES]:
        heirs = " and ".join(map(name_of, base.heirs))
        text = f"(outside modules) has {unbroken(joules(base.energy_j))} of {name_of(base.name)}, which {heirs} share."
        table.notes.append(Paragraph(text, style="dim"))
    return table


def graph_edges_table(edges: Sequence[ModuleEdge], top: int) -> FittedTable:
    """The communications between modules."""
    name_of = _names(name for edge in edges for name in (edge.sender, edge.receiver))
    columns: dict[Column, Callable[[ModuleEdge], Cell]] = {
        Column("From", text=True): lambda row: name_of(row.sender),
        Column("To", text=True): lambda row: name_of(row.receiver),
        Column("Kind", drop=1, text=True): lambda row: _KINDS.get(row.kind.value, row.kind.value),
        Column("Count"): lambda row: f"{row.count:,}",
        Column("Every", drop=3): lambda row: "–" if row.period_ms is None else duration(row.period_ms * 1_000_000),
        Column("Mean period", drop=4): lambda row: "–" if row.mean_period_ns is None else duration(row.mean_period_ns),
        Column("Energy", drop=2): lambda row: joules(row.energy_j),
    }
    return rows_table("Communications", columns, edges, top, " edges (--top, --json)")


def wake_ups_table(wakes: Sequence[WakeUp], top: int) -> FittedTable:
    """What alarms, jobs, work and broadcasts start, per message and per day."""
    name_of = _names(name for one in wakes for name in (one.edge.sender, one.edge.receiver))
    columns: dict[Column, Callable[[WakeUp], Cell]] = {
        Column("Starts", text=True): lambda row: name_of(row.edge.receiver),
        Column("Each"): lambda row: joules(row.each_j),
        Column("Count", drop=1): lambda row: f"{row.edge.count:,}",
        Column("Total", drop=2): lambda row: joules(row.total_j),
        Column("Per day", drop=3): lambda row: joules(row.per_day_j),
        Column("By", drop=4, text=True): lambda row: name_of(row.edge.sender),
    }
    table = rows_table("Cost of alarms, jobs, work and broadcasts", columns, wakes, top, " rows (--top, --json)")
    table.notes += [Paragraph(_WAKE_UPS, style="dim")] if table.rows else []
    return table


def unmatched_table(graph: ModuleGraph, top: int) -> FittedTable:
    """Messages without a known sender or receiver."""
    name_of = _names(one.module for one in graph.unmatched)
    columns: dict[Column, Callable[[UnmatchedMessages], Cell]] = {
        Column("Module", text=True): lambda row: name_of(row.module),
        Column("What", text=True): lambda row: row.kind.replace("_", " "),
        Column("Count"): lambda row: f"{row.count:,}",
        Column("Action", drop=2, text=True): lambda row: row.action or "–",
        Column("Why", drop=1, text=True): lambda row: Text(_REASONS.get(row.reason, row.reason), style="dim"),
    }
    return rows_table("Unmatched", columns, graph.unmatched, top, " rows (--top, --json)")


def module_changes_table(changes: Sequence[ModuleChange], top: int) -> FittedTable:
    """New, gone and changed modules."""
    name_of = _names(one.name for one in changes)
    columns: dict[Column, Callable[[ModuleChange], Cell]] = {
        Column("Module", text=True): lambda row: name_of(row.name),
        Column("Change", drop=2): lambda row: row.change,
        Column("Before", drop=1): lambda row: joules(row.before_j),
        Column("After"): lambda row: joules(row.after_j),
    }
    return rows_table("Changed modules, per run", columns, changes, top, " modules (--top, --json)")


def edge_changes_table(changes: Sequence[EdgeChange], top: int) -> FittedTable:
    """New, gone and changed edges."""
    name_of = _names(name for one in changes for name in (one.sender, one.receiver))
    columns: dict[Column, Callable[[EdgeChange], Cell]] = {
        Column("From", text=True): lambda row: name_of(row.sender),
        Column("To", text=True): lambda row: name_of(row.receiver),
        Column("Change", drop=1): lambda row: row.change,
        Column("Count", drop=2): lambda row: f"{row.before_count:.4g} → {row.after_count:.4g}",
        Column("Before", drop=3): lambda row: joules(row.before_j),
        Column("After"): lambda row: joules(row.after_j),
    }
    return rows_table("Changed communications, per run", columns, changes, top, " edges (--top, --json)")


def history_table(check: HistoryCheck, top: int) -> FittedTable:
    """The alarms and jobs in the recording and in the history of batterystats, those with a difference first."""
    columns: dict[Column, Callable[[CheckedTag], Cell]] = {
        Column("Alarm or job", text=True): lambda row: row.tag,
        Column("Received by", drop=2, text=True): lambda row: ", ".join(map(_short, row.modules)) or "–",
        Column("Recorded"): lambda row: f"{row.recorded:,}",
        Column("History"): lambda row: "–" if row.in_history is None else f"{row.in_history:,}",
        Column("Difference", drop=1, text=True, wrap=True): lambda row: Text(_DIFFERENCES[row.difference], style="yellow"),
    }
    rows = sorted(check.tags, key=lambda one: (not one.difference, -max(one.recorded, one.in_history or 0), one.tag))
    table = rows_table("Alarms and jobs in the history of batterystats", columns, rows, top)
    if any(one.difference == "no_alarms_in_history" for one in check.tags):
        table.notes.append(Paragraph(_FULL_HISTORY, style="dim"))
    if check.unjoined:
        text = f"{check.unjoined:,} events of the history are left out: the phone's clock was set during the recording."
        table.notes.append(Paragraph(text, style="dim"))
    return table


def _advice_lines(found: Sequence[Advice], graph: ModuleGraph, top: int) -> list[Paragraph]:
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


def _names(names: Iterable[str]) -> Callable[[str], str]:
    """Return the name of a module in a table: without its package, if no other one has the same."""
    count = Counter(name.rpartition(".")[2] for name in set(names))

    def name_of(name: str) -> str:
        last = name.rpartition(".")[2]
        shown = last if last and count[last] < 2 and not name.startswith("(") else _short(name)
        return printable(shown, _LONGEST)

    return name_of


def _short(name: str) -> str:
    return name if name.startswith("(") else short_class(name)
