"""Implicit messages carry no identity. They are matched by their action, if the app sent it."""

from __future__ import annotations

import pytest
from graph_maker import BROADCAST, NORMAL, PERIODIC, SYSTEM_BROADCAST, K, Row, edges_of, graph_of, messages, unmatched_of
from test_graph_matching import times
from test_module_graph import with_messages

from attribution_maker import run, thread  # isort: skip
from navitas.insight.graph.matching import match
from navitas.insight.graph.module_graph import SYSTEM, ModuleGraph
from navitas.recording.parse.communication_records import CommunicationFlag

LEAVES = int(CommunicationFlag.LEAVES_APP)
GO, VIEW = "app.GO", "android.intent.action.VIEW"


def sent(ms: float, kind: int, action: str = GO, module: str = "a.M", **fields: int) -> Row:
    return Row(ms, kind, module, flags=LEAVES | fields.pop("flags", 0), action=action, **fields)


def got(ms: float, kind: int, module: str = "a.R", action: str = GO) -> Row:
    return Row(ms, kind, module, action=action)


def graph(*rows: Row) -> ModuleGraph:
    return graph_of([], with_messages(run([thread(1, [], [(0, 0), (1000, 0)])]), *rows))


@pytest.mark.parametrize(
    ("send", "receipt", "kind"),
    [
        (K.START_ACTIVITY, K.ACTIVITY_INTENT, NORMAL),
        (K.START_SERVICE, K.SERVICE_START, NORMAL),
        (K.SEND_BROADCAST, K.RECEIVE, BROADCAST),
        (K.SET_ALARM, K.RECEIVE, PERIODIC),
        (K.PENDING_INTENT, K.SERVICE_START, NORMAL),
    ],
)
def test_an_action_that_the_app_sends_and_receives_is_an_edge(send: int, receipt: int, kind: str) -> None:
    found = graph(sent(1, send), got(2, receipt))
    assert edges_of(found) == {("a.M", "a.R", kind, 1)} and not unmatched_of(found)
    assert found.edges[0].flags & CommunicationFlag.BY_ACTION


def test_each_receiver_hears_a_broadcast_once_and_a_start_is_received_once() -> None:
    sends = [sent(0, K.SEND_BROADCAST), sent(100, K.SEND_BROADCAST), sent(200, K.START_SERVICE)]
    heard = [got(ms, K.RECEIVE, name) for ms, name in ((1, "a.R"), (2, "a.Q"), (101, "a.Q"), (102, "a.R"), (103, "a.R"))]
    started = [got(201, K.SERVICE_START), got(202, K.SERVICE_START)]
    assert times([*sends, *heard, *started]) == {(0, 1), (0, 2), (100, 101), (100, 102), (200, 201)}


def test_alarms_go_off_at_any_later_time_and_once_unless_they_repeat() -> None:
    once = [sent(0, K.SET_ALARM), got(60_000, K.RECEIVE), got(120_000, K.RECEIVE)]
    assert times(once) == {(0, 60_000)}
    again = [sent(0, K.SET_ALARM, period_ms=60_000), got(60_000, K.RECEIVE), got(120_000, K.RECEIVE)]
    assert times(again) == {(0, 60_000), (0, 120_000)}


def test_a_cancelled_alarm_goes_off_no_more_but_another_with_its_action_does() -> None:
    rows = [sent(0, K.SET_ALARM, token=5), sent(1, K.CANCEL_ALARM, token=5), got(60, K.RECEIVE)]
    assert times(rows) == set()
    rows = [sent(0, K.SET_ALARM, token=5), sent(1, K.SET_ALARM, token=6), sent(2, K.CANCEL_ALARM, token=6), got(60, K.RECEIVE)]
    assert times(rows) == {(0, 60)}


def test_the_broadcast_of_an_alarm_reaches_several_receivers_also_if_the_first_one_sets_the_next_alarm() -> None:
    rows = [sent(0, K.PENDING_INTENT, token=5), sent(1, K.SET_ALARM, token=5), got(50, K.RECEIVE)]
    rows += [sent(51, K.SET_ALARM, token=5), got(52, K.RECEIVE, "a.Q"), got(60, K.RECEIVE), got(61, K.RECEIVE, "a.Q")]
    assert times(rows) == {(1, 50), (1, 52), (51, 60), (51, 61)}


