"""E_processing, the cost of wake-ups, the difference of graphs, and advice, on graphs with round figures."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from navitas.base.errors import UsageError
from navitas.base.strong_components import strong_components
from navitas.insight.graph.advice import RULES, advice
from navitas.insight.graph.difference import difference
from navitas.insight.graph.module_graph import OUTSIDE_MODULES, SYSTEM, EdgeKind, ModuleEdge, ModuleGraph, ModuleNode, Repetitions
from navitas.insight.graph.processing import processing
from navitas.insight.graph.wake_ups import message_costs, wake_ups
from navitas.recording.parse.communication_records import CommunicationFlag as Flag

S = 1_000_000_000
N, P, B, SYS = EdgeKind.NORMAL, EdgeKind.PERIODIC, EdgeKind.BROADCAST, EdgeKind.SYSTEM_BROADCAST


def edge(sender: str, receiver: str, kind: EdgeKind, count: int, *, period_s: float | None = None, flags: int = 0) -> ModuleEdge:
    """An edge whose messages have equal periods and flags."""
    period_ns = None if period_s is None else period_s * S
    last_ns, every = int((period_ns or 0) * (count - 1)), Repetitions(count, period_ns) if kind == P else Repetitions()
    exact, inexact = (every, Repetitions()) if flags & Flag.EXACT else (Repetitions(), every)
    repeating = inexact if flags & Flag.PERIODIC else Repetitions()
    sent = Repetitions(count, period_ns) if kind == B else Repetitions()
    groups = {"exact": exact, "inexact": inexact, "repeating": repeating, "sent": sent}
    return ModuleEdge(sender, receiver, kind, count, 0, last_ns, period_ns, None, flags, 0.0, **groups)


def graph(energies: dict[str, float], *edges: ModuleEdge, hours: float = 1.0, runs: int = 1) -> ModuleGraph:
    """A graph of one component. Each module received what its edges count."""
    received = {name: sum(one.count for one in edges if one.receiver == name) for name in energies}
    nodes = [ModuleNode(name, joules, (joules,), received=received[name]) for name, joules in energies.items()]
    outside = ModuleNode(OUTSIDE_MODULES, 5.0, (5.0,))
    total_j = sum(energies.values()) + 5.0
    return ModuleGraph("made", ("cpu",), tuple(nodes), outside, edges, (), total_j, int(hours * 3600 * S), runs)


CYCLE = graph(
    {"p.A": 10.0, "p.B": 4.0, "p.C": 2.0, "p.D": 1.0},
    edge(SYSTEM, "p.A", N, 1),
    edge("p.A", "p.B", N, 2),
    edge("p.B", "p.C", N, 4),
    edge("p.C", "p.B", N, 2),
    edge("p.C", "p.C", B, 1),
    edge("p.D", "p.A", N, 1),
)


def test_e_processing_counts_each_reachable_module_once() -> None:
    found = processing(CYCLE, ["p.B"])
    assert ([node.name for node in found.modules], found.energy_j, found.components) == (["p.B", "p.C"], 6.0, (6.0,))
    assert {one.key[:2] for one in found.edges} == {("p.B", "p.C"), ("p.C", "p.B"), ("p.C", "p.C")}
    both = processing(CYCLE, ["D", "p.B", "p.D"])
    assert both.entries == ("p.D", "p.B") and both.energy_j == 17.0
    assert processing(CYCLE, [SYSTEM]).energy_j == 16.0


def test_an_unknown_or_ambiguous_module_is_an_error_with_a_remedy() -> None:
    with pytest.raises(UsageError, match="no module is named") as raised:
        processing(CYCLE, ["p.X"])
    assert raised.value.remedy.startswith("did you mean p.")
    twice = graph({"p.A": 1.0, "q.A": 2.0})
    with pytest.raises(UsageError, match="several modules are named A") as raised:
        processing(twice, ["A"])
    assert "p.A, q.A" in raised.value.remedy


def test_a_wake_up_costs_everything_that_it_starts() -> None:
    """10 alarms start the receiver (1 J each), 5 of them the service (3 J each), which broadcasts twice (0.5 J each)."""
    made = graph(
        {"p.R": 10.0, "p.S": 15.0, "p.Q": 5.0},
        edge("p.M", "p.R", P, 10),
        edge("p.R", "p.S", N, 5),
        edge("p.S", "p.Q", B, 10),
        hours=12,
    )
    alarm, broadcast = wake_ups(made)
    assert (alarm.edge.receiver, alarm.each_j, alarm.total_j, alarm.per_day_j) == ("p.R", pytest.approx(3.0), 30.0, 60.0)
    assert (broadcast.edge.receiver, broadcast.each_j) == ("p.Q", pytest.approx(0.5))


def test_the_next_alarm_is_no_response_to_this_one() -> None:
    (found,) = wake_ups(graph({"p.R": 10.0}, edge("p.R", "p.R", P, 10)))
    assert found.each_j == pytest.approx(1.0)


def test_only_a_cycle_without_beginning_and_what_leads_to_it_have_no_cost() -> None:
    made = graph(
        {"p.A": 1.0, "p.B": 1.0, "p.C": 2.0, "p.D": 4.0, "p.R": 8.0},
        edge("p.A", "p.B", B, 3),
        edge("p.B", "p.A", B, 3),
        edge("p.B", "p.D", B, 2),
        edge(SYSTEM, "p.C", SYS, 1),
        edge("p.C", "p.R", N, 2),
        edge(SYSTEM, "p.R", SYS, 2),
    )
    assert message_costs(made) == {"p.A": None, "p.B": None, "p.C": 6.0, "p.D": 2.0, "p.R": 2.0}
    into = replace(made, edges=(*made.edges, edge("p.C", "p.A", N, 0)))
    assert message_costs(into) == {"p.A": None, "p.B": None, "p.C": None, "p.D": 2.0, "p.R": 2.0}


def test_a_long_chain_of_modules_has_costs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of 500 modules starts the next one: more than one system of equations may hold."""
    monkeypatch.setattr("navitas.insight.graph.wake_ups._MOST_IN_CYCLE", 300)
    names = [f"p.M{i}" for i in range(500)]
    edges = [edge(SYSTEM, names[0], SYS, 1), *(edge(a, b, N, 1) for a, b in pairwise(names))]
    assert message_costs(graph(dict.fromkeys(names, 1.0), *edges))["p.M0"] == pytest.approx(500.0)


