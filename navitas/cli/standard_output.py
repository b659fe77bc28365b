"""Consoles for tables and progress, with color as the user prefers it."""

from __future__ import annotations

import os
import sys
from typing import IO, Literal

from rich.console import Console

from navitas.cli.messages import is_colored

_FILE_WIDTH = 120


def output_console() -> Console:
    """Standard output; a pipe or file has no width of its own, and tables need room."""
    is_terminal = _is_terminal(sys.stdout)
    return Console(
        width=None if is_terminal or "COLUMNS" in os.environ else _FILE_WIDTH,
        force_terminal=is_terminal,
        no_color=False,
        color_system=_color_system(sys.stdout),
    )


def error_console() -> Console:
    """Standard error. Live lines appear on a terminal only, whatever the color."""
    return Console(
        stderr=True,
        force_terminal=_is_terminal(sys.stderr),
        no_color=False,
        color_system=_color_system(sys.stderr),
    )


def _is_terminal(stream: IO[str] | None) -> bool:
    return stream is not None and stream.isatty()


def _color_system(stream: IO[str] | None) -> Literal["auto", "standard", "256", "truecolor"] | None:
    """What Rich calls the set of colors; a file has no such set, so the environment decides."""
    if not is_colored(stream):
        return None
    if _is_terminal(stream) and os.environ.get("TERM", "dumb") != "dumb":
        return "auto"
    if os.environ.get("COLORTERM", "").lower() in ("truecolor", "24bit"):
        return "truecolor"
    return "256" if "256" in os.environ.get("TERM", "") else "standard"
