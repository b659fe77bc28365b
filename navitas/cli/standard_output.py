"""Standard output as a console for tables."""

from __future__ import annotations

import os

from rich.console import Console

_FILE_WIDTH = 120


def output_console() -> Console:
    """Standard output; a pipe or file has no width of its own, and tables need room."""
    console = Console()
    return console if console.is_terminal or "COLUMNS" in os.environ else Console(width=_FILE_WIDTH)
