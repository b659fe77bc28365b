"""Texts with several names → lists."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from navitas.fleet.ingest.raw import SEPARATORS


def split_texts(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Lists from texts with separators. An empty text is an empty list; a null stays null."""
    text = pc.utf8_trim_whitespace(pc.replace_substring_regex(column, SEPARATORS.pattern, " "))
    lists = pc.utf8_split_whitespace(text)
    return pc.if_else(pc.equal(text, ""), pa.scalar([], lists.type), lists)
