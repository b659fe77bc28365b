"""The result of `navitas bisect` on the terminal."""

from __future__ import annotations

import math
from collections.abc import Sequence

from navitas.build.commits import Commit
from navitas.cli.compare_tables import percent, short_names
from navitas.history.bisect import FigureStep
from navitas.history.search import FoundCommits
from navitas.report.terminal.fitted_table import Column, FittedTable
from navitas.untrusted_text import printable

_LONGEST = 300


def found_lines(commits: Sequence[Commit], found: FoundCommits | None, change: FigureStep | None) -> list[str]:
    """Return the lines that name the commits and the probability of error, or say that nothing changed."""
    if found is None or change is None:
        return ["No figure differs between the two revisions."]
    lines = [f"{printable(change.subject.described, _LONGEST)}: {percent(change.percent)} between the two revisions"]
    for index in found.commits:
        lines.append(f"{commits[index].hash} {printable(commits[index].subject, _LONGEST)}")
    several = len(found.commits) > 1
    what = "one of these commits changed it" if several else "this commit changed it"
    if found.step is not None:
        step = percent(100 * math.expm1(found.step))
        lines.append(f"{step} from the commit before the likely one, of {percent(change.percent)} in all")
    if several:
        chance = f"{100 * found.no_change:.2g} %"
        lines.append(f"probability that none did, and builds of the same code differ by this: {chance}")
    lines.append(
        f"{what}; the probability of error is {100 * found.error:.2g} % if there is one such commit, after {found.builds} builds"
    )
    for index, reason in sorted(found.skipped.items()):
        lines.append(f"skipped {commits[index].short}: {printable(reason, _LONGEST)}")
    return lines


def steps_table(title: str, steps: Sequence[FigureStep]) -> FittedTable:
    """Changes of figures between two commits."""
    table = FittedTable(title, [Column("Figure", text=True), Column("Change"), Column("95 %", drop=1)])
    for one, name in zip(steps, short_names([one.subject for one in steps]), strict=True):
        interval = f"{percent(one.low_percent)} … {percent(one.high_percent)}"
        table.add(printable(name, _LONGEST), percent(one.percent), interval)
    return table
