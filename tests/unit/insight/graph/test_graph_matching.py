"""Sends and receipts of messages are matched by the identity that both carry, and nothing is guessed."""

from __future__ import annotations

from random import Random

from graph_maker import K, Row, messages
from hypothesis import given
from hypothesis import strategies as st

from navitas.insight.graph.matching import MatchedMessages, match
from navitas.recording.parse.communication_records import FIRST_RECEIVE
from navitas.recording.parse.hook_calls import NO_NODE


def times(*runs: list[Row]) -> set[tuple[float, float]]:
    """The ms of the send and of the receipt of each pair, for runs with distinct times."""
    found, rows = match(messages(*runs)), sorted((row for run in runs for row in run), key=lambda row: row.ms)
    return {(rows[send].ms, rows[receipt].ms) for send, receipt in found.pairs}


def matched(*rows: Row) -> MatchedMessages:
    return match(messages(list(rows)))


def test_a_thousand_equal_intents_in_flight_at_once() -> None:
    """All have the same kind, class and action. Only the token differs, and all are received in another order."""
    order = list(range(1000))
    Random(7).shuffle(order)
    sends = [Row(i / 1000, K.START_SERVICE, "a.Main", token=i + 1, target="a.S", action="go") for i in range(1000)]
    receipts = [Row(2 + place / 1000, K.SERVICE_START, "a.S", token=i + 1, action="go") for place, i in enumerate(order)]
    found = matched(*sends, *receipts)
    assert {send: receipt - 1000 for send, receipt in found.pairs} == {i: place for place, i in enumerate(order)}
    assert not found.received and not found.sent


def test_tokens_of_different_runs_never_match() -> None:
    found = match(messages([Row(0, K.START_SERVICE, "a.M", 5)], [Row(10, K.SERVICE_START, "a.S", 5)]))
    assert (found.pairs, list(found.received), list(found.sent)) == ([], [1], [0])


def test_a_message_that_is_sent_once_is_received_once() -> None:
    """An activity that Android creates again has the same intent."""
    rows = [Row(0, K.START_ACTIVITY, "a.M", 5), Row(1, K.ACTIVITY_INTENT, "a.N", 5), Row(9, K.ACTIVITY_INTENT, "a.N", 5)]
    found = matched(*rows)
    assert found.pairs == [(0, 1)] and found.received == [2] and found.repeated == {2}


def test_a_broadcast_is_received_once_by_each_receiver() -> None:
    sends = [Row(0, K.SEND_BROADCAST, "a.M", 5), Row(10, K.SEND_BROADCAST, "a.M", 5)]
    receipts = [Row(t, K.RECEIVE, name, 5) for t, name in ((1, "a.R"), (2, "a.Q"), (11, "a.R"), (12, "a.Q"))]
    assert times([*sends, *receipts]) == {(0, 1), (0, 2), (10, 11), (10, 12)}


def test_kinds_must_fit() -> None:
    found = matched(Row(0, K.START_SERVICE, "a.M", 5), Row(1, K.ACTIVITY_INTENT, "a.N", 5), Row(2, 77, "a.N", 5))
    assert not found.pairs and found.received == [1, 2] and found.sent == [0]


def test_a_periodic_alarm_is_received_again_and_the_last_setting_counts() -> None:
    rows = [Row(0, K.PENDING_INTENT, "a.M", 5), Row(1, K.SET_ALARM, "a.M", 5, period_ms=50)]
    rows += [Row(50.0 * i, K.SERVICE_START, "a.S", 5) for i in (1, 2)]
    rows += [Row(120, K.SET_ALARM, "a.N", 5, flags=2), Row(150, K.SERVICE_START, "a.S", 5)]
    assert times(rows) == {(1, 50), (1, 100), (120, 150)}


