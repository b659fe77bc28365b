"""Progress bars."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from navitas.cli.habits.progress import bar


@pytest.mark.parametrize("terminal", [True, False])
def test_a_bar_is_shown_only_on_a_terminal(terminal: bool) -> None:
    out = io.StringIO()
    with bar("simulating", Console(file=out, force_terminal=terminal, width=100)) as progress:
        progress(3, 4)
        progress(4, 4)
    assert ("simulating" in out.getvalue()) == ("4/4" in out.getvalue()) == terminal
