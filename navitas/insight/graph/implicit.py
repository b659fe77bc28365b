"""Match messages that carry no identity: implicit ones by their action, results of activities by the start that requested them.

Android delivers an implicit intent to the app itself if the app declares a component for it. Such a message is matched if the
app sent its action, and nothing else explains it: each start of a component once within 20 s, each broadcast once for each
module within 60 s. What an alarm or a `PendingIntent` sends is matched at any later time; the latter only if its action is not
Android's, since every app can send that. A start by `android.intent.action.MAIN` is the launcher's, or goes to it. No receiver
gets a broadcast from before its registration by code, and each gets an alarm that has gone off once.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from operator import itemgetter

from navitas.energy.attribute.ledger import ModuleMessages
from navitas.insight.graph.message_kinds import CANCELLING, SENDS_OF, STARTED_LATER, periodic, protected_broadcasts
from navitas.recording.parse.communication_records import NO_TOKEN, CommunicationFlag, CommunicationKind

K = CommunicationKind
_START_NS, _BROADCAST_NS = 20_000_000_000, 60_000_000_000
"""AOSP's time limits of services that start (ActiveServices) and of background broadcasts (ActivityManagerService)."""
_LIMITED = 26
_EXCEPTIONS = frozenset(
    f"android.{name}"
    for name in ("intent.action.EVENT_REMINDER", "appwidget.action.APPWIDGET_UPDATE", "appwidget.action.APPWIDGET_CONFIGURE")
)
"""What receivers of the manifest still get. Of Android's list of exceptions, the others are protected, so no app sends them:
https://developer.android.com/develop/background-work/background-tasks/broadcasts/broadcast-exceptions
AOSP's BroadcastController limits updates of widgets to the sender's package, so they are not implicit for this rule.
"""
_ANDROID = "android."
_MAIN = "android.intent.action.MAIN"
_RECEIPTS = frozenset({*STARTED_LATER, K.SERVICE_BIND})
"""What an implicit intent can cause."""


class Registrations:
    """The times of registrations by process, receiver and action."""

    def __init__(self, messages: ModuleMessages) -> None:
        columns = (messages.run, messages.process, messages.module, messages.action, messages.t_ns)
        self._rows = list(zip(*(column.tolist() for column in columns), strict=True))
        numbers = {name: number for number, name in enumerate(messages.names)}
        self._times: defaultdict[tuple[int, ...], list[int]] = defaultdict(list)
        for row in (messages.kind == K.REGISTER_RECEIVER).nonzero()[0].tolist():
            run, process, _, actions, t_ns = self._rows[row]
            for action in messages.names[actions].split(","):
                if action in numbers:
                    self._times[run, process, int(messages.target[row]), numbers[action]].append(t_ns)

    def since_ns(self, receipt: int) -> int | None:
        """The last registration before a receipt, None if there is none: it is a receiver of the app's manifest."""
        *key, t_ns = self._rows[receipt]
        times = self._times.get(tuple(key), [])
        place = bisect_right(times, t_ns)
        return times[place - 1] if place else None


@dataclass(slots=True)
class GoneOff:
    """An alarm that does not repeat, and the time at which each receiver got it. Alarms and receivers are numbers."""

    _alarm: int | None = None
    _reached_ns: dict[int, int] = field(default_factory=dict)

    def begin(self, alarm: int, receiver: int, t_ns: int) -> None:
        """Note the first receiver of an alarm."""
        self._alarm, self._reached_ns = alarm, {receiver: t_ns}

    def take(self, receiver: int, t_ns: int, since_ns: int) -> int | None:
        """The alarm, if another receiver got it already. That one can have set the next alarm since.

        A receiver that was registered at `since_ns`, after the alarm had gone off, does not get it.
        """
        if self._alarm is None or receiver in self._reached_ns or since_ns > min(self._reached_ns.values()):
            return None
        self._reached_ns[receiver] = t_ns
        return self._alarm


def implicit_pairs(
    messages: ModuleMessages,
    received: Sequence[int],
    sent: Sequence[int],
    registered: Registrations,
    target_sdks: Sequence[int | None] = (),
) -> list[tuple[int, int]]:
    """Return rows of sends and receipts that belong together, of those that have no partner. Both are given by run and time.

    `target_sdks` are those of the runs' apps: from 26 on, Android delivers most implicit broadcasts to registered receivers only.
    """
    run, kind, action, module = (column.tolist() for column in (messages.run, messages.kind, messages.action, messages.module))
    flags, token, t_ns = messages.flags.tolist(), messages.token.tolist(), messages.t_ns.tolist()
    is_periodic = periodic(messages)
    sends: defaultdict[tuple[int, int], _ImplicitSends] = defaultdict(_ImplicitSends)
    for row in sent:
        is_named = action[row] and messages.names[action[row]] != _MAIN
        if flags[row] & CommunicationFlag.LEAVES_APP and is_named and not messages.target[row]:
            ends_alarm = kind[row] in CANCELLING or bool(flags[row] & CommunicationFlag.REPLACES)
            sends[run[row], action[row]].add(row, kind[row], t_ns[row], token[row], ends_alarm=ends_alarm)
    pairs = []
    for row in received:
        known, name = sends.get((run[row], action[row])), messages.names[action[row]]
        is_system = flags[row] & CommunicationFlag.FROM_SYSTEM or (kind[row] == K.RECEIVE and name in protected_broadcasts())
        if known is None or token[row] != NO_TOKEN or is_system:
            continue
        since_ns = registered.since_ns(row) if kind[row] == K.RECEIVE else None
        target_sdk = target_sdks[run[row]] if target_sdks else None
        if kind[row] == K.RECEIVE and since_ns is None and (target_sdk or 0) >= _LIMITED and name not in _EXCEPTIONS:
            continue
        send = known.take(kind[row], module[row], t_ns[row], is_periodic, since_ns or 0)
        if send is None and kind[row] in STARTED_LATER and not name.startswith(_ANDROID):
            send = known.intents.last(t_ns[row])
        if send is not None:
            pairs.append((send, row))
    return pairs


