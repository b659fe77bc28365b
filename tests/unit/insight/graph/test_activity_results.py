"""The sender of an activity's result, also if the activity sets none or was started by an implicit intent."""

from __future__ import annotations

from graph_maker import NORMAL, RESULT, K, Row, edges_of, graph_of, unmatched_of
from test_graph_matching import matched
from test_module_graph import with_messages

from attribution_maker import run, thread  # isort: skip
from navitas.insight.graph.module_graph import ModuleGraph
from navitas.recording.parse.communication_records import CommunicationFlag

LEAVES = int(CommunicationFlag.LEAVES_APP)


def graph(*rows: Row) -> ModuleGraph:
    return graph_of([], with_messages(run([thread(1, [], [(0, 0), (1000, 0)])]), *rows))


def test_an_activity_that_sets_no_result_sends_the_default() -> None:
    rows = [Row(0, K.START_ACTIVITY_FOR_RESULT, "a.M", 5, target="a.N"), Row(1, K.ACTIVITY_INTENT, "a.N", 5, action="a.EDIT")]
    found = graph(*rows, Row(3, K.ACTIVITY_RESULT, "a.M", 5))
    assert edges_of(found) == {("a.M", "a.N", NORMAL, 1), ("a.N", "a.M", RESULT, 1)} and not unmatched_of(found)
    (result,) = (edge for edge in found.edges if edge.kind.value == RESULT)
    assert not result.actions and not result.methods


def test_the_last_result_that_an_activity_sets_counts() -> None:
    rows = [Row(0, K.START_ACTIVITY_FOR_RESULT, "a.M", 5), Row(1, K.ACTIVITY_INTENT, "a.N", 5)]
    rows += [Row(2, K.SET_RESULT, "a.N", 5), Row(3, K.SET_RESULT, "a.N", 5), Row(4, K.ACTIVITY_RESULT, "a.M", 5)]
    found = matched(*rows)
    assert set(found.pairs) == {(0, 1), (3, 4)} and found.replaced == {2}


def test_a_result_without_a_recorded_activity_has_no_sender() -> None:
    found = graph(Row(0, K.START_ACTIVITY_FOR_RESULT, "a.M", 5, LEAVES), Row(3, K.ACTIVITY_RESULT, "a.M", 5))
    assert not edges_of(found) and (("a.M", "activity_result", "sender_unknown", 1)) in unmatched_of(found)


def test_the_result_of_an_implicit_start_is_that_of_the_activity_with_its_action() -> None:
    start = Row(0, K.START_ACTIVITY_FOR_RESULT, "a.M", 5, LEAVES, action="a.PICK")
    rows = [start, Row(1, K.ACTIVITY_INTENT, "a.N", action="a.PICK"), Row(2, K.SET_RESULT, "a.N")]
    found = graph(*rows, Row(3, K.ACTIVITY_RESULT, "a.M", 5))
    assert edges_of(found) == {("a.M", "a.N", NORMAL, 1), ("a.N", "a.M", RESULT, 1)} and not unmatched_of(found)
