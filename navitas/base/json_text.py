"""Records as JSON objects, and JSON in chunks of text, for data that doesn't fit into memory."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

from navitas.base.untrusted_text import ESCAPED_SURROGATE, without_surrogates

_ENCODE = json.JSONEncoder(allow_nan=False, check_circular=False).encode
_CHUNK_LINES = 10_000
_CHUNK_LENGTH = 1 << 16


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


def column(texts: Iterable[str]) -> JsonLines:
    """Return a long array of encoded values on one line, which needs less memory than its numbers."""
    text = ",".join(texts)
    return JsonLines([text] if text else [])


class Inline(dict[str, Any]):
    """An object of scalars that is written on the same line as its neighbors."""


def fields(record: object, *names: str) -> dict[str, Any]:
    """Return fields and properties of a record, for JSON."""
    return {name: getattr(record, name) for name in names}


def line(value: Any) -> str:
    """Encode a value on one line. Raises `ValueError` for a figure that isn't finite."""
    text = _ENCODE(value)
    # UTF-8 can't encode an unpaired surrogate, and readers reject its escape sequence.
    return _ENCODE(without_surrogates(value)) if ESCAPED_SURROGATE in text else text


def json_chunks(value: Any) -> Iterator[str]:
    """Yield the text of a value in chunks of bounded length. Iterators are encoded as arrays.

    Nested objects and arrays span several lines. Neighboring scalars share a line, so that line-based diffs stay short.
    """
    # One loop over a stack: generators within generators would pass each part through all levels.
    stack, parts, size = [_parts(value, "\n")], list[str](), 0
    while stack:
        if (part := next(stack[-1], None)) is None:
            stack.pop()
        elif isinstance(part, str):
            parts.append(part)
            size += len(part)
            if size > _CHUNK_LENGTH:
                yield "".join(parts)
                parts, size = [], 0
        else:
            stack.append(_parts(*part))
    yield "".join(parts)


def _parts(value: Any, margin: str) -> Iterator[str | tuple[Any, str]]:
    """Return the text of a value in parts, and the values in it that follow the part before, with their margins."""
    if isinstance(value, dict):
        return _object(value, margin)
    if isinstance(value, JsonLines):
        return value.chunks(margin)
    if isinstance(value, Iterator) or (isinstance(value, list) and any(map(_is_nested, value))):
        return _array(value, margin)
    return iter((line(value),))


def _array(items: Iterable[Any], margin: str) -> Iterator[str | tuple[Any, str]]:
    inner, separator = margin + " ", "["
    for item in items:
        yield separator + inner
        yield item, inner
        separator = ","
    yield "[]" if separator == "[" else margin + "]"


def _object(fields: Mapping[str, Any], margin: str) -> Iterator[str | tuple[Any, str]]:
    """Yield an object in parts, as `_parts`. It is one line if it contains scalars only."""
    inner, separator = margin + " ", "{"
    scalars: dict[str, Any] = {}
    for key, item in fields.items():
        if not _is_nested(item):
            scalars[key] = item
            continue
        if scalars:
            yield f"{separator}{inner}{line(scalars)[1:-1]}"
            separator, scalars = ",", {}
        yield f"{separator}{inner}{_ENCODE(key)}: "
        yield item, inner
        separator = ","
    if separator == "{":
        yield line(fields)
    else:
        yield f",{inner}{line(scalars)[1:-1]}{margin}}}" if scalars else f"{margin}}}"


_PLAIN = frozenset({str, int, float, bool, type(None), Inline})
_NESTED = (dict, list, JsonLines, Iterator)


def _is_nested(value: Any) -> bool:
    return type(value) not in _PLAIN and isinstance(value, _NESTED)
