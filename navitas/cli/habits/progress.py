"""Progress on standard error: a live line or a bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import TracebackType
from typing import TYPE_CHECKING

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.markup import escape

from navitas.base.untrusted_text import printable, printable_line
from navitas.cli.habits.messages import detail, is_quiet, is_verbose, warning
from navitas.cli.habits.standard_output import error_console

if TYPE_CHECKING:
    from rich.status import Status

_DETAIL_WIDTH = 100
_SPINNER_WIDTH = 2
_MAX_CHARACTERS = 1000
_QUALIFIED_NAME = re.compile(r"[\w$]+(\.[\w$]+)*")
# Without a terminal, a run with thousands of tests prints about this many lines.
_MAX_TEST_LINES = 100


class ConsoleProgress:
    """Shows stage, detail and test counts on standard error. `only_live`: only on a terminal."""

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
        self._print_stage_time()
        if self._status:
            self._status.stop()

    def stage(self, text: str) -> None:
        self._print_stage_time()
        self._stage, self._started_s = printable(text), time.monotonic()
        if self._status:
            self._status.update(escape(self._stage))
        else:
            self._print(escape(self._stage))

    def detail(self, text: str) -> None:
        if is_verbose() and text.strip():
            self._write(escape(f"  {time.monotonic() - self._started_s:.2f} s  {printable_line(text, _MAX_CHARACTERS)}"))
        elif self._status and text.strip():
            line = _truncate(text.strip(), self._free_columns(self._stage))
            self._status.update(f"{escape(self._stage)} [dim]{escape(line)}[/dim]")

    def warning(self, message: str, remedy: str) -> None:
        warning(message, remedy)

    def test(self, number: int, total: int, name: str) -> None:
        count = f"{number}/{total}"
        if self._status:
            label = short_label(name, self._free_columns(f"{self._stage} {count}"))
            self._status.update(f"{escape(self._stage)} [dim]{count}[/dim] {escape(label)}")
        elif number in (1, total) or number % math.ceil(max(total, 1) / _MAX_TEST_LINES) == 0:
            self._print(f"  {count} {escape(short_label(name, _DETAIL_WIDTH))}")

    def _print_stage_time(self) -> None:
        if self._stage and is_verbose():
            self._write(escape(_duration(self._stage, time.monotonic() - self._started_s)))

    def _free_columns(self, before: str) -> int:
        """Return the free columns of the live line after the spinner and `before`. The line must not wrap."""
        room = self._console.width - _SPINNER_WIDTH - cell_len(before) - 1
        return min(max(room, 1), _DETAIL_WIDTH)

    def _print(self, text: str) -> None:
        """Print a line unless `--quiet` or `only_live` is set."""
        if not self._only_live and not is_quiet():
            self._write(text)

    def _write(self, text: str) -> None:
        # A closed pipe must not stop the run before it cleans up the device. Rich raises SystemExit for a broken pipe.
        with suppress(OSError, SystemExit):
            self._console.print(text, highlight=False, soft_wrap=True)


def _duration(stage: str, seconds: float) -> str:
    return f"{stage}: {seconds:.2f} s"


def print_start_time() -> None:
    """With `--verbose`, print how long this program has taken until now: the CPU time, since it has waited for nothing."""
    detail(_duration("starting", time.process_time()))


@contextmanager
def timed(stage: str) -> Iterator[None]:
    """With `--verbose`, print the duration of a block that shows no progress."""
    begin_s = time.monotonic()
    yield
    detail(_duration(stage, time.monotonic() - begin_s))


@contextmanager
def bar(text: str, console: Console | None = None) -> Iterator[Callable[[int, int], None]]:
    """Show a progress bar on a terminal. Yields update(done, total)."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn  # noqa: PLC0415

    shown = console or error_console()
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=shown, transient=True, disable=not shown.is_terminal or is_quiet()) as progress:
        task = progress.add_task(text, total=None)

        def advance(done: int, total: int) -> None:
            progress.update(task, completed=done, total=total)

        yield advance


def short_label(name: str, width: int) -> str:
    """Return `CLASS#METHOD` without package, truncated to `width` columns.

    The parameters of a test, at the end of its name, can contain dots and hashes.
    """
    class_name, hash_sign, method = name.partition("#")
    simple = class_name.rpartition(".")[2] if _QUALIFIED_NAME.fullmatch(class_name) else class_name
    return _truncate(f"{simple}{hash_sign}{method}", width)


def _truncate(text: str, width: int) -> str:
    """Return a printable line, truncated to `width` columns."""
    line = printable_line(text, _MAX_CHARACTERS)
    return line if cell_len(line) <= width else f"{set_cell_size(line, width - 1).rstrip()}…"
