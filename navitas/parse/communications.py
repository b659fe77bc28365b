"""Decode communications between an app's modules (chunk type 10)."""

from __future__ import annotations

import struct
import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from navitas.parse.chunks import COMMUNICATIONS, Chunk
from navitas.parse.communication_records import CommunicationKind, Communications
from navitas.parse.serials import indexes

_FIXED = struct.Struct("<qqHHqi")
_LENGTH = struct.Struct("<H")
_STRINGS = 3
_NO_TIME = 1 << 62
_KNOWN = frozenset(map(int, CommunicationKind))
_LONGEST_NAME = 500
MAX_NAMES = 100_000
"""The largest number of different names in a run. Further names are `MORE_NAMES`."""
MORE_NAMES = "(more names)"

Row = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class DecodedCommunications:
    """The communications of a run, the number of damaged records, which are left out, and the rows of each unknown kind."""

    rows: Communications
    damaged: int
    unknown: Mapping[int, int]


def decode_communications(groups: Mapping[int, Mapping[int, Sequence[Chunk]]], serials: Sequence[int]) -> DecodedCommunications:
    """Return all communications by time. Rows of unknown kinds stay in the table.

    `groups` holds the chunks of each thread by type, and `serials` the serial of each thread of the run.
    """
    names, rows, damaged = _Names(), list[Row](), 0
    for by_type in groups.values():
        for chunk in by_type.get(COMMUNICATIONS, ()):
            found, missing = _records(chunk, names)
            rows += found
            damaged += missing
    rows.sort(key=lambda row: row[2])  # stable: records of a thread at one time stay in order
    columns = np.array(rows, np.int64).reshape(-1, 11).T
    serial, process, t_ns, token, kind, flags, period_ms, node, module, target, action = columns
    unknown = Counter(number for number in kind.tolist() if number not in _KNOWN)
    table = Communications(
        thread=indexes(serial, serials),
        process=process,
        t_ns=t_ns,
        token=token,
        kind=kind.astype(np.int32),
        flags=flags.astype(np.int32),
        period_ms=period_ms,
        node=node,
        module=module,
        target=target,
        action=action,
        names=tuple(names.numbers),
    )
    return DecodedCommunications(table, damaged, unknown)


@dataclass(slots=True)
class _Names:
    """Numbers of names, in the order in which they are found."""

    numbers: dict[str, int] = field(default_factory=lambda: {"": 0})

    def number(self, raw: bytes) -> int:
        """The number of a name. A name that is too long is cut, and ends with the CRC-32 of the whole name."""
        name = str(raw, "utf-8", "replace")
        if len(name) > _LONGEST_NAME:
            name = f"{name[:_LONGEST_NAME]}…{zlib.crc32(raw):08x}"
        if name not in self.numbers and len(self.numbers) >= MAX_NAMES:
            name = MORE_NAMES
        return self.numbers.setdefault(name, len(self.numbers))


def _records(chunk: Chunk, names: _Names) -> tuple[list[Row], int]:
    """Return the rows of a chunk, and the number of its records that are cut off or impossible."""
    rows, damaged, at, payload = list[Row](), 0, 0, bytes(chunk.payload)
    for record in range(chunk.count):
        ends = _ends(payload, at)
        if ends is None:
            return rows, damaged + chunk.count - record
        t_ns, token, kind, flags, period_ms, node = _FIXED.unpack_from(payload, at)
        if 0 <= t_ns < _NO_TIME and 0 <= period_ms < _NO_TIME and node >= -1:
            texts = [names.number(payload[start:end]) for start, end in ends]
            rows.append((chunk.serial, chunk.process, t_ns, token, kind, flags, period_ms, node, *texts))
        else:
            damaged += 1
        at = ends[-1][1]
    return rows, damaged + (at < len(payload))


def _ends(payload: bytes, at: int) -> list[tuple[int, int]] | None:
    """The places of a record's strings, or None if it is cut off."""
    end, found = at + _FIXED.size, list[tuple[int, int]]()
    for _ in range(_STRINGS):
        start = end + _LENGTH.size
        if start > len(payload):
            return None
        end = start + _LENGTH.unpack_from(payload, end)[0]
        found.append((start, end))
    return found if end <= len(payload) else None
