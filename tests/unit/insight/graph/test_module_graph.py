"""The graph of a recording: nodes, edges and energy, compared with what was written down by hand."""

from __future__ import annotations

from dataclasses import replace
from math import fsum

import numpy as np
import pytest
from attribution_maker import J_PER_MS, folded, nested, run, thread
from graph_maker import (
    BIND,
    BROADCAST,
    NORMAL,
    PERIODIC,
    RESULT,
    SYSTEM_BROADCAST,
    K,
    Row,
    communications,
    edges_of,
    graph_of,
    profile_with,
    unmatched_of,
)
from support.html_pages import Page
from support.reports import text_of
from support.run_tables import changed, realtime_ahead
from test_handed_tasks import handoffs

from navitas.base.errors import RecordingError
from navitas.insight.graph.advice import RuleEvidence, advice
from navitas.insight.graph.build_graph import module_graph
from navitas.insight.graph.module_graph import OUTSIDE_MODULES, SYSTEM, ModuleGraph, Repetitions
from navitas.recording.parse.clock_triples import ClockTriples
from navitas.recording.parse.tables import RunTables
from navitas.report.page import page_report

MAIN, SECOND, THIRD = "p.MainActivity", "p.SecondActivity", "p.ThirdActivity"
ONE, TWO, THREE, RECEIVER = "p.MyService", "p.MyService2", "p.MyService3", "p.MyReceiver"


def joules(graph: ModuleGraph) -> dict[str, float]:
    """Milliseconds of CPU time of each node, at 0.1 J a second."""
    return {node.name: round(node.energy_j / J_PER_MS, 6) for node in (*graph.nodes, graph.outside)}


def with_messages(made: RunTables, *rows: Row) -> RunTables:
    return changed(made, communications=communications(rows))


def paper_2_scenario() -> RunTables:
    """The sample app of paper 2: 3 activities, services by startService, setRepeating and bindService, and a receiver."""
    rows = [
        Row(0, K.ACTIVITY_INTENT, MAIN, 0, 32),
        Row(10, K.START_ACTIVITY, MAIN, 1, target=SECOND),
        Row(11, K.ACTIVITY_INTENT, SECOND, 1),
        Row(20, K.START_ACTIVITY_FOR_RESULT, SECOND, 2, target=THIRD),
        Row(21, K.ACTIVITY_INTENT, THIRD, 2),
        Row(25, K.SET_RESULT, THIRD, 2),
        Row(26, K.ACTIVITY_RESULT, SECOND, 2),
        Row(30, K.START_SERVICE, MAIN, 3, target=ONE),
        Row(31, K.SERVICE_START, ONE, 3),
        Row(32, K.START_SERVICE, MAIN, 4, target=ONE),
        Row(33, K.SERVICE_START, ONE, 4),
        Row(40, K.PENDING_INTENT, SECOND, 5, target=TWO),
        Row(41, K.SET_ALARM, SECOND, 5, 2 | 8, 100, TWO),
        *(Row(141 + 100 * i, K.SERVICE_START, TWO, 5) for i in range(5)),
        Row(50, K.BIND_SERVICE, THIRD, 6, target=THREE),
        Row(51, K.SERVICE_BIND, THREE, 6),
        Row(52, K.BIND_SERVICE, MAIN, 7, target=THREE),
        Row(60, K.UNBIND_SERVICE, THIRD, 0, target=THREE),
        Row(70, K.SEND_BROADCAST, ONE, 8, action="p.DONE", target=RECEIVER),
        Row(71, K.RECEIVE, RECEIVER, 8, action="p.DONE"),
        Row(80, K.RECEIVE, RECEIVER, 0, action="android.intent.action.BATTERY_LOW"),
        Row(81, K.RECEIVE, RECEIVER, 0, 32, action="com.google.android.c2dm.intent.RECEIVE"),
        Row(82, K.RECEIVE, RECEIVER, 0, action="android.intent.action.VIEW"),
        Row(90, K.START_ACTIVITY, MAIN, 0, 1, action="android.intent.action.VIEW"),
        Row(91, K.STOP_SERVICE, MAIN, 0, target=ONE),
        Row(92, K.SERVICE_DESTROYED, ONE, 0),
        Row(93, K.REGISTER_RECEIVER, MAIN, action="p.DONE"),
    ]
    return with_messages(run([thread(1, [], [(0, 0), (1000, 500)])]), *rows)


