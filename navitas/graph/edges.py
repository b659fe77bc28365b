"""Group matched messages into edges, and the others by what is known of them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass

from navitas.attribute.ledger import ModuleMessages
from navitas.graph.edge_group import EdgeGroup
from navitas.graph.known_deliveries import known_deliveries
from navitas.graph.matching import MatchedMessages
from navitas.graph.message_kinds import CANCELLING, DELAYED, periodic
from navitas.graph.module_graph import SYSTEM, EdgeKind, ModuleEdge, UnmatchedMessages
from navitas.graph.protected_broadcasts import LIMITED_TO_SENDER, protected_broadcasts
from navitas.parse.communication_records import FIRST_RECEIVE, CommunicationFlag, CommunicationKind

K = CommunicationKind
_NAMES = {int(kind): kind.name.lower() for kind in K}
_NOT_RECEIVED = frozenset({K.STOP_SERVICE, K.UNBIND_SERVICE, K.REGISTER_RECEIVER, K.PENDING_INTENT, *CANCELLING})
"""Sends that need no receiver."""


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
            unmatched[modules[row], _name(kind[row]), action[row] or target[row], _why_sent(kind[row], flags[row])] += 1
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
    if int(messages.kind[row]) not in _NAMES:
        return "unknown_kind"
    if row in matched.repeated:
        return "already_received"
    return "sender_unknown" if messages.token[row] else "no_identity"


def _why_sent(kind: int, flags: int) -> str:
    if kind not in _NAMES:
        return "unknown_kind"
    return "leaves_app" if flags & CommunicationFlag.LEAVES_APP else "not_received"
