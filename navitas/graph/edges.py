"""Group matched messages into edges, and the others by what is known of them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from navitas.attribute.ledger import ModuleMessages
from navitas.graph.matching import MatchedMessages
from navitas.graph.message_kinds import CANCELLING, DELAYED
from navitas.graph.module_graph import SYSTEM, EdgeKind, ModuleEdge, UnmatchedMessages
from navitas.graph.protected_broadcasts import LIMITED_TO_SENDER, protected_broadcasts
from navitas.parse.communication_records import FIRST_RECEIVE, NO_TOKEN, CommunicationFlag, CommunicationKind

K = CommunicationKind
_Key = TypeVar("_Key", int, str)
MAX_ACTIONS, MAX_METHODS = 5, 3
_NAMES = {int(kind): kind.name.lower() for kind in K}
_NOT_RECEIVED = frozenset({K.STOP_SERVICE, K.UNBIND_SERVICE, K.REGISTER_RECEIVER, K.PENDING_INTENT, *CANCELLING})
"""Sends that need no receiver."""
_STARTS = frozenset({K.START_ACTIVITY, K.START_ACTIVITY_FOR_RESULT, K.START_SERVICE, K.START_FOREGROUND_SERVICE})
_STARTED = frozenset({K.ACTIVITY_INTENT, K.SERVICE_START})


@dataclass(slots=True)
class _Group:
    """The messages of one edge: times by run, and what they have in common."""

    times_ns: defaultdict[int, list[int]] = field(default_factory=lambda: defaultdict(list))
    actions: Counter[str] = field(default_factory=Counter)
    methods: Counter[int] = field(default_factory=Counter)
    flags: int = 0
    period_ms: int | None = None

    def edge(self, key: tuple[str, str, EdgeKind], energy_j: float) -> ModuleEdge:
        spans = [(len(times) - 1, max(times) - min(times)) for times in self.times_ns.values()]
        gaps, span_ns = sum(gap for gap, _ in spans), sum(span for _, span in spans)
        every = [t_ns for times in self.times_ns.values() for t_ns in times]
        return ModuleEdge(
            *key,
            count=len(every),
            first_ns=min(every),
            last_ns=max(every),
            mean_period_ns=span_ns / gaps if gaps else None,
            period_ms=self.period_ms,
            flags=self.flags,
            energy_j=energy_j,
            actions=tuple(action for action, _ in _most(self.actions, MAX_ACTIONS)),
            methods=tuple(method for method, _ in _most(self.methods, MAX_METHODS)),
        )


def _most(counts: Counter[_Key], limit: int) -> list[tuple[_Key, int]]:
    return sorted(counts.items(), key=lambda one: (-one[1], one[0]))[:limit]


@dataclass(frozen=True, slots=True)
class GroupedMessages:
    """Edges and unmatched messages before their energy is known. `received` counts all messages by receiver."""

    groups: Mapping[tuple[str, str, EdgeKind], _Group]
    unmatched: tuple[UnmatchedMessages, ...]
    received: Mapping[str, int]

    def edges(self, energy_j: Mapping[str, float]) -> tuple[ModuleEdge, ...]:
        """The edges by count, with their part of the receivers' energies."""
        found = []
        for key, group in self.groups.items():
            count = sum(map(len, group.times_ns.values()))
            share = count / max(self.received.get(key[1], 0), 1)
            found.append(group.edge(key, energy_j.get(key[1], 0.0) * share))
        return tuple(sorted(found, key=lambda edge: (-edge.count, edge.key)))


def grouped(
    messages: ModuleMessages, matched: MatchedMessages, modules: Sequence[str], callers: Sequence[str], methods: Sequence[int]
) -> GroupedMessages:
    """Group all messages.

    `modules` and `methods` have the module and the sending method (-1: unknown) of each row, `callers` what called a provider.
    """
    groups: defaultdict[tuple[str, str, EdgeKind], _Group] = defaultdict(_Group)
    unmatched: Counter[tuple[str, str, str, str]] = Counter()
    received: Counter[str] = Counter()
    kind, flags, names = messages.kind.tolist(), messages.flags.tolist(), messages.names
    action = [names[number] for number in messages.action.tolist()]
    target = [names[number] for number in messages.target.tolist()]
    run, t_ns, period_ms = messages.run.tolist(), messages.t_ns.tolist(), messages.period_ms.tolist()

    def add(sender: str, receiver: str, edge: EdgeKind, row: int, send: int | None) -> None:
        group = groups[sender, receiver, edge]
        group.times_ns[run[row]].append(t_ns[row])
        group.flags |= flags[row] | (0 if send is None else flags[send])
        if row in matched.by_action:
            group.flags |= CommunicationFlag.BY_ACTION
        if action[row] or (send is not None and action[send]):
            group.actions[action[row] or action[send or 0]] += 1
        if send is not None:
            group.period_ms = period_ms[send] or group.period_ms
            if methods[send] >= 0:
                group.methods[methods[send]] += 1

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
    started, notified = Counter[str](), {modules[row] for row, each in enumerate(kind) if each in _STARTED}
    bound = {modules[row] for _, row in matched.pairs if kind[row] == K.SERVICE_BIND}
    for row in matched.sent:
        if kind[row] == K.BIND_SERVICE and target[row] in bound:
            add(modules[row], target[row], EdgeKind.BIND, row, row)  # Android calls onBind for the first client only.
        elif kind[row] in _STARTS and target[row] and messages.token[row] == NO_TOKEN and target[row] not in notified:
            # The class overrides no callback that receives starts, such as a service that works in onCreate.
            started[target[row]] += 1
            add(modules[row], target[row], EdgeKind.NORMAL, row, row)
        elif row not in matched.replaced and (kind[row] not in _NOT_RECEIVED):
            unmatched[modules[row], _name(kind[row]), action[row] or target[row], _why_sent(kind[row], flags[row])] += 1
    received.update(started)
    found = [UnmatchedMessages(*key, count) for key, count in unmatched.items()]
    return GroupedMessages(groups, tuple(sorted(found, key=lambda one: (-one.count, one.module, one.kind, one.action))), received)


def _kind_of(send: int, receipt: int) -> EdgeKind:
    if send in DELAYED:
        return EdgeKind.PERIODIC
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
    if int(messages.kind[row]) not in _NAMES:
        return "unknown_kind"
    if row in matched.repeated:
        return "already_received"
    return "sender_unknown" if messages.token[row] else "no_identity"


def _why_sent(kind: int, flags: int) -> str:
    if kind not in _NAMES:
        return "unknown_kind"
    return "leaves_app" if flags & CommunicationFlag.LEAVES_APP else "not_received"