def test_the_sample_app_of_paper_2_has_exactly_its_edges() -> None:
    graph = graph_of([f"{MAIN}#onCreate"], paper_2_scenario())
    assert edges_of(graph) == {
        (SYSTEM, MAIN, NORMAL, 1),
        (MAIN, SECOND, NORMAL, 1),
        (SECOND, THIRD, NORMAL, 1),
        (THIRD, SECOND, RESULT, 1),
        (MAIN, ONE, NORMAL, 2),
        (SECOND, TWO, PERIODIC, 5),
        (THIRD, THREE, BIND, 1),
        (MAIN, THREE, BIND, 1),
        (ONE, RECEIVER, BROADCAST, 1),
        (SYSTEM, RECEIVER, SYSTEM_BROADCAST, 2),
    }
    assert unmatched_of(graph) == {(RECEIVER, "receive", "no_identity", 1), (MAIN, "start_activity", "leaves_app", 1)}
    (alarm,) = (edge for edge in graph.edges if edge.kind.value == PERIODIC)
    assert (alarm.mean_period_ns, alarm.period_ms, alarm.last_ns - alarm.first_ns) == (100e6, 100, 400_000_000)
    assert (alarm.exact, alarm.repeating) == (Repetitions(), Repetitions(5, 100e6, 100)) and alarm.inexact == alarm.repeating
    assert not any(edge.methods for edge in graph.edges), "no send was within a call"
    assert {node.name for node in graph.nodes} == {MAIN, SECOND, THIRD, ONE, TWO, THREE, RECEIVER}


def test_the_page_has_the_modules_and_their_messages() -> None:
    profile = profile_with([f"{MAIN}#onCreate"], paper_2_scenario())
    tables, graph = Page(text_of(page_report.write, profile)).tables, module_graph(profile)
    assert [row[0] for row in tables["modules"][1:]] == [node.name for node in (*graph.nodes, graph.outside)]
    assert {(row[0], row[1], row[2].replace(" ", "_"), int(row[3])) for row in tables["messages"][1:]} == edges_of(graph)


def test_times_count_while_the_phone_sleeps() -> None:
    """It sleeps for a minute in the middle of five alarms, during which CLOCK_MONOTONIC stands still."""
    made, sleep_ns = paper_2_scenario(), 60 * 10**9
    awake = graph_of([f"{MAIN}#onCreate"], made)
    (alarm,) = (edge for edge in awake.edges if edge.kind.value == PERIODIC)
    middle_ns = (alarm.first_ns + alarm.last_ns) // 2
    monotonic = np.array([made.start_ns, middle_ns, middle_ns + 1, made.end_ns])
    slept = np.array([0, 0, sleep_ns, sleep_ns])
    asleep = replace(made, clocks=ClockTriples(monotonic, monotonic + slept, monotonic + slept))
    graph = graph_of([f"{MAIN}#onCreate"], asleep)
    (alarm,) = (edge for edge in graph.edges if edge.kind.value == PERIODIC)
    assert alarm.mean_period_ns == pytest.approx((400e6 + sleep_ns) / 4)
    assert graph.run_ns == awake.run_ns + sleep_ns
    assert edges_of(graph) == edges_of(awake)


def test_a_clock_that_is_set_changes_nothing() -> None:
    """Only the offset of the realtime clock differs."""
    made = paper_2_scenario()
    graphs = [graph_of([], made), *(graph_of([], replace(made, clocks=realtime_ahead(offset))) for offset in (0, -(10**18)))]
    assert graphs[0] == graphs[1] == graphs[2]


