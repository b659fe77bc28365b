"""The table of communications between an app's modules (chunk type 10)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum, IntFlag

from navitas.parse.arrays import I32, I64

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
    """Properties of a communication. `BY_ACTION` is not recorded: the message was matched by its action, without an identity."""

    LEAVES_APP = 1
    PERIODIC = 2
    EXACT = 4
    WAKE_UP = 8
    FOREGROUND = 16
    FROM_SYSTEM = 32
    REPLACES = 64
    BY_ACTION = 1 << 16


@dataclass(frozen=True, slots=True)
class Communications:
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

    def __len__(self) -> int:
        return len(self.thread)
