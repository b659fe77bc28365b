"""Reads texts as dumps of batterystats, for tests."""

from __future__ import annotations

from typing import NamedTuple

from navitas.android.batterystats.keys import STATE_NAMES
from navitas.android.batterystats.reader import BatteryStatsReader
from navitas.android.batterystats.tables import BatteryColumns, StateIntervals
from navitas.base.line_blocks import LineCutter


class State(NamedTuple):
    """A row of `StateIntervals` in readable form. Times are in milliseconds."""

    name: str
    value: int
    start_ms: int
    end_ms: int
    uid: int = -1
    tag: str = ""


class Dump(NamedTuple):
    """What a reader found."""

    states: list[State]
    battery: list[BatteryColumns]
    reader: BatteryStatsReader

    def of(self, *names: str) -> list[State]:
        """The rows of these states, by begin."""
        return sorted(
            (one for one in self.states if one.name in names), key=lambda one: (one.start_ms, one.end_ms, one.name, one.tag)
        )


def read_dump(text: str | bytes, block_bytes: int = 1 << 30) -> Dump:
    """Read a dump in blocks of at most this size."""
    data = text if isinstance(text, bytes) else text.encode()
    reader, cutter = BatteryStatsReader(), LineCutter()
    states: list[StateIntervals] = []
    battery: list[BatteryColumns] = []
    for begin in range(0, len(data) + 1, block_bytes):
        for found, rows in reader.read(cutter.cut(data[begin : begin + block_bytes])):
            states.append(found)
            battery.append(rows)
    for found, rows in reader.read(cutter.cut(b"", end=True)):
        states.append(found)
        battery.append(rows)
    states.append(reader.end())
    return Dump([row for one in states for row in _rows(one, reader.tags)], battery, reader)


def _rows(states: StateIntervals, tags: list[str]) -> list[State]:
    columns = (states.state, states.value, states.start_ns, states.end_ns, states.uid, states.tag)
    return [
        State(STATE_NAMES[state], value, start // 10**6, end // 10**6, uid, tags[tag])
        for state, value, start, end, uid, tag in zip(*(column.tolist() for column in columns), strict=True)
    ]
