"""Consoles for tables and progress, with the user's color preference."""

from __future__ import annotations

import os
import sys
from typing import IO, Literal

from rich.console import Console

from navitas.cli.habits.messages import is_colored

_FILE_WIDTH = 120


def output_console() -> Console:
    """Return a console on standard output. For a pipe or file, it has a fixed width, unless `COLUMNS` is set."""
    is_terminal, color_system = _is_terminal(sys.stdout), _color_system(sys.stdout)
    return Console(
        width=None if is_terminal or "COLUMNS" in os.environ else _FILE_WIDTH,
        force_terminal=is_terminal,
        no_color=False,
        color_system=color_system,
        highlight=color_system is not None,
        emoji=False,
    )


def error_console() -> Console:
    """Return a console on standard error. Live lines appear only on a terminal, also with `--color always`."""
    color_system = _color_system(sys.stderr)
    return Console(stderr=True, force_terminal=_is_terminal(sys.stderr), no_color=False, color_system=color_system, emoji=False)


def _is_terminal(stream: IO[str] | None) -> bool:
    return stream is not None and stream.isatty()


def _color_system(stream: IO[str] | None) -> Literal["auto", "standard", "256", "truecolor"] | None:
    """Return Rich's name of the color system. For a file, the environment determines it."""
    if not is_colored(stream):
        return None
    if _is_terminal(stream) and os.environ.get("TERM", "dumb") != "dumb":
        return "auto"
    if os.environ.get("COLORTERM", "").lower() in ("truecolor", "24bit"):
        return "truecolor"
    return "256" if "256" in os.environ.get("TERM", "") else "standard"
