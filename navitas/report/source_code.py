"""The lines of source code at which methods begin, from a folder of sources. Its files are untrusted: sizes are bounded."""

from __future__ import annotations

import os
from collections import defaultdict
from functools import cache
from pathlib import Path, PurePosixPath

from navitas.base.errors import UsageError
from navitas.base.regular_files import as_utf8, read_regular
from navitas.recording.parse.tables import Method

_ENDINGS = (".java", ".kt", ".kts", ".groovy", ".scala")
_LEFT_OUT = frozenset({"build", "target", "node_modules"})
_MAX_FILES = 200_000
_MAX_BYTES = 4 << 20
_LONGEST_LINE = 200


class SourceCode:
    """Finds the line of a method by the name of its file, and among files of one name by the package of its class.

    Links, hidden folders and folders of build output are left out. Raises `UsageError` for a folder without source files.
    """

    def __init__(self, folder: Path) -> None:
        if not folder.is_dir():
            raise UsageError(f"{folder} is not a folder", "name the folder with the source code")
        self._files: defaultdict[str, list[Path]] = defaultdict(list)
        count = 0
        for root, folders, names in os.walk(folder):
            folders[:] = sorted(name for name in folders if not name.startswith(".") and name not in _LEFT_OUT)
            for name in names:
                if name.endswith(_ENDINGS) and not (path := Path(root, name)).is_symlink():
                    self._files[name].append(path)
                    count += 1
            if count > _MAX_FILES:
                break
        if not self._files:
            raise UsageError(f"{folder} has no source files ({', '.join(_ENDINGS)})", "name the folder with the source code")
        self._lines = cache(_lines)

    def line(self, method: Method) -> str | None:
        """Return the line, without spaces around it. None without a file, or if several files could be the one."""
        if method.file is None or method.line is None or (path := self.file(method.file, method.class_name)) is None:
            return None
        lines = self._lines(path)
        if not 0 < method.line <= len(lines):
            return None
        return lines[method.line - 1].strip()[:_LONGEST_LINE] or None

    def file(self, name: str, class_name: str) -> Path | None:
        """Return the source file with this name that declares a class. None without one, or if several files could be it."""
        files = self._files.get(name, [])
        package = PurePosixPath(*class_name.split(".")[:-1]).parts
        in_package = [path for path in files if path.parent.parts[-len(package) :] == package] if package else files
        candidates = in_package or files
        return candidates[0] if len(candidates) == 1 else None


def _lines(path: Path) -> list[str]:
    """Return the lines of a file; none if it cannot be read, or is too large."""
    try:
        text = as_utf8(read_regular(path, _MAX_BYTES)).decode("utf-8", "replace")
        return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    except OSError:
        return []
