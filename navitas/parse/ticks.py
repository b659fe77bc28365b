"""How long the runtime's ticks were, where ticks timed the calls (counter source 3)."""

from __future__ import annotations

from navitas.parse.counters import Readings

TICKS_SOURCE = 3
_FIELDS, _MOST_DIGITS = 3, 19


def tick_period_ns(readings: Readings | None) -> float | None:
    """The mean period that a moment falls into: Σ period² / Σ period over the last whole reading; None without one.

    Late ticks, of which a busy machine has many, weigh as much as the time that they stand for.
    """
    for text in reversed(readings.texts if readings is not None else []):
        fields = text.split()
        if len(fields) == _FIELDS and all(field.isdigit() and len(field) <= _MOST_DIGITS for field in fields):
            _, sum_ns, squares_us2 = map(int, fields)
            return 1e6 * squares_us2 / sum_ns if sum_ns else None
    return None
