"""Parse cpufreq's `time_in_state` into cumulative residency (kernel: Documentation/cpu-freq/cpufreq-stats.rst).

Cumulative counters begin again at 0, as those of a core do when it is unplugged and plugged in again. In their tables, rows are
readings, and columns are counters of one thing that begin again together, such as the frequencies of one core.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from navitas.recording.parse.arrays import I64, Bool
from navitas.recording.parse.tables import TimeInState

_Number = TypeVar("_Number", np.int64, np.float64)


def torn(counted: NDArray[_Number]) -> Bool:
    """Whether each row is a torn reading that still parses: a single one out of order between its neighbours."""
    found = np.zeros(len(counted), bool)
    before, between, after = counted[:-2], counted[1:-1], counted[2:]
    apart = ((between < before) | (after < between)).any(axis=1)
    found[1:-1] = apart & (after >= before).all(axis=1)
    return found


def fallen(counted: NDArray[_Number], by: float = 0) -> Bool:
    """Whether a counter of each row is lower than in the row before, by more than `by`."""
    found = np.zeros(len(counted), bool)
    found[1:] = (counted[1:] < counted[:-1] - by).any(axis=1)
    return found


def begun(counted: I64, passed: I64, *, jitter: int = 0) -> Bool:
    """Whether the counters of time began again before each row: one falls by more than `jitter`, and all that they count fits
    into `passed`, the time since the row before, in their unit."""
    found: Bool = fallen(counted, jitter) & (counted.sum(axis=1) <= passed)
    return found


def continued(counted: NDArray[_Number], is_begun: Bool, is_unknown: Bool) -> NDArray[_Number]:
    """Return the counters as if they never began again: each row counts from the one before it.

    Rows `is_begun` count from 0. What was counted before rows `is_unknown` is not known: it counts as nothing.
    """
    before = np.roll(counted, 1, axis=0)
    shift = np.where(is_begun[:, None], before, np.where(is_unknown[:, None], before - counted, 0))
    return np.asarray(counted + np.cumsum(shift, axis=0), counted.dtype)


TICK_NS = 10_000_000
_MAX_TICKS = 1 << 39

_Table = tuple[tuple[int, ...], tuple[int, ...], int]
"""Frequencies, ticks summed over sections, and the number of sections."""


def parse_time_in_state(
    policy: int, cpus: Sequence[int], t_ns: Sequence[int], texts: Sequence[bytes]
) -> tuple[TimeInState | None, int]:
    """Return one policy's readings and the number of skipped ones. The table is None if no reading is usable.

    Lines are `kHz ticks` (10 ms), optionally with a third column, and optionally under `cpuN` headers; then the mean of the
    sections of `cpus` counts. Frequencies are in ascending order. Skipped readings are empty, torn, or have other frequencies or
    sections. If counters restart (all CPUs of the policy were unplugged), they continue from their last value.
    """
    section = frozenset(b"cpu%d" % cpu for cpu in cpus)
    tables = [_table(text, section) for text in texts]
    shapes = Counter(
        (table[0], table[2], text.endswith(b"\n")) for table, text in zip(tables, texts, strict=True) if table is not None
    )
    if not shapes:
        return None, len(texts)
    (freqs, read, closed), _ = shapes.most_common(1)[0]
    good = [
        i
        for i, (table, text) in enumerate(zip(tables, texts, strict=True))
        if table is not None and (table[0], table[2]) == (freqs, read) and text.endswith(b"\n") == closed
    ]
    ticks = np.array([table[1] for i in good if (table := tables[i]) is not None], np.int64)
    kept = ~torn(ticks)
    order = np.argsort(np.array(freqs), kind="stable")
    times = np.array([t_ns[i] for i in good], np.int64)[kept]
    grown, restarts = continued_ticks(times, ticks[kept], read)
    residency = grown[:, order] * TICK_NS // read
    parsed = TimeInState(policy, times, np.array(freqs, np.int64)[order], residency, restarts)
    return parsed, len(texts) - len(times)


def continued_ticks(t_ns: I64, ticks: I64, counters: int = 1) -> tuple[I64, int]:
    """Return ticks that never fall, and how often they began again. They are sums of this number of `counters`."""
    most = counters * (np.diff(t_ns, prepend=t_ns[:1]) // TICK_NS + 1)
    is_begun = begun(ticks, most)
    return continued(ticks, is_begun, fallen(ticks) & ~is_begun), int(np.count_nonzero(is_begun))


@lru_cache(maxsize=4096)
def _table(text: bytes, section: frozenset[bytes]) -> _Table | None:
    """Return one text's table, or None if it is empty or torn."""
    if b"cpu" not in text:
        return _rows(text)
    sections = _sections(text)
    tables = [_rows(body) for header, body in sections.items() if header in section] or [
        _rows(next(iter(sections.values()), b""))
    ]
    freqs = {table[0] for table in tables if table is not None}
    if len(freqs) != 1 or None in tables:
        return None
    ticks = tuple(map(sum, zip(*(table[1] for table in tables if table is not None), strict=True)))
    return (freqs.pop(), ticks, len(tables)) if max(ticks) <= _MAX_TICKS else None


def _rows(text: bytes) -> _Table | None:
    rows = text.count(b"\n") + (not text.endswith(b"\n"))
    try:
        numbers = list(map(int, text.split()))
    except ValueError:
        return None
    if not numbers or len(numbers) not in {2 * rows, 3 * rows}:
        return None
    if min(numbers) < 0 or max(numbers) > _MAX_TICKS:
        return None
    columns = len(numbers) // rows
    return tuple(numbers[::columns]), tuple(numbers[1::columns]), 1


def _sections(text: bytes) -> dict[bytes, bytes]:
    sections: dict[bytes, bytes] = {}
    header = b""
    for line in text.splitlines(keepends=True):
        if line.startswith(b"cpu"):
            header = line.strip()
        else:
            sections[header] = sections.get(header, b"") + line
    return sections
