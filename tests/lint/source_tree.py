"""The files of the repository. Each of them is read and parsed once for all checks of a run."""

from __future__ import annotations

import ast
import gc
import os
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
PACKAGE = ROOT / "navitas"
TESTS = ROOT / "tests"
_MADE = {"target", "__pycache__", ".gradle"}


@cache
def files(folder: Path, *suffixes: str) -> tuple[Path, ...]:
    """Return the files below a folder whose names end with one of the suffixes, except those that builds make."""
    found: list[Path] = []
    for at, folders, names in os.walk(folder):
        folders[:] = sorted(set(folders) - _MADE)
        found += (Path(at, name) for name in sorted(names) if Path(name).suffix in suffixes)
    return tuple(found)


@cache
def text(path: Path) -> str:
    """Return the content of a file."""
    return path.read_text("utf-8", "replace")


@cache
def nodes(path: Path) -> tuple[ast.AST, ...]:
    """Return all nodes of a Python file's syntax tree."""
    found = tuple(ast.walk(ast.parse(text(path))))
    gc.freeze()  # The nodes stay. To search a million of them for garbage takes longer than parsing.
    return found


def place(path: Path, folder: Path = ROOT) -> str:
    """Return a path from a folder on, with slashes."""
    return path.relative_to(folder).as_posix()
