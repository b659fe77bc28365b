"""The tables of an HTML report: sections that hold them, cells of figures, and the tables of tests, methods and threads."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from navitas.base.html_page.page import Cell, name, table, text
from navitas.base.units import UNKNOWN, battery_rate, duration, joules, percent, share, watts
from navitas.energy.analyze.handed_work import UNKNOWN_STARTER, HandedWork
from navitas.energy.analyze.profile import Profile
from navitas.energy.analyze.records import TestEnergy
from navitas.energy.analyze.repeats import BaselinePairs, Repeats
from navitas.energy.analyze.roll_up import MethodTotal, ThreadTotal
from navitas.report.figure_notes import (
    baseline_note,
    doubts,
    method_figures_note,
    method_note,
    statuses,
    tests_note,
    unmeasured_note,
)
from navitas.report.names import MethodNames, test_label

T = TypeVar("T")

MAX_ROWS = 5000
"""The maximum number of rows. Browsers sort and search this many without delay."""
_MAX_NAME_LENGTH = 1000
_LONGEST_NOTE = 2000
_HANDED_WORK = (
    "The energy of work that ran on other threads, or later, by the method that started it. It is also in the methods that ran"
    " the work. Share is the share of the energy of all runs."
)


def section(
    identifier: str,
    title: str,
    about: str,
    columns: Mapping[str, Callable[[T], Cell]],
    records: Sequence[T],
    *,
    more_rows: Sequence[Sequence[Cell]] = (),
    listed: str = "",
    texts: int = 1,
    searched: bool = True,
) -> str:
    """Return a section with a table that users can sort, and search if `searched`.

    It has a row for each record, with the cells that the columns' functions return, and then `more_rows`. `listed` is what rows
    are (default: the title). The first `texts` columns hold text.
    """
    rows = [[cell(record) for cell in columns.values()] for record in records[:MAX_ROWS]]
    rows += map(list, more_rows[: MAX_ROWS - len(rows)])
    count, listed = len(records) + len(more_rows), listed or title.lower()
    more = (
        f" The page lists {len(rows):,} of {count:,} {listed}, those with the most energy; the JSON report has all."
        if count > len(rows)
        else ""
    )
    search = (
        f'<label class=search hidden>Search <input type="search" data-table="{identifier}"> '
        f'<output id="{identifier}-count"></output></label>'
        if searched
        else ""
    )
    shown = table(
        columns, rows, texts=texts, attributes=f'class="sortable" id="{identifier}" aria-labelledby="{identifier}-title"'
    )
    return f'<section><h2 id="{identifier}-title">{title}</h2><p>{about}{more}</p>{search}{shown}</section>\n'


def bar_cell(value: float | None) -> Cell:
    """A share as a bar and in percent."""
    if value is None:
        return Cell(UNKNOWN)
    width = 100 * min(max(value, 0.0), 1.0)
    return Cell(f'<span class=share><i style="width:{width:.1f}%"></i></span>{percent(value)}', value)


def joules_cell(value: float | None) -> Cell:
    """An energy, or a dash."""
    return figure_cell(value, joules)


def count_cell(value: int) -> Cell:
    """A whole number."""
    return Cell(f"{value:,}", value)


def figure_cell(value: float | None, shown: Callable[[float], str]) -> Cell:
    """A figure as `shown` formats it, or a dash. The cell sorts by the figure."""
    return Cell(UNKNOWN) if value is None else Cell(shown(value), value)


def tests_section(profile: Profile, groups: Sequence[Repeats], tests: Sequence[TestEnergy]) -> str:
    """Return the table of tests: the run of each test, or the median of its runs.

    Tests are sorted by descending app energy. Tests that didn't run are last.
    """
    repeated = any(len(group.tests) > 1 for group in groups)
    idle = [test for test in tests if test.wall_ns == 0]
    about = text(tests_note(profile, tests, groups), _LONGEST_NOTE)
    if repeated:
        about += " Figures other than energies are those of the run nearest to the median."
    volts, battery_mah = profile.about.voltage_v, profile.about.battery_mah
    columns: dict[str, Callable[[Repeats], Cell]] = {
        "Test": lambda group: Cell(name(test_label(group.typical), _MAX_NAME_LENGTH)),
        "App energy": lambda group: joules_cell(group.app_j.median),
        "±": lambda group: joules_cell(profile.app_half_width_j(group)),
        "Base and other": lambda group: joules_cell(group.typical.rest_j),
        "Mean power": lambda group: figure_cell(group.typical.mean_power_w, watts),
        "Battery": lambda group: figure_cell(
            group.typical.mean_power_w, lambda power_w: battery_rate(power_w, volts, battery_mah)
        ),
        "Wall time": lambda group: figure_cell(group.typical.wall_ns, duration),
        "Runs": lambda group: count_cell(len(group.tests)),
        "Status": lambda group: _status(group.tests),
    }
    hidden = set() if repeated else {"Runs"}
    hidden |= set() if battery_mah else {"Battery"}
    columns = {head: cell for head, cell in columns.items() if head not in hidden}
    ranked = sorted(groups, key=lambda group: -group.app_j.median)
    blank = [Cell("–")] * (len(columns) - 2)
    never_ran = [[Cell(name(test_label(test), _MAX_NAME_LENGTH)), *blank, _status([test])] for test in idle]
    return section("tests", "Tests", about, columns, ranked, more_rows=never_ran)


def baseline_section(groups: Sequence[Repeats]) -> str:
    """Return the table that compares runs with probes and runs without. Empty without `--baseline`."""
    columns: dict[str, Callable[[tuple[TestEnergy, BaselinePairs]], Cell]] = {
        "Test": lambda row: Cell(name(test_label(row[0]), _MAX_NAME_LENGTH)),
        "With probes": lambda row: joules_cell(row[1].probed_j),
        "By sampled cost": lambda row: joules_cell(row[1].compensated_j),
        "Without probes": lambda row: joules_cell(row[1].unprobed_j),
        "Sampled cost is off by": lambda row: figure_cell(row[1].error, lambda error: f"{100 * error:+.1f} %"),
    }
    compared = [(group.typical, pairs) for group in groups if (pairs := group.baseline) is not None]
    about = f"The energy of each test's threads, as medians of its runs. {text(baseline_note(groups), _LONGEST_NOTE)}".rstrip()
    return section("probes", "Probes", about, columns, compared, listed="tests") if compared else ""


def methods_section(profile: Profile, shown: Sequence[TestEnergy]) -> str:
    """Return the table of methods, largest self energy first. Empty for a recording without calls."""
    totals, total_j, names = profile.method_totals(shown), profile.energy_j(shown), MethodNames(profile.method_table)
    about = (
        "Self is the energy of a method without the methods with probes that it calls; inclusive is its energy with them. Share"
        " is self energy as a share of the energy of all tests above. Per call is inclusive energy divided by calls; mean power"
        f" is self energy divided by self time. {text(' '.join([method_figures_note(profile), *doubts(shown)]), _LONGEST_NOTE)}"
    )
    columns: dict[str, Callable[[MethodTotal], Cell]] = {
        "Method": lambda total: Cell(name(names.label(total.id), _MAX_NAME_LENGTH) + _small(total)),
        "Share": lambda total: bar_cell(total.known(share(total.exclusive_j, total_j))),
        "Self": lambda total: joules_cell(total.known(total.exclusive_j)),
        "±": lambda total: joules_cell(total.known(total.exclusive_error.half_width_j)),
        "Inclusive": lambda total: joules_cell(total.known(total.inclusive_j)),
        "Calls": lambda total: count_cell(total.calls),
        "Per call": lambda total: joules_cell(total.inclusive_j_per_call),
        "Mean power": lambda total: figure_cell(total.mean_power_w, watts),
        "Time": lambda total: figure_cell(total.wall_ns, duration),
    }
    if any(test.alternative_j is not None for test in shown):
        columns["Paper 1"] = lambda total: joules_cell(total.known(total.alternative_j))
    return section("methods", "Methods", about, columns, totals) if totals else ""


def threads_section(profile: Profile, shown: Sequence[TestEnergy]) -> str:
    """Return the table of threads by name and role, largest energy first. Empty without threads."""
    totals, total_j = profile.thread_totals(shown), profile.energy_j(shown)
    about = (
        "Threads with the same name and role share a row. Share is their share of the energy of all tests above. Outside calls is"
        " the energy outside methods with probes; probes is the energy of probes."
    )
    columns: dict[str, Callable[[ThreadTotal], Cell]] = {
        "Thread": lambda total: Cell(name(total.name or "(no name)", _MAX_NAME_LENGTH) + f"<small>{text(total.role)}</small>"),
        "Share": lambda total: bar_cell(total.known(share(total.energy_j, total_j))),
        "Energy": lambda total: joules_cell(total.known(total.energy_j)),
        "CPU time": lambda total: figure_cell(total.known(total.cpu_ns), duration),
        "CPU power": lambda total: figure_cell(total.cpu_power_w, watts),
        "Outside calls": lambda total: joules_cell(total.known(total.untraced_j)),
        "Probes": lambda total: joules_cell(total.known(total.probes_j)),
        "Threads": lambda total: count_cell(total.count),
    }
    return section("threads", "Threads", about, columns, totals) if totals else ""


def _small(total: MethodTotal) -> str:
    """Return what stands below the name of a method: its source, and its note."""
    method = total.method
    line = "" if method.line is None else f":{method.line}"
    source = f"{text(method.file)}{line}" if method.file else f"line {method.line}" if line else ""
    return "".join(f"<small>{part}</small>" for part in (source, text(method_note(total))) if part)


def _status(tests: Sequence[TestEnergy]) -> Cell:
    """Return the statuses of a test's runs, and why some do not count."""
    return Cell(", ".join(f'<span class="{text(status, 40)}">{text(label, 60)}</span>' for status, label in statuses(tests)))


def handed_work_section(profile: Profile) -> str:
    """Return the table of methods that handed over work, largest energy first. Empty without such methods."""
    found, names, total_j = profile.handed_work(), MethodNames(profile.method_table), profile.energy_j()
    if not found:
        return ""
    columns: dict[str, Callable[[HandedWork], Cell]] = {
        "Started by": lambda one: Cell("unknown" if one.id == UNKNOWN_STARTER else name(names.label(one.id), _MAX_NAME_LENGTH)),
        "Ran on": lambda one: Cell(_threads(one)),
        "Share": lambda one: bar_cell(share(one.energy_j, total_j)),
        "Energy": lambda one: joules_cell(one.energy_j),
        "Tasks": lambda one: count_cell(one.tasks),
        "Time": lambda one: figure_cell(one.run_ns, duration),
    }
    title, starters = "Work handed to other threads", "methods that started work"
    about = f"{_HANDED_WORK} {unmeasured_note(found)}".rstrip()
    return section("handed-work", title, about, columns, found, listed=starters, texts=2)


def _threads(one: HandedWork) -> str:
    more = f" and {one.other_threads:,} more" if one.other_threads else ""
    return ", ".join(name(thread or "(no name)") for thread in one.threads) + more
