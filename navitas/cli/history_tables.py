"""The table of `navitas history`."""

from __future__ import annotations

from collections.abc import Sequence

from navitas.cli.compare_tables import change_texts, percent, short_names
from navitas.compare.session import Energy
from navitas.history.trend import FigureTrend
from navitas.report.terminal.fitted_table import Column, FittedTable
from navitas.report.units import joules
from navitas.untrusted_text import printable

_LONGEST = 300
_NONE = "–"


def trends_table(found: Sequence[FigureTrend], energy: Energy, labels: Sequence[str]) -> FittedTable:
    """Each figure, with a row for each change point; those with some are first.

    `energy` is that of tests; `labels` name the sessions.
    """
    columns = [
        Column("Figure", text=True),
        Column("Kind", text=True, drop=5),
        Column("Sessions", drop=6),
        Column(f"Latest {energy} energy"),
        Column("Each session", drop=3),
        Column("Change"),
        Column("95 %", drop=2),
        Column("Between", text=True, drop=1),
    ]
    count = f"{len(labels)} session{'s' if len(labels) != 1 else ''}"
    first, last = (printable(label, 40) for label in (labels[0], labels[-1]))
    table = FittedTable(f"{energy.capitalize()} energy over {count}, {first} to {last}", columns)
    names = short_names([one.subject for one in found])
    for one, name in sorted(zip(found, names, strict=True), key=lambda each: not each[0].change_points):
        slope = _NONE if one.slope is None else percent(one.slope.percent)
        figures = (printable(name, _LONGEST), one.subject.kind, str(len(one.sessions)), joules(one.energies_j[-1]), slope)
        if not one.change_points:
            table.add(*figures, "drifts" if one.drifts else _NONE, _NONE, _NONE)
        for point in one.change_points:
            between = f"{labels[point.before]} → {labels[point.after]}"
            table.add(*figures, *change_texts(point.effect), printable(between, 100))
    return table
