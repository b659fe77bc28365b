"""The terminal table of work that methods handed to other threads."""

from __future__ import annotations

from rich.text import Text

from navitas.analyze.handed_work import UNKNOWN_STARTER, HandedWork
from navitas.analyze.listing import largest
from navitas.analyze.profile import Profile
from navitas.analyze.share_of import share
from navitas.report.handed_work_note import unmeasured_note
from navitas.report.names import MethodNames
from navitas.report.terminal.fitted_table import Column, FittedTable
from navitas.report.terminal.others_note import others_notes
from navitas.report.terminal.paragraph import Paragraph
from navitas.report.units import duration, joules, percent
from navitas.untrusted_text import printable

_MEANING = "This energy is also in the methods that ran the work. The table shows who started it."
_PART = 4
"""The table has this part of the rows of other tables: 5 by default."""


def handed_work_table(profile: Profile, top: int) -> FittedTable:
    """Return the methods that handed over the work with the largest energy."""
    table = FittedTable(
        "Work handed to other threads",
        [
            Column("Started by", text=True),
            Column("Energy"),
            Column("Share", drop=1),
            Column("Tasks", drop=2),
            Column("Time", drop=3),
            Column("Ran on", drop=4, text=True),
        ],
    )
    found, names, total_j = profile.handed_work(), MethodNames(profile.method_table), profile.energy_j()
    listed = largest(found, max(top // _PART, 1), lambda one: one.energy_j)
    for one in listed.rows:
        name = "unknown" if one.id == UNKNOWN_STARTER else names.short(one.id)
        table.add(
            Text(printable(name, 10_000)),
            joules(one.energy_j),
            percent(share(one.energy_j, total_j)),
            f"{one.tasks:,}",
            duration(one.run_ns),
            Text(_threads(one), style="dim"),
        )
    table.notes += others_notes(listed, "method")
    if table.rows:
        table.notes.append(Paragraph(f"{_MEANING} {unmeasured_note(found)}".rstrip(), style="dim"))
    return table


def _threads(one: HandedWork) -> str:
    """Return the threads' names: the first two, and the number of the others."""
    first, others = one.threads[:2], len(one.threads[2:]) + one.other_threads
    return ", ".join([*(printable(name, 40) for name in first), *([f"{others:,} more"] if others else [])])
