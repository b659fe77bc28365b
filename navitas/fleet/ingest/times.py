"""Converts a column of times to seconds since 1970."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from navitas.fleet.ingest.raw import LATEST_S

_NUMBER = r"^-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?$"
_ZONED = r"[T ][0-9:.]+(Z|[+-][0-9:]+)$"


def time_column(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Seconds from texts (ISO 8601, UTC without a zone, or numbers), or from seconds or milliseconds.

    Raises `pa.ArrowInvalid` if a text is not a time.
    """
    if not pa.types.is_string(column.type):
        return _of_numbers(column)
    for kind in (pa.timestamp("us", "UTC"), pa.timestamp("us")):  # Most files have one form.
        try:
            return _of_moments(column.cast(kind))
        except pa.ArrowInvalid:
            pass
    is_number, has_zone = (pc.match_substring_regex(column, pattern) for pattern in (_NUMBER, _ZONED))
    missing = pa.scalar(None, pa.string())
    return pc.coalesce(
        _of_numbers(pc.if_else(is_number, column, missing).cast(pa.float64())),
        _of_moments(pc.if_else(has_zone, column, missing).cast(pa.timestamp("us", "UTC"))),
        _of_moments(pc.if_else(pc.or_(is_number, has_zone), missing, column).cast(pa.timestamp("us"))),
    )


def _of_moments(moments: pa.ChunkedArray) -> pa.ChunkedArray:
    return pc.divide(moments.cast(pa.int64()).cast(pa.float64()), 1e6)


def _of_numbers(numbers: pa.ChunkedArray) -> pa.ChunkedArray:
    is_ms = pc.greater(pc.abs(numbers), LATEST_S)
    return pc.if_else(is_ms, pc.divide(numbers, 1000.0), numbers)
