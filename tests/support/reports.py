"""Reports as text and as plain data."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from typing import IO, Any

from rich.console import Console, RenderableType

from navitas.energy.analyze.profile import Profile
from navitas.report.registry import find_format
from navitas.report.terminal.terminal_report import TerminalReport, ViewsReport


def text_of(write: Callable[..., None], *what: object, **options: object) -> str:
    """Return the output of a report format."""
    out = io.StringIO()
    write(*what, out, **options)
    return out.getvalue()


def data_of(write: Callable[..., None], *what: object, **options: object) -> dict[str, Any]:
    """Return the JSON output of a report format."""
    loaded: dict[str, Any] = json.loads(text_of(write, *what, **options))
    return loaded


def output_of(format_name: str, profile: Profile) -> Any:
    """Return the output of the report format with this name: text, or bytes if it is binary."""
    form = find_format(format_name)
    out: Any = io.BytesIO() if form.binary else io.StringIO()
    form.write(profile, out)
    return out.getvalue()


def printed(report: TerminalReport | ViewsReport, profile: Profile, width: int = 120) -> str:
    """Return what a report prints in a terminal without colours."""
    out = io.StringIO()
    report.render(profile, _terminal(out, width))
    return out.getvalue()


def lines_of(part: RenderableType, width: int) -> list[str]:
    """Return the lines of a part of a report, in a terminal without colours."""
    out = io.StringIO()
    _terminal(out, width).print(part)
    return out.getvalue().splitlines()


def _terminal(out: IO[str], width: int) -> Console:
    return Console(file=out, width=width, no_color=True, force_terminal=False, legacy_windows=False)


def closed(schema: Any) -> Any:
    """Return a JSON Schema that refuses unknown fields."""
    if isinstance(schema, dict):
        done = {key: closed(value) for key, value in schema.items()}
        return {**done, "additionalProperties": False} if "properties" in schema else done
    return [closed(value) for value in schema] if isinstance(schema, list) else schema