@given(st.dictionaries(st.sampled_from("abcdef"), st.sets(st.sampled_from("abcdef"))))
def test_cycles_are_what_reaches_each_other_and_come_after_what_they_lead_to(given_after: dict[str, set[str]]) -> None:
    after = {name: given_after.get(name, set()) for name in "abcdef"}
    reached = {name: {name} for name in after}
    for _ in after:
        reached = {name: known.union(*(reached[other] | after[other] for other in known)) for name, known in reached.items()}
    found = list(strong_components(after))
    assert {frozenset(one) for one in found} == {
        frozenset(b for b in after if b in reached[a] and a in reached[b]) for a in after
    } and sorted(name for one in found for name in one) == sorted(after)
    place = {name: i for i, one in enumerate(found) for name in one}
    assert all(place[b] <= place[a] for a in after for b in after[a])


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4), st.integers(1, 9)), max_size=12), st.integers(1, 5))
def test_the_costs_of_messages_from_outside_add_up_to_the_energy_of_their_receivers(
    given_edges: list[tuple[int, int, int]], starts: int
) -> None:
    """Conservation, also with cycles: what the system starts costs all energy that follows from it."""
    counts: dict[tuple[int, int], int] = {}
    for a, b, count in given_edges:
        counts[a, b] = counts.get((a, b), 0) + count
    energies = {f"p.M{i}": float(i + 1) for i in range(5)}
    edges = [edge(f"p.M{a}", f"p.M{b}", N, count) for (a, b), count in counts.items()]
    edges += [edge(SYSTEM, name, SYS, starts) for name in energies]
    costs = message_costs(graph(energies, *edges))
    assert sum(starts * (cost or 0.0) for cost in costs.values()) == pytest.approx(sum(energies.values()))