def test_an_alarm_that_is_set_again_each_time() -> None:
    rows = []
    for i in range(5):
        rows += [Row(100.0 * i, K.SET_ALARM, "a.M", 5, flags=4), Row(100.0 * i + 60, K.RECEIVE, "a.R", 5)]
    assert times(rows) == {(100.0 * i, 100.0 * i + 60) for i in range(5)}


def test_the_broadcast_of_an_alarm_reaches_several_receivers() -> None:
    """The first one sets the next alarm before the second one runs. A notification sends the `PendingIntent` at last."""
    rows = [Row(0, K.PENDING_INTENT, "a.M", 5), Row(1, K.SET_ALARM, "a.M", 5)]
    for ms in (100, 200):
        rows += [Row(ms, K.RECEIVE, "a.R", 5), Row(ms + 1, K.SET_ALARM, "a.R", 5), Row(ms + 2, K.RECEIVE, "a.Q", 5)]
    late = [Row(203, K.REGISTER_RECEIVER, "a.M", target="a.L", action="go"), Row(299, K.CANCEL_ALARM, token=5)]
    rows += [*late, Row(300, K.RECEIVE, "a.R", 5), Row(301, K.RECEIVE, "a.L", 5, action="go")]
    assert times(rows) == {(1, 100), (1, 102), (101, 200), (101, 202), (0, 300), (0, 301)}


def test_an_alarm_that_is_replaced_before_it_goes_off_is_no_unmatched_send() -> None:
    found = matched(Row(0, K.SET_ALARM, "a.M", 5), Row(10, K.SET_ALARM, "a.M", 5), Row(60, K.RECEIVE, "a.R", 5))
    assert found.pairs == [(1, 2)] and found.replaced == {0}


def test_a_job_that_is_scheduled_again_replaces_the_earlier_one() -> None:
    """Hooks give each request a fresh token. Another id or run is another job; a job of another class replaces it, too."""
    job = Row(0, K.SCHEDULE_JOB, "a.M", 100, target="a.J", action="7")
    again = [job._replace(ms=ms, token=100 + ms, process=ms > 2) for ms in range(5)]
    others = [job._replace(ms=1.5, token=8, action="8"), job._replace(ms=1.5, token=9, target="a.K")]
    found = match(messages([*again, *others, Row(50, K.JOB, "a.J", 104, action="7")], [job]))
    assert found.pairs == [(6, 7)] and found.replaced == {0, 1, 3, 4, 5} and found.sent == [0, 1, 2, 3, 4, 5, 8]


def test_work_of_one_name_is_replaced_or_kept() -> None:
    """REPLACE: the first never runs. KEEP: the second never runs. A list of works has one name and one time."""
    replaced = [Row(0, K.ENQUEUE_WORK, "a.M", 1, action="n"), Row(5, K.ENQUEUE_WORK, "a.M", 2, action="n")]
    assert matched(*replaced, Row(9, K.WORK, "a.W", 2)).replaced == {0}
    assert matched(*replaced, Row(9, K.WORK, "a.W", 1)).replaced == {1}
    assert matched(*replaced, Row(3, K.WORK, "a.W", 1)).replaced == set()
    kept = [replaced[0]._replace(period_ms=5), replaced[1], Row(3, K.WORK, "a.W", 1)]
    assert matched(*kept).replaced == {2}
    both = [replaced[0], replaced[0]._replace(token=2), Row(9, K.WORK, "a.W", 1)]
    assert matched(*both).replaced == matched(*(row._replace(action="") for row in replaced)).replaced == set()


def test_a_cancelled_alarm_is_received_no_more() -> None:
    """A notification still sends the `PendingIntent`."""
    rows = [Row(0, K.PENDING_INTENT, "a.M", 5), Row(1, K.SET_ALARM, "a.M", 5, period_ms=50), Row(50, K.SERVICE_START, "a.S", 5)]
    rows += [Row(60, K.CANCEL_ALARM, token=5), Row(100, K.SERVICE_START, "a.S", 5)]
    rows += [Row(110, K.SET_ALARM, "a.M", 5), Row(120, K.CANCEL_PENDING_INTENT, token=5), Row(150, K.SERVICE_START, "a.S", 5)]
    assert times(rows) == {(1, 50), (0, 100)}
    assert matched(*rows).replaced == {5}


