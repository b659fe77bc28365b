"""Progress on standard error: a live line on a terminal, plain lines elsewhere."""

from __future__ import annotations

import math
from contextlib import suppress
from types import TracebackType

from rich.console import Console
from rich.markup import escape
from rich.status import Status

from navitas.report.names import printable

_DETAIL_WIDTH = 100
# A log of thousands of tests names this many on the way.
_TEST_LINES = 100


class ConsoleProgress:
    """Shows stage, detail and test counts; nothing of it goes to standard output. `only_live`: on a terminal alone."""

    def __init__(self, console: Console | None = None, *, only_live: bool = False) -> None:
        self._console = console or Console(stderr=True)
        self._only_live = only_live
        self._status: Status | None = None
        self._stage = ""

    def __enter__(self) -> ConsoleProgress:
        if self._console.is_terminal:
            self._status = self._console.status("starting")
            self._status.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._status:
            self._status.stop()

    def stage(self, text: str) -> None:
        self._stage = printable(text)
        if self._status:
            self._status.update(escape(self._stage))
        else:
            self._print(escape(self._stage))

    def detail(self, text: str) -> None:
        if self._status and text.strip():
            self._status.update(f"{escape(self._stage)} [dim]{escape(printable(text.strip(), _DETAIL_WIDTH))}[/dim]")

    def test(self, number: int, total: int, name: str) -> None:
        short = printable(name.rpartition(".")[2], _DETAIL_WIDTH)
        if self._status:
            self._status.update(f"{escape(self._stage)} [dim]{number}/{total}[/dim] {escape(short)}")
        elif number in (1, total) or number % math.ceil(max(total, 1) / _TEST_LINES) == 0:
            self._print(f"  {number}/{total} {escape(short)}")

    def _print(self, text: str) -> None:
        """A reader that has gone must not keep a profiling from its end, where the device is cleaned."""
        if self._only_live:
            return
        with suppress(OSError, SystemExit):  # rich leaves by SystemExit when the pipe is broken
            self._console.print(text, highlight=False)