def test_the_difference_names_new_gone_and_dearer_modules_and_edges_per_run() -> None:
    before = graph({"p.A": 1.0, "p.B": 2.0, "p.C": 3.0}, edge("p.A", "p.B", N, 2), edge("p.A", "p.C", N, 1))
    after = graph({"p.A": 2.0, "p.B": 8.0, "p.D": 1.0}, edge("p.A", "p.B", N, 8), edge("p.A", "p.D", P, 2), runs=2)
    found = difference(before, after)
    assert {(one.name, one.change, one.before_j, one.after_j) for one in found.modules} == {
        ("p.B", "dearer", 2.0, 4.0),
        ("p.C", "gone", 3.0, 0.0),
        ("p.D", "new", 0.0, 0.5),
    }
    assert {(one.receiver, one.change, one.before_count, one.after_count) for one in found.edges} == {
        ("p.B", "more often", 2.0, 4.0),
        ("p.C", "gone", 1.0, 0.0),
        ("p.D", "new", 0.0, 1.0),
    }
    assert (found.before_j, found.after_j) == (11.0, 8.0)


def test_energy_decides_whether_a_communication_is_dearer() -> None:
    before, after = (
        graph({"p.A": 1.0}, replace(edge("p.A", "p.B", N, count), energy_j=joules)) for count, joules in ((1, 0.2), (2, 0.19))
    )
    assert [one.change for one in difference(before, after).edges] == ["cheaper"]


def test_equal_graphs_have_no_difference() -> None:
    found = difference(CYCLE, replace(CYCLE))
    assert (found.modules, found.edges) == ((), ())


FAULTY = {
    "exact-repeating-alarm": edge("p.M", "p.R", P, 60, period_s=60, flags=Flag.EXACT | Flag.WAKE_UP),
    "frequent-periodic-start": edge("p.M", "p.R", P, 60, period_s=60, flags=Flag.PERIODIC),
    "broadcast-storm": edge("p.M", "p.R", B, 6000, period_s=0.1),
    "frequent-system-broadcast": edge(SYSTEM, "p.R", SYS, 60, period_s=60),
}
BETTER = {
    "exact-repeating-alarm": edge("p.M", "p.R", P, 4, period_s=900),
    "frequent-periodic-start": edge("p.M", "p.R", P, 4, period_s=900),
    "broadcast-storm": edge("p.M", "p.R", B, 600, period_s=1),
    "frequent-system-broadcast": edge(SYSTEM, "p.R", SYS, 2, period_s=1800),
}


@pytest.mark.parametrize("rule", [rule.id for rule in RULES])
def test_a_rule_finds_its_fault_and_is_silent_without_it(rule: str) -> None:
    """Each message costs 0.01 J. The predicted saving is the difference to the twin without the fault, within 20 %."""
    faulty, better = (graph({"p.R": 0.01 * one.count}, one) for one in (FAULTY[rule], BETTER[rule]))
    (found,) = advice(faulty)
    assert (found.rule.id, found.edge) == (rule, FAULTY[rule]) and advice(better) == ()
    measured_j = faulty.energy_j - better.energy_j
    assert found.saving_j == pytest.approx(measured_j, rel=0.2) and found.saving_share == found.saving_j / faulty.energy_j
    assert "p.R" in found.message and found.rule.mechanism and found.rule.change


def test_broadcasts_of_a_short_run_are_no_rate() -> None:
    """Three broadcasts in a second are no 10,800 an hour; neither are those at the start of each of 60 short runs."""
    three = edge(SYSTEM, "p.R", SYS, 3, period_s=0.3)
    assert advice(graph({"p.R": 1.0}, three, hours=1 / 3600)) == ()
    assert advice(graph({"p.R": 1.0}, replace(three, count=60), runs=60)) == ()
    assert [one.rule.id for one in advice(graph({"p.R": 1.0}, three, hours=1 / 6))] == ["frequent-system-broadcast"]


