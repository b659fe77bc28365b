"""The terminal's table of runs with and without probes."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from navitas.analyze.profile import Profile
from navitas.analyze.repeats import Repeats
from navitas.report.terminal.fitted_table import Column, FittedTable
from navitas.report.terminal.paragraph import Paragraph
from navitas.report.terminal.tests_table import TestNames, most
from navitas.report.units import joules

_ADVICE = "the JIT compiler and the device's other work are never the same"


def baseline_table(profile: Profile, groups: Sequence[Repeats], top: int) -> FittedTable:
    """What each test's threads used with probes, without probes by their sampled cost alone, and as measured without probes.

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
    name, shown = TestNames(profile), most(groups, top)
    for group in shown:
        if (pairs := group.baseline) is not None:
            off = "" if pairs.error is None else f"{100 * pairs.error:+.1f} %"
            figures = (pairs.probed_j, pairs.compensated_j, pairs.unprobed_j)
            table.add(name.of(group.typical), *map(joules, figures), off)
    if more := len(groups) - len(shown):
        table.notes.append(Text(f"… {more:,} more tests (--top)", style="dim"))
    if note := _note(groups):
        table.notes.append(Paragraph(note, style="dim"))
    return table


def _note(groups: Sequence[Repeats]) -> str:
    """Where the runs say more of how runs differ than of probes; empty where they do not."""
    pairs = [found for group in groups if (found := group.baseline) is not None]
    beyond = sum(each.exceeds_probes for each in pairs)
    if beyond:
        tests = "1 test" if beyond == 1 else f"{beyond:,} tests"
        return f"In {tests} the runs differ by more than all probes used, so not because of probes: {_ADVICE}. Use --repeat."
    if any(each.runs == 1 for each in pairs):
        return f"A test that ran once differs from its run without probes for other reasons, too: {_ADVICE}. Use --repeat."
    return ""
