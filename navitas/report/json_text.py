"""JSON text of data that may be too large to hold: written part by part."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from itertools import groupby, islice
from typing import Any

from navitas.untrusted_text import without_surrogates

_ENCODE = json.JSONEncoder(allow_nan=False).encode
_PART_LINES = 10_000
_ESCAPED_SURROGATE = "\\ud"


class JsonLines:
    """An array whose values are JSON text already, a line each, however many."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._texts = iter(texts)

    def written(self, margin: str) -> Iterator[str]:
        """The array's text in parts of bounded length."""
        before = "["
        while texts := list(islice(self._texts, _PART_LINES)):
            yield f"{before}{margin} " + f",{margin} ".join(texts)
            before = ","
        yield "[]" if before == "[" else margin + "]"


class Inline(dict[str, Any]):
    """An object of plain values that stays on the line of its neighbors."""


def line(value: Any) -> str:
    """One value on one line. ValueError for a figure that is not finite."""
    text = _ENCODE(value)
    # Half a surrogate pair cannot be written as UTF-8, and readers refuse its escape.
    return _ENCODE(without_surrogates(value)) if _ESCAPED_SURROGATE in text else text


def written(value: Any, margin: str = "\n") -> Iterator[str]:
    """The text of objects, arrays (an iterator is one too) and plain values, in parts.

    Objects and arrays that hold others go over several lines, plain values side by side are one, so that lines can be compared.
    """
    inner = margin + " "
    if isinstance(value, dict) and any(map(_holds_more, value.values())):
        before = "{"
        for more, fields in groupby(value.items(), key=lambda field: _holds_more(field[1])):
            if more:
                for key, part in fields:
                    yield f"{before}{inner}{_ENCODE(key)}: "
                    yield from written(part, inner)
                    before = ","
            else:
                yield before + inner + line(dict(fields))[1:-1]
                before = ","
        yield margin + "}"
    elif isinstance(value, JsonLines):
        yield from value.written(margin)
    elif isinstance(value, Iterator) or (isinstance(value, list) and any(map(_holds_more, value))):
        before = "["
        for part in value:
            yield before + inner
            yield from written(part, inner)
            before = ","
        yield "[]" if before == "[" else margin + "]"
    else:
        yield line(value)


_PLAIN = (str, int, float, bool, type(None), Inline)


def _holds_more(value: Any) -> bool:
    return type(value) not in _PLAIN and isinstance(value, dict | list | Iterator | JsonLines)
