"""Sampled counters (chunk type 3): the raw bytes of each reading, by source."""

from __future__ import annotations

import struct
from collections.abc import Iterable
from dataclasses import dataclass, field

from navitas.recording.parse.chunks import Chunk, records

_HEADER = struct.Struct("<qqHI")
_NO_TIME = 1 << 62


@dataclass(slots=True)
class Readings:
    """One source's readings in time order. The read of `texts[i]` began at `begin_ns[i]`; `t_ns[i]` is its middle."""

    t_ns: list[int] = field(default_factory=list)
    texts: list[bytes] = field(default_factory=list)
    begin_ns: list[int] = field(default_factory=list)


def decode_counters(chunks: Iterable[Chunk]) -> tuple[dict[int, Readings], int]:
    """Return readings by source id, and the number of records dropped because they are impossible."""
    found: dict[int, list[tuple[int, bytes, int]]] = {}
    dropped = 0
    for record in records(chunks, _HEADER):
        if isinstance(record, int):
            dropped += record
            continue
        (start, end, source, _), text = record
        if 0 <= start <= end < _NO_TIME:
            found.setdefault(source, []).append((start + (end - start) // 2, bytes(text), start))
        else:
            dropped += 1
    readings = {}
    for source, rows in found.items():
        rows.sort(key=lambda row: row[0])
        readings[source] = Readings(*(list(column) for column in zip(*rows, strict=True)))
    return readings, dropped


TICKS_SOURCE = 3
_FIELDS, _MAX_DIGITS = 3, 19


def tick_period_ns(readings: Readings | None) -> float | None:
    """Return the mean length of the tick period that contains a random moment, or None without a complete reading.

    This is Σ period² / Σ period over the last complete reading, so late ticks, which are frequent on a busy machine, count
    in proportion to their length.
    """
    for text in reversed(readings.texts if readings is not None else []):
        fields = text.split()
        if len(fields) == _FIELDS and all(field.isdigit() and len(field) <= _MAX_DIGITS for field in fields):
            _, sum_ns, squares_us2 = map(int, fields)
            return 1e6 * squares_us2 / sum_ns if sum_ns else None
    return None
