"""Columns of texts that a spreadsheet takes for formulas: escaped as `guarded` does, and read back."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from navitas.untrusted_text import FORMULA_BEGIN


def guarded_column(texts: pa.ChunkedArray) -> pa.ChunkedArray:
    """A column with each text guarded. Nulls are unchanged."""
    return pc.replace_substring_regex(texts, rf"\A({FORMULA_BEGIN})", r"'\1")


def plain_column(texts: pa.ChunkedArray) -> pa.ChunkedArray:
    """The original texts of a guarded column."""
    return pc.replace_substring_regex(texts, rf"\A'({FORMULA_BEGIN})", r"\1")
