"""Encodes JSON in chunks of text, for data that doesn't fit into memory."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from itertools import groupby, islice
from typing import Any

from navitas.untrusted_text import ESCAPED_SURROGATE, without_surrogates

_ENCODE = json.JSONEncoder(allow_nan=False).encode
_CHUNK_LINES = 10_000


class JsonLines:
    """An array whose values are encoded already, one line each."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._texts = iter(texts)

    def chunks(self, margin: str) -> Iterator[str]:
        """Yield the array's text in chunks of bounded length. `margin` is a line feed and the indentation of the array."""
        separator = "["
        while texts := list(islice(self._texts, _CHUNK_LINES)):
            yield f"{separator}{margin} " + f",{margin} ".join(texts)
            separator = ","
        yield "[]" if separator == "[" else margin + "]"


class Inline(dict[str, Any]):
    """An object of scalars that is written on the same line as its neighbors."""


def line(value: Any) -> str:
    """Encode a value on one line. Raises `ValueError` for a figure that isn't finite."""
    text = _ENCODE(value)
    # UTF-8 can't encode an unpaired surrogate, and readers reject its escape sequence.
    return _ENCODE(without_surrogates(value)) if ESCAPED_SURROGATE in text else text


def json_chunks(value: Any, margin: str = "\n") -> Iterator[str]:
    """Yield the text of a value in chunks. Iterators are encoded as arrays.

    Nested objects and arrays span several lines. Neighboring scalars share a line, so that line-based diffs stay short.
    """
    inner = margin + " "
    if isinstance(value, dict) and any(map(_is_nested, value.values())):
        separator = "{"
        for nested, fields in groupby(value.items(), key=lambda field: _is_nested(field[1])):
            if nested:
                for key, item in fields:
                    yield f"{separator}{inner}{_ENCODE(key)}: "
                    yield from json_chunks(item, inner)
                    separator = ","
            else:
                yield separator + inner + line(dict(fields))[1:-1]
                separator = ","
        yield margin + "}"
    elif isinstance(value, JsonLines):
        yield from value.chunks(margin)
    elif isinstance(value, Iterator) or (isinstance(value, list) and any(map(_is_nested, value))):
        separator = "["
        for item in value:
            yield separator + inner
            yield from json_chunks(item, inner)
            separator = ","
        yield "[]" if separator == "[" else margin + "]"
    else:
        yield line(value)


_PLAIN = (str, int, float, bool, type(None), Inline)


def _is_nested(value: Any) -> bool:
    return type(value) not in _PLAIN and isinstance(value, dict | list | Iterator | JsonLines)
