"""The alarm that has gone off last, whose broadcast several receivers can get."""

from __future__ import annotations

from dataclasses import dataclass, field


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
