"""Writes method traces as Android's runtime does (ART: runtime/trace.cc, tools/stream-trace-converter.py)."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence

from navitas.base.protobuf_writer import varint

METHODS = (
    "0x4\ta.b.Main\trun\t()V\tMain.java\t12",
    "0x8\ta.b.Main\twork\t(I)J\tMain.java\t20",
    "0xc\ta/b/Other\tcall\t()V\tOther.java",
)
Event = tuple[int, int, int, int, int]
"""Thread number, method id, action (0 enter, 1 exit, 2 unroll), CPU time and wall time in µs."""


def art_trace(
    events: Sequence[Event],
    threads: Mapping[int, str],
    *,
    methods: Sequence[str] = METHODS,
    version: int = 3,
    pid: int | None = 100,
    start_us: int = 0,
    full: bool = False,
    clock: str = "",
) -> bytes:
    """Return a trace with the text first."""
    return (
        _text(threads, methods, version, pid=pid, full=full, clock=clock)
        + _header(version, start_us)
        + b"".join(_records(events, version))
    )


def streamed(events: Sequence[Event], threads: Mapping[int, str], *, pid: int = 100, start_us: int = 0) -> bytes:
    """Return a streamed trace: methods and threads before their first event, and the text at the end."""
    out = _header(3 | 0xF0, start_us)
    for method in METHODS:
        line = method.encode() + b"\n"
        out += struct.pack("<HBH", 0, 1, len(line)) + line
    for number, name in threads.items():
        out += struct.pack("<HBHH", 0, 2, number, len(name)) + name.encode()
    text = _text({}, (), 3, pid=pid)
    return out + b"".join(_records(events, 3)) + struct.pack("<HBI", 0, 3, len(text)) + text


def packed(
    events: Sequence[Event],
    threads: Mapping[int, str],
    *,
    version: int = 5,
    start_ns: int = 0,
    pid: int | None = 100,
    methods: Sequence[str] = METHODS,
    is_streamed: bool = True,
    layout: str = "whole",
    hz: int = 0,
    in_packet: int = 5,
) -> bytes:
    """Return a trace of the version 4 or 5, whose events have times in ns, or in ticks of a counter of `hz`.

    Each packet has up to `in_packet` events of a thread. Layout `whole`: art/runtime/trace.cc. Layout `short`: Perfetto's
    art_method_v2_tokenizer.cc.
    """
    out = bytearray(struct.pack("<4sHQQQ2x", b"SLOW", version | (0xF0 if is_streamed else 0), start_ns, 7 if hz else 0, hz))
    for number, name in threads.items():
        out += struct.pack("<BIH", 0, number, len(name)) + name.encode()
    waiting: dict[int, list[Event]] = {}
    for event in events:
        waiting.setdefault(event[0], []).append(event)
        if len(waiting[event[0]]) == in_packet:
            out += _packet(waiting.pop(event[0]), version, layout)
    for rest in waiting.values():
        out += _packet(rest, version, layout)
    out += packed_methods(methods)
    text = _text({}, (), version, pid=pid).replace(b"*threads\n*methods\n", b"")
    return bytes(out) + struct.pack("<BH", 3, len(text)) + text


def packed_methods(methods: Sequence[str] = METHODS) -> bytes:
    """Return the packets of methods of a trace of the version 4 or 5."""
    split = (line.partition("\t") for line in methods)
    return b"".join(
        struct.pack("<BQH", 1, int(method, 16), len(facts) + 1) + facts.encode() + b"\n" for method, _, facts in split
    )


def _packet(events: Sequence[Event], version: int, layout: str) -> bytes:
    last_method = last_wall = last_cpu = 0
    body = bytearray()
    for _, method, action, cpu, wall in events:
        if layout == "whole":
            body += signed_leb128((method | action) - last_method) + varint(wall - last_wall)
            body += varint(cpu - last_cpu) if version == 5 else b""
            last_method, last_wall, last_cpu = method | action, wall, cpu
        else:
            body += signed_leb128((wall << 2 | action) - last_wall) + (signed_leb128(cpu - last_cpu) if version == 5 else b"")
            last_wall, last_cpu = wall << 2 | action, cpu
            if action == 0:
                body += signed_leb128(method - last_method)
                last_method = method
    return struct.pack("<BI", 2, events[0][0]) + len(events).to_bytes(3, "little") + struct.pack("<I", len(body)) + body


def signed_leb128(value: int) -> bytes:
    """Return a signed number of at most 64 bits as LEB128."""
    out = bytearray()
    while not -64 <= value < 64:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value & 0x7F])


def _text(
    threads: Mapping[int, str], methods: Sequence[str], version: int, *, pid: int | None, full: bool = False, clock: str = ""
) -> bytes:
    lines = ["*version", str(version), f"data-file-overflow={str(full).lower()}"]
    lines += [f"clock={clock or ('dual' if version in (3, 5) else 'wall')}", "elapsed-time-usec=1000", "vm=art"]
    lines += [] if pid is None else [f"pid={pid}"]
    lines += ["*threads", *(f"{number}\t{name}" for number, name in threads.items()), "*methods", *methods, "*end"]
    return ("\n".join(lines) + "\n").encode()


def _header(version: int, start_us: int) -> bytes:
    size = struct.pack("<H", 14) if version & 0xF == 3 else b""
    return (struct.pack("<4sHHQ", b"SLOW", version, 32, start_us) + size).ljust(32, b"\0")


def _records(events: Sequence[Event], version: int) -> list[bytes]:
    out = []
    for thread, method, action, cpu, wall in events:
        times = (cpu, wall) if version == 3 else (wall,)
        first = "B" if version == 1 else "H"
        out.append(struct.pack(f"<{first}{1 + len(times)}I", thread, method | action, *(one & 0xFFFFFFFF for one in times)))
    return out
