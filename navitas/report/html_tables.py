"""The tables of an HTML report."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from navitas.analyze.profile import Profile
from navitas.analyze.records import TestEnergy
from navitas.analyze.repeats import Repeats
from navitas.analyze.roll_up import MethodTotal, ThreadTotal
from navitas.analyze.shares import share
from navitas.html_page.elements import Cell, name, table, text
from navitas.report.names import MethodNames, test_label
from navitas.report.units import battery_rate, duration, joules, percent, watts

MOST_ROWS = 5000
"""A browser sorts and searches so many rows at once."""
_LONGEST_NAME = 1000


def tests_section(profile: Profile, groups: Sequence[Repeats], tests: Sequence[TestEnergy]) -> str:
    """Each test once: its run, or the median of its runs, largest app energy first; then tests that did not run."""
    repeated = any(len(group.tests) > 1 for group in groups)
    probed = any(test.probes_j for test in tests)
    idle = [test for test in tests if test.wall_ns == 0]
    about = "App energy is the energy of the app's own threads" + (", an estimate without probes. " if probed else ". ")
    if repeated:
        about += (
            "Energies are medians of the runs that ended, ranges are from the lowest to the highest; the other figures are those"
            " of the run nearest to the median. "
        )
    elif probed:
        about += "± is a standard error. "
    about += "Mean power is all energy of the test, as measured, by its wall time; battery is this power as a rate."
    volts, battery_mah = profile.about.voltage_v, profile.about.battery_mah
    columns: dict[str, Callable[[Repeats], Cell]] = {
        "Test": lambda group: Cell(name(test_label(group.typical), _LONGEST_NAME)),
        "App energy": lambda group: _joules(group.app_j.median),
        "±": lambda group: _joules(group.typical.probes_error_j),
        "Range": _range,
        "Idle and other": lambda group: _joules(group.typical.rest_j),
        "Mean power": lambda group: _figure(group.typical.mean_power_w, watts),
        "Battery": lambda group: _figure(group.typical.mean_power_w, lambda power_w: battery_rate(power_w, volts, battery_mah)),
        "Wall time": lambda group: _figure(group.typical.wall_ns, duration),
        "Runs": lambda group: _count(len(group.tests)),
        "Status": lambda group: _status(group.tests),
    }
    left_out = {"±"} if repeated or not probed else set()
    left_out |= set() if repeated else {"Range", "Runs"}
    left_out |= set() if battery_mah else {"Battery"}
    columns = {head: cell for head, cell in columns.items() if head not in left_out}
    ranked = sorted(groups, key=lambda group: -group.app_j.median)
    rows = [[cell(group) for cell in columns.values()] for group in ranked[:MOST_ROWS]]
    blank = [Cell("–")] * (len(columns) - 2)
    rows += [[Cell(name(test_label(test), _LONGEST_NAME)), *blank, _status([test])] for test in idle[: MOST_ROWS - len(rows)]]
    return _section("tests", "Tests", about, columns, rows, count=len(groups) + len(idle))


def methods_section(profile: Profile, shown: Sequence[TestEnergy]) -> str:
    """Each method once, largest self energy first; empty for a recording without calls."""
    totals, whole_j, names = profile.method_totals(shown), profile.energy_j(shown), MethodNames(profile.method_table)
    about = (
        "Self is the energy of a method's own code, inclusive also that of the methods that it calls. Share is self energy as a"
        " share of the energy of all tests above. Per call is inclusive energy divided by calls; mean power is self energy by"
        " self time."
    )
    columns: dict[str, Callable[[MethodTotal], Cell]] = {
        "Method": lambda total: Cell(name(names.label(total.id), _LONGEST_NAME) + _place(total)),
        "Share": lambda total: _bar(share(total.exclusive_j, whole_j)),
        "Self": lambda total: _joules(total.exclusive_j),
        "±": lambda total: _joules(total.exclusive_error_j or None),
        "Inclusive": lambda total: _joules(total.inclusive_j),
        "Calls": lambda total: _count(total.calls),
        "Per call": lambda total: _joules(total.inclusive_j_per_call),
        "Mean power": lambda total: _figure(total.mean_power_w, watts),
        "Time": lambda total: _figure(total.wall_ns, duration),
    }
    rows = [[cell(total) for cell in columns.values()] for total in totals[:MOST_ROWS]]
    return _section("methods", "Methods", about, columns, rows, count=len(totals)) if totals else ""


def threads_section(profile: Profile, shown: Sequence[TestEnergy]) -> str:
    """Threads by name and role, largest first; empty where no thread is known."""
    totals, whole_j = profile.thread_totals(shown), profile.energy_j(shown)
    about = (
        "Threads of one name and role share a row. Share is their share of the energy of all tests above. Outside calls is"
        " energy outside of methods with probes; probes is what probes used."
    )
    columns: dict[str, Callable[[ThreadTotal], Cell]] = {
        "Thread": lambda total: Cell(name(total.name or "(no name)", _LONGEST_NAME) + f"<small>{text(total.role)}</small>"),
        "Share": lambda total: _bar(share(total.energy_j, whole_j)),
        "Energy": lambda total: _joules(total.energy_j),
        "CPU time": lambda total: _figure(total.cpu_ns, duration),
        "CPU power": lambda total: _figure(total.cpu_power_w, watts),
        "Outside calls": lambda total: _joules(total.untraced_j),
        "Probes": lambda total: _joules(total.probes_j),
        "Threads": lambda total: _count(total.count),
    }
    rows = [[cell(total) for cell in columns.values()] for total in totals[:MOST_ROWS]]
    return _section("threads", "Threads", about, columns, rows, count=len(totals)) if totals else ""


def _section(identifier: str, title: str, about: str, head: Iterable[str], rows: Sequence[Sequence[Cell]], *, count: int) -> str:
    """A table that can be sorted and searched; `count` rows are there in all."""
    more = (
        f" The page lists {len(rows):,} of {count:,} {title.lower()}, those with the most energy; the JSON report has all."
        if count > len(rows)
        else ""
    )
    search = (
        f'<label class=search hidden>Search <input type="search" data-table="{identifier}"> '
        f'<output id="{identifier}-count"></output></label>'
    )
    shown = table(head, rows, attributes=f'class="sortable" id="{identifier}" aria-labelledby="{identifier}-title"')
    return f'<section><h2 id="{identifier}-title">{title}</h2><p>{about}{more}</p>{search}{shown}</section>\n'


def _place(total: MethodTotal) -> str:
    method = total.method
    line = "" if method.line is None else f":{method.line}"
    return f"<small>{text(method.file)}{line}</small>" if method.file else f"<small>line {method.line}</small>" if line else ""


def _status(tests: Sequence[TestEnergy]) -> Cell:
    """The statuses of a test's runs, each once."""
    found = dict.fromkeys(test.status for test in tests)
    return Cell(", ".join(f'<span class="{text(status, 40)}">{text(status, 40)}</span>' for status in found))


def _range(group: Repeats) -> Cell:
    """The lowest and highest app energy; sorts by their distance."""
    counted = group.app_j.counted
    low_j, high_j = min(counted), max(counted)
    return Cell(f"{joules(low_j)} – {joules(high_j)}", high_j - low_j) if len(counted) > 1 else Cell("–")


def _bar(part: float | None) -> Cell:
    if part is None:
        return Cell("–")
    width = 100 * min(max(part, 0.0), 1.0)
    return Cell(f'<span class=share><i style="width:{width:.1f}%"></i></span>{percent(part)}', part)


def _joules(value: float | None) -> Cell:
    return _figure(value, joules)


def _count(value: int) -> Cell:
    return Cell(f"{value:,}", value)


def _figure(value: float | None, shown: Callable[[float], str]) -> Cell:
    return Cell("–") if value is None else Cell(shown(value), value)
