"""The terminal table that compares runs with probes and baseline runs."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from navitas.analyze.profile import Profile
from navitas.analyze.repeats import Repeats
from navitas.report.figure_notes import baseline_note
from navitas.report.terminal.fitted_table import Column, FittedTable
from navitas.report.terminal.paragraph import Paragraph
from navitas.report.terminal.tests_table import TestNames, select_groups
from navitas.report.units import joules


def baseline_table(profile: Profile, groups: Sequence[Repeats], top: int) -> FittedTable:
    """Return the energy of each test's threads: with probes, minus the probes' sampled cost, and measured without probes.

    Figures are medians over the test's runs.
    """
    columns = [
        Column("Test", text=True),
        Column("With probes", drop=2),
        Column("By sampled cost", drop=3),
        Column("Without probes"),
        Column("Sampled cost is off by", drop=1),
    ]
    table = FittedTable("Probes", columns)
    name, shown = TestNames(profile), select_groups(groups, top)
    for group in shown:
        if (pairs := group.baseline) is not None:
            off = "" if pairs.error is None else f"{100 * pairs.error:+.1f} %"
            figures = (pairs.probed_j, pairs.compensated_j, pairs.unprobed_j)
            table.add(name.label(group.typical), *map(joules, figures), off)
    if more := len(groups) - len(shown):
        table.notes.append(Text(f"… {more:,} more tests (--top)", style="dim"))
    if note := baseline_note(groups):
        table.notes.append(Paragraph(note, style="dim"))
    return table
