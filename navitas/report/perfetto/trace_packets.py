"""Encodes Perfetto's packets: tracks, slices, counters and stack samples of one packet sequence.

Source: Perfetto's public schema, trace_packet.proto, track_event.proto and stack_sample.proto. Times are in nanoseconds of
CLOCK_BOOTTIME, the default clock of traces.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import IO, NamedTuple

from navitas.base.protobuf_writer import content, double, number
from navitas.base.untrusted_text import printable

SEQUENCE = 0x4E617669
"""The id of the packet sequence. A phone's tracing service counts its own ids from 1."""
_FIRST_TRACK = 0x4E61766974617300
_BOOTTIME, _MONOTONIC, _REALTIME = 6, 3, 1
PACKET = 1
"""The field of a trace that has its packets."""
# Fields of TracePacket.
_CLOCKS, _TIME, _SEQUENCE, _TRACK_EVENT, _INTERNED, _FLAGS, _TIME_CLOCK = 6, 8, 10, 11, 12, 13, 58
_DEFAULTS, _TRACK, _FIRST, _SAMPLE = 59, 60, 87, 135
_CLEARED, _NEEDS_STATE = 1, 2
# Fields of InternedData.
_EVENT_NAMES, _ARGUMENT_NAMES, _FUNCTIONS, _FRAMES, _CALLSTACKS, _SOURCES = 2, 3, 5, 6, 7, 18
_BEGIN, _END, _COUNTER = 1, 2, 4
_TAIL = number(_SEQUENCE, SEQUENCE) + number(_FLAGS, _NEEDS_STATE)
_NAME_LIMIT = 1000


class Task(NamedTuple):
    """A thread of a process, as kernel traces number them."""

    pid: int
    tid: int


class TraceFrame(NamedTuple):
    """A frame of a call stack, and its place in the source code."""

    name: str
    file: str = ""
    line: int = 0


class EnergyUnit(NamedTuple):
    """What the weights of stack samples are: the profiler, and the counter's name, unit and description."""

    source: str
    counter: str
    unit: str
    about: str


class TracePackets:
    """Writes the packets of one sequence to a stream. Names may contain anything: they are made printable here."""

    def __init__(self, out: IO[bytes], unit: EnergyUnit) -> None:
        self._write = out.write
        self._numbers: dict[tuple[int, Hashable], int] = {}
        self._pending: list[bytes] = []
        self._tracks = _FIRST_TRACK
        descriptor = content(2, unit.counter) + content(4, unit.unit) + content(6, _shown(unit.about))
        samples = content(1, unit.source) + content(2, descriptor)
        defaults = number(_TIME_CLOCK, _BOOTTIME) + content(100, samples)
        head = number(_SEQUENCE, SEQUENCE) + number(_FIRST, 1) + number(_FLAGS, _CLEARED | _NEEDS_STATE)
        self._packet(head + content(_DEFAULTS, defaults))

    def clocks(self, boottime_ns: int, monotonic_ns: int, realtime_ns: int) -> None:
        """Write a simultaneous reading of the clocks."""
        readings = ((_BOOTTIME, boottime_ns), (_MONOTONIC, monotonic_ns), (_REALTIME, realtime_ns))
        body = b"".join(content(1, number(1, clock) + number(2, t_ns)) for clock, t_ns in readings)
        self._packet(_TAIL + content(_CLOCKS, body + number(2, _BOOTTIME)))

    def process(self, pid: int, name: str) -> int:
        """Describe a process. Returns its track."""
        return self._track(content(3, number(1, pid) + content(6, _shown(name))))

    def thread(self, task: Task, name: str) -> int:
        """Describe a thread. Returns its track."""
        return self._track(content(4, number(1, task.pid) + number(2, task.tid) + content(5, _shown(name))))

    def track(self, parent: int, name: str) -> int:
        """Describe a track of slices below another track. Returns the new one."""
        return self._track(number(5, parent) + content(2, _shown(name)))

    def counter(self, parent: int, name: str, unit: str) -> int:
        """Describe a track of values below another track. Returns the new one."""
        return self._track(number(5, parent) + content(2, _shown(name)) + content(8, content(6, unit)))

    def begin(self, t_ns: int, track: int, name: str, arguments: Mapping[str, str | int | float]) -> None:
        """Begin a slice. Slices of a track must nest, and those of the same time be in order."""
        noted = b"".join(content(4, self._argument(key, value)) for key, value in arguments.items())
        event = number(9, _BEGIN) + number(11, track) + number(10, self._text(_EVENT_NAMES, name)) + noted
        self._event(t_ns, event)

    def end(self, t_ns: int, track: int) -> None:
        """End the innermost slice of a track."""
        self._event(t_ns, number(9, _END) + number(11, track))

    def value(self, t_ns: int, track: int, value: float) -> None:
        """Set a counter to a value, which it has until the next one."""
        self._event(t_ns, number(9, _COUNTER) + number(11, track) + double(44, value))

    def frame(self, frame: TraceFrame) -> bytes:
        """Return a frame as it is in call stacks. Call stacks have very many frames, so keep it."""
        iid = self._numbers.get((_FRAMES, frame))
        if iid is None:
            source = number(5, self._text(_SOURCES, frame.file)) if frame.file else b""
            source += number(6, frame.line) if frame.line > 0 else b""
            iid = self._interned(_FRAMES, frame, number(2, self._text(_FUNCTIONS, frame.name)) + source)
        return number(2, iid)

    def callstack(self, key: Hashable, frames: Iterable[bytes]) -> int:
        """Return the number of a call stack of frames as `frame` returns them, outermost first. Only a new key reads them."""
        iid = self._numbers.get((_CALLSTACKS, key))
        return self._interned(_CALLSTACKS, key, b"".join(frames)) if iid is None else iid

    def sample(self, t_ns: int, task: Task, callstack: int, weight: int) -> None:
        """Write a stack sample of a thread. `weight` is at least 0."""
        body = content(1, number(2, task.pid) + number(3, task.tid)) + number(6, callstack) + number(11, weight)
        self._packet(number(_TIME, t_ns) + self._take_interned() + _TAIL + content(_SAMPLE, body))

    def _event(self, t_ns: int, event: bytes) -> None:
        self._packet(number(_TIME, t_ns) + self._take_interned() + _TAIL + content(_TRACK_EVENT, event))

    def _track(self, body: bytes) -> int:
        self._tracks += 1
        self._packet(_TAIL + content(_TRACK, number(1, self._tracks) + body))
        return self._tracks

    def _argument(self, name: str, value: str | int | float) -> bytes:
        head = number(1, self._text(_ARGUMENT_NAMES, name))
        if isinstance(value, str):
            return head + content(6, _shown(value))
        return head + (double(5, value) if isinstance(value, float) else number(4, value))

    def _text(self, table: int, text: str) -> int:
        iid = self._numbers.get((table, text))
        return self._interned(table, text, content(2, _shown(text))) if iid is None else iid

    def _interned(self, table: int, key: Hashable, body: bytes) -> int:
        """Number an entry of a table; the next packet describes it."""
        iid = self._numbers[table, key] = len(self._numbers) + 1
        self._pending.append(content(table, number(1, iid) + body))
        return iid

    def _take_interned(self) -> bytes:
        if not self._pending:
            return b""
        described, self._pending = content(_INTERNED, b"".join(self._pending)), []
        return described

    def _packet(self, body: bytes) -> None:
        self._write(content(PACKET, body))


def _shown(name: str) -> str:
    return printable(name, _NAME_LIMIT)
