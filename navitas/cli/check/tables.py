"""The table of `navitas check`."""

from __future__ import annotations

import os

from navitas.base.untrusted_text import printable
from navitas.insight.check.judgement import CheckResult, Judgement
from navitas.report.check.judgement_texts import amount, bounds_text, in_order, limit_text, short_name, sides_text, verdict_words
from navitas.report.terminal.fitted_table import Column, FittedTable
from navitas.report.terminal.paragraph import Paragraph

_LONGEST = 300
_MOST_ROWS = 1000


def judgements_table(result: CheckResult) -> FittedTable:
    """At most 1,000 judgements: those above their limit first."""
    columns = [
        Column("Figure", text=True),
        Column("Kind", text=True, drop=5),
        Column("Before", drop=3),
        Column("After", drop=4),
        Column("Found"),
        Column("Bounds", drop=2),
        Column("Limit", drop=1),
        Column("Verdict", wrap=True),
    ]
    table = FittedTable(f"Check: {sides_text(result)}", columns, stacks=True)
    rows = in_order(result)
    for judged in rows[:_MOST_ROWS]:
        means = (amount(mean, judged.figure_unit) for mean in (judged.before, judged.after))
        kind = f"{judged.subject.kind}, {judged.subject.figure}"
        result_texts = (amount(judged.value, judged.unit), bounds_text(judged), limit_text(judged), verdict_words(judged))
        table.add(_shown_name(judged), kind, *means, *result_texts)
    if len(rows) > _MOST_ROWS:
        table.notes.append(Paragraph(f"{len(rows) - _MOST_ROWS:,} more rows in --json.", style="dim"))
    return table


def _shown_name(judged: Judgement) -> str:
    """Return the name in a table. GitHub Actions takes a line that begins with `::` for a command."""
    name = printable(short_name(judged), _LONGEST)
    return name.replace("::", ": :") if os.environ.get("GITHUB_ACTIONS") == "true" else name