METHODS = [
    "p.Main#onCreate",  # 0
    "p.Main#work",  # 1
    "p.Sync#onStartCommand",  # 2
    "p.Db#load",  # 3
    "p.Recv#onReceive",  # 4
    "p.Main$1#onClick",  # 5
    "p.Main#lambda$onCreate$0",  # 6
    "p.Task#run",  # 7
    "p.Sync#onStartCommand$lambda$0",  # 8: of Kotlin
    "p.Base#onResume",  # 9
    "p.Task2#run",  # 10
]
KNOWN = [
    Row(1, K.ACTIVITY_INTENT, "p.Main", 0, 32),
    Row(2, K.SERVICE_START, "p.Sync", 0, 32),
    Row(3, K.RECEIVE, "p.Recv", 0, 32),
]


def test_modules_have_the_energy_below_their_callbacks_and_the_innermost_wins() -> None:
    """Main.onCreate 100 ms, in it Db.load 20 ms and Recv.onReceive 30 ms with Db.load 10 ms; Db.load alone 50 ms."""
    events = sorted([*nested((0, 100, 0), (10, 30, 3)), *nested((40, 70, 4), (50, 60, 3)), *nested((200, 250, 3))])
    main = thread(1, events, [(0, 0), (1000, 1000)])
    graph = graph_of(METHODS, with_messages(run([main]), *KNOWN))
    assert joules(graph) == {"p.Main": 70, "p.Recv": 30, "p.Sync": 0, OUTSIDE_MODULES: 900}
    assert graph.energy_j == pytest.approx(1000 * J_PER_MS, rel=1e-12)
    assert graph.by_name["p.Main"].busy_ns == 70e6


def test_a_callback_that_throws_counts_until_it_ends() -> None:
    events = [(0.0, 0, 0), (10.0, 0, 4), (30.0, 2, 4), (60.0, 2, 0)]
    graph = graph_of(METHODS, with_messages(run([thread(1, events, [(0, 0), (1000, 1000)])]), *KNOWN))
    assert joules(graph) == {"p.Main": 40, "p.Recv": 20, "p.Sync": 0, OUTSIDE_MODULES: 940}


def test_folded_calls_count_as_events_do() -> None:
    rows = [(0, 500, 0, -1, 0, 1, 0, 400), (0, 500, 1, 0, 3, 1, 0, 60), (0, 500, 2, 0, 4, 1, 0, 40)]
    main = thread(1, (), [(0, 0), (500, 500), (1000, 500)], folds=folded(rows))
    graph = graph_of(METHODS, with_messages(run([main]), *KNOWN))
    assert joules(graph) == {"p.Main": 460, "p.Recv": 40, "p.Sync": 0, OUTSIDE_MODULES: 0}


def test_a_listener_belongs_to_the_class_that_it_is_nested_in() -> None:
    events = sorted([*nested((0, 100, 5), (10, 60, 3)), *nested((200, 240, 6))])
    graph = graph_of(METHODS, with_messages(run([thread(1, events, [(0, 0), (1000, 1000)])]), *KNOWN))
    assert joules(graph) == {"p.Main": 140, "p.Recv": 0, "p.Sync": 0, OUTSIDE_MODULES: 860}


def test_handed_work_belongs_to_the_module_that_handed_it_over() -> None:
    """Sync.onStartCommand hands a task of another class to a pool, and a lambda of its own."""
    main = thread(1, nested((0, 100, 2)), [(0, 0), (1000, 1000)])
    pool = thread(2, sorted([*nested((150, 350, 7)), *nested((400, 450, 8))]), [(0, 0), (1000, 1000)], name="pool")
    made = with_messages(run([main, pool]), *KNOWN)
    graph = graph_of(METHODS, changed(made, handoffs=handoffs([(1, 150, 350, 0, 50), (1, 400, 450, 0, 60)])))
    assert joules(graph) == {"p.Sync": 350, "p.Main": 0, "p.Recv": 0, OUTSIDE_MODULES: 1650}
    assert graph.by_name["p.Sync"].handed_j == pytest.approx(250 * J_PER_MS)
    assert graph.by_name["p.Sync"].busy_ns == 350e6


