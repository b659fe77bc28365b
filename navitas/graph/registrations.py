"""When each receiver was registered by code. It gets no broadcast that was sent before."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict

from navitas.attribute.ledger import ModuleMessages
from navitas.parse.communication_records import CommunicationKind


class Registrations:
    """The times of registrations by process, receiver and action."""

    def __init__(self, messages: ModuleMessages) -> None:
        columns = (messages.run, messages.process, messages.module, messages.action, messages.t_ns)
        self._rows = list(zip(*(column.tolist() for column in columns), strict=True))
        numbers = {name: number for number, name in enumerate(messages.names)}
        self._times: defaultdict[tuple[int, ...], list[int]] = defaultdict(list)
        for row in (messages.kind == CommunicationKind.REGISTER_RECEIVER).nonzero()[0].tolist():
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
