"""The table of `navitas compare`."""

from __future__ import annotations

from collections import Counter

from navitas.compare.comparison import Comparison, FigureChange
from navitas.compare.session import Subject
from navitas.compare.verdict import Verdict
from navitas.report.terminal.fitted_table import Column, FittedTable
from navitas.report.terminal.paragraph import Paragraph
from navitas.report.units import joules
from navitas.untrusted_text import printable

_LONGEST = 300
_UNKNOWN = "–"


def changes_table(found: Comparison, before: int, after: int) -> FittedTable:
    """All changes; `before` and `after` are the numbers of sessions."""
    columns = [
        Column("Figure", text=True),
        Column("Kind", text=True, drop=4),
        Column("Before", drop=2),
        Column("After", drop=3),
        Column("Change"),
        Column("95 %", drop=1),
        Column("Verdict", wrap=True),
    ]
    table = FittedTable(f"Energy, {_sessions(before)} before and {_sessions(after)} after", columns)
    labels = Counter(_short(one.subject) for one in found.changes)
    for one in found.changes:
        label = _short(one.subject) if labels[_short(one.subject)] == 1 else one.subject.name
        figures = (joules(one.before_j), joules(one.after_j), *_change(one))
        table.add(printable(label, _LONGEST), one.subject.kind, *figures, _verdict(one.verdict))
    for title, subjects in (("Only before", found.removed), ("Only after", found.added)):
        if subjects:
            kinds = Counter(one.kind for one in subjects)
            listed = ", ".join(f"{kind}s: {count:,}" for kind, count in sorted(kinds.items()))
            table.notes.append(Paragraph(f"{title}: {listed} (--json lists them).", style="dim"))
    return table


def _short(subject: Subject) -> str:
    """A name; a method's without its descriptor."""
    return subject.name.rpartition("(")[0] if subject.kind == "method" else subject.name


def _sessions(count: int) -> str:
    return f"{count} session{'s' if count > 1 else ''}"


def _change(one: FigureChange) -> tuple[str, str]:
    effect = one.effect
    if effect is None:
        return _UNKNOWN, _UNKNOWN
    if effect.low_percent is None or effect.high_percent is None:
        return _percent(effect.percent), _UNKNOWN
    return _percent(effect.percent), f"{_percent(effect.low_percent)} … {_percent(effect.high_percent)}"


def _percent(value: float) -> str:
    return f"{value:+.1f} %" if value < 999.5 else "> +999 %"


def _verdict(one: Verdict | None) -> str:
    if one is None:
        return "no energy in some runs or sessions"
    if one.word == "not enough data" and one.sessions is not None:
        return f"not enough data: {one.repeats} repeats in {_sessions(one.sessions)}"
    return one.word
