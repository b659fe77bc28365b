"""Writes method traces as Android's runtime does (ART: runtime/trace.cc, tools/stream-trace-converter.py)."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence

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


def _text(
    threads: Mapping[int, str], methods: Sequence[str], version: int, *, pid: int | None, full: bool = False, clock: str = ""
) -> bytes:
    lines = ["*version", str(version), f"data-file-overflow={str(full).lower()}"]
    lines += [f"clock={clock or ('dual' if version == 3 else 'wall')}", "elapsed-time-usec=1000", "vm=art"]
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
