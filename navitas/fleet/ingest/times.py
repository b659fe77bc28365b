"""Converts a column of times to seconds since 1970."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from navitas.fleet.ingest.raw import LATEST_S


def time_column(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Seconds from ISO 8601 texts (all with a zone, or all without: UTC), or from seconds or milliseconds.

    Raises `pa.ArrowInvalid` if a text is not a time.
    """
    if pa.types.is_string(column.type):
        try:
            moments = column.cast(pa.timestamp("us", "UTC"))
        except pa.ArrowInvalid:
            moments = column.cast(pa.timestamp("us"))
        return pc.divide(moments.cast(pa.int64()).cast(pa.float64()), 1e6)
    is_ms = pc.greater(pc.abs(column), LATEST_S)
    return pc.if_else(is_ms, pc.divide(column, 1000.0), column)