def test_work_within_handed_work_belongs_to_the_first_starter() -> None:
    """Sync hands Task to the pool, and Task hands Task2 to another pool."""
    main = thread(1, nested((0, 100, 2)), [(0, 0), (1000, 100)])
    pool = thread(2, nested((150, 350, 7)), [(0, 0), (1000, 1000)], name="pool")
    other = thread(3, nested((400, 700, 10)), [(0, 0), (1000, 1000)], name="other")
    made = with_messages(run([main, pool, other]), *KNOWN, Row(500, K.START_SERVICE, "", 9, thread=2, target="p.Main"))
    graph = graph_of(METHODS, changed(made, handoffs=handoffs([(1, 150, 350, 0, 50), (2, 400, 700, 1, 250)])))
    assert joules(graph)["p.Sync"] == pytest.approx(510)
    assert ("p.Sync", "start_service", "not_received", 1) in unmatched_of(graph)


def test_no_energy_counts_twice_if_handed_work_enters_a_module() -> None:
    """On its pool, handed work of 200 ms calls a receiver's callback for 50 ms."""
    main = thread(1, nested((0, 100, 2)), [(0, 0), (1000, 0)])
    pool = thread(2, nested((150, 350, 7), (200, 250, 4)), [(0, 0), (150, 0), (350, 200), (1000, 200)], name="pool")
    made = with_messages(run([main, pool]), *KNOWN)
    graph = graph_of(METHODS, changed(made, handoffs=handoffs([(1, 150, 350, 0, 50)])))
    assert joules(graph) == {"p.Sync": 150, "p.Recv": 50, "p.Main": 0, OUTSIDE_MODULES: 0}


def test_a_base_class_belongs_to_the_only_module_that_uses_it() -> None:
    main = thread(1, nested((10, 110, 9)), [(0, 0), (1000, 1000)])
    rows = [Row(20, K.ACTIVITY_INTENT, "p.Main", 0, 32)]
    assert joules(graph_of(METHODS, with_messages(run([main]), *rows)))["p.Main"] == 100
    both = [*rows, Row(30, K.ACTIVITY_INTENT, "p.Other", 0, 32)]
    assert joules(graph_of(METHODS, with_messages(run([main]), *both)))["p.Main"] == 0


INHERITED = [
    "p.Alert#onCreate",
    "p.Full#onCreate",
    "p.Full$2#onClick",
    "p.Full#onResume",
    "p.Full#onNewIntent",
    "p.Other#onCreate",
]
ALERTS = [
    Row(11, K.ACTIVITY_INTENT, "p.Alert", 0, 32),
    Row(50, K.SEND_BROADCAST, "", 1, target="p.Recv"),
    Row(250, K.SEND_BROADCAST, "", 2, target="p.Recv"),
    *(Row(51 + 200 * i, K.RECEIVE, "p.Recv", 1 + i, thread=-1) for i in range(2)),
]
"""p.Alert extends p.Full, overrides onCreate, and calls super. A listener of p.Full sends at 250 ms."""


def alerts(*rows: Row) -> ModuleGraph:
    calls = [*nested((10, 110, 0), (20, 100, 1)), *nested((200, 260, 2)), *nested((300, 310, 3))]
    return graph_of(INHERITED, with_messages(run([thread(1, calls, [(0, 0), (1000, 1000)])]), *ALERTS, *rows))


def test_a_super_call_belongs_to_the_subclass_and_so_do_listeners_of_a_base_class() -> None:
    """p.Full is no module."""
    graph = alerts()
    assert joules(graph) == {"p.Alert": 170, "p.Recv": 0, OUTSIDE_MODULES: 830}
    assert ("p.Alert", "p.Recv", BROADCAST, 2) in edges_of(graph) and not graph.bases


