"""Find lines of sources by class and file name."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from textwrap import dedent

from navitas.errors import UsageError
from navitas.regular_files import read_regular

_MOST_BYTES = 16 << 20
_MOST_LINES = 5


class SourceLines:
    """Lines of the sources in some folders."""

    def __init__(self, folders: Sequence[Path]) -> None:
        """Raises `UsageError` if one is not a folder."""
        for folder in folders:
            if not folder.is_dir():
                raise UsageError(f"{folder} is not a folder", "Name a folder with sources, such as src/main/java.")
        self._folders = folders
        self._text = cache(self._read)

    def of(self, class_name: str, file: str | None, lines: tuple[int, int] | None) -> list[str]:
        """The lines of a class, at most five; none if its source or its line numbers are not there."""
        parts = [*class_name.split(".")[:-1], file or ""]
        if lines is None or any(not part or part in (".", "..") or "/" in part or "\0" in part for part in parts):
            return []
        text = self._text("/".join(parts))
        first, last = lines
        chosen = text[first - 1 : min(last, first + _MOST_LINES - 1)]
        return dedent("\n".join(line.rstrip().expandtabs(4) for line in chosen)).split("\n") if chosen else []

    def _read(self, name: str) -> list[str]:
        for folder in self._folders:
            try:
                return read_regular(folder / name, _MOST_BYTES).decode("utf-8", "replace").splitlines()
            except (OSError, ValueError):
                continue
        return []
