"""The terminal table that compares runs with probes and baseline runs."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from navitas.analyze.profile import Profile
from navitas.analyze.repeats import Repeats
from navitas.report.terminal.fitted_table import Column, FittedTable
from navitas.report.terminal.paragraph import Paragraph
from navitas.report.terminal.tests_table import TestNames, select_groups
from navitas.report.units import joules

_ADVICE = "the JIT compiler and other processes do different work in each run"


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
    if note := _note(groups):
        table.notes.append(Paragraph(note, style="dim"))
    return table


def _note(groups: Sequence[Repeats]) -> str:
    """Return a note if the differences between runs exceed the energy of probes. Empty otherwise."""
    pairs = [found for group in groups if (found := group.baseline) is not None]
    exceeding = sum(each.exceeds_probes for each in pairs)
    if exceeding:
        tests = "1 test" if exceeding == 1 else f"{exceeding:,} tests"
        return f"In {tests}, the runs differ by more than the energy of probes, for other reasons: {_ADVICE}. Use --repeat."
    if any(each.runs == 1 for each in pairs):
        return f"Single runs with and without probes also differ for other reasons: {_ADVICE}. Use --repeat."
    return ""
