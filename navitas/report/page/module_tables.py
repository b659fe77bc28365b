"""The tables of what only some recordings have: modules of an app, the messages between them, and executed operations."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from navitas.base.html_page.columns import (
    PageCell,
    PageTable,
    count_cell,
    figure_cell,
    joules_cell,
    name_cell,
    page_table,
    share_cell,
)
from navitas.base.units import duration, share
from navitas.insight.graph.build_graph import module_graph
from navitas.insight.graph.module_graph import ModuleEdge, ModuleGraph, ModuleNode
from navitas.insight.operations.rankings import RankedOperation
from navitas.report.page.page_basis import PageBasis

_MODULES = (
    "Activities, services, receivers and the like, with the energy of their calls and of the work that they handed to other"
    " threads. Share: of the energy of the app's threads."
)
_MESSAGES = (
    "Energy: the part of the receiver's energy that goes with its messages of this kind. navitas graph shows more: wake-ups, and"
    " advice."
)
_COUNTED = "What the tests executed, by the counts of basic blocks and the census of the code, in all runs."
_COSTED = (
    f"{_COUNTED} Energies are estimates: executions × costs of the model. They are no part of the page's other figures, which are"
    " measured."
)


def module_tables(basis: PageBasis, most: int) -> Iterator[PageTable | None]:
    """Yield both tables. None without recorded communications."""
    if basis.profile.ledger.messages is None:
        return
    graph = module_graph(basis.profile)
    yield _modules(graph, most)
    yield _messages(graph, most)


def _modules(graph: ModuleGraph, most: int) -> PageTable | None:
    runs = max(graph.runs, 1)
    columns: dict[str, Callable[[ModuleNode], PageCell]] = {
        "Module": lambda node: name_cell(node.name),
        "Energy": lambda node: joules_cell(node.energy_j / runs),
        "Share": lambda node: share_cell(share(node.energy_j, graph.energy_j)),
        "On other threads": lambda node: joules_cell(node.handed_j / runs),
        "Time": lambda node: figure_cell(node.busy_ns / runs, duration),
        "Messages received": lambda node: count_cell(round(node.received / runs)),
    }
    outside = [graph.outside] if graph.outside.components else []
    return page_table("modules", "Modules", _MODULES, columns, [*graph.nodes, *outside], most=most)


def _messages(graph: ModuleGraph, most: int) -> PageTable | None:
    runs = max(graph.runs, 1)
    columns: dict[str, Callable[[ModuleEdge], PageCell]] = {
        "From": lambda edge: name_cell(edge.sender),
        "To": lambda edge: name_cell(edge.receiver),
        "Kind": lambda edge: PageCell(edge.kind.value.replace("_", " ")),
        "Messages": lambda edge: count_cell(round(edge.count / runs)),
        "Energy": lambda edge: joules_cell(edge.energy_j / runs),
    }
    edges = sorted(graph.edges, key=lambda edge: -edge.energy_j)
    return page_table("messages", "Messages between modules", _MESSAGES, columns, edges, most=most, texts=3)


def operations_table(basis: PageBasis, most: int) -> PageTable | None:
    """Return the table of executed operations, most energy first; without a model, most executions. None without counts."""
    ran = basis.operations
    has_costs = any(operation.has_cost for operation in ran)
    columns: dict[str, Callable[[RankedOperation], PageCell]] = {
        "Operation": lambda operation: name_cell(operation.name),
        "Class": lambda operation: PageCell(operation.kind),
    }
    if has_costs:
        columns["Energy"] = lambda operation: joules_cell(operation.energy_j if operation.has_cost else None)
        columns["Share"] = lambda operation: share_cell(operation.share if operation.has_cost else None)
    columns["Executions"] = lambda operation: count_cell(operation.executions)
    ranked = ran if has_costs else sorted(ran, key=lambda operation: (-operation.executions, operation.name))
    about = _COSTED if has_costs else _COUNTED
    return page_table("operations", "Operations", about, columns, ranked, most=most, texts=2)