@pytest.mark.parametrize(("at_ms", "sender"), [(150, "p.Full"), (5, "p.Alert"), (700, "p.Alert")])
def test_of_several_modules_of_a_base_class_the_last_one_that_received_an_intent_sends(at_ms: float, sender: str) -> None:
    """p.Full is a module, too. Nothing shows whose energy that of the listener is."""
    graph = alerts(Row(at_ms, K.ACTIVITY_INTENT, "p.Full", 0, 32, thread=-1))
    assert {edge for edge in edges_of(graph) if edge[1] == "p.Recv"} == (
        {("p.Alert", "p.Recv", BROADCAST, 1), ("p.Full", "p.Recv", BROADCAST, 1)}
        if sender == "p.Full"
        else {("p.Alert", "p.Recv", BROADCAST, 2)}
    )
    assert joules(graph) == {"p.Alert": 100, "p.Full": 0, "p.Recv": 0, OUTSIDE_MODULES: 900}
    assert [(one.name, one.heirs, round(one.energy_j / J_PER_MS)) for one in graph.bases] == [
        ("p.Full$2", ("p.Alert", "p.Full"), 60),
        ("p.Full", ("p.Alert", "p.Full"), 10),
    ]


def test_a_method_that_the_subclass_overrides_runs_for_the_base_class_itself() -> None:
    calls = [*nested((10, 110, 0), (20, 100, 1)), *nested((200, 260, 1))]
    row = Row(1, K.ACTIVITY_INTENT, "p.Full", 0, 32, thread=-1)
    graph = graph_of(INHERITED, with_messages(run([thread(1, calls, [(0, 0), (1000, 1000)])]), ALERTS[0], row))
    assert joules(graph) == {"p.Alert": 100, "p.Full": 60, OUTSIDE_MODULES: 840} and not graph.bases


def test_an_activity_that_receives_its_intent_within_another_one_is_no_base_class_of_it() -> None:
    calls = nested((10, 110, 0), (20, 100, 5))
    row = Row(21, K.ACTIVITY_INTENT, "p.Other", 0, 32)
    graph = graph_of(INHERITED, with_messages(run([thread(1, calls, [(0, 0), (1000, 1000)])]), ALERTS[0], row))
    assert joules(graph) == {"p.Alert": 20, "p.Other": 80, OUTSIDE_MODULES: 900}


def test_a_send_without_component_belongs_to_the_module_of_its_call_path() -> None:
    events = sorted([*nested((10, 110, 0), (20, 100, 3)), *nested((200, 300, 3))])
    rows = [
        Row(50, K.START_SERVICE, "", 1, target="p.Sync"),
        Row(51, K.SERVICE_START, "p.Sync", 1, thread=-1),
        Row(250, K.START_SERVICE, "", 2, target="p.Sync"),
        Row(251, K.SERVICE_START, "p.Sync", 2, thread=-1),
        Row(60, K.ACTIVITY_INTENT, "p.Main", 0, 32, thread=-1),
    ]
    graph = graph_of(METHODS, with_messages(run([thread(1, events, [(0, 0), (1000, 1000)])]), *rows))
    assert ("p.Main", "p.Sync", NORMAL, 1) in edges_of(graph) and (OUTSIDE_MODULES, "p.Sync", NORMAL, 1) in edges_of(graph)
    (edge,) = (edge for edge in graph.edges if edge.sender == "p.Main")
    assert [graph.places[method] for method in edge.methods] == [("p.Db.load", "Db.java", 13)]


def test_a_send_belongs_to_the_callback_in_which_it_was_made() -> None:
    """A receiver that an activity registered gets the activity as its context, and sends by it."""
    events = sorted([*nested((10, 110, 4)), *nested((200, 300, 3))])
    rows = [
        *KNOWN,
        Row(11, K.RECEIVE, "p.Recv", 0, 32, thread=-1),
        Row(50, K.START_SERVICE, "p.Main", 1, target="p.Sync"),
        Row(51, K.SERVICE_START, "p.Sync", 1, thread=-1),
        Row(250, K.START_SERVICE, "p.Main", 2, target="p.Sync"),
        Row(251, K.SERVICE_START, "p.Sync", 2, thread=-1),
    ]
    graph = graph_of(METHODS, with_messages(run([thread(1, events, [(0, 0), (1000, 1000)])]), *rows))
    assert {("p.Recv", "p.Sync", NORMAL, 1), ("p.Main", "p.Sync", NORMAL, 1)} <= edges_of(graph)


