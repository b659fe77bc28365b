"""Period of the runtime's ticks, if ticks timed the calls (counter source 3)."""

from __future__ import annotations

from navitas.parse.counters import Readings

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
