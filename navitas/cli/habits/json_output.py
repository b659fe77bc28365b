"""The option `--json FILE`: writes one JSON document with a `schema_version` to a file or standard output."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from navitas.base.untrusted_text import ESCAPED_SURROGATE, without_surrogates
from navitas.cli.habits.files import STDOUT, write_to
from navitas.cli.habits.option import option
from navitas.cli.habits.paths import WRITE_ANY_NAME

F = TypeVar("F", bound=Callable[..., Any])
SCHEMA_VERSION = 1
"""The version of documents that don't define their own."""


def json_option(function: F) -> F:
    """Add the option `--json` as the parameter `json_file`."""
    add: Callable[[F], F] = option(
        "--json", "json_file", type=WRITE_ANY_NAME, metavar="FILE", section="Output", help="Write JSON ('-': stdout)."
    )
    return add(function)


def write_json(path: Path | None, **content: object) -> bool:
    """Write a command's result, if a file was named. Returns whether standard output is free for text."""
    if path is not None:
        write_document(path, {"schema_version": SCHEMA_VERSION, **content})
    return path != STDOUT


def write_document(path: Path, document: object) -> None:
    """Write a JSON document in ASCII, so that characters that steer a terminal or turn text are escapes."""
    encode = json.JSONEncoder(indent=2, allow_nan=False).encode
    text = encode(document)
    text = encode(without_surrogates(document)) if ESCAPED_SURROGATE in text else text
    write_to(path, lambda out: print(text, file=out))
