"""The verdict above the tables of the terminal: what uses the energy, what limits the statement, and the next command."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType
from rich.text import Text

from navitas.base.untrusted_text import printable
from navitas.insight.verdict.verdict import EnergyVerdict
from navitas.report.terminal.paragraph import Paragraph

_LONGEST = 1000
_NEXT = "Next: "


def verdict_lines(verdict: EnergyVerdict, recording: str) -> Iterator[RenderableType]:
    """Yield each statement, then the limits, then the next command, which nothing breaks: it can be copied."""
    for statement in verdict.statements:
        yield Paragraph(f"• {printable(statement.text, _LONGEST)}", indent="  ")
    for limit in verdict.limits:
        yield Paragraph(f"  {printable(limit.text, _LONGEST)}", style="dim", indent="  ")
    step = verdict.next_step
    yield Text.assemble((_NEXT, "bold"), step.line(recording), no_wrap=True, overflow="ignore")
    yield Paragraph(f"{' ' * len(_NEXT)}to {step.reason}", style="dim", indent=" " * len(_NEXT))