def test_a_pending_intent_that_replaces_another_cancels_its_alarm() -> None:
    rows = [Row(0, K.PENDING_INTENT, "a.M", 5), Row(1, K.SET_ALARM, "a.M", 5), Row(2, K.PENDING_INTENT, "a.M", 5, flags=64)]
    rows += [Row(3, K.SERVICE_START, "a.S", 5)]
    assert times(rows) == {(2, 3)}


def test_cancelled_jobs_and_work_are_no_unmatched_sends() -> None:
    rows = [Row(0, K.SCHEDULE_JOB, token=5, target="a.J", action="1"), Row(1, K.ENQUEUE_WORK, token=6)]
    rows += [Row(2, K.CANCEL_JOB, token=5, action="1"), Row(3, K.CANCEL_WORK, token=6), Row(4, K.CANCEL_JOB)]
    assert matched(*rows).replaced == {0, 1}


def test_what_another_process_or_a_name_cancels_is_no_unmatched_send() -> None:
    """Such a cancellation has no identity, only a job's id or a unique name. It ends what was requested before it."""
    job, work = Row(0, K.SCHEDULE_JOB, token=5, target="a.J", action="1"), Row(0, K.ENQUEUE_WORK, token=6, action="n")
    ends = [Row(2, K.CANCEL_JOB, action="1", process=1), Row(2, K.CANCEL_WORK, action="n")]
    assert matched(job, work, *ends).replaced == {0, 1}
    assert matched(job, work, *(row._replace(ms=-1) for row in ends)).replaced == set()
    assert matched(job, work, *(row._replace(action="m") for row in ends)).replaced == set()


def test_work_of_a_name_that_was_cancelled_is_needed_again() -> None:
    rows = [Row(0, K.ENQUEUE_WORK, token=6, action="n", period_ms=9), Row(1, K.WORK, token=6)]
    rows += [Row(5, K.ENQUEUE_WORK, token=7, action="n", period_ms=9)]
    assert matched(*rows).replaced == {2}
    assert matched(*rows, Row(3, K.CANCEL_WORK, action="n")).replaced == set()


def test_equal_pending_intents_share_a_token() -> None:
    """The app sends one itself, its alarm fires, and at last a notification sends it."""
    rows = [Row(0, K.PENDING_INTENT, "a.M", 5), Row(1, K.PENDING_INTENT, "a.N", 5), Row(10, K.PENDING_INTENT_SEND, "a.O", 5)]
    rows += [Row(11, K.SERVICE_START, "a.S", 5), Row(20, K.SET_ALARM, "a.P", 5), Row(30, K.SERVICE_START, "a.S", 5)]
    rows += [Row(40, K.SERVICE_START, "a.S", 5)]
    assert times(rows) == {(10, 11), (20, 30), (1, 40)}


def test_a_result_has_the_token_of_the_start() -> None:
    rows = [Row(0, K.START_ACTIVITY_FOR_RESULT, "a.M", 5), Row(1, K.ACTIVITY_INTENT, "a.N", 5)]
    rows += [Row(2, K.SET_RESULT, "a.N", 5), Row(3, K.ACTIVITY_RESULT, "a.M", 5)]
    assert times(rows) == {(0, 1), (2, 3)}


