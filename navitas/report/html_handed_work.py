"""The table of an HTML report of work that methods handed to other threads."""

from __future__ import annotations

from collections.abc import Callable

from navitas.analyze.handed_work import UNKNOWN_STARTER, HandedWork
from navitas.analyze.profile import Profile
from navitas.analyze.share_of import share
from navitas.html_page.elements import Cell, name
from navitas.report.handed_work_note import unmeasured_note
from navitas.report.html_section import MAX_ROWS, bar_cell, count_cell, figure_cell, joules_cell, section
from navitas.report.names import MethodNames
from navitas.report.units import duration

_MAX_NAME_LENGTH = 1000
_ABOUT = (
    "The energy of work that ran on other threads, or later, by the method that started it. It is also in the methods that ran"
    " the work. Share is the share of the energy of all runs."
)


def handed_work_section(profile: Profile) -> str:
    """Return the table of methods that handed over work, largest energy first. Empty without such methods."""
    found, names, total_j = profile.handed_work(), MethodNames(profile.method_table), profile.energy_j()
    if not found:
        return ""
    columns: dict[str, Callable[[HandedWork], Cell]] = {
        "Started by": lambda one: Cell(_starter(one, names)),
        "Ran on": lambda one: Cell(_threads(one)),
        "Share": lambda one: bar_cell(share(one.energy_j, total_j)),
        "Energy": lambda one: joules_cell(one.energy_j),
        "Tasks": lambda one: count_cell(one.tasks),
        "Time": lambda one: figure_cell(one.run_ns, duration),
    }
    rows = [[cell(one) for cell in columns.values()] for one in found[:MAX_ROWS]]
    title, starters = "Work handed to other threads", "methods that started work"
    about = f"{_ABOUT} {unmeasured_note(found)}".rstrip()
    return section("handed-work", title, about, columns, rows, count=len(found), listed=starters, texts=2)


def _starter(one: HandedWork, names: MethodNames) -> str:
    return "unknown" if one.id == UNKNOWN_STARTER else name(names.label(one.id), _MAX_NAME_LENGTH)


def _threads(one: HandedWork) -> str:
    more = f" and {one.other_threads:,} more" if one.other_threads else ""
    return ", ".join(name(thread or "(no name)") for thread in one.threads) + more
