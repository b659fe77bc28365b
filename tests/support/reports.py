"""Reports as text and as plain data."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from typing import IO, Any

from navitas.energy.analyze.profile import Profile

Write = Callable[[Profile, IO[str]], None]


def text_of(write: Write, profile: Profile) -> str:
    """Return the output of a report format."""
    out = io.StringIO()
    write(profile, out)
    return out.getvalue()


def data_of(write: Write, profile: Profile) -> dict[str, Any]:
    """Return the JSON output of a report format."""
    loaded: dict[str, Any] = json.loads(text_of(write, profile))
    return loaded


def closed(schema: Any) -> Any:
    """Return a JSON Schema that refuses unknown fields."""
    if isinstance(schema, dict):
        done = {key: closed(value) for key, value in schema.items()}
        return {**done, "additionalProperties": False} if "properties" in schema else done
    return [closed(value) for value in schema] if isinstance(schema, list) else schema
