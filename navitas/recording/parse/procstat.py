"""Parse `/proc/<pid>/stat` and `/proc/stat` (kernel: Documentation/filesystems/proc.rst)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from navitas.base.cpu_limit import MAX_CPUS
from navitas.recording.parse.arrays import I64
from navitas.recording.parse.tables import CpuClock, CpuStat
from navitas.recording.parse.threads import cpu_clock
from navitas.recording.parse.time_in_state import TICK_NS, continued_ticks, torn

_UTIME, _STIME = 11, 12
_IDLE, _IOWAIT, _GUEST = 3, 4, 8
_MAX_TICKS = 1 << 36
_MAX_CELLS = 1 << 25


def parse_process_stat(t_ns: Sequence[int], texts: Sequence[bytes]) -> tuple[CpuClock | None, int, int]:
    """Return the process's user plus system time, the number of skipped readings, and how often the counter began again.

    The clock is None if no reading is usable. If the counter restarts, it continues from its last value.
    """
    times, used = [], []
    for t, text in zip(t_ns, texts, strict=True):
        # The name may contain spaces and parentheses. The fields begin after the last parenthesis.
        fields = text.rpartition(b")")[2].split()
        try:
            ticks = int(fields[_UTIME]) + int(fields[_STIME])
        except (ValueError, IndexError):
            continue
        if 0 <= ticks <= _MAX_TICKS and len(fields) > _STIME + 1:
            times.append(t)
            used.append(ticks)
    if not times:
        return None, len(texts), 0
    read_ns = np.array(times, np.int64)
    grown, restarts = _continued(read_ns, np.array(used, np.int64))
    return cpu_clock(read_ns, grown * TICK_NS), len(texts) - len(times), restarts


def parse_cpu_stat(t_ns: Sequence[int], texts: Sequence[str]) -> tuple[CpuStat | None, int]:
    """Return the busy time of each CPU, and the number of skipped readings.

    Busy time is all time except idle and iowait (guest time is part of user time).
    A CPU that is missing from a reading (offline) keeps its last value. If a counter restarts, it continues from there.
    """
    rows: list[tuple[int, dict[int, int]]] = []
    for t, text in zip(t_ns, texts, strict=True):
        busy = _busy_ticks(text)
        if busy:
            rows.append((t, busy))
    cpus = tuple(sorted({cpu for _, busy in rows for cpu in busy}))
    if not cpus:
        return None, len(texts)
    del rows[_MAX_CELLS // len(cpus) :]
    first = {cpu: next((busy[cpu] for _, busy in rows if cpu in busy), 0) for cpu in cpus}
    table = np.array([[busy.get(cpu, -1) for cpu in cpus] for _, busy in rows], np.int64)
    table[0] = [first[cpu] for cpu in cpus]
    times = np.array([t for t, _ in rows], np.int64)
    restarts: dict[int, int] = {}
    for column, cpu in enumerate(cpus):
        table[:, column], count = _continued(times, table[:, column])
        restarts |= {cpu: count} if count else {}
    return CpuStat(cpus, times, table * TICK_NS, restarts), len(texts) - len(rows)


def _continued(t_ns: I64, ticks: I64) -> tuple[I64, int]:
    """Return a counter's ticks as if it never began again, and how often it did. Missing (-1) and torn readings have the ticks
    of the reading before."""
    read = np.flatnonzero(ticks >= 0)
    kept = read[~torn(ticks[read, None])]
    grown, restarts = continued_ticks(t_ns[kept], ticks[kept, None])
    return grown[np.searchsorted(kept, np.arange(len(ticks)), side="right") - 1, 0], restarts


def _busy_ticks(text: str) -> dict[int, int]:
    """Return busy ticks by CPU, from complete lines only."""
    busy: dict[int, int] = {}
    for line in text.splitlines(keepends=True):
        name, *values = line.split()[: _GUEST + 1] or [""]
        if not name.startswith("cpu") or not line.endswith("\n"):
            break
        if name == "cpu":
            continue
        try:
            cpu, ticks = int(name[3:]), [int(value) for value in values]
        except ValueError:
            return {}
        if not 0 <= cpu < MAX_CPUS or len(ticks) <= _IOWAIT or min(ticks) < 0 or max(ticks) > _MAX_TICKS:
            return {}
        busy[cpu] = sum(ticks) - ticks[_IDLE] - ticks[_IOWAIT]
    return busy
