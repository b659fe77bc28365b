"""Communications between an app's modules (chunk type 10): decode them into a table."""

from __future__ import annotations

import struct
import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum, IntFlag

import numpy as np

from navitas.recording.parse.arrays import I32, I64, ColumnTable
from navitas.recording.parse.chunks import Chunk, indexes

NO_TOKEN = 0
"""The token of a message whose sender or receiver put no identity into it."""


class CommunicationKind(IntEnum):
    """What a module did. Kinds from `ACTIVITY_INTENT` on receive a message; all others send, prepare or cancel one."""

    START_ACTIVITY = 1
    START_ACTIVITY_FOR_RESULT = 2
    START_SERVICE = 3
    START_FOREGROUND_SERVICE = 4
    STOP_SERVICE = 5
    BIND_SERVICE = 6
    UNBIND_SERVICE = 7
    SEND_BROADCAST = 8
    REGISTER_RECEIVER = 9
    PENDING_INTENT = 10
    PENDING_INTENT_SEND = 11
    SET_ALARM = 12
    SCHEDULE_JOB = 13
    ENQUEUE_WORK = 14
    PROVIDER_CALL = 15
    SET_RESULT = 16
    CANCEL_ALARM = 17
    CANCEL_PENDING_INTENT = 18
    CANCEL_JOB = 19
    CANCEL_WORK = 20
    ACTIVITY_INTENT = 32
    ACTIVITY_RESULT = 33
    SERVICE_START = 34
    SERVICE_BIND = 35
    RECEIVE = 36
    JOB = 37
    WORK = 38
    PROVIDER = 39
    SERVICE_DESTROYED = 40


FIRST_RECEIVE = int(CommunicationKind.ACTIVITY_INTENT)


class CommunicationFlag(IntFlag):
    """Properties of a communication that edges read. `BY_ACTION` is not recorded: the message was matched by its action alone."""

    LEAVES_APP = 1
    PERIODIC = 2
    EXACT = 4
    WAKE_UP = 8
    FROM_SYSTEM = 32
    REPLACES = 64
    BY_ACTION = 1 << 16


@dataclass(frozen=True, slots=True)
class Communications(ColumnTable):
    """One row for each communication of a run, sorted by `t_ns`.

    - `thread`: index in `RunTables.threads`; -1 for a thread without probes.
    - `process`: the index of the process within the run.
    - `token`: the identity that sender and receiver share, `NO_TOKEN` if there is none.
    - `kind`: a `CommunicationKind`. Other values are of newer versions.
    - `flags`: `CommunicationFlag` bits.
    - `period_ms`: 0 if the message is not periodic.
    - `node`: the call's node in the thread's fold table, `NO_NODE` with events.
    - `module`, `target`, `action`: indexes in `names`; index 0 is the empty name.
    """

    thread: I64
    process: I64
    t_ns: I64
    token: I64
    kind: I32
    flags: I32
    period_ms: I64
    node: I64
    module: I64
    target: I64
    action: I64
    names: tuple[str, ...]


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


def decode_communications(chunks: Sequence[Chunk], serials: Sequence[int]) -> tuple[Communications, int, Mapping[int, int]]:
    """Return all communications by time, the number of damaged records, which are left out, and the rows of each unknown kind.

    `chunks` are those of type 10, and `serials` the serial of each thread of the run. Rows of unknown kinds stay in the table.
    """
    names, rows, damaged = _Names(), list[Row](), 0
    for chunk in chunks:
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
    return table, damaged, unknown


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
