"""Progress on standard error: a live line on a terminal, plain lines elsewhere."""

from __future__ import annotations

import math
import re
import time
from contextlib import suppress
from types import TracebackType

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.markup import escape
from rich.status import Status

from navitas.cli.messages import is_quiet, is_verbose
from navitas.cli.standard_output import error_console
from navitas.untrusted_text import printable, printable_line

_DETAIL_WIDTH = 100
_SPINNER_WIDTH = 2
_MOST_CHARACTERS = 1000
_QUALIFIED_NAME = re.compile(r"[\w$]+(\.[\w$]+)*")
# A log of thousands of tests names this many on the way.
_TEST_LINES = 100


class ConsoleProgress:
    """Shows stage, detail and test counts; nothing of it goes to standard output. `only_live`: on a terminal alone."""

    def __init__(self, console: Console | None = None, *, only_live: bool = False) -> None:
        self._console = console or error_console()
        self._only_live = only_live
        self._status: Status | None = None
        self._stage = ""
        self._started_s = 0.0

    def __enter__(self) -> ConsoleProgress:
        if self._console.is_terminal and not is_quiet():
            self._status = self._console.status("starting")
            self._status.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._say_time()
        if self._status:
            self._status.stop()

    def stage(self, text: str) -> None:
        self._say_time()
        self._stage, self._started_s = printable(text), time.monotonic()
        if self._status:
            self._status.update(escape(self._stage))
        else:
            self._print(escape(self._stage))

    def detail(self, text: str) -> None:
        if self._status and text.strip():
            line = _cut(text.strip(), self._room(self._stage))
            self._status.update(f"{escape(self._stage)} [dim]{escape(line)}[/dim]")

    def test(self, number: int, total: int, name: str) -> None:
        count = f"{number}/{total}"
        if self._status:
            label = label_of(name, self._room(f"{self._stage} {count}"))
            self._status.update(f"{escape(self._stage)} [dim]{count}[/dim] {escape(label)}")
        elif number in (1, total) or number % math.ceil(max(total, 1) / _TEST_LINES) == 0:
            self._print(f"  {count} {escape(label_of(name, _DETAIL_WIDTH))}")

    def _say_time(self) -> None:
        """With `--verbose`, print how long the stage took."""
        if self._stage and is_verbose():
            self._write(escape(f"{self._stage}: {time.monotonic() - self._started_s:.2f} s"))

    def _room(self, before: str) -> int:
        """Columns that are left on the live line, which must not wrap, after the spinner and `before`."""
        room = self._console.width - _SPINNER_WIDTH - cell_len(before) - 1
        return min(max(room, 1), _DETAIL_WIDTH)

    def _print(self, text: str) -> None:
        """A reader that has gone must not keep a profiling from its end, where the device is cleaned."""
        if not self._only_live and not is_quiet():
            self._write(text)

    def _write(self, text: str) -> None:
        with suppress(OSError, SystemExit):  # rich leaves by SystemExit when the pipe is broken
            self._console.print(text, highlight=False, soft_wrap=True)


def label_of(name: str, width: int) -> str:
    """`CLASS#METHOD` on one line of at most `width` columns. The package is left out; of a long name the end is cut, where the
    parameters of a test are, which may hold dots and hashes too."""
    class_name, hash_sign, method = name.partition("#")
    simple = class_name.rpartition(".")[2] if _QUALIFIED_NAME.fullmatch(class_name) else class_name
    return _cut(f"{simple}{hash_sign}{method}", width)


def _cut(text: str, width: int) -> str:
    """A printable line of at most `width` columns."""
    line = printable_line(text, _MOST_CHARACTERS)
    return line if cell_len(line) <= width else f"{set_cell_size(line, width - 1).rstrip()}…"
