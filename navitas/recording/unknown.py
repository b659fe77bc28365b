"""What a manifest holds that this version of Navitas does not know: fields and words of a newer version."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cache
from types import UnionType
from typing import Any, NamedTuple, get_args

from pydantic import BaseModel

from navitas.recording.codes import LossCode
from navitas.recording.manifest import Known

LONGEST_NAME = 100


class Unknown(NamedTuple):
    """Something that is kept and not used: `unknown_fields` by their place, other codes by their word."""

    code: LossCode
    name: str


class _Shape(NamedTuple):
    """What there is to look at in the objects of one model: all its fields, and of them those with words or objects."""

    fields: frozenset[str]
    words: tuple[tuple[str, Known], ...]
    objects: tuple[tuple[str, type[BaseModel]], ...]


def unknown_parts(document: dict[str, Any], model: type[BaseModel]) -> Counter[Unknown]:
    """How often each unknown field or word is in a JSON object that the model has accepted."""
    return Counter(_found(document, _shape(model), ""))


def _found(document: dict[str, Any], shape: _Shape, place: str) -> Iterator[Unknown]:
    for name in sorted(document.keys() - shape.fields):
        yield Unknown("unknown_fields", f"{place}{name}"[:LONGEST_NAME])
    for name, known in shape.words:
        if (word := document.get(name)) is not None and word not in known.words:
            prefix = f"{place}{name}=" if known.code == "unknown_words" else ""
            yield Unknown(known.code, f"{prefix}{word}"[:LONGEST_NAME])
    for name, model in shape.objects:
        value = document.get(name)
        inside = _shape(model)
        for entry in value if isinstance(value, list) else () if value is None else (value,):
            yield from _found(entry, inside, f"{place}{name}.")


@cache
def _shape(model: type[BaseModel]) -> _Shape:
    fields = {field.alias or name: field for name, field in model.model_fields.items()}
    words = [(name, each) for name, field in fields.items() for each in field.metadata if isinstance(each, Known)]
    objects = [(name, each) for name, field in fields.items() for each in _models(field.annotation)]
    return _Shape(frozenset(fields), tuple(words), tuple(objects))


def _models(annotation: Any) -> list[type[BaseModel]]:
    """The models in a type such as `list[Run]`."""
    if isinstance(annotation, type) and not isinstance(annotation, UnionType) and issubclass(annotation, BaseModel):
        return [annotation]
    return [found for inner in get_args(annotation) for found in _models(inner)]
