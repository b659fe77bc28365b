"""Group matched messages into edges, and the others by what is known of them.

No receipt answers some sends whose receiver is known. Android calls `onBind` for the first client of a service only. A class
without a callback for starts, such as a service that does its work in `onCreate`, records no receipt. Nothing is known across
runs, and no binding across processes of a run.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from itertools import accumulate
from typing import TypeVar

from navitas.energy.attribute.ledger import ModuleMessages
from navitas.insight.graph.matching import MatchedMessages
from navitas.insight.graph.message_kinds import CANCELLING, DELAYED, LIMITED_TO_SENDER, periodic, protected_broadcasts
from navitas.insight.graph.module_graph import SYSTEM, EdgeKind, ModuleEdge, Repetitions, UnmatchedMessages
from navitas.recording.parse.communication_records import FIRST_RECEIVE, NO_TOKEN, CommunicationFlag, CommunicationKind

K = CommunicationKind
_NAMES = {int(kind): kind.name.lower() for kind in K}
_NOT_RECEIVED = frozenset({K.STOP_SERVICE, K.UNBIND_SERVICE, K.REGISTER_RECEIVER, K.PENDING_INTENT, *CANCELLING})
"""Sends that need no receiver."""
_Key = TypeVar("_Key", int, str)
MAX_ACTIONS, MAX_METHODS = 5, 3
_STARTS = frozenset({K.START_ACTIVITY, K.START_ACTIVITY_FOR_RESULT, K.START_SERVICE, K.START_FOREGROUND_SERVICE})
_STARTED = frozenset({K.ACTIVITY_INTENT, K.SERVICE_START})
_Place = tuple[int, int, str]
"""Run, process and class."""


class MessageTimes:
    """Times of messages by run and series. A series is one alarm, job or work that repeats; all others are one series."""

    def __init__(self) -> None:
        self._by_series: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
        self._periods_ms: Counter[int] = Counter()

    def add(self, run: int, t_ns: int, period_ms: int, series: int = 0) -> None:
        """Add a message with the period that the app requested, 0 if it requested none."""
        self._by_series[run, series].append(t_ns)
        self._periods_ms[period_ms] += 1

    def periods_ms(self) -> Counter[int]:
        """The number of messages with each period that the app requested."""
        return Counter({period_ms: count for period_ms, count in self._periods_ms.items() if period_ms})

    def all_ns(self) -> list[int]:
        """The times of all runs."""
        return [t_ns for times in self._by_series.values() for t_ns in times]

    def repeats(self) -> Repetitions:
        """The number of messages, and the mean time between those of a run and series."""
        spans = [(len(times), max(times) - min(times)) for times in self._by_series.values()]
        count, gaps = sum(each for each, _ in spans), sum(each - 1 for each, _ in spans)
        period_ms = next(iter(self._periods_ms)) if len(self._periods_ms) == 1 else 0
        mean_ns = sum(span_ns for _, span_ns in spans) / gaps if gaps else None
        return Repetitions(count, mean_ns, period_ms or None, self._at_once())

    def _at_once(self) -> int:
        """The most series of a run that went on at the same time: a series that replaces another one begins later."""
        ends = [
            (run, at_ns, is_end)
            for (run, _), times in self._by_series.items()
            for is_end, at_ns in enumerate((min(times), max(times)))
        ]
        return max(accumulate(-1 if is_end else 1 for _, _, is_end in sorted(ends)), default=1)


@dataclass(slots=True)
class EdgeGroup:
    """The messages of one edge. `exact`, `inexact` and `repeating` are among `every`, as in `ModuleEdge`. `sent` has sends."""

    every: MessageTimes = field(default_factory=MessageTimes)
    exact: MessageTimes = field(default_factory=MessageTimes)
    inexact: MessageTimes = field(default_factory=MessageTimes)
    repeating: MessageTimes = field(default_factory=MessageTimes)
    sent: MessageTimes = field(default_factory=MessageTimes)
    actions: Counter[str] = field(default_factory=Counter)
    methods: Counter[int] = field(default_factory=Counter)
    flags: int = 0

    def edge(self, key: tuple[str, str, EdgeKind], receiver_j: float, received: int) -> ModuleEdge:
        """The edge. `receiver_j` is the receiver's energy, `received` the number of all messages that it received."""
        repeats, times, periods_ms = self.every.repeats(), self.every.all_ns(), self.every.periods_ms()
        actions = _most(self.actions, MAX_ACTIONS)
        return ModuleEdge(
            *key,
            count=repeats.count,
            first_ns=min(times),
            last_ns=max(times),
            mean_period_ns=repeats.mean_period_ns,
            period_ms=next(iter(periods_ms)) if len(periods_ms) == 1 else None,
            flags=self.flags,
            energy_j=receiver_j * repeats.count / max(received, 1),
            actions=actions,
            methods=_most(self.methods, MAX_METHODS),
            exact=self.exact.repeats(),
            inexact=self.inexact.repeats(),
            repeating=self.repeating.repeats(),
            sent=self.sent.repeats(),
            requested=periods_ms.total(),
            action_counts=tuple(self.actions[action] for action in actions),
            other_actions=len(self.actions) - len(actions),
        )


