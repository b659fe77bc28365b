"""The table of `navitas check`, and the texts of its figures."""

from __future__ import annotations

from navitas.base.units import UNKNOWN, counted, digits, joules, watts
from navitas.base.untrusted_text import printable
from navitas.insight.check.judgement import CheckResult, Judgement
from navitas.insight.compare.change_texts import percent
from navitas.report.terminal.fitted_table import Column, FittedTable
from navitas.report.terminal.paragraph import Paragraph

_LONGEST = 300
_MOST_ROWS = 1000
_ORDER = ("above", "not enough data", "within")


def amount(value: float | None, unit: str) -> str:
    """Return a figure or a change with its unit as a text."""
    if value is None:
        return UNKNOWN
    formats = {"J": joules, "W": watts, "%": percent}
    return formats[unit](value) if unit in formats else digits(value) if value % 1 else f"{value:,.0f}"


def limit_text(judged: Judgement) -> str:
    """Return a limit, such as `+5 %`, `5.00 J` or `1,000`."""
    return f"+{judged.limit:g} %" if judged.unit == "%" else amount(judged.limit, judged.unit)


def bounds_text(judged: Judgement) -> str:
    """Return the judged-sided bounds of a figure or a change."""
    return UNKNOWN if judged.low is None else f"{amount(judged.low, judged.unit)} … {amount(judged.high, judged.unit)}"


def judgements_table(result: CheckResult) -> FittedTable:
    """At most 1,000 judgements: those above their limit first."""
    columns = [
        Column("Figure", text=True),
        Column("Kind", text=True, drop=4),
        Column("Before", drop=2),
        Column("After", drop=3),
        Column("Found"),
        Column("Bounds", drop=1),
        Column("Limit"),
        Column("Verdict", wrap=True),
    ]
    sides = f"{counted(len(result.before), 'session')} before and {counted(len(result.after), 'session')} after"
    title = f"Check: {sides if result.before else counted(len(result.after), 'session')}"
    table = FittedTable(title, columns, stacks=True)
    rows = sorted(result.judgements, key=lambda judged: (judged.waiver is not None, _ORDER.index(judged.verdict)))
    for judged in rows[:_MOST_ROWS]:
        means = (amount(mean, judged.figure_unit) for mean in (judged.before, judged.after))
        verdict = judged.verdict if judged.waiver is None else f"{judged.verdict} (accepted until {judged.waiver.until})"
        kind = f"{judged.subject.kind}, {judged.subject.figure}"
        result_texts = (amount(judged.value, judged.unit), bounds_text(judged), limit_text(judged), verdict)
        table.add(printable(_short(judged), _LONGEST), kind, *means, *result_texts)
    if len(rows) > _MOST_ROWS:
        table.notes.append(Paragraph(f"{len(rows) - _MOST_ROWS:,} more rows in --json.", style="dim"))
    return table


def _short(judged: Judgement) -> str:
    name = judged.subject.name
    return name.rpartition("(")[0] or name if judged.subject.kind == "method" else name
