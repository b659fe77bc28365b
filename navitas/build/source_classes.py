"""Classes that a project's sources declare: a mistyped test pattern is noticed before the build."""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from navitas.regular_files import open_regular

_SUFFIXES = (".java", ".kt", ".groovy", ".scala")
_NO_SOURCES = {"build", "out", "bin", "target", "node_modules"}
_DECLARED = re.compile(rb"\b(?:class|object|interface|record|enum)\s+(?:(\w{1,200})|`([^`\r\n]{1,200})`)")
_MOST_FILES, _MOST_BYTES = 20_000, 1 << 20


def undeclared(project: Path, patterns: Sequence[str]) -> dict[str, list[str]]:
    """Test patterns whose class no source file declares, each with the nearest names.

    Not certain: tests may also be generated, or come from a dependency. Empty for projects with very many files.
    """
    wanted = {pattern: _simple(pattern) for pattern in patterns}
    files = list(_sources(project)) if wanted else []
    if not files or len(files) > _MOST_FILES:
        return {}
    names = {path.stem for path in files}
    missing = _missing(wanted, names)
    if missing:
        for path in files:
            names |= _declared_in(path)
        missing = _missing(wanted, names)
    return {pattern: difflib.get_close_matches(wanted[pattern], sorted(names), 3) for pattern in missing}


def _simple(pattern: str) -> str:
    """`SortTest` of `a.b.SortTest$Inner#sorts`."""
    return pattern.partition("#")[0].rpartition(".")[2].partition("$")[0]


def _missing(wanted: dict[str, str], names: set[str]) -> list[str]:
    return [pattern for pattern, simple in wanted.items() if not any(fnmatchcase(name, simple) for name in names)]


def _sources(project: Path) -> Iterator[Path]:
    count = 0
    for folder, folders, files in os.walk(project):
        folders[:] = [name for name in folders if name not in _NO_SOURCES and not name.startswith(".")]
        for name in files:
            if name.endswith(_SUFFIXES):
                yield Path(folder, name)
                count += 1
                if count > _MOST_FILES:
                    return


def _declared_in(path: Path) -> set[str]:
    try:
        with open_regular(path) as file:
            text = file.read(_MOST_BYTES)
    except OSError:
        return set()
    return {(plain or quoted).decode("utf-8", "replace") for plain, quoted in _DECLARED.findall(text)}
