"""The table of `navitas compare`."""

from __future__ import annotations

from collections import Counter

from navitas.base.units import counted, joules
from navitas.base.untrusted_text import printable
from navitas.insight.compare.change_texts import basis_of_threads, change_texts, first_changes, short_names, verdict_text
from navitas.insight.compare.comparison import Comparison
from navitas.insight.compare.subject import Energy
from navitas.report.terminal.fitted_table import Column, FittedTable
from navitas.report.terminal.paragraph import Paragraph

_LONGEST = 300
_MOST_ROWS = 1000


def changes_table(found: Comparison, energy: Energy, before: int, after: int) -> FittedTable:
    """At most 1,000 changes. `energy` is that of tests; `before` and `after` are the numbers of sessions."""
    columns = [
        Column("Figure", text=True),
        Column("Kind", text=True, drop=4),
        Column("Before", drop=2),
        Column("After", drop=3),
        Column("Change"),
        Column("95 %", drop=1),
        Column("Verdict", wrap=True),
    ]
    compared = [change.subject for change in found.changes]
    sessions = f"{counted(before, 'session')} before and {counted(after, 'session')} after"
    title = f"{energy.capitalize()} energy, {sessions}{basis_of_threads(compared)}"
    table = FittedTable(title, columns, stacks=True)
    labels = short_names(compared)
    for i in first_changes(found.changes, _MOST_ROWS):
        one, label = found.changes[i], labels[i]
        figures = (joules(one.before_j), joules(one.after_j), *change_texts(one.effect))
        table.add(printable(label, _LONGEST), one.subject.kind, *figures, verdict_text(one.verdict))
    if len(found.changes) > _MOST_ROWS:
        table.notes.append(Paragraph(f"{len(found.changes) - _MOST_ROWS:,} more rows in --json.", style="dim"))
    for title, subjects in (("Only before", found.removed), ("Only after", found.added)):
        if subjects:
            kinds = Counter(one.kind for one in subjects)
            listed = ", ".join(f"{kind}s: {count:,}" for kind, count in sorted(kinds.items()))
            table.notes.append(Paragraph(f"{title}: {listed} (--json lists them).", style="dim"))
    return table
