"""The types of a JFR chunk, from its metadata, and values of these types."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from navitas.recording.parse.jfr.jfr_file import JfrChunk
from navitas.recording.parse.jfr.jfr_varints import varint_at

_NUMBERS = frozenset({"int", "long", "short", "char"})
_BYTES: Final = {"byte": 1, "boolean": 1, "float": 4, "double": 8}
_STRING = "java.lang.String"
_NULL, _EMPTY, _REFERENCE, _UTF8, _CHARS, _LATIN1 = range(6)
_DEEPEST = 16
"""The deepest nesting of types in types: JDKs have three."""
_MOST_FIELDS = 1000

Value: TypeAlias = "int | str | list[Value] | dict[str, Value]"


@dataclass(frozen=True, slots=True)
class JfrField:
    """A field of a type. A `pooled` value is a number: the id of a constant."""

    name: str
    type_id: int
    pooled: bool
    is_array: bool


@dataclass(frozen=True, slots=True)
class JfrType:
    """A type with its fields, in their order in values."""

    id: int
    name: str
    fields: tuple[JfrField, ...]


@dataclass(frozen=True, slots=True)
class JfrTypes:
    """The types of a chunk, by id and by name."""

    by_id: Mapping[int, JfrType]
    by_name: Mapping[str, JfrType]

    def is_number(self, field: JfrField) -> bool:
        """Whether values of a field are one LEB128 number."""
        return not field.is_array and (field.pooled or self.by_id[field.type_id].name in _NUMBERS)

    def value_at(self, data: memoryview, at: int, type_id: int, depth: int = 0) -> tuple[Value, int]:
        """Return the value at a position, and the position after it: a number, a text, or the fields of the type by name.

        A text can be the id of another text. Raises `ValueError`, `KeyError` or `IndexError` for damaged data.
        """
        kind = self.by_id[type_id]
        if kind.name in _NUMBERS:
            return varint_at(data, at)
        if (size := _BYTES.get(kind.name)) is not None:
            if at + size > len(data):
                raise IndexError
            return data[at], at + size  # Numbers with fractions are not used.
        if kind.name == _STRING:
            return _text_at(data, at)
        if depth == _DEEPEST or not kind.fields:
            # Values without fields take no bytes, so their number would not be bounded.
            raise ValueError("types are nested too deeply, or have no fields")
        fields: dict[str, Value] = {}
        for field in kind.fields:
            if not field.is_array:
                fields[field.name], at = self._field_at(data, at, field, depth)
                continue
            count, at = varint_at(data, at)
            if not 0 <= count <= len(data) - at:
                raise ValueError("a list is longer than the data")
            items: list[Value] = []
            for _ in range(count):
                item, at = self._field_at(data, at, field, depth)
                items.append(item)
            fields[field.name] = items
        return fields, at

    def _field_at(self, data: memoryview, at: int, field: JfrField, depth: int) -> tuple[Value, int]:
        return varint_at(data, at) if field.pooled else self.value_at(data, at, field.type_id, depth + 1)


def jfr_types(chunk: JfrChunk) -> JfrTypes:
    """Read the metadata of a finished chunk. Raises `RecordingError` if it is damaged."""
    try:
        return _types(chunk)
    except (IndexError, KeyError, ValueError) as error:
        raise chunk.error("the chunk's metadata is damaged") from error


def _types(chunk: JfrChunk) -> JfrTypes:
    data, at = chunk.data, chunk.metadata
    size, at = varint_at(data, at)
    if size <= 0 or chunk.metadata + size > len(data):
        raise ValueError("length")
    data = data[: chunk.metadata + size]
    for _ in range(4):  # type, start, duration, id
        _, at = varint_at(data, at)
    count, at = varint_at(data, at)
    if not 0 <= count <= len(data):
        raise ValueError("number of texts")
    texts: list[str] = []
    for _ in range(count):
        text, at = _text_at(data, at)
        texts.append(text if isinstance(text, str) else "")
    names, fields = _classes(data, at, texts)
    by_id = {number: JfrType(number, name, tuple(fields[number])) for number, name in names.items()}
    for kind in by_id.values():
        for field in kind.fields:
            if field.type_id not in by_id:
                raise ValueError("a field's type is missing")
    return JfrTypes(by_id, {kind.name: kind for kind in by_id.values()})


def _classes(data: memoryview, at: int, texts: Sequence[str]) -> tuple[dict[int, str], dict[int, list[JfrField]]]:
    """Return the names of classes by id, and their fields, from the tree of elements that begins at a position."""
    names: dict[int, str] = {}
    fields: dict[int, list[JfrField]] = {}
    # Each open element: how many children are left, and the id of its class (-1: it is none).
    open_elements = [[1, -1]]
    while open_elements:
        if open_elements[-1][0] <= 0:
            open_elements.pop()
            continue
        open_elements[-1][0] -= 1
        inside = open_elements[-1][1]
        name, at = varint_at(data, at)
        count, at = varint_at(data, at)
        attributes: dict[str, str] = {}
        for _ in range(count):
            key, at = varint_at(data, at)
            value, at = varint_at(data, at)
            attributes[texts[key]] = texts[value]
        children, at = varint_at(data, at)
        own = -1
        if texts[name] == "class":
            own = int(attributes["id"])
            names[own] = attributes["name"]
            fields[own] = []
        elif texts[name] == "field" and inside >= 0:
            pooled, is_array = attributes.get("constantPool") == "true", attributes.get("dimension", "0") != "0"
            fields[inside].append(JfrField(attributes["name"], int(attributes["class"]), pooled, is_array))
            if len(fields[inside]) > _MOST_FIELDS:
                raise ValueError("number of fields")
        if len(open_elements) > _DEEPEST:
            raise ValueError("elements are nested too deeply")
        open_elements.append([children, own])
    return names, fields


def _text_at(data: memoryview, at: int) -> tuple[str | int, int]:
    """Return a text, or the id of the constant that is the text, and the position after it."""
    kind = data[at]
    at += 1
    if kind in (_NULL, _EMPTY):
        return "", at
    if kind == _REFERENCE:
        return varint_at(data, at)
    length, at = varint_at(data, at)
    if not 0 <= length <= len(data) - at:
        raise IndexError
    if kind == _CHARS:
        units = []
        for _ in range(length):
            unit, at = varint_at(data, at)
            units.append((unit & 0xFFFF).to_bytes(2, "little"))
        return b"".join(units).decode("utf-16-le", "replace"), at
    if kind not in (_UTF8, _LATIN1):
        raise ValueError(f"text of kind {kind}")
    return bytes(data[at : at + length]).decode("utf-8" if kind == _UTF8 else "latin-1", "replace"), at + length
