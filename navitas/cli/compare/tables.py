"""The table of `navitas compare`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import count

from navitas.base.units import UNKNOWN, joules, unbroken
from navitas.base.untrusted_text import printable
from navitas.insight.compare.comparison import Comparison, FigureChange
from navitas.insight.compare.effect import Effect
from navitas.insight.compare.session import Energy, Subject
from navitas.insight.compare.verdict import Verdict
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
    title = f"{energy.capitalize()} energy, {_sessions(before)} before and {_sessions(after)} after"
    table = FittedTable(title, columns, stacks=True)
    labels = short_names([one.subject for one in found.changes])
    for i in _shown(found.changes):
        one, label = found.changes[i], labels[i]
        figures = (joules(one.before_j), joules(one.after_j), *change_texts(one.effect))
        table.add(printable(label, _LONGEST), one.subject.kind, *figures, _verdict(one.verdict))
    if len(found.changes) > _MOST_ROWS:
        table.notes.append(Paragraph(f"{len(found.changes) - _MOST_ROWS:,} more rows in --json.", style="dim"))
    for title, subjects in (("Only before", found.removed), ("Only after", found.added)):
        if subjects:
            kinds = Counter(one.kind for one in subjects)
            listed = ", ".join(f"{kind}s: {count:,}" for kind, count in sorted(kinds.items()))
            table.notes.append(Paragraph(f"{title}: {listed} (--json lists them).", style="dim"))
    return table


def _shown(changes: Sequence[FigureChange]) -> list[int]:
    """The indexes of the rows, in order: changes that are different come first, and each kind has as many rows as the others."""
    ranks = {kind: count() for kind in {one.subject.kind for one in changes}}
    keys = [(one.verdict is None or one.verdict.word != "different", next(ranks[one.subject.kind])) for one in changes]
    return sorted(sorted(range(len(changes)), key=keys.__getitem__)[:_MOST_ROWS])


def short_names(subjects: Sequence[Subject]) -> list[str]:
    """Return names for a table: those of methods without descriptors, if they stay different."""
    counts = Counter(map(_short, subjects))
    return [_short(one) if counts[_short(one)] == 1 else one.name for one in subjects]


def _short(subject: Subject) -> str:
    """A name; a method's without its descriptor."""
    return subject.name.rpartition("(")[0] if subject.kind == "method" else subject.name


def _sessions(count: int) -> str:
    return f"{count} session{'s' if count > 1 else ''}"


def change_texts(effect: Effect | None) -> tuple[str, str]:
    """Return a change and its interval as texts."""
    if effect is None:
        return UNKNOWN, UNKNOWN
    if effect.low_percent is None or effect.high_percent is None:
        return percent(effect.percent), UNKNOWN
    return percent(effect.percent), f"{percent(effect.low_percent)} … {percent(effect.high_percent)}"


def percent(value: float) -> str:
    """Return a change in percent as a text."""
    return f"{value:+.1f} %" if value < 999.5 else "> +999 %"


def _verdict(one: Verdict | None) -> str:
    if one is None:
        return "no energy in some runs or sessions"
    if one.word == "not enough data":
        if one.shows_percent is None:
            return "not enough data: shows no change of any size"
        return f"not enough data: shows changes from about {unbroken(about(one.shows_percent))}"
    return one.word


def about(value: float) -> str:
    """Return a percentage that is known roughly."""
    return f"{value:.0f} %" if value >= 9.5 else f"{value:.1f} %"