def test_a_module_that_inherits_the_callback_of_another_one_sends_itself() -> None:
    """Both the base class and the class below it are activities; the code of the base class runs for either."""
    events = nested((10, 110, 0))
    rows = [
        *KNOWN,
        Row(20, K.ACTIVITY_INTENT, "p.Special", 0, 32),
        Row(50, K.START_SERVICE, "p.Special", 1, target="p.Sync"),
        Row(51, K.SERVICE_START, "p.Sync", 1, thread=-1),
    ]
    graph = graph_of(METHODS, with_messages(run([thread(1, events, [(0, 0), (1000, 1000)])]), *rows))
    assert ("p.Special", "p.Sync", NORMAL, 1) in edges_of(graph)


def test_a_provider_that_androids_code_calls_for_a_module_has_that_module_as_sender() -> None:
    """Hooks do not see the call within Android's code, but the module's own call encloses that of the provider."""
    methods = [*METHODS, "p.Data#query"]
    events = sorted([*nested((10, 110, 0), (50, 60, 3), (52, 58, 11)), *nested((200, 300, 11))])
    rows = [*KNOWN, Row(53, K.PROVIDER, "p.Data"), Row(201, K.PROVIDER, "p.Data")]
    graph = graph_of(methods, with_messages(run([thread(1, events, [(0, 0), (1000, 1000)])]), *rows))
    assert ("p.Main", "p.Data", NORMAL, 1) in edges_of(graph)
    assert ("p.Data", "provider", "no_identity", 1) in unmatched_of(graph)


def test_a_class_without_a_callback_for_starts_is_a_receiver_by_its_name() -> None:
    """Hooks give such starts no token, since nothing could remove it: a service can do all its work in onCreate."""
    rows = [
        *KNOWN,
        *(Row(ms, K.START_SERVICE, "p.Main", target="p.Quiet") for ms in (10, 20)),
        Row(25, K.SERVICE_DESTROYED, "p.Quiet"),
        Row(30, K.START_SERVICE, "p.Main", 7, target="p.Lost"),
        Row(40, K.START_SERVICE, "p.Main", target="p.Heard"),
        Row(41, K.SERVICE_START, "p.Heard"),
    ]
    graph = graph_of(METHODS, with_messages(run([thread(1, [], [(0, 0), (1000, 1000)])]), *rows))
    assert {edge for edge in edges_of(graph) if edge[0] == "p.Main"} == {("p.Main", "p.Quiet", NORMAL, 2)}
    assert {node.name: node.received for node in graph.nodes}["p.Quiet"] == 2
    assert unmatched_of(graph) == {
        ("p.Main", "start_service", "not_received", 1),
        ("p.Heard", "service_start", "no_identity", 1),
    }


def test_a_class_that_did_nothing_in_a_run_was_not_started_in_it() -> None:
    """startService returns null for a class that the app does not declare. A call of the class shows that it runs."""
    events = nested((50, 60, 2))
    made = run([thread(1, events, [(0, 0), (1000, 1000)])])
    start = Row(10, K.START_SERVICE, "p.Main", target="p.Sync")
    ran, gone = with_messages(made, start), with_messages(run([thread(1, [], [(0, 0), (1000, 1000)])]), start)
    graph = graph_of(METHODS, ran, gone, with_messages(made, start._replace(target="p.Gone")))
    assert edges_of(graph) == {("p.Main", "p.Sync", NORMAL, 1)}
    assert {(one.action, one.reason, one.count) for one in graph.unmatched} == {
        ("p.Sync", "not_received", 1),
        ("p.Gone", "not_received", 1),
    }


