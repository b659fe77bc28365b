"""The destination of logcat: standard output, or with -f a file that -r and -n rotate."""

from __future__ import annotations

from contextlib import suppress
from itertools import pairwise
from types import TracebackType
from typing import BinaryIO

from navitas.virtual_phone.shell.commands.command_options import Options
from navitas.virtual_phone.shell.context import Context
from navitas.virtual_phone.shell.flow import CommandError

_DEFAULT_FILES = 4
_MODE = 0o640


class LogOutput:
    """Writes output. A file is appended to, and renamed to FILE.1 and so on when it reaches -r KiB."""

    def __init__(self, context: Context, found: Options) -> None:
        self._context = context
        self._path = context.path(found.get("f")) if "f" in found else ""
        self._limit = _number(found, "r", 0) * 1024
        self._files = _number(found, "n", _DEFAULT_FILES)
        self._file: BinaryIO | None = None
        self._written = 0
        if self._path:
            self._open(found.get("f"))

    def __enter__(self) -> LogOutput:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._file is not None:
            self._file.close()

    async def write(self, pieces: list[bytes]) -> None:
        """Write pieces, each an entry. The file may be rotated between them."""
        if self._file is None:
            await self._context.out(b"".join(pieces))
            return
        for piece in pieces:
            self._file.write(piece)
            self._written += len(piece)
            if self._limit and self._written >= self._limit:
                self._rotate()
        self._file.flush()

    def _open(self, name: str) -> None:
        files, who = self._context.phone.files, self._context.shell.who
        try:
            self._file = files.open_write(self._path, who, append=True, mode=_MODE)
            self._written = files.stat(self._path, who).size
        except OSError as error:
            raise CommandError(f"couldn't open output file '{name}': {error.strerror}") from None

    def _rotate(self) -> None:
        assert self._file is not None
        self._file.close()
        width = len(str(self._files))
        names = [self._path, *(f"{self._path}.{number:0{width}d}" for number in range(1, self._files + 1))]
        for newer, older in reversed(list(pairwise(names))):
            with suppress(FileNotFoundError):
                self._context.phone.files.rename(newer, older, self._context.shell.who)
        self._open(self._path)


def _number(found: Options, option: str, default: int) -> int:
    text = found.get(option, str(default))
    if option in found and (not text.isdecimal() or int(text) < 1):
        raise CommandError(f"Invalid -{option} '{text}'.")
    return int(text)
