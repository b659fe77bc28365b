"""Fields and values of a manifest that this version of Navitas does not know, by loss code."""

from __future__ import annotations

from collections import Counter
from typing import Any, NamedTuple

from pydantic import BaseModel

from navitas.recording.codes import LossCode
from navitas.recording.manifest import Known
from navitas.unknown_parts import UnknownPart, find_unknown

LONGEST_NAME = 100


class Unknown(NamedTuple):
    """An item that is kept and not used. The name is the place of an unknown field, or an unknown value."""

    code: LossCode
    name: str


def unknown_parts(document: dict[str, Any], model: type[BaseModel]) -> Counter[Unknown]:
    """Count each unknown field and value in a JSON object that the model has accepted."""
    return Counter(map(_by_code, find_unknown(document, model)))


def _by_code(part: UnknownPart) -> Unknown:
    if not isinstance(part.known, Known):
        return Unknown("unknown_fields", part.place[:LONGEST_NAME])
    prefix = f"{part.place}=" if part.known.code == "unknown_words" else ""
    return Unknown(part.known.code, f"{prefix}{part.word}"[:LONGEST_NAME])