def test_a_killed_app_gets_messages_of_its_earlier_process() -> None:
    """Both processes count tokens from 1. An alarm and a job outlive the first one; the job has lost its token."""
    first = [Row(0, K.SET_ALARM, "a.M", 1, flags=2), Row(1, K.SCHEDULE_JOB, "a.M", 2, target="a.J", action="42")]
    first += [Row(2, K.START_SERVICE, "a.M", 3), Row(3, K.JOB, "a.J", 2, target="a.J", action="42")]
    second = [Row(100, K.START_SERVICE, "a.N", 3), Row(101, K.SERVICE_START, "a.S", 3), Row(110, K.RECEIVE, "a.R", 1)]
    second += [Row(120, K.JOB, "a.J", 0, target="a.J", action="42"), Row(130, K.JOB, "a.J", 0, target="a.J", action="43")]
    rows = [*first, *(row._replace(process=1) for row in second)]
    found = match(messages(rows))
    assert times(rows) == {(1, 3), (100, 101), (0, 110), (1, 120)}
    assert [rows[row].ms for row in found.received] == [130] and [rows[row].ms for row in found.sent] == [2]


def test_a_receipt_does_not_precede_its_send() -> None:
    assert times([Row(1, K.RECEIVE, "a.R", 5), Row(1.5, K.SEND_BROADCAST, "a.M", 5)]) == set()
    assert times([Row(1, K.SEND_BROADCAST, "a.M", 5), Row(1, K.RECEIVE, "a.R", 5)]) == {(1, 1)}


KINDS = st.sampled_from([*map(int, K), 0, 17, 50, 65_535])
ROWS = st.lists(
    st.builds(
        Row,
        ms=st.integers(0, 50).map(float),
        kind=KINDS,
        module=st.sampled_from(["", "a.M", "a.N"]),
        token=st.integers(0, 3),
        flags=st.integers(0, 63),
        period_ms=st.sampled_from([0, 0, 5]),
        target=st.sampled_from(["", "a.N"]),
        action=st.sampled_from(["", "1"]),
        thread=st.just(-1),
        process=st.integers(0, 1),
        node=st.just(NO_NODE),
    ),
    max_size=40,
)


@given(ROWS)
def test_each_receipt_has_one_send_of_its_token_or_none(rows: list[Row]) -> None:
    """A job may have lost its token, an implicit message never had one, and a result can be known by its start."""
    table = messages(rows)
    found = match(table)
    receipts = [row for row, kind in enumerate(table.kind.tolist()) if kind >= FIRST_RECEIVE and kind != K.SERVICE_DESTROYED]
    sends = {row for row, kind in enumerate(table.kind.tolist()) if kind < FIRST_RECEIVE}
    assert sorted([receipt for _, receipt in found.pairs] + list(found.received)) == receipts
    assert set(found.sent) == sends - {send for send, _ in found.pairs} and found.repeated <= set(found.received)
    for send, receipt in found.pairs:
        is_job = table.token[receipt] == 0 and table.kind[receipt] == K.JOB
        is_result = table.kind[receipt] == K.ACTIVITY_RESULT
        is_known = is_job or is_result or receipt in found.by_action
        assert is_known or table.token[send] == table.token[receipt] != 0
        assert send in sends or is_result
        assert table.t_ns[send] <= table.t_ns[receipt] and table.run[send] == table.run[receipt]
        if receipt in found.by_action:
            assert table.action[send] == table.action[receipt] != 0 and table.token[receipt] == 0


def test_a_receiver_gets_no_broadcast_that_was_sent_before_it_was_registered() -> None:
    """It is registered at 10 and, after it was unregistered, at 30 ms. Broadcasts of a `PendingIntent` share an identity."""
    register = [Row(ms, K.REGISTER_RECEIVER, "a.M", target="a.R", action="app.STOP,app.GO") for ms in (10, 30)]
    sends = [Row(ms, K.PENDING_INTENT_SEND, "a.M", 5, action="app.GO") for ms in (5, 15, 25, 35)]
    receipts = [Row(ms, K.RECEIVE, "a.R", 5, action="app.GO") for ms in (16, 36)]
    assert times([*register, *sends, *receipts]) == {(15, 16), (35, 36)}
    assert times([*sends, *receipts]) == {(5, 16), (15, 36)}, "a receiver of the manifest"
