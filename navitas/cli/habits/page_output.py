"""The option `--html FILE` of results that are pages of their own: writes one page for a browser."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from navitas.cli.habits.files import write_to
from navitas.cli.habits.option import option
from navitas.cli.habits.paths import WRITE_ANY_NAME

html_option = option(
    "--html", "html_file", type=WRITE_ANY_NAME, metavar="FILE", section="Output", help="Write a page for a browser."
)


def write_page(path: Path | None, page: Callable[[], str]) -> None:
    """Write a page, if a file was named. Only then, `page` makes it."""
    if path is not None:
        write_to(path, lambda out: print(page(), end="", file=out))
