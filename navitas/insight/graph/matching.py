"""Match received messages with the sends that caused them, by the identity that both carry.

Requests that another one took over have no receipt. JobScheduler keeps one job of an id, the last, of any class (AOSP: JobStore,
getJobByUidAndJobId). WorkManager keeps one work of a unique name. Its policy is not recorded: the earlier one goes on (KEEP,
UPDATE), or the later one takes its place (REPLACE).
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict, deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate, islice
from math import inf

import numpy as np

from navitas.energy.attribute.ledger import ModuleMessages
from navitas.insight.graph.implicit import GoneOff, Registrations, implicit_pairs, result_pairs
from navitas.insight.graph.message_kinds import CANCELLING, DELAYED, SENDS_OF, is_receipt, periodic
from navitas.recording.parse.communication_records import FIRST_RECEIVE, NO_TOKEN, CommunicationFlag, CommunicationKind

K = CommunicationKind
NO_SEND = -1
_NOT_OPEN = DELAYED | CANCELLING | {K.PENDING_INTENT, K.SEND_BROADCAST}
_SEARCHED = 64
"""The largest number of open sends with one identity among which a receipt is searched."""
_FOREVER_NS = 1 << 63
_REQUESTS = (K.SCHEDULE_JOB, K.ENQUEUE_WORK)
_CANCELS = {K.CANCEL_JOB: K.SCHEDULE_JOB, K.CANCEL_WORK: K.ENQUEUE_WORK}
"""What ends the requests with its action, which is the id of a job and the unique name of work."""


@dataclass(frozen=True, slots=True)
class MatchedMessages:
    """`pairs` are rows of a send and a receipt; `received` and `sent` the rows without a partner, but not ends of services.

    Of `received`, those in `repeated` have the identity of a send whose message was received before.
    `replaced` are results, alarms, jobs and work that were set again, or cancelled, before they were delivered. `by_action` are
    receipts of `pairs` that were matched by their action. The default result of an activity has no send: in `pairs`, the row in
    which the activity received the start is in its place.
    """

    pairs: Sequence[tuple[int, int]]
    received: Sequence[int]
    repeated: frozenset[int]
    sent: Sequence[int]
    replaced: frozenset[int]
    by_action: frozenset[int] = frozenset()


def match(messages: ModuleMessages, target_sdks: Sequence[int | None] = ()) -> MatchedMessages:
    """Match all messages of a recording. `target_sdks` are those of the runs' apps.

    Messages of different runs never match, and no receipt precedes its send.

    - A message that is sent once is received once; a broadcast is received once by each module, but not before it was registered.
    - A periodic alarm, job or work is received any number of times. If it is set again, the last setting counts.
    - The broadcast of another alarm is received once by each module, too.
    - What was cancelled is not received any more.
    - The creation of a `PendingIntent` counts as the send if neither a send nor an alarm of the app explains the message.
    - A job of an earlier process has no identity. Its class and id identify it.
    - A job that is scheduled again replaces the earlier one, as does work of the same unique name.
    - An activity that ends without setting a result sends one, too: the default, to the one that started it for a result.
    - Implicit messages have no identity, and are matched by their action.
    """
    rows, jobs, registered = _Rows(messages), _Jobs(messages), Registrations(messages)
    sends: defaultdict[tuple[int, int], _IdentifiedSends] = defaultdict(lambda: _IdentifiedSends(rows, registered))
    for row in range(len(messages)):
        if rows.kind[row] < FIRST_RECEIVE and rows.token[row] != NO_TOKEN:
            sends[rows.run[row], rows.token[row]].rows.append(row)
    pairs, received, repeated = list[tuple[int, int]](), list[int](), set[int]()
    for row in range(len(messages)):
        if not is_receipt(rows.kind[row]):
            continue
        known = sends.get((rows.run[row], rows.token[row])) if rows.token[row] != NO_TOKEN else None
        send = jobs.take(row) if known is None else known.take(row)
        if send != NO_SEND:
            pairs.append((send, row))
            continue
        received.append(row)
        if known is not None and known.was_received:
            repeated.add(row)
    for each in sends.values():
        each.see(inf)
    partners = {send for send, _ in pairs}
    sent = [row for row in range(len(messages)) if rows.kind[row] < FIRST_RECEIVE and row not in partners]
    implicit = implicit_pairs(messages, received, sent, registered, target_sdks)
    results = result_pairs(messages, [*pairs, *implicit], received, sent)
    pairs += implicit + results
    senders, receipts = {send for send, _ in pairs}, {row for _, row in pairs}
    return MatchedMessages(
        pairs,
        [row for row in received if row not in receipts],
        frozenset(repeated - receipts),
        [row for row in sent if row not in senders],
        frozenset(row for each in sends.values() for row in each.replaced if row not in senders)
        | scheduled_again(messages, pairs, sent),
        frozenset(row for _, row in implicit),
    )


class _Rows:
    """Columns as lists, which are faster to read one by one."""

    def __init__(self, messages: ModuleMessages) -> None:
        self.run: list[int] = messages.run.tolist()
        self.t_ns: list[int] = messages.t_ns.tolist()
        self.token: list[int] = messages.token.tolist()
        self.kind: list[int] = messages.kind.tolist()
        self.module: list[int] = messages.module.tolist()
        self.process: list[int] = messages.process.tolist()
        self.periodic = periodic(messages)
        replaces = (messages.kind == K.PENDING_INTENT) & ((messages.flags & CommunicationFlag.REPLACES) != 0)
        self.cancels: list[bool] = (replaces | np.isin(messages.kind, list(CANCELLING))).tolist()


class _Jobs:
    """Scheduled jobs by run, class and id."""

    def __init__(self, messages: ModuleMessages) -> None:
        columns = (messages.run, messages.target, messages.action, messages.kind, messages.token, messages.t_ns)
        self._rows = list(zip(*(column.tolist() for column in columns), strict=True))
        self._scheduled: defaultdict[tuple[int, ...], list[int]] = defaultdict(list)
        for row, (*key, kind, _, _) in enumerate(self._rows):
            if kind == K.SCHEDULE_JOB and key[1] and key[2]:
                self._scheduled[tuple(key)].append(row)

    def take(self, receipt: int) -> int:
        """The last scheduling of a job without identity before it ran, or `NO_SEND`."""
        *key, kind, token, t_ns = self._rows[receipt]
        scheduled = self._scheduled.get(tuple(key), []) if kind == K.JOB and token == NO_TOKEN else []
        place = bisect_right(scheduled, t_ns, key=lambda row: int(self._rows[row][-1]))
        return scheduled[place - 1] if place else NO_SEND


@dataclass(slots=True)
class _IdentifiedSends:
    """The sends with one identity. `rows` are all of them by time; `_next` is the first that no receipt can have yet."""

    columns: _Rows
    registered: Registrations
    rows: list[int] = field(default_factory=list)
    replaced: list[int] = field(default_factory=list)
    was_received: bool = False
    _next: int = 0
    _open: deque[int] = field(default_factory=deque)
    _broadcasts: list[int] = field(default_factory=list)
    _heard: Counter[int] = field(default_factory=Counter)
    """The first broadcast that each module can still receive."""
    _delayed: int = NO_SEND
    _gone_off: GoneOff = field(default_factory=GoneOff)
    _prepared: int = NO_SEND

    def take(self, receipt: int) -> int:
        """The send that caused a receipt, or `NO_SEND`. Receipts are given in order of time."""
        columns, kinds = self.columns, SENDS_OF.get(self.columns.kind[receipt], frozenset())
        self.see(columns.t_ns[receipt])
        is_broadcast = columns.kind[receipt] == K.RECEIVE
        send = self._take_broadcast(receipt) if is_broadcast else self._take_open(receipt, kinds)
        if send == NO_SEND and is_broadcast:
            since_ns = self.registered.since_ns(receipt) or 0
            alarm = self._gone_off.take(columns.module[receipt], columns.t_ns[receipt], since_ns)
            send = NO_SEND if alarm is None else alarm
        if send == NO_SEND:
            send = self._take_delayed(receipt, kinds)
        self.was_received |= send != NO_SEND
        return send

    def see(self, until_ns: float) -> None:
        """Take note of sends until a time."""
        while self._next < len(self.rows) and self.columns.t_ns[self.rows[self._next]] <= until_ns:
            self._see(self.rows[self._next])
            self._next += 1

    def _see(self, row: int) -> None:
        kind = self.columns.kind[row]
        if kind in DELAYED or self.columns.cancels[row]:
            if self._delayed != NO_SEND:
                self.replaced.append(self._delayed)
            self._delayed = row if kind in DELAYED else NO_SEND
        if kind in (K.PENDING_INTENT, K.CANCEL_PENDING_INTENT):
            self._prepared = row if kind == K.PENDING_INTENT else NO_SEND
        elif kind == K.SET_RESULT:
            self._replace_results()
        elif kind in SENDS_OF[K.RECEIVE] and kind not in DELAYED:
            self._broadcasts.append(row)
        if kind not in _NOT_OPEN:
            self._open.append(row)

    def _replace_results(self) -> None:
        """An activity that sets its result again sends the last one."""
        earlier = [row for row in self._open if self.columns.kind[row] == K.SET_RESULT]
        self.replaced += earlier
        self._open = deque(row for row in self._open if row not in earlier)

    def _take_broadcast(self, receipt: int) -> int:
        module, since_ns = self.columns.module[receipt], self.registered.since_ns(receipt)
        if since_ns is not None:
            first = bisect_left(self._broadcasts, since_ns, key=lambda row: self.columns.t_ns[row])
            self._heard[module] = max(self._heard[module], first)
        if self._heard[module] >= len(self._broadcasts):
            return NO_SEND
        self._heard[module] += 1
        return self._broadcasts[self._heard[module] - 1]

    def _take_open(self, receipt: int, kinds: frozenset[int]) -> int:
        """The first send that was not received yet, of the same process if possible."""
        columns = self.columns
        able = [row for row in islice(self._open, _SEARCHED) if columns.kind[row] in kinds]
        found = next((row for row in able if columns.process[row] == columns.process[receipt]), next(iter(able), NO_SEND))
        if found != NO_SEND:
            self._open.remove(found)
        return found

    def _take_delayed(self, receipt: int, kinds: frozenset[int]) -> int:
        """The last alarm, job or work that can still run; else the `PendingIntent`, which something else sent."""
        if self._delayed != NO_SEND and self.columns.kind[self._delayed] in kinds:
            found = self._delayed
            if not self.columns.periodic[found]:
                self._delayed = NO_SEND
                self._gone_off.begin(found, self.columns.module[receipt], self.columns.t_ns[receipt])
            return found
        return self._prepared if K.PENDING_INTENT in kinds else NO_SEND


def scheduled_again(messages: ModuleMessages, pairs: Sequence[tuple[int, int]], sent: Sequence[int]) -> frozenset[int]:
    """Return the rows of `sent` that a later request replaced, that an earlier one made needless, or that were cancelled.

    An earlier request for work does so until it is cancelled if it repeats, or if its work began later. Processes share their
    jobs and work.
    """
    columns = (messages.run, messages.kind, messages.action, messages.t_ns)
    rows = list(zip(*(column.tolist() for column in columns), strict=True))
    requests, cancelled_ns = (defaultdict[tuple[int, int, int], list[int]](list) for _ in range(2))
    for row, (run, kind, action, t_ns) in enumerate(rows):
        if kind in _REQUESTS and action:
            requests[run, kind, action].append(row)
        elif kind in _CANCELS and action:
            cancelled_ns[run, _CANCELS[kind], action].append(t_ns)
    repeats, until_ns = periodic(messages), dict[int, int]()
    for send, receipt in pairs:
        run, kind, action, t_ns = rows[send]
        end_ns = _next(cancelled_ns.get((run, kind, action), ()), t_ns) if repeats[send] else rows[receipt][-1]
        until_ns[send] = max(until_ns.get(send, 0), end_ns)
    latest_ns = {key: list(accumulate((until_ns.get(one, 0) for one in each), max)) for key, each in requests.items()}
    found = set[int]()
    for row in sent:
        run, kind, action, t_ns = rows[row]
        if not (each := requests.get((run, kind, action), [])):
            continue
        ends_ns = [rows[each[-1]][-1], *cancelled_ns.get((run, kind, action), [])[-1:]]
        earlier = bisect_left(each, t_ns, key=lambda one: rows[one][-1])
        is_needless = kind == K.ENQUEUE_WORK and earlier > 0 and t_ns < latest_ns[run, kind, action][earlier - 1]
        if max(ends_ns) > t_ns or is_needless:
            found.add(row)
    return frozenset(found)


def _next(times_ns: Sequence[int], t_ns: int) -> int:
    place = bisect_right(times_ns, t_ns)
    return times_ns[place] if place < len(times_ns) else _FOREVER_NS
