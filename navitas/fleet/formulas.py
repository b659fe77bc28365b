"""Texts that a spreadsheet would take for formulas, written to CSV so that it does not, and read back (OWASP: CSV injection)."""

from __future__ import annotations

import re

import pyarrow as pa
import pyarrow.compute as pc

# Not `\s`, of which Python and Arrow have different ideas.
_SPACES = " \t\n\v\f\r\x1c-\x1f\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
# What spreadsheets begin a formula with, full-width forms and what they skip before it included. Apostrophes that stand before
# it count too: so every text has its own written form.
_BEGIN = rf"'*(?:[\t\r\n]|[{_SPACES}]*[=+\-@＝＋－＠])"
_FORMULA = re.compile(_BEGIN)


def guarded(text: str) -> str:
    """The text, with an apostrophe before what begins like a formula."""
    return f"'{text}" if _FORMULA.match(text) else text


def guarded_column(texts: pa.ChunkedArray) -> pa.ChunkedArray:
    """A column of `guarded` texts; nulls stay."""
    return pc.replace_substring_regex(texts, rf"\A({_BEGIN})", r"'\1")


def plain_column(texts: pa.ChunkedArray) -> pa.ChunkedArray:
    """The texts that a column of guarded ones was made of."""
    return pc.replace_substring_regex(texts, rf"\A'({_BEGIN})", r"\1")
