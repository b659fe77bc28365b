"""Which broadcasts a receiver can get: none from before its registration by code, and each alarm that has gone off once."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from dataclasses import dataclass, field

from navitas.energy.attribute.ledger import ModuleMessages
from navitas.recording.parse.communication_records import CommunicationKind


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
