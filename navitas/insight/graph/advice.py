"""Advice: a catalogue of rules, each with a pattern and a mechanism, and their cases in a graph with the saving of each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import ceil

from navitas.base.strong_components import strong_components
from navitas.insight.graph.module_graph import EdgeKind, ModuleEdge, ModuleGraph, Repetitions
from navitas.insight.graph.wake_ups import WakeUp, wake_ups

_S = 1_000_000_000
INEXACT_INTERVAL_NS = 900 * _S
"""15 minutes: AlarmManager's shortest aligned interval (INTERVAL_FIFTEEN_MINUTES), and WorkManager's shortest period."""
_LEAST_REPETITIONS = 3
STORM_INTERVAL_NS = _S
_LEAST_STORM = 10
_SYSTEM_PER_HOUR = 10.0
_HOUR_NS = 3600 * _S
_DAY_NS = 24 * _HOUR_NS
_MOST_ACTIONS = 3
LEAST_RUN_NS = 600 * _S
"""10 minutes: rates per hour of shorter runs are not judged. What Android sends at the start of an app would count too much."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """A case of a rule: the edge, a message, and the number of its messages that the change would avoid."""

    wake_up: WakeUp
    message: str
    avoided: float


@dataclass(frozen=True, slots=True)
class RuleEvidence:
    """What rules judge: a graph and some of its wake-ups. `hurried` are modules that got messages much sooner than requested."""

    graph: ModuleGraph
    wakes: tuple[WakeUp, ...]
    hurried: frozenset[str]

    @classmethod
    def of(cls, graph: ModuleGraph, wakes: tuple[WakeUp, ...]) -> RuleEvidence:
        """The evidence of a graph. A virtual phone whose clock of alarms was advanced hurries."""
        each = ((edge.receiver, edge.repeating.mean_period_ns or _DAY_NS, edge.repeating.period_ms or 0) for edge in graph.edges)
        return cls(graph, wakes, frozenset(name for name, mean_ns, period_ms in each if mean_ns * 2 < period_ms * 1e6))


@dataclass(frozen=True, slots=True)
class AdviceRule:
    """A rule. `id` is stable, for scripts and SARIF. `find` yields its cases in a graph."""

    id: str
    title: str
    mechanism: str
    change: str
    find: Callable[[RuleEvidence], Iterator[Pattern]]


def _period_ns(repeats: Repetitions, *, is_advanced: bool) -> float | None:
    """The period of messages that are more frequent than the shortest inexact interval, else None.

    It is the mean one, but not less than the app requested. Without a request, it is not known if time was advanced.
    """
    if repeats.count < _LEAST_REPETITIONS or repeats.mean_period_ns is None or (is_advanced and not repeats.period_ms):
        return None
    period_ns = max(repeats.mean_period_ns, (repeats.period_ms or 0) * 1e6)
    return period_ns if 0 < period_ns < INEXACT_INTERVAL_NS else None


def _avoided(count: int, period_ns: float, wanted_ns: float) -> float:
    """The number of messages less that a longer period makes, over the same time."""
    return max(count - ceil(count * period_ns / wanted_ns), 0)


def _exact_alarms(evidence: RuleEvidence) -> Iterator[Pattern]:
    for wake in evidence.wakes:
        if (period_ns := _period_ns(wake.edge.exact, is_advanced=bool(evidence.hurried))) is not None:
            text = f"an exact alarm of {wake.edge.sender} starts {wake.edge.receiver} every {period_ns / _S:.3g} s"
            yield Pattern(wake, text, _avoided(wake.edge.exact.count, period_ns, INEXACT_INTERVAL_NS))


def _frequent_starts(evidence: RuleEvidence) -> Iterator[Pattern]:
    """What is not set to repeat counts only within a cycle: the receiver, or a module that it leads to, sets the next one."""
    after: dict[str, set[str]] = {node.name: set() for node in evidence.graph.nodes}
    for edge in evidence.graph.edges:
        if edge.sender in after and edge.receiver in after:
            after[edge.sender].add(edge.receiver)
    cycle = {name: i for i, names in enumerate(strong_components(after)) for name in names}
    for wake in evidence.wakes:
        edge = wake.edge
        is_cycle = edge.sender in cycle and cycle[edge.sender] == cycle.get(edge.receiver)
        repeats = edge.inexact if is_cycle and edge.inexact.count > edge.repeating.count else edge.repeating
        if (period_ns := _period_ns(repeats, is_advanced=bool(evidence.hurried))) is not None:
            text = f"{edge.sender} starts {edge.receiver} every {period_ns / _S:.3g} s"
            yield Pattern(wake, text, _avoided(repeats.count, period_ns, INEXACT_INTERVAL_NS))


def _broadcast_storms(evidence: RuleEvidence) -> Iterator[Pattern]:
    """A receiver that is busy gets broadcasts late, so what counts is when they were sent.

    Those of a module that alarms started too soon came too soon, as well.
    """
    for wake in evidence.wakes:
        edge, period_ns = wake.edge, wake.edge.sent.mean_period_ns
        if edge.kind != EdgeKind.BROADCAST or edge.count < _LEAST_STORM or edge.sender in evidence.hurried:
            continue
        if period_ns is not None and period_ns < STORM_INTERVAL_NS:
            text = f"{edge.sender} sends {edge.count:,} broadcasts to {edge.receiver}, one every {period_ns / 1e6:.3g} ms"
            yield Pattern(wake, text, _avoided(edge.count, max(period_ns, 1.0), STORM_INTERVAL_NS))


def _system_broadcasts(evidence: RuleEvidence) -> Iterator[Pattern]:
    graph = evidence.graph
    if graph.run_ns < LEAST_RUN_NS * graph.runs or evidence.hurried:
        return
    for wake in evidence.wakes:
        edge = wake.edge
        if edge.kind != EdgeKind.SYSTEM_BROADCAST or edge.count < _LEAST_REPETITIONS or graph.run_ns <= 0:
            continue
        per_hour = edge.count * _HOUR_NS / graph.run_ns
        if per_hour >= _SYSTEM_PER_HOUR:
            text = f"broadcasts of Android start {edge.receiver} {per_hour:.3g} times an hour{_actions(edge, graph.run_ns)}"
            yield Pattern(wake, text, float(edge.count))


def _actions(edge: ModuleEdge, run_ns: int) -> str:
    """The actions of an edge, each with its rate if they are several."""
    counted = list(zip(edge.actions, edge.action_counts, strict=False))
    more = len(edge.actions) - _MOST_ACTIONS + edge.other_actions
    rates = [f"{action} {count * _HOUR_NS / run_ns:.3g}" for action, count in counted[:_MOST_ACTIONS]]
    if len(edge.actions) + edge.other_actions < 2:
        return f" ({edge.actions[0]})" if edge.actions else ""
    return f" ({', '.join(rates)}{f', and {more} more' if more > 0 else ''})"


RULES = (
    AdviceRule(
        "exact-repeating-alarm",
        "Repeating exact alarm",
        "Android cannot batch an exact alarm with others, so each one can wake the device.",
        "Use setInexactRepeating or WorkManager, with a period of 15 minutes or more.",
        _exact_alarms,
    ),
    AdviceRule(
        "frequent-periodic-start",
        "Module started again at short intervals",
        "Each start runs the module's whole life cycle, and the tails of its transfers follow.",
        "Collect the work, and let WorkManager do it with constraints, every 15 minutes or more rarely.",
        _frequent_starts,
    ),
    AdviceRule(
        "broadcast-storm",
        "Broadcast storm",
        "Each broadcast passes through Android's system process, and each receiver runs for it.",
        "Send at most one broadcast per second with the latest state, or call the receiver directly.",
        _broadcast_storms,
    ),
    AdviceRule(
        "frequent-system-broadcast",
        "Receiver of frequent system broadcasts",
        "The receiver runs for each change that Android reports, also if no one looks at the app.",
        "Register the receiver only while its module needs it, or use a job with constraints.",
        _system_broadcasts,
    ),
)


@dataclass(frozen=True, slots=True)
class Advice:
    """A case of a rule in a recording. `message` names the modules and the frequency.

    `saving_j` is what the rule's change would have saved in this recording: the cost of one message × the messages that it
    avoids. `saving_share` is its share of the app's energy. Both are None if the cost is not determined.
    """

    rule: AdviceRule
    edge: ModuleEdge
    message: str
    avoided: float
    saving_j: float | None
    saving_share: float | None


def advice(graph: ModuleGraph, wakes: tuple[WakeUp, ...] | None = None) -> tuple[Advice, ...]:
    """Return all cases of all rules, largest saving first. Each edge has at most one case of a rule."""
    wakes = wake_ups(graph) if wakes is None else wakes
    evidence, found = RuleEvidence.of(graph, wakes), []
    for rule in RULES:
        for case in rule.find(evidence):
            each_j, avoided = case.wake_up.each_j, case.avoided
            saving_j = None if each_j is None else each_j * avoided
            share = saving_j / graph.energy_j if saving_j is not None and graph.energy_j > 0 else None
            if avoided > 0:
                found.append(Advice(rule, case.wake_up.edge, case.message, avoided, saving_j, share))
    return tuple(sorted(found, key=lambda one: (-(one.saving_j or 0.0), one.rule.id, one.edge.key)))
