"""Sends that no receipt answers, although their receiver is known: later bindings to a service, and starts of quiet classes.

Android calls `onBind` for the first client of a service only. A class without a callback for starts, such as a service that does
its work in `onCreate`, records no receipt. Nothing is known across runs, and no binding across processes of a run.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Sequence, Set
from itertools import accumulate

from navitas.attribute.ledger import ModuleMessages
from navitas.graph.matching import MatchedMessages
from navitas.graph.module_graph import EdgeKind
from navitas.parse.communication_records import FIRST_RECEIVE, NO_TOKEN, CommunicationKind

K = CommunicationKind
_STARTS = frozenset({K.START_ACTIVITY, K.START_ACTIVITY_FOR_RESULT, K.START_SERVICE, K.START_FOREGROUND_SERVICE})
_STARTED = frozenset({K.ACTIVITY_INTENT, K.SERVICE_START})
_Place = tuple[int, int, str]
"""Run, process and class."""


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
