"""Edges of a graph are compared with a list."""

from __future__ import annotations

import pytest
from graph_apps import LISTS, Listed, score, total

from navitas.insight.graph.module_graph import OUTSIDE_MODULES, SYSTEM

LIST = """\
# Scenario: open it.
package a.b
Android Boot system_broadcast
Main c.Sync normal
Main c.Sync periodic
Outside c.Sync normal
"""


def graph(*edges: tuple[str, str, str]) -> dict[str, object]:
    return {"links": [{"source": sender, "target": receiver, "kind": kind} for sender, receiver, kind in edges]}


def test_missed_and_false_edges_are_named_as_in_the_list() -> None:
    outside = (OUTSIDE_MODULES, "a.b.c.Sync", "normal")
    sent = (("a.b.Main", "a.b.c.Sync", "normal"), ("x.Y", "a.b.Main", "bind"))
    found = graph((SYSTEM, "a.b.Boot", "system_broadcast"), outside, *sent)
    result = score(Listed.read(LIST), found)
    assert result.missed == {("Main", "c.Sync", "periodic")} and result.false == {("x.Y", "Main", "bind")}
    assert (result.recall, result.precision) == pytest.approx((3 / 4, 3 / 4))


def test_edges_of_two_apps_count_twice() -> None:
    result = total([score(Listed.read(LIST), graph()), score(Listed.read(LIST), graph(("a.b.Main", "a.b.c.Sync", "normal")))])
    assert (len(result.listed), result.found, result.precision) == (8, 1, 1.0)


def test_all_lists_can_be_read() -> None:
    lists = [Listed.read(file.read_text("utf-8")) for file in LISTS.glob("*.txt")]
    assert len(lists) == 7 and all(one.edges for one in lists)
    kinds = {"normal", "periodic", "broadcast", "system_broadcast", "bind", "result"}
    assert {kind for one in lists for _, _, kind in one.edges} <= kinds
