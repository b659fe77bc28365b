"""Parse cpufreq's `time_in_state` into cumulative residency (kernel: Documentation/cpu-freq/cpufreq-stats.rst)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from navitas.parse.arrays import I64
from navitas.parse.tables import TimeInState

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
    sections. If counters restart (cpufreq was reloaded), they continue from their last value.
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
    kept = _plausible(ticks)
    order = np.argsort(np.array(freqs), kind="stable")
    times = np.array([t_ns[i] for i in good], np.int64)[kept]
    residency = _continued(ticks[kept])[:, order] * TICK_NS // read
    return TimeInState(policy, times, np.array(freqs, np.int64)[order], residency), len(texts) - len(times)


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


def _plausible(ticks: I64) -> I64:
    """Return the rows to keep. A single row out of order between its neighbours is a torn read that still parses."""
    falls = np.nonzero((ticks[1:] < ticks[:-1]).any(axis=1))[0] + 1
    suspects = {int(i) for fall in falls for i in (fall - 1, fall) if 0 < i < len(ticks) - 1}
    torn = {i for i in suspects if (ticks[i + 1] >= ticks[i - 1]).all()}
    return np.array([i for i in range(len(ticks)) if i not in torn], np.int64)


def _continued(ticks: I64) -> I64:
    """Continue counters after a restart. An interval in which a counter falls adds nothing, because its amount is unknown."""
    steps = np.diff(ticks, axis=0)
    steps[(steps < 0).any(axis=1)] = 0
    return np.concatenate([ticks[:1], ticks[0] + np.cumsum(steps, axis=0)])