def _most(counts: Counter[_Key], limit: int) -> tuple[_Key, ...]:
    return tuple(key for key, _ in sorted(counts.items(), key=lambda one: (-one[1], one[0]))[:limit])


@dataclass(frozen=True, slots=True)
class GroupedMessages:
    """Edges and unmatched messages before their energy is known. `received` counts all messages by receiver.

    It is at least the sum of the edges to a receiver.
    """

    groups: Mapping[tuple[str, str, EdgeKind], EdgeGroup]
    unmatched: tuple[UnmatchedMessages, ...]
    received: Mapping[str, int]

    def edges(self, energy_j: Mapping[str, float]) -> tuple[ModuleEdge, ...]:
        """The edges by count, with their part of the receivers' energies."""
        groups = self.groups.items()
        found = [group.edge(key, energy_j.get(key[1], 0.0), self.received.get(key[1], 0)) for key, group in groups]
        return tuple(sorted(found, key=lambda edge: (-edge.count, edge.key)))


def grouped(
    messages: ModuleMessages,
    matched: MatchedMessages,
    modules: Sequence[str],
    callers: Sequence[str],
    methods: Sequence[int],
    *,
    running: Set[tuple[int, str]] = frozenset(),
) -> GroupedMessages:
    """Group all messages.

    `modules` and `methods` have the module and the sending method (-1: unknown) of each row, `callers` what called a provider.
    `running` are the runs and classes with calls.
    """
    groups: defaultdict[tuple[str, str, EdgeKind], EdgeGroup] = defaultdict(EdgeGroup)
    unmatched: Counter[tuple[str, str, str, str]] = Counter()
    received: Counter[str] = Counter()
    kind, flags, names = messages.kind.tolist(), messages.flags.tolist(), messages.names
    action = [names[number] for number in messages.action.tolist()]
    target = [names[number] for number in messages.target.tolist()]
    run, t_ns, period_ms = messages.run.tolist(), messages.t_ns.tolist(), messages.period_ms.tolist()
    repeats, token = periodic(messages), messages.token.tolist()

    def add(sender: str, receiver: str, edge: EdgeKind, row: int, send: int | None) -> None:
        group = groups[sender, receiver, edge]
        times = [group.every]
        group.flags |= flags[row] | (0 if send is None else flags[send])
        if row in matched.by_action:
            group.flags |= CommunicationFlag.BY_ACTION
        if action[row] or (send is not None and action[send]):
            group.actions[action[row] or action[send or 0]] += 1
        if send is not None:
            if methods[send] >= 0:
                group.methods[methods[send]] += 1
            if edge == EdgeKind.BROADCAST:
                group.sent.add(run[send], t_ns[send], 0)
            if kind[send] in DELAYED:
                is_exact = flags[send] & CommunicationFlag.EXACT
                times += [group.exact] if is_exact else [group.inexact, group.repeating][: 1 + repeats[send]]
        for one in times:
            series = token[send] if send is not None and one is group.repeating else 0
            one.add(run[row], t_ns[row], 0 if send is None else period_ms[send], series)

    for send, row in matched.pairs:
        received[modules[row]] += 1
        is_send = kind[send] < FIRST_RECEIVE  # else an activity that sends the default result
        add(modules[send], modules[row], _kind_of(kind[send], kind[row]), row, send if is_send else None)
    for row in matched.received:
        received[modules[row]] += 1
        edge = _system_edge(kind[row], flags[row], action[row])
        if edge is not None:
            add(SYSTEM, modules[row], edge, row, None)
        elif callers[row]:
            add(callers[row], modules[row], EdgeKind.NORMAL, row, None)
        else:
            unmatched[modules[row], _name(kind[row]), action[row], _why(messages, matched, row)] += 1
    known = known_deliveries(messages, matched, modules, running)
    for row in matched.sent:
        if row in known:
            receiver, edge = known[row]
            received[receiver] += 1
            add(modules[row], receiver, edge, row, row)
        elif row not in matched.replaced and (kind[row] not in _NOT_RECEIVED):
            unmatched[modules[row], _name(kind[row]), action[row] or target[row], _why(messages, matched, row)] += 1
    found = [UnmatchedMessages(*key, count) for key, count in unmatched.items()]
    return GroupedMessages(groups, tuple(sorted(found, key=lambda one: (-one.count, one.module, one.kind, one.action))), received)


