"""The terminal report as a text file."""

from __future__ import annotations

from typing import IO

from rich.console import Console

from navitas.energy.analyze.profile import Profile
from navitas.report.format import Format
from navitas.report.terminal.terminal_report import TerminalReport, ViewsReport
from navitas.report.view_request import ViewRequest

_WIDTH = 120


def write(profile: Profile, out: IO[str], *, top: int = 20, tree: str | None = None, views: ViewRequest | None = None) -> None:
    """Write the tables of the terminal, 120 columns wide and without colors."""
    report = TerminalReport(top=top, tree=tree) if views is None else ViewsReport(views, top=top)
    report.render(profile, Console(file=out, width=_WIDTH, force_terminal=False, color_system=None, emoji=False))


FORMAT = Format("text", ".txt", "the tables of the terminal", write, options=("top", "tree", "views"))
