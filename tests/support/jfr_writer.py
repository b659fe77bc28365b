"""Write JFR files as async-profiler does (flightRecorder.cpp), to read them in tests."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass, field

from navitas.recording.parse.jfr.jfr_file import HEADER

LONG, INT, BOOLEAN, STRING = 5, 4, 10, 20
THREAD, CLASS, SYMBOL, METHOD, STACK, FRAME, FRAME_TYPE, STATE = 22, 21, 24, 23, 26, 27, 25, 28
SAMPLE, WALL, SETTING, JVM = 101, 102, 103, 104
DEFAULT, RUNNABLE, SLEEPING = 0, 1, 2
STATES = {DEFAULT: "STATE_DEFAULT", RUNNABLE: "STATE_RUNNABLE", SLEEPING: "STATE_SLEEPING"}
KINDS = {1: "Interpreted", 2: "JIT compiled", 3: "Inlined", 4: "Native", 5: "C++", 6: "Kernel"}
TYPES = {
    LONG: ("long", []),
    INT: ("int", []),
    BOOLEAN: ("boolean", []),
    STRING: ("java.lang.String", []),
    THREAD: ("java.lang.Thread", ["osName STRING", "osThreadId LONG", "javaName STRING", "javaThreadId LONG"]),
    CLASS: ("java.lang.Class", ["classLoader LONG", "name *SYMBOL", "package LONG", "modifiers INT"]),
    SYMBOL: ("jdk.types.Symbol", ["string STRING"]),
    FRAME_TYPE: ("jdk.types.FrameType", ["description STRING"]),
    METHOD: (
        "jdk.types.Method",
        ["type *CLASS", "name *SYMBOL", "descriptor *SYMBOL", "modifiers INT", "hidden BOOLEAN"],
    ),
    STACK: ("jdk.types.StackTrace", ["truncated BOOLEAN", "frames []FRAME"]),
    FRAME: ("jdk.types.StackFrame", ["method *METHOD", "lineNumber INT", "bytecodeIndex INT", "type *FRAME_TYPE"]),
    SAMPLE: ("jdk.ExecutionSample", ["startTime LONG", "sampledThread *THREAD", "stackTrace *STACK", "state *STATE"]),
    STATE: ("jdk.types.ThreadState", ["name STRING"]),
    WALL: (
        "profiler.WallClockSample",
        ["startTime LONG", "sampledThread *THREAD", "stackTrace *STACK", "state *STATE", "samples INT"],
    ),
    SETTING: ("jdk.ActiveSetting", ["startTime LONG", "id LONG", "name STRING", "value STRING"]),
    JVM: ("jdk.JVMInformation", ["startTime LONG", "jvmName STRING", "pid LONG"]),
}
SETTINGS = {"engine": "perf_events", "event": "cpu", "clock": "monotonic", "interval": "1000000", "jstackdepth": "2048"}


def varint(value: int) -> bytes:
    """Return a number as LEB128; the ninth byte has 8 bits."""
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 0x7F and len(out) < 8:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def text(value: str) -> bytes:
    data = value.encode()
    return b"\3" + varint(len(data)) + data


def event(kind: int, payload: bytes, *, padded: bool = False) -> bytes:
    """Return an event. The size of a `padded` one has five bytes, as async-profiler writes large events."""
    body = varint(kind) + payload
    if not padded:
        return bytes([len(body) + 1]) + body
    size = len(body) + 5
    return bytes([size >> shift & 0x7F | 0x80 for shift in (0, 7, 14, 21)]) + bytes([size >> 28]) + body


def sample(ticks: int, thread: int, stack: int, kind: int = SAMPLE, state: int = DEFAULT) -> bytes:
    """Return a sample, of wall time if a state is given."""
    return event(kind, varint(ticks) + varint(thread) + varint(stack) + varint(state) + (varint(1) if kind == WALL else b""))


Method = tuple[str, str, str]
"""Class or library, name, descriptor."""
TraceFrame = tuple[Method, int]
"""A method, and a number of `KINDS`."""


@dataclass
class JfrText:
    """What a chunk has: events, and stacks by id, innermost frame first."""

    stacks: dict[int, Sequence[TraceFrame]] = field(default_factory=dict)
    threads: dict[int, str] = field(default_factory=dict)
    events: bytes = b""
    settings: dict[str, str] = field(default_factory=lambda: dict(SETTINGS))
    pid: int = 4000
    truncated: frozenset[int] = frozenset()
    states: dict[int, str] = field(default_factory=lambda: dict(STATES))
    start_ns: int = 1_700_000_000_000_000_000
    start_ticks: int = 1_000_000_000
    ticks_per_s: int = 1_000_000_000

    def chunk(self, *, finished: bool = True) -> bytes:
        settings = b"".join(
            event(SETTING, varint(self.start_ticks) + varint(101) + text(name) + text(value), padded=True)
            for name, value in self.settings.items()
        )
        jvm = event(JVM, varint(self.start_ticks) + text("VM") + varint(self.pid), padded=True)
        before = HEADER.size + len(metadata())
        events = settings + jvm + self.events
        constants = before + len(events)
        pools = self.checkpoint() if finished else b""
        size = constants + len(pools) if finished else 1 << 30
        header = HEADER.pack(
            b"FLR\0", 2, 0, size, constants if finished else 0, HEADER.size if finished else 0,
            self.start_ns, 0, self.start_ticks, self.ticks_per_s, 1,
        )  # fmt: skip
        return header + metadata() + events + pools

    def checkpoint(self) -> bytes:
        symbols: dict[str, int] = {}
        classes: dict[str, int] = {}
        methods: dict[Method, int] = {}
        stacks = bytearray()
        for key, frames in self.stacks.items():
            stacks += varint(key) + bytes([key in self.truncated]) + varint(len(frames))
            for method, kind in frames:
                number = methods.setdefault(method, len(methods) + 1)
                stacks += varint(number) + varint(12) + varint(3) + varint(kind)
        rows = bytearray()
        for (owner, name, descriptor), number in methods.items():
            ids = [classes.setdefault(owner, len(classes) + 1)]
            ids += [symbols.setdefault(one, len(symbols) + 1) for one in (name, descriptor)]
            rows += varint(number) + b"".join(map(varint, ids)) + varint(0) + b"\0"
        owners = b"".join(
            varint(number) + b"\0" + varint(symbols.setdefault(name, len(symbols) + 1)) + b"\0\0"
            for name, number in classes.items()
        )
        pools = {
            FRAME_TYPE: (len(KINDS), b"".join(varint(number) + text(name) for number, name in KINDS.items())),
            THREAD: (
                len(self.threads),
                b"".join(varint(tid) + text(name) + varint(tid) + text(name) + varint(1) for tid, name in self.threads.items()),
            ),
            STATE: (len(self.states), b"".join(varint(number) + text(name) for number, name in self.states.items())),
            STACK: (len(self.stacks), bytes(stacks)),
            METHOD: (len(methods), bytes(rows)),
            CLASS: (len(classes), owners),
            SYMBOL: (len(symbols), b"".join(varint(number) + text(name) for name, number in symbols.items())),
        }
        payload = varint(self.start_ticks) + varint(0) + varint(0) + b"\1" + varint(len(pools))
        for kind, (count, data) in pools.items():
            payload += varint(kind) + varint(count) + data
        return event(1, payload, padded=True)


def metadata() -> bytes:
    """Return the metadata event: a table of texts, and a tree of elements with attributes."""
    texts: dict[str, int] = {}

    def number(value: str) -> bytes:
        return varint(texts.setdefault(value, len(texts)))

    def element(name: str, attributes: dict[str, str], children: Sequence[bytes] = ()) -> bytes:
        pairs = b"".join(number(key) + number(value) for key, value in attributes.items())
        return number(name) + varint(len(attributes)) + pairs + varint(len(children)) + b"".join(children)

    def attributes_of(line: str) -> dict[str, str]:
        name, kind = line.split()
        more = {"constantPool": "true"} if kind.startswith("*") else {"dimension": "1"} if kind.startswith("[]") else {}
        return {"name": name, "class": str(globals()[kind.lstrip("*[]")]), **more}

    classes = [
        element("class", {"id": str(kind), "name": name}, [element("field", attributes_of(line)) for line in lines])
        for kind, (name, lines) in TYPES.items()
    ]
    root = element("root", {}, [element("metadata", {}, classes), element("region", {"locale": "en_US"})])
    table = varint(len(texts)) + b"".join(map(text, texts))
    return event(0, struct.pack("4B", 1, 0, 1, 0)[:3] + table + root, padded=True)
