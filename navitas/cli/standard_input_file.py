"""Reads standard input for the file name `-`, into a temporary file that exists until the command ends."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import click

from navitas.errors import UsageError
from navitas.owned_folder import owned_folder

_META = f"{__name__}.copy"
_NAME = "standard-input"


def standard_input_file(ctx: click.Context) -> Path:
    """Copy standard input to a temporary file, since readers seek and read twice. Returns its path.

    Raises `UsageError` if standard input is closed, or if another parameter read it.
    """
    if sys.stdin is None:
        raise UsageError("standard input is closed, so there is nothing to read", "name a file")
    if _META in ctx.meta:
        raise UsageError("standard input can be read only once", "name a file for one of the two")
    file = ctx.with_resource(owned_folder("navitas-stdin-")) / _NAME
    ctx.meta[_META] = file
    with file.open("wb") as copy:
        shutil.copyfileobj(sys.stdin.buffer, copy)
    return file


def without_copy(text: str, ctx: click.Context) -> str:
    """Return a message that names standard input instead of its copy."""
    return text.replace(str(ctx.meta[_META]), "standard input") if _META in ctx.meta else text


def as_given(path: Path) -> Path:
    """Return the path that the user gave: `-` for the copy of standard input."""
    ctx = click.get_current_context(silent=True)
    return Path("-") if ctx is not None and path == ctx.meta.get(_META) else path


def input_name(path: Path) -> str:
    """Return the name of an input file in messages and results."""
    return "standard input" if as_given(path) == Path("-") else str(path)