def test_what_runs_once_is_frequent_only_if_it_leads_to_the_next_one() -> None:
    """A user starts work three times; a worker, or a module that it starts, enqueues the next work itself."""
    once = edge("p.M", "p.W", P, 3, period_s=10)
    assert advice(graph({"p.W": 1.0}, once)) == ()
    own = graph({"p.W": 1.0}, edge("p.W", "p.W", P, 3, period_s=10))
    chain = graph({"p.W": 1.0, "p.M": 1.0}, once, edge("p.W", "p.M", B, 3))
    assert [[one.rule.id for one in advice(made)] for made in (own, chain)] == [["frequent-periodic-start"]] * 2


def test_few_messages_are_no_fault() -> None:
    few = [edge("p.M", "p.R", P, 2, period_s=60, flags=Flag.EXACT), edge("p.M", "p.Q", B, 9, period_s=0.1)]
    assert advice(graph({"p.R": 1.0, "p.Q": 1.0}, *few)) == ()


def repeating(count: int, mean_s: float, period_ms: int | None, kind: str = "inexact") -> ModuleEdge:
    every = Repetitions(count, mean_s * S, period_ms)
    groups = {"inexact": every, "repeating": every} if kind == "inexact" else {"exact": every}
    one = ModuleEdge("p.M", "p.R", P, count, 0, int(mean_s * S * (count - 1)), mean_s * S, period_ms, 0, 0.0, **groups)
    return replace(one, requested=count if period_ms else 0)


def test_a_requested_period_counts_also_if_time_was_advanced() -> None:
    """A job of 15 minutes ran every 0.781 s. One of 1 minute is too frequent, whatever the mean is."""
    assert advice(graph({"p.R": 1.0}, repeating(20, 0.781, 900_000))) == ()
    (found,) = advice(graph({"p.R": 1.0}, repeating(20, 0.781, 60_000)))
    assert "every 60 s" in found.message and found.avoided == 18


def test_without_a_requested_period_there_is_no_rate_if_time_was_advanced() -> None:
    unknown = replace(repeating(20, 1.0, None, "exact"), sender="p.N")
    assert [one.rule.id for one in advice(graph({"p.R": 1.0}, unknown))] == ["exact-repeating-alarm"]
    assert advice(graph({"p.R": 1.0}, unknown, repeating(20, 0.781, 900_000))) == ()


def test_broadcasts_of_a_module_that_alarms_started_too_soon_are_no_storm() -> None:
    storm = edge("p.R", "p.Q", B, 20, period_s=0.2)
    assert [one.rule.id for one in advice(graph({"p.R": 1.0, "p.Q": 1.0}, storm))] == ["broadcast-storm"]
    assert advice(graph({"p.R": 1.0, "p.Q": 1.0}, storm, repeating(20, 0.2, 900_000))) == ()


def test_a_day_has_as_many_messages_as_the_requested_period_says() -> None:
    (wake,) = wake_ups(graph({"p.R": 40.0}, repeating(20, 0.781, 900_000)))
    assert (wake.each_j, wake.total_j, wake.per_day_j) == (2.0, 40.0, 2.0 * 96)
    (mixed,) = wake_ups(graph({"p.R": 40.0}, replace(repeating(20, 0.781, 900_000), requested=19)))
    assert mixed.per_day_j == pytest.approx(2.0 * 96 + 2.0 * 24)
    one = repeating(20, 0.781, 900_000)
    (several,) = wake_ups(graph({"p.R": 40.0}, replace(one, repeating=replace(one.repeating, at_once=3))))
    assert several.per_day_j == 3 * 2.0 * 96


def test_advice_names_the_actions_that_it_counts() -> None:
    one = replace(
        edge(SYSTEM, "p.R", SYS, 30), actions=("a.A", "a.B", "a.C", "a.D"), action_counts=(12, 9, 5, 4), other_actions=2
    )
    (found,) = advice(graph({"p.R": 1.0}, one))
    assert found.message.endswith("p.R 30 times an hour (a.A 12, a.B 9, a.C 5, and 3 more)")
    (single,) = advice(graph({"p.R": 1.0}, replace(one, actions=("a.A",), action_counts=(30,), other_actions=0)))
    assert single.message.endswith("30 times an hour (a.A)")
