"""`--json FILE` of commands: one document with a `schema_version`, in a file or on standard output."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from navitas.cli.files import STDOUT, check_files, write_to
from navitas.cli.option import option
from navitas.cli.paths import WRITE_ANY_NAME

F = TypeVar("F", bound=Callable[..., Any])
SCHEMA_VERSION = 1
"""Of documents that have no version of their own."""


def json_option(function: F) -> F:
    """`--json`, as the parameter `json_file`. `check_json` belongs to it."""
    add: Callable[[F], F] = option(
        "--json", "json_file", type=WRITE_ANY_NAME, metavar="FILE", section="Output", help="Write JSON ('-': stdout)."
    )
    return add(function)


def check_json(path: Path | None) -> bool:
    """Whether standard output is free for text. UsageError, before the work, where the file cannot be written."""
    check_files([] if path is None else [path])
    return path != STDOUT


def write_json(path: Path | None, **content: object) -> None:
    """Write a command's own result; nothing where no file was named."""
    if path is not None:
        write_document(path, {"schema_version": SCHEMA_VERSION, **content})


def write_document(path: Path, document: object) -> None:
    """Write a JSON document, whole."""
    text = json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False)
    write_to(path, lambda out: print(text, file=out))
