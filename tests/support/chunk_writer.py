"""A second, small encoder of event chunks, written from docs/dev/formats.md alone."""

from __future__ import annotations

import base64
import struct
import zlib
from collections.abc import Iterable, Sequence

CALLS, ANCHORS, COUNTERS, MARKERS, FOLDED, TRIPLES, COMMUNICATIONS, MOUNTS = 1, 2, 3, 4, 5, 8, 10, 11
MARKER_KINDS = ("run_start", "test_start", "test_finish", "run_end")
MARKER_STATUSES = ("passed", "failed", "ignored", "assumption")


def chunk(
    kind: int,
    payload: bytes,
    count: int,
    *,
    map_id: int = 0,
    serial: int = 0,
    tid: int = 0,
    seq: int = 0,
    lost: int = 0,
    base_ns: int = 0,
    name: str = "",
    version: int = 1,
) -> bytes:
    """Return one complete chunk with its CRC."""
    label = name.encode()
    fixed = struct.pack(
        "<4sHHQQIIIqIIH", b"NVCH", version, kind, map_id, serial, tid, seq, lost, base_ns, count, len(payload), len(label)
    )
    crc = zlib.crc32(fixed + label + bytes(4) + payload)
    return fixed + label + struct.pack("<I", crc) + payload


def calls_payload(events: Sequence[tuple[int, int, int]], base_ns: int) -> bytes:
    """Type 1 from (t_ns, kind, method)."""
    return b"".join(struct.pack("<Q", kind << 62 | method << 40 | t - base_ns) for t, kind, method in events)


def anchors_payload(anchors: Iterable[tuple[int, int]]) -> bytes:
    """Type 2 from (t_ns, cpu_ns)."""
    return b"".join(struct.pack("<qq", *anchor) for anchor in anchors)


def mounts_payload(mounts: Iterable[tuple[int, int, int]]) -> bytes:
    """Type 11 from (t_ns, cpu_ns, serial of the virtual thread or 0)."""
    return b"".join(struct.pack("<qqq", *mount) for mount in mounts)


def counters_payload(readings: Iterable[tuple[int, int, int, bytes]]) -> bytes:
    """Type 3 from (t_start, t_end, source, bytes)."""
    return b"".join(struct.pack("<qqHI", start, end, source, len(data)) + data for start, end, source, data in readings)


def markers_payload(markers: Iterable[tuple[int, str, str, int, str]]) -> bytes:
    """Type 4 from (t_ns, kind, status, repeat, `class#method`)."""
    out = []
    for t, kind, status, repeat, test in markers:
        name = test.encode()
        out.append(struct.pack("<qBBHH", t, MARKER_KINDS.index(kind), MARKER_STATUSES.index(status), repeat, len(name)) + name)
    return b"".join(out)


def folded_payload(epochs: Iterable[tuple[int, int, Sequence[tuple[int, int, int, int, int, int]]]]) -> bytes:
    """Type 5 from (start, end, rows of (node, parent, method, calls, throws, self_ns))."""
    out = b""
    for start, end, rows in epochs:
        out += struct.pack("<qqI", start, end, len(rows)) + b"".join(struct.pack("<IiIIIq", *row) for row in rows)
    return out


def triples_payload(triples: Iterable[tuple[int, int, int]]) -> bytes:
    """Type 8 from (monotonic, boottime, realtime)."""
    return b"".join(struct.pack("<qqq", *triple) for triple in triples)


def hooks_payload(records: Iterable[tuple[int, int, int, int, int, int, int]]) -> bytes:
    """Type 6 from (start, end, amount, kind, flags, node, handle)."""
    return b"".join(struct.pack("<qqqHHIq", *record) for record in records)


def handoffs_payload(records: Iterable[tuple[int, int, int, int, int]]) -> bytes:
    """Type 9 from (start, end, origin serial, origin time, origin node)."""
    return b"".join(struct.pack("<qqQqq", *record) for record in records)


def block_counts_payload(records: Iterable[tuple[int, int, Sequence[int]]]) -> bytes:
    """Type 7 from (t_ns, method, counts)."""
    return b"".join(struct.pack(f"<qII{len(counts)}q", t_ns, method, len(counts), *counts) for t_ns, method, counts in records)


def communications_payload(records: Iterable[tuple[int, int, int, int, int, int, str, str, str]]) -> bytes:
    """Type 10 from (t_ns, token, kind, flags, period_ms, node, module, target, action)."""
    out = b""
    for t, token, kind, flags, period_ms, node, *texts in records:
        out += struct.pack("<qqHHqI", t, token, kind, flags, period_ms, node)
        for text in texts:
            data = text.encode()
            out += struct.pack("<H", len(data)) + data
    return out


def logcat_lines(chunks: Iterable[bytes], pid: int, *, part_chars: int = 3000) -> list[str]:
    """Return the messages with tag `navitas` that transport the chunks over logcat."""
    lines = []
    for n, data in enumerate(chunks):
        text = base64.b64encode(data).decode()
        parts = [text[i : i + part_chars] for i in range(0, len(text), part_chars)]
        lines += [f"NV1 {pid} {n} {i}/{len(parts)} {part}" for i, part in enumerate(parts)]
    return lines