def test_the_end_of_a_service_is_no_message() -> None:
    """Five alarms start a service, which ends each time: each alarm costs a fifth of all."""
    rows = [Row(0, K.SET_ALARM, "p.Main", 5, 2, 60_000, "p.Sync")]
    for i in range(5):
        rows += [Row(100 * i + 100, K.SERVICE_START, "p.Sync", 5), Row(100 * i + 130, K.SERVICE_DESTROYED, "p.Sync")]
    rows.append(Row(900, K.STOP_SERVICE, "p.Main", target="p.Sync"))
    events = sorted(event for i in range(5) for event in nested((100 * i + 100, 100 * i + 120, 2)))
    graph = graph_of(METHODS, with_messages(run([thread(1, events, [(0, 0), (1000, 1000)])]), *rows))
    (edge,) = graph.edges
    assert (edge.count, graph.by_name["p.Sync"].received) == (5, 5) and not unmatched_of(graph)
    assert edge.energy_j == pytest.approx(100 * J_PER_MS)


def test_runs_without_probes_do_not_count() -> None:
    made = with_messages(run([thread(1, nested((0, 100, 0)), [(0, 0), (1000, 1000)])]), *KNOWN)
    graph = module_graph(profile_with(METHODS, made, made, baseline=[1]))
    assert graph.runs == 1 and graph.run_ns == 10**9 and joules(graph)["p.Main"] == 100
    assert {edge.count for edge in graph.edges} == {1}


def test_one_exact_alarm_does_not_make_the_others_exact() -> None:
    """It goes off once, 20 inexact ones repeat. Of several periods on an edge, none is that of the edge."""
    rows = [Row(0, K.SET_ALARM, "p.Main", 5, 4), Row(1, K.RECEIVE, "p.Recv", 5), Row(2, K.SET_ALARM, "p.Main", 6, 2, 60_000)]
    rows += [Row(10 + 10 * i, K.RECEIVE, "p.Recv", 6) for i in range(20)]
    made = run([thread(1, [], [(0, 0), (1000, 0)])])
    graph = graph_of(METHODS, with_messages(made, *rows))
    (edge,) = graph.edges
    assert (edge.exact, edge.inexact, edge.repeating) == (
        Repetitions(1),
        Repetitions(20, 10e6, 60_000),
        Repetitions(20, 10e6, 60_000),
    )
    assert edge.period_ms == 60_000 and [one.rule.id for one in advice(graph)] == ["frequent-periodic-start"]
    other = [Row(300, K.SET_ALARM, "p.Main", 7, 2, 3_600_000), Row(301, K.RECEIVE, "p.Recv", 7)]
    assert graph_of(METHODS, with_messages(made, *rows, *other)).edges[0].period_ms is None


@pytest.mark.parametrize(("periods_s", "found"), [((60, 60, 60), [28]), ((900, 960, 1000), [])])
def test_several_alarms_of_an_edge_are_no_alarm_that_comes_too_soon(periods_s: tuple[int, ...], found: list[int]) -> None:
    """Three alarms, as of three accounts. Their mean interval is a third of the period, but time was not advanced."""
    rows = [Row(i, K.SET_ALARM, "p.Main", 5 + i, 2, period_s * 1000) for i, period_s in enumerate(periods_s)]
    rows += [Row(20e3 * i + 1e3 * s * n, K.RECEIVE, "p.Recv", 5 + i) for i, s in enumerate(periods_s) for n in range(1, 11)]
    graph = graph_of(METHODS, with_messages(run([thread(1, [], [(0, 0), (1000, 0)])]), *rows))
    (edge,) = graph.edges
    assert edge.repeating.at_once == 3 and not RuleEvidence.of(graph, ()).hurried
    assert [one.avoided for one in advice(graph)] == found


def test_an_alarm_that_replaces_another_one_does_not_go_on_at_the_same_time() -> None:
    rows = [Row(100 * i, K.SET_ALARM, "p.Main", 5 + i, 2, 60_000) for i in range(3)]
    rows += [Row(100 * i + 10 + n, K.RECEIVE, "p.Recv", 5 + i) for i in range(3) for n in range(5)]
    made = with_messages(run([thread(1, [], [(0, 0), (1000, 0)])]), *rows)
    assert [edge.repeating.at_once for edge in graph_of(METHODS, made, made).edges] == [1]


