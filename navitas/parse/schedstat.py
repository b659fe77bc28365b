"""The sampler's thread clocks (counter source 1): `tid run_ns wait_ns slices comm`, a line for each thread that changed."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from navitas.parse.counters import Readings
from navitas.parse.tables import I64, CpuClock

# schedstat of a running thread moves only at the scheduler's tick, so a step may hold this much CPU time from before it.
TICK_LAG_NS = 10_000_000
_UNKNOWN = -1
_MAX_NS = 1 << 62


@dataclass(frozen=True, slots=True)
class Life:
    """One thread that the sampler saw under a tid; `since_ns` is when it was known not to exist yet, -1 when unknown.

    `clock` holds its readings and those that follow from "only what changed is listed": a thread that is not listed has
    the value it had, and one that came up between two records had used nothing at the first.
    """

    tid: int
    name: str
    since_ns: int
    clock: CpuClock


@dataclass(slots=True)
class _Rows:
    record: list[int] = field(default_factory=list)
    run_ns: list[int] = field(default_factory=list)
    comm: list[bytes] = field(default_factory=list)


def parse_schedstat(readings: Readings) -> tuple[dict[int, list[Life]], int]:
    """Lives by tid in time order, and how many lines were skipped as torn.

    A tid whose time falls is another thread: tids are used again.
    """
    rows: dict[int, _Rows] = {}
    torn = 0
    for record, text in enumerate(readings.texts):
        for line in text.splitlines():
            parts = line.split(None, 4)
            try:
                tid, run_ns = int(parts[0]), int(parts[1])
                comm = parts[4] if len(parts) > 4 else b""
                complete = len(parts) >= 4 and 0 <= run_ns < _MAX_NS
            except (ValueError, IndexError):
                complete = False
            if not complete:
                torn += bool(line.strip())
                continue
            row = rows.setdefault(tid, _Rows())
            if row.record and row.record[-1] == record:
                continue
            row.record.append(record)
            row.run_ns.append(run_ns)
            row.comm.append(comm)
    times = np.array(readings.t_ns, np.int64)
    return {tid: _lives(tid, row, times) for tid, row in rows.items()}, torn


def _lives(tid: int, rows: _Rows, times: I64) -> list[Life]:
    record, run_ns = np.array(rows.record, np.int64), np.array(rows.run_ns, np.int64)
    cuts = [0, *(np.nonzero(run_ns[1:] < run_ns[:-1])[0] + 1).tolist(), len(record)]
    lives = []
    for first, end in pairwise(cuts):
        seen, cpu = record[first:end], run_ns[first:end]
        name = rows.comm[end - 1].decode("utf-8", "replace").strip()
        before = int(seen[0]) - 1
        since = _UNKNOWN
        if before >= 0 and cpu[0] <= times[seen[0]] - times[before] + TICK_LAG_NS:
            since = int(times[before])
        elif first:
            since = int(times[record[first - 1]])
            before = -1
        else:
            before = -1
        lives.append(Life(tid, name, since, _filled(seen, cpu, times, before)))
    return lives


def _filled(seen: I64, cpu: I64, times: I64, before: int) -> CpuClock:
    """The listed readings with the unlisted ones that matter: the last unchanged one of each pause, and 0 at `before` ≥ 0."""
    pauses = np.nonzero(np.diff(seen) > 1)[0]
    at = np.insert(seen, pauses + 1, seen[pauses + 1] - 1)
    used = np.insert(cpu, pauses + 1, cpu[pauses])
    if before >= 0:
        at, used = np.insert(at, 0, before), np.insert(used, 0, 0)
    return CpuClock(times[at], used)
