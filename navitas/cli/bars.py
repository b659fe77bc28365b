"""A progress bar on standard error, for steps whose size is known."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from navitas.cli.messages import is_quiet
from navitas.cli.standard_output import error_console


@contextmanager
def bar(text: str, console: Console | None = None) -> Iterator[Callable[[int, int], None]]:
    """Show a progress bar on a terminal. Yields update(done, total)."""
    shown = console or error_console()
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=shown, transient=True, disable=not shown.is_terminal or is_quiet()) as progress:
        task = progress.add_task(text, total=None)

        def advance(done: int, total: int) -> None:
            progress.update(task, completed=done, total=total)

        yield advance
