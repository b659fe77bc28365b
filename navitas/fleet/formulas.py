"""Guards against CSV injection (OWASP): texts that a spreadsheet takes for formulas are escaped, and read back."""

from __future__ import annotations

import re

import pyarrow as pa
import pyarrow.compute as pc

# Not `\s`: Python and Arrow differ on it.
_SPACES = " \t\n\v\f\r\x1c-\x1f\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
# How formulas begin, with full-width forms and the whitespace that spreadsheets skip. Leading apostrophes count too, so that
# every text has exactly one escaped form.
_BEGIN = rf"'*(?:[\t\r\n]|[{_SPACES}]*[=+\-@＝＋－＠])"
_FORMULA = re.compile(_BEGIN)


def guarded(text: str) -> str:
    """The text, with an apostrophe in front if it begins like a formula."""
    return f"'{text}" if _FORMULA.match(text) else text


def guarded_column(texts: pa.ChunkedArray) -> pa.ChunkedArray:
    """A column with each text guarded. Nulls are unchanged."""
    return pc.replace_substring_regex(texts, rf"\A({_BEGIN})", r"'\1")


def plain_column(texts: pa.ChunkedArray) -> pa.ChunkedArray:
    """The original texts of a guarded column."""
    return pc.replace_substring_regex(texts, rf"\A'({_BEGIN})", r"\1")