def test_a_storm_counts_when_broadcasts_were_sent() -> None:
    """A busy receiver gets 50 broadcasts of 10 seconds within 25 seconds: one a second would have avoided 40, not 25."""
    rows = [Row(200 * i, K.SEND_BROADCAST, "p.Main", 100 + i, target="p.Recv") for i in range(50)]
    rows += [Row(500 + 500 * i, K.RECEIVE, "p.Recv", 100 + i) for i in range(50)]
    graph = graph_of(METHODS, with_messages(run([thread(1, [], [(0, 0), (1000, 0)])]), *sorted(rows)))
    (found,) = advice(graph)
    assert (found.rule.id, found.avoided) == ("broadcast-storm", 40)


FRAGMENT = [
    "p.Main#onCreate",
    "p.Home#onCreateView(Landroid/view/LayoutInflater;Landroid/view/ViewGroup;Landroid/os/Bundle;)Landroid/view/View;",
    "p.Home$1#onClick",
    "p.Home#onResume",
    "p.Detail#onAttach(Landroid/content/Context;)V",
    "p.Listener#onAttach(Lp/Home;)V",
    "p.Plain#onResume",
]


def test_outermost_calls_of_a_fragment_are_a_module() -> None:
    """50 ms within the activity's onCreate, then 100, 200 and 400 ms alone. p.Detail has calls within the activity only."""
    calls = [(100, 200, 1), (300, 500, 2), (510, 910, 3), (920, 930, 5), (940, 950, 6)]
    events = sorted([*nested((0, 80, 0), (10, 60, 1), (65, 70, 4)), *(event for one in calls for event in nested(one))])
    row = Row(0, K.ACTIVITY_INTENT, "p.Main", 0, 32, thread=-1)
    graph = graph_of(FRAGMENT, with_messages(run([thread(1, events, [(0, 0), (1000, 1000)])]), row))
    assert joules(graph) == {"p.Home": 700, "p.Main": 80, OUTSIDE_MODULES: 220}
    assert {node.name: (node.is_fragment, node.received) for node in graph.nodes} == {"p.Home": (True, 0), "p.Main": (False, 1)}


def test_a_fragment_that_sends_by_its_activity_does_not_replace_it_as_the_sender() -> None:
    rows = [
        Row(0, K.ACTIVITY_INTENT, "p.Main", 0, 32, thread=-1),
        *(Row(ms, K.START_SERVICE, module, int(ms), target="p.Sync") for ms, module in ((150, "p.Main"), (160, ""))),
        *(Row(ms, K.SERVICE_START, "p.Sync", token, thread=-1) for ms, token in ((250, 150), (260, 160))),
    ]
    graph = graph_of(FRAGMENT, with_messages(run([thread(1, nested((100, 200, 1)), [(0, 0), (1000, 1000)])]), *rows))
    assert {edge[:2] for edge in edges_of(graph)} == {(SYSTEM, "p.Main"), ("p.Main", "p.Sync"), ("p.Home", "p.Sync")}


def test_periods_are_those_within_a_run() -> None:
    rows = [Row(0, K.SET_ALARM, "p.Main", 5, 2), Row(10, K.RECEIVE, "p.Recv", 5), Row(110, K.RECEIVE, "p.Recv", 5)]
    made = with_messages(run([thread(1, [], [(0, 0), (1000, 0)])]), *rows)
    later = changed(made, communications=communications([row._replace(ms=row.ms + 500_000) for row in rows]))
    (edge,) = graph_of(METHODS, made, later).edges
    assert (edge.count, edge.mean_period_ns) == (4, 100e6)


def test_nodes_add_up() -> None:
    graph = graph_of([f"{MAIN}#onCreate"], paper_2_scenario())
    parts = fsum([node.energy_j for node in graph.nodes] + [graph.outside.energy_j])
    assert parts == pytest.approx(graph.energy_j, rel=1e-9) and graph.energy_j > 0


def test_a_recording_without_communications_is_refused_with_a_remedy() -> None:
    with pytest.raises(RecordingError) as raised:
        graph_of(METHODS, run([thread(1, [], [(0, 0), (1000, 0)])]))
    assert "--record hooks" in raised.value.remedy
