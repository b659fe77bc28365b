"""Find fields and values of a JSON document that its model does not know. A newer version wrote them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from types import UnionType
from typing import Any, NamedTuple, get_args

from pydantic import BaseModel


@dataclass(frozen=True, slots=True)
class KnownWords:
    """Annotation of a field: the words that this version of Navitas knows. A newer version may write others, which are kept."""

    words: frozenset[str]


class UnknownPart(NamedTuple):
    """An unknown field by its place, such as `device.cores`, or an unknown `word` of a field with the field's annotation."""

    place: str
    word: str | None = None
    known: KnownWords | None = None


class _Shape(NamedTuple):
    """The fields of one model: all names, the fields with known words, and the fields with objects."""

    fields: frozenset[str]
    words: tuple[tuple[str, KnownWords], ...]
    objects: tuple[tuple[str, type[BaseModel]], ...]


def find_unknown(document: dict[str, Any], model: type[BaseModel]) -> Iterator[UnknownPart]:
    """Yield every unknown field and word in a JSON object that the model has accepted, including nested objects."""
    return _found(document, _shape(model), "")


def _found(document: dict[str, Any], shape: _Shape, place: str) -> Iterator[UnknownPart]:
    for name in sorted(document.keys() - shape.fields):
        yield UnknownPart(f"{place}{name}")
    for name, known in shape.words:
        if (word := document.get(name)) is not None and word not in known.words:
            yield UnknownPart(f"{place}{name}", word, known)
    for name, model in shape.objects:
        value = document.get(name)
        inside = _shape(model)
        for entry in value if isinstance(value, list) else () if value is None else (value,):
            yield from _found(entry, inside, f"{place}{name}.")


@cache
def _shape(model: type[BaseModel]) -> _Shape:
    fields = {field.alias or name: field for name, field in model.model_fields.items()}
    words = [(name, each) for name, field in fields.items() for each in field.metadata if isinstance(each, KnownWords)]
    objects = [(name, each) for name, field in fields.items() for each in _models(field.annotation)]
    return _Shape(frozenset(fields), tuple(words), tuple(objects))


def _models(annotation: Any) -> list[type[BaseModel]]:
    """Return the models in a type such as `list[Run]`."""
    if isinstance(annotation, type) and not isinstance(annotation, UnionType) and issubclass(annotation, BaseModel):
        return [annotation]
    return [found for inner in get_args(annotation) for found in _models(inner)]