@dataclass(slots=True)
class _Pending:
    """The alarms, or the `PendingIntent`s, that are not cancelled, by token; and by time, the last of them, or None."""

    _rows: dict[int, int] = field(default_factory=dict)
    _latest: list[tuple[int, int | None]] = field(default_factory=list)

    def change(self, t_ns: int, token: int, row: int | None) -> None:
        """Replace the row of a token, None to remove it."""
        self._rows.pop(token, None)
        if row is not None:
            self._rows[token] = row
        self._latest.append((t_ns, next(reversed(self._rows.values()), None)))

    def last(self, t_ns: int) -> int | None:
        """The last row of all tokens at a time."""
        place = bisect_right(self._latest, t_ns, key=itemgetter(0))
        return self._latest[place - 1][1] if place else None


@dataclass(slots=True)
class _ImplicitSends:
    """The app's sends of one action, by time: those that are delivered at once, alarms, and `PendingIntent`s."""

    now: list[tuple[int, int, int]] = field(default_factory=list)
    alarms: _Pending = field(default_factory=_Pending)
    intents: _Pending = field(default_factory=_Pending)
    _next: Counter[tuple[int, int]] = field(default_factory=Counter)
    """By kind and listener, the first of `now` that can still be received."""
    _gone_off: GoneOff = field(default_factory=GoneOff)
    _over: set[int] = field(default_factory=set)

    def add(self, row: int, kind: int, t_ns: int, token: int, *, ends_alarm: bool) -> None:
        if kind == K.SET_ALARM or ends_alarm:
            self.alarms.change(t_ns, token, row if kind == K.SET_ALARM else None)
        if kind in (K.PENDING_INTENT, K.CANCEL_PENDING_INTENT):
            self.intents.change(t_ns, token, row if kind == K.PENDING_INTENT else None)
        elif kind != K.SET_ALARM and kind not in CANCELLING:
            self.now.append((t_ns, row, kind))

    def take(self, kind: int, module: int, t_ns: int, is_periodic: Sequence[bool], since_ns: int) -> int | None:
        """The first send that can be on its way, else the last alarm, unless it has gone off already.

        What was sent before `since_ns` was not received.
        """
        listener = (kind, module if kind == K.RECEIVE else -1)
        limit_ns = min(_BROADCAST_NS if kind == K.RECEIVE else _START_NS, t_ns - since_ns)
        first = bisect_left(self.now, t_ns - limit_ns, key=itemgetter(0))
        self._next[listener] = max(self._next[listener], first)
        while self._next[listener] < len(self.now) and self.now[self._next[listener]][0] <= t_ns:
            sent_ns, row, sent_kind = self.now[self._next[listener]]
            self._next[listener] += 1
            if kind in _RECEIPTS and sent_kind in SENDS_OF[kind] and t_ns - sent_ns <= limit_ns:
                return row
        found = self._gone_off.take(module, t_ns, since_ns) if kind == K.RECEIVE else None
        if found is not None:
            return found
        alarm = self.alarms.last(t_ns) if kind in STARTED_LATER else None
        if alarm is None or alarm in self._over:
            return None
        if not is_periodic[alarm]:
            self._over.add(alarm)
            self._gone_off.begin(alarm, module, t_ns)
        return alarm


def result_pairs(
    messages: ModuleMessages, pairs: Sequence[tuple[int, int]], received: Sequence[int], sent: Sequence[int]
) -> list[tuple[int, int]]:
    """Return the rows of what sent each result of `received`, and of the result.

    The sender is the activity that the start showed, according to `pairs`. If it has set a result without an identity, as after
    an implicit start, the last such row is the send. If it has set none, it sends the default result at its end, and the row in
    which it received the start stands for the send.
    """
    run, kind, token = messages.run.tolist(), messages.kind.tolist(), messages.token.tolist()
    process, module = messages.process.tolist(), messages.module.tolist()
    shown = {(run[send], token[send]): row for send, row in pairs if kind[send] == K.START_ACTIVITY_FOR_RESULT}
    set_rows: defaultdict[tuple[int, int, int], list[int]] = defaultdict(list)
    for row in sent:
        if kind[row] == K.SET_RESULT and token[row] == NO_TOKEN:
            set_rows[run[row], process[row], module[row]].append(row)
    found = []
    for row in received:
        activity = shown.pop((run[row], token[row]), None) if kind[row] == K.ACTIVITY_RESULT else None
        if activity is None:
            continue
        own = set_rows[run[row], process[activity], module[activity]]
        before = bisect_left(own, row)
        found.append((max(own[before - 1], activity) if before else activity, row))
    return found
