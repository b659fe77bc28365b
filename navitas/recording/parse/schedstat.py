"""Parse the sampler's thread clocks (counter source 1): `tid run_ns wait_ns slices comm`, one line per thread that changed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from navitas.recording.parse.arrays import I64, Bool
from navitas.recording.parse.counters import Readings
from navitas.recording.parse.roles import NOT_THE_TESTS, role_of
from navitas.recording.parse.run_queue import NO_SLICES, RunQueue, Slices, run_queue
from navitas.recording.parse.tables import CpuClock

# schedstat of a running thread changes only at the scheduler's tick, so a step may include this much earlier CPU time.
TICK_LAG_NS = 10_000_000
_UNKNOWN = -1
_MAX_NS = 1 << 62
_MAX_TID = 1 << 31


@dataclass(frozen=True, slots=True)
class Lifetime:
    """The lifetime of one thread that the sampler saw under a tid.

    `since_ns` is a time at which the thread did not exist yet, or -1 if unknown. Only changed threads are listed, so `clock`
    also contains derived readings: an unlisted thread keeps its value, and a thread that started between two records had
    used nothing at the first. `slices` are the times between readings in which it ran or waited for a CPU.
    """

    tid: int
    name: str
    since_ns: int
    clock: CpuClock
    slices: Slices


def parse_schedstats(processes: Sequence[Readings]) -> tuple[dict[int, list[Lifetime]], int]:
    """Parse the readings of several processes. Each process lists only its own threads; otherwise as `parse_schedstat`."""
    lifetimes: dict[int, list[Lifetime]] = {}
    torn = 0
    for readings in processes:
        found, skipped = parse_schedstat(readings)
        torn += skipped
        for tid, of_tid in found.items():
            lifetimes[tid] = sorted([*lifetimes.get(tid, []), *of_tid], key=lambda lifetime: int(lifetime.clock.t_ns[0]))
    return lifetimes, torn


def parse_schedstat(readings: Readings) -> tuple[dict[int, list[Lifetime]], int]:
    """Return lifetimes by tid in time order, and the number of torn lines that were skipped.

    The kernel reuses tids: if a tid's time falls, a new lifetime begins.
    """
    rows: list[tuple[int, int, int, int]] = []
    comms: list[bytes] = []
    torn = 0
    for record, text in enumerate(readings.texts):
        seen = len(rows)
        for line in text.splitlines():
            parts = line.split(None, 4)
            try:
                tid, run_ns, wait_ns = int(parts[0]), int(parts[1]), int(parts[2])
                whole = len(parts) > 3 and 0 <= tid < _MAX_TID and 0 <= run_ns < _MAX_NS and 0 <= wait_ns < _MAX_NS
            except (ValueError, IndexError):
                whole = False
            if whole:
                rows.append((tid, record, run_ns, wait_ns))
                comms.append(parts[4] if len(parts) > 4 else b"")
            else:
                torn += bool(line.strip())
        if len({row[0] for row in rows[seen:]}) < len(rows) - seen:
            # A record that lists a tid twice is damaged.
            torn += len(rows) - seen
            del rows[seen:], comms[seen:]
    if not rows:
        return {}, torn
    return _lifetimes(np.array(rows, np.int64), comms, readings), torn


def _lifetimes(table: I64, comms: list[bytes], readings: Readings) -> dict[int, list[Lifetime]]:
    times = np.array(readings.t_ns, np.int64)
    # A read lists threads at its beginning. Threads that start during it are in the next record.
    listed = np.array(readings.begin_ns or readings.t_ns, np.int64)
    order = np.lexsort((table[:, 1], table[:, 0]))
    rows = table[order]
    tid, record, run_ns, _ = rows.T
    same_tid = np.diff(tid, prepend=-1) == 0
    starts = ~same_tid | (np.diff(run_ns, prepend=0) < 0)
    lifetime = np.cumsum(starts) - 1
    first = np.nonzero(starts)[0]
    last = np.append(first[1:], len(lifetime)) - 1
    started = first[record[first] > 0]
    started = started[run_ns[started] <= times[record[started]] - times[record[started] - 1] + TICK_LAG_NS]
    slices = _slices(starts, started, times, listed, rows)
    after_gap = np.nonzero(~starts & (np.diff(record, prepend=0) > 1))[0]
    since = np.where(same_tid[first], listed[record[first - 1]], _UNKNOWN)
    since[lifetime[started]] = listed[record[started] - 1]
    # Derived readings: no CPU time before a lifetime began, and no additional CPU time while a thread is not listed.
    lifetime_of = np.concatenate([lifetime, lifetime[started], lifetime[after_gap]])
    at_ns = np.concatenate([times[record], listed[record[started] - 1], times[record[after_gap] - 1]])
    used = np.concatenate([run_ns, np.zeros(len(started), np.int64), run_ns[after_gap - 1]])
    filled = np.lexsort((at_ns, lifetime_of))
    at_ns, used = at_ns[filled], used[filled]
    bounds = np.searchsorted(lifetime_of[filled], np.arange(len(first) + 1)).tolist()
    parts = pairwise([*first.tolist(), len(lifetime)])
    lifetimes: dict[int, list[Lifetime]] = {}
    columns = zip(tid[first].tolist(), order[last].tolist(), since.tolist(), pairwise(bounds), parts, strict=True)
    for thread_id, last_row, since_ns, (begin, end), (low, high) in columns:
        name = comms[last_row].decode("utf-8", "replace").strip()
        clock = CpuClock(at_ns[begin:end], used[begin:end])
        lifetimes.setdefault(thread_id, []).append(Lifetime(thread_id, name, since_ns, clock, slices.chosen(slice(low, high))))
    return lifetimes


def _slices(starts: Bool, started: I64, times: I64, listed: I64, rows: I64) -> Slices:
    """Return each row's running and waiting time since the thread's last reading; zero if there is no such reading."""
    _, record, run_ns, wait_ns = rows.T
    known = ~starts
    known[started] = True
    last_ns = np.where(starts, listed[record - 1], times[np.roll(record, 1)])
    ran_ns = np.where(known, np.where(starts, run_ns, np.diff(run_ns, prepend=0)), 0)
    waited_ns = np.where(known, np.where(starts, wait_ns, np.diff(wait_ns, prepend=0)), 0)
    end_ns = times[record]
    # Damaged readings have more than the time since the last one, or negative time.
    longest_ns = np.maximum(end_ns - last_ns, 0)
    ran_ns, waited_ns = np.clip(ran_ns, 0, longest_ns + TICK_LAG_NS), np.clip(waited_ns, 0, longest_ns)
    # A thread that was not listed slept or waited. The kernel counts waiting time when it ends.
    begin_ns = np.maximum(last_ns, np.minimum(times[record - 1], end_ns - ran_ns - waited_ns))
    return Slices(np.where(known, np.minimum(begin_ns, end_ns), end_ns), end_ns, ran_ns, waited_ns)


def app_run_queue(lifetimes: Iterable[Iterable[Lifetime]]) -> RunQueue | None:
    """Return running and waiting time of the sampled threads, or None if the kernel does not count waiting time."""
    all_lifetimes = [lifetime for of_tid in lifetimes for lifetime in of_tid]
    own = [lifetime.slices for lifetime in all_lifetimes if role_of(lifetime.name, False) not in NOT_THE_TESTS]
    return run_queue(
        Slices.joined([NO_SLICES, *(lifetime.slices for lifetime in all_lifetimes)]), Slices.joined([NO_SLICES, *own])
    )
