"""What a manifest holds that this version of Navitas does not know, by the codes of losses."""

from __future__ import annotations

from collections import Counter
from typing import Any, NamedTuple

from pydantic import BaseModel

from navitas.recording.codes import LossCode
from navitas.recording.manifest import Known
from navitas.unknown_parts import UnknownPart, find_unknown

LONGEST_NAME = 100


class Unknown(NamedTuple):
    """Something that is kept and not used: `unknown_fields` by their place, other codes by their word."""

    code: LossCode
    name: str


def unknown_parts(document: dict[str, Any], model: type[BaseModel]) -> Counter[Unknown]:
    """How often each unknown field or word is in a JSON object that the model has accepted."""
    return Counter(map(_by_code, find_unknown(document, model)))


def _by_code(part: UnknownPart) -> Unknown:
    if not isinstance(part.known, Known):
        return Unknown("unknown_fields", part.place[:LONGEST_NAME])
    prefix = f"{part.place}=" if part.known.code == "unknown_words" else ""
    return Unknown(part.known.code, f"{prefix}{part.word}"[:LONGEST_NAME])