def test_a_cancelled_pending_intent_sends_no_more_and_neither_does_its_alarm() -> None:
    made, start = sent(0, K.PENDING_INTENT, token=5), got(60, K.SERVICE_START)
    cancel = sent(2, K.CANCEL_PENDING_INTENT, token=5)
    replacement = sent(2, K.PENDING_INTENT, token=5)._replace(flags=CommunicationFlag.LEAVES_APP | CommunicationFlag.REPLACES)
    assert times([made, start]) == {(0, 60)}
    assert times([made, cancel, start]) == times([made, sent(1, K.SET_ALARM, token=5), cancel, start]) == set()
    assert times([made, sent(1, K.SET_ALARM, token=5), replacement, start]) == {(2, 60)}
    assert times([sent(0, K.PENDING_INTENT, token=6), made._replace(ms=1), cancel, start]) == {(0, 60)}


@pytest.mark.parametrize(
    "rows",
    [
        [got(1, K.RECEIVE), sent(2, K.SEND_BROADCAST)],
        [sent(0, K.SEND_BROADCAST), got(60_001, K.RECEIVE)],
        [sent(0, K.START_SERVICE), got(20_001, K.SERVICE_START)],
        [sent(0, K.SEND_BROADCAST), got(1, K.RECEIVE, action="app.STOP")],
        [sent(0, K.SEND_BROADCAST), got(1, K.ACTIVITY_INTENT)],
        [Row(0, K.SEND_BROADCAST, "a.M", action=GO), got(1, K.RECEIVE)],
        [sent(0, K.START_ACTIVITY, "android.intent.action.MAIN"), got(1, K.ACTIVITY_INTENT, action="android.intent.action.MAIN")],
        [sent(0, K.PENDING_INTENT, VIEW), got(1, K.ACTIVITY_INTENT, action=VIEW)],
    ],
    ids=["earlier", "late", "late start", "other action", "other kind", "stays in the app", "launcher", "any app can send it"],
)
def test_what_the_app_need_not_have_sent_stays_unmatched(rows: list[Row]) -> None:
    assert times(rows) == set()


def test_a_receiver_gets_no_implicit_broadcast_that_was_sent_before_it_was_registered() -> None:
    register = [Row(ms, K.REGISTER_RECEIVER, "a.M", target="a.R", action=GO) for ms in (10, 30)]
    rows = [*(sent(ms, K.SEND_BROADCAST) for ms in (5, 15, 25, 35)), got(16, K.RECEIVE), got(36, K.RECEIVE)]
    assert times([*register, *rows]) == {(15, 16), (35, 36)}


@pytest.mark.parametrize("action", [GO, "android.intent.action.EVENT_REMINDER", "android.appwidget.action.APPWIDGET_UPDATE"])
def test_from_target_sdk_26_on_receivers_of_the_manifest_get_exceptions_only(action: str) -> None:
    """a.R is registered, a.Q is in the manifest."""
    register = Row(0, K.REGISTER_RECEIVER, "a.M", target="a.R", action=action)
    rows = [
        register,
        sent(1, K.SEND_BROADCAST, action),
        *(got(2 + i, K.RECEIVE, f"a.{name}", action) for i, name in enumerate("RQ")),
    ]
    for target_sdk in (None, 25, 26):
        heard = {rows[receipt].module for _, receipt in match(messages(rows), [target_sdk]).pairs}
        assert heard == ({"a.R"} if target_sdk == 26 and action == GO else {"a.R", "a.Q"})


def test_a_broadcast_that_a_tapped_notification_sends_is_no_broadcast_of_the_app() -> None:
    rows = [Row(0, K.PENDING_INTENT, "a.M", 5, target="a.R"), Row(10, K.RECEIVE, "a.R", 5)]
    assert edges_of(graph(*rows)) == {("a.M", "a.R", NORMAL, 1)}
    assert edges_of(graph(*rows, Row(5, K.PENDING_INTENT_SEND, "a.M", 5))) == {("a.M", "a.R", BROADCAST, 1)}


def test_a_protected_broadcast_is_androids_also_if_the_app_tries_to_send_it() -> None:
    action = "android.intent.action.BATTERY_LOW"
    found = graph(sent(1, K.SEND_BROADCAST, action), got(2, K.RECEIVE, action=action))
    assert edges_of(found) == {(SYSTEM, "a.R", SYSTEM_BROADCAST, 1)}


def test_an_update_of_a_widget_is_androids_unless_the_app_has_sent_it() -> None:
    """Other apps cannot send it, so only Android is left."""
    action = "android.appwidget.action.APPWIDGET_UPDATE"
    found = graph(sent(1, K.SEND_BROADCAST, action), *(got(ms, K.RECEIVE, action=action) for ms in (2, 3)))
    assert edges_of(found) == {("a.M", "a.R", BROADCAST, 1), (SYSTEM, "a.R", SYSTEM_BROADCAST, 1)}
