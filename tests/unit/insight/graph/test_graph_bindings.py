"""Binding to a service that is bound already: Android calls `onBind` for the first client only."""

from __future__ import annotations

import pytest
from attribution_maker import J_PER_MS, nested, run, thread
from graph_maker import BIND, K, Row, communications, edges_of, graph_of, unmatched_of
from hypothesis import given
from support.run_tables import changed
from test_graph_matching import ROWS

from navitas.insight.graph.module_graph import EdgeKind, ModuleGraph
from navitas.insight.graph.wake_ups import message_costs

METHODS = ["a.M#onCreate", "a.N#onReceive"]
BIND_SERVICE = Row(10, K.BIND_SERVICE, "a.M", 1, target="a.N")
BOUND = Row(50, K.SERVICE_BIND, "a.N", 1)
LATER = Row(100, K.BIND_SERVICE, "a.O", 2, target="a.N")
DESTROYED = Row(80, K.SERVICE_DESTROYED, "a.N")


def graph(*runs: list[Row]) -> ModuleGraph:
    made = run([thread(1, sorted([*nested((0, 100, 0)), *nested((200, 300, 1))]), [(0, 0), (1000, 1000)])])
    return graph_of(METHODS, *(changed(made, communications=communications(rows)) for rows in runs))


def binds(*rows: Row) -> set[tuple[str, int]]:
    """Senders and counts of the bindings to a.N."""
    return {(sender, count) for sender, _, kind, count in edges_of(graph(list(rows))) if kind == BIND}


def test_ten_clients_share_the_energy_of_one_service() -> None:
    """They bind while Android has not called onBind for the first one yet."""
    clients = [BIND_SERVICE._replace(ms=10 + i, token=1 + i) for i in range(10)]
    found = graph([Row(0, K.ACTIVITY_INTENT, "a.M", 0, 32), *clients, BOUND])
    (edge,) = (edge for edge in found.edges if edge.kind.value == BIND)
    assert (edge.count, found.by_name["a.N"].received) == (10, 10)
    assert edge.energy_j == pytest.approx(100 * J_PER_MS)
    assert message_costs(found) == pytest.approx({"a.M": 200 * J_PER_MS, "a.N": 10 * J_PER_MS})


def test_a_binding_needs_a_service_that_is_bound_in_this_run_and_process() -> None:
    assert binds(BIND_SERVICE, BOUND, LATER) == {("a.M", 1), ("a.O", 1)}
    assert binds(BIND_SERVICE, BOUND, LATER._replace(process=1)) == {("a.M", 1)}
    assert binds(BIND_SERVICE, BOUND, LATER._replace(ms=5)) == {("a.M", 1)}
    two = graph([BIND_SERVICE, BOUND], [LATER])
    assert edges_of(two) == {("a.M", "a.N", BIND, 1)} and ("a.O", "bind_service", "not_received", 1) in unmatched_of(two)


def test_the_end_of_a_service_ends_its_bindings() -> None:
    assert binds(BIND_SERVICE, BOUND, DESTROYED, LATER) == {("a.M", 1)}
    again = [BIND_SERVICE._replace(ms=90, token=3), BOUND._replace(ms=95, token=3)]
    assert binds(BIND_SERVICE, BOUND, DESTROYED, *again, LATER) == {("a.M", 2), ("a.O", 1)}
    assert binds(BIND_SERVICE, BOUND, DESTROYED._replace(process=1), LATER) == {("a.M", 1), ("a.O", 1)}


@given(ROWS, ROWS)
def test_edges_and_costs_never_exceed_what_was_received_and_used(first: list[Row], second: list[Row]) -> None:
    """Whatever is recorded: no module has more edges than messages, and messages from outside cost at most the app's energy."""
    more = [row._replace(kind=int(K.BIND_SERVICE), target="a.N", flags=0) if row.kind < 4 else row for row in (*first, *second)]
    found = graph([*more[: len(first)], BOUND], more[len(first) :])
    costs, outside_j = message_costs(found), 0.0
    for node in found.nodes:
        edges = [edge for edge in found.edges if edge.receiver == node.name]
        assert sum(edge.count for edge in edges) <= node.received
        assert sum(edge.energy_j for edge in edges) <= node.energy_j * (1 + 1e-9)
        inner = sum(edge.count for edge in edges if edge.kind != EdgeKind.PERIODIC and edge.sender in costs)
        assert (costs.get(node.name) or 0.0) >= 0.0
        outside_j += (node.received - inner) * (costs.get(node.name) or 0.0)
    assert outside_j <= found.energy_j * (1 + 1e-9)