def _kind_of(send: int, receipt: int) -> EdgeKind:
    if send in DELAYED:
        return EdgeKind.PERIODIC
    if send == K.PENDING_INTENT:  # something else sent it, such as a notification that was tapped
        return EdgeKind.NORMAL
    by_receipt = {K.RECEIVE: EdgeKind.BROADCAST, K.SERVICE_BIND: EdgeKind.BIND, K.ACTIVITY_RESULT: EdgeKind.RESULT}
    return by_receipt.get(K(receipt), EdgeKind.NORMAL)


def _system_edge(kind: int, flags: int, action: str) -> EdgeKind | None:
    """The edge from Android to a receiver without a known sender, None if the sender is not known to be Android."""
    is_system = bool(flags & CommunicationFlag.FROM_SYSTEM)
    if kind == K.RECEIVE:
        is_androids = is_system or action in protected_broadcasts() or action in LIMITED_TO_SENDER
        return EdgeKind.SYSTEM_BROADCAST if is_androids else None
    return EdgeKind.NORMAL if is_system and kind in _NAMES else None


def _name(kind: int) -> str:
    return _NAMES.get(kind, f"kind {kind}")


def _why(messages: ModuleMessages, matched: MatchedMessages, row: int) -> str:
    """The reason why a row of `matched.received` or `matched.sent` has no partner."""
    kind = int(messages.kind[row])
    if kind not in _NAMES:
        return "unknown_kind"
    if kind < FIRST_RECEIVE:
        return "leaves_app" if messages.flags[row] & CommunicationFlag.LEAVES_APP else "not_received"
    if row in matched.repeated:
        return "already_received"
    return "sender_unknown" if messages.token[row] else "no_identity"


def known_deliveries(
    messages: ModuleMessages, matched: MatchedMessages, modules: Sequence[str], running: Set[tuple[int, str]]
) -> dict[int, tuple[str, EdgeKind]]:
    """Return the receiver, and the kind of edge, of each such row of `matched.sent`.

    `modules` has the module of each row, `running` the classes of which each run has calls. A start needs a call or a message of
    its class in the same run: without one, nothing shows that the class exists.
    """
    run, kind, token = messages.run.tolist(), messages.kind.tolist(), messages.token.tolist()
    process, target = messages.process.tolist(), [messages.names[number] for number in messages.target.tolist()]
    named = [messages.names[number] for number in messages.module.tolist()]
    active = running | {(run[row], name) for row, name in enumerate(named)}
    answers = {named[row] for row, each in enumerate(kind) if each in _STARTED}
    bindings, found = _Bindings(messages, matched, modules), dict[int, tuple[str, EdgeKind]]()
    for row in matched.sent:
        if kind[row] == K.BIND_SERVICE and bindings.has((run[row], process[row], target[row]), row):
            found[row] = target[row], EdgeKind.BIND
            continue
        is_quiet = kind[row] in _STARTS and token[row] == NO_TOKEN and target[row] and target[row] not in answers
        if is_quiet and (run[row], target[row]) in active:
            found[row] = target[row], EdgeKind.NORMAL
    return found


class _Bindings:
    """When each service was bound: from the call that caused its `onBind` to its `onDestroy`, if that is recorded."""

    def __init__(self, messages: ModuleMessages, matched: MatchedMessages, modules: Sequence[str]) -> None:
        run, process, kind = messages.run.tolist(), messages.process.tolist(), messages.kind.tolist()
        sends = {receipt: send for send, receipt in matched.pairs}
        destroyed: defaultdict[_Place, list[int]] = defaultdict(list)
        bound: defaultdict[_Place, list[tuple[int, int]]] = defaultdict(list)
        for row in (row for row in range(len(messages)) if kind[row] >= FIRST_RECEIVE):
            if kind[row] == K.SERVICE_DESTROYED:
                destroyed[run[row], process[row], modules[row]].append(row)
            elif kind[row] == K.SERVICE_BIND:
                bound[run[row], process[row], modules[row]].append((sends.get(row, row), row))
        self._spans: dict[_Place, tuple[list[int], list[int]]] = {}
        for place, rows in bound.items():
            spans = sorted((begin, _next(destroyed[place], receipt, len(messages))) for begin, receipt in rows)
            self._spans[place] = [begin for begin, _ in spans], list(accumulate((end for _, end in spans), max))

    def has(self, place: _Place, row: int) -> bool:
        """Whether the service was bound at a row, which is in order of time."""
        begins, ends = self._spans.get(place, ([], []))
        before = bisect_right(begins, row)
        return before > 0 and ends[before - 1] > row


def _next(rows: Sequence[int], after: int, default: int) -> int:
    place = bisect_right(rows, after)
    return rows[place] if place < len(rows) else default
