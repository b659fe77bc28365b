"""The tables of an HTML report."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from navitas.analyze.mean_power import mean_power_w
from navitas.analyze.profile import Profile
from navitas.analyze.records import TestEnergy
from navitas.analyze.repeats import Repeats
from navitas.analyze.roll_up import MethodTotal, ThreadTotal
from navitas.analyze.share_of_whole import share
from navitas.html_page.elements import Cell, name, table, text
from navitas.report.names import MethodNames, test_label
from navitas.report.units import digits, duration, joules, percent, watts

MOST_ROWS = 5000
"""A browser sorts and searches so many rows at once."""
_LONGEST_NAME = 1000


def tests_section(groups: Sequence[Repeats], tests: Sequence[TestEnergy]) -> str:
    """Each test once: its median energy, and the other figures of the run nearest to it; then tests that did not run."""
    repeated = any(len(group.tests) > 1 for group in groups)
    compensated = any(test.compensated_error_j is not None for test in tests)
    idle = [test for test in tests if test.wall_ns == 0]
    about = "Energy is that of the whole device while the test ran, without what probes used"
    about += "; ± is the standard error of that correction. " if compensated else ". "
    if repeated:
        about += (
            "Of several runs it is the median, and the spread is the largest distance of a run from it."
            " The other figures are those of the run nearest to the median. "
        )
    about += "App is the energy of the app's threads, base what the device uses because time passes."
    columns: dict[str, Callable[[Repeats], Cell]] = {
        "Test": lambda group: Cell(name(test_label(group.typical), _LONGEST_NAME)),
        "Energy": lambda group: _joules(group.compensated_median_j),
        "±": lambda group: _joules(group.typical.compensated_error_j),
        "Spread": lambda group: _joules(group.compensated_j.deviation if len(group.tests) > 1 else None),
        "Mean power": lambda group: _figure(mean_power_w(group.typical), watts),
        "App": lambda group: _joules(group.typical.threads_j),
        "Base": lambda group: _joules(group.typical.base_j),
        "Wall time": lambda group: _figure(group.typical.wall_ns, duration),
        "Runs": lambda group: _count(len(group.tests)),
        "Status": lambda group: _status(group.tests),
    }
    left_out = {*(() if compensated else ("±",)), *(() if repeated else ("Spread", "Runs"))}
    columns = {head: cell for head, cell in columns.items() if head not in left_out}
    ranked = sorted(groups, key=lambda group: -group.compensated_median_j)
    rows = [[cell(group) for cell in columns.values()] for group in ranked[:MOST_ROWS]]
    blank = [Cell("–")] * (len(columns) - 2)
    rows += [[Cell(name(test_label(test), _LONGEST_NAME)), *blank, _status([test])] for test in idle[: MOST_ROWS - len(rows)]]
    return _section("tests", "Tests", about, columns, rows, count=len(groups) + len(idle))


def methods_section(profile: Profile, shown: Sequence[TestEnergy]) -> str:
    """Each method once, largest self energy first; empty for a recording without calls."""
    totals, whole_j, names = profile.method_totals(shown), profile.energy_j(shown), MethodNames(profile.method_table)
    about = (
        "Self is the energy of a method's own code, inclusive also that of the methods that it calls. Share is self energy as a"
        " share of the energy of all tests above. mJ/call is inclusive energy divided by calls."
    )
    columns: dict[str, Callable[[MethodTotal], Cell]] = {
        "Method": lambda total: Cell(name(names.label(total.id), _LONGEST_NAME) + _place(total)),
        "Share": lambda total: _bar(share(total.exclusive_j, whole_j)),
        "Self": lambda total: _joules(total.exclusive_j),
        "±": lambda total: _joules(total.exclusive_error_j or None),
        "Inclusive": lambda total: _joules(total.inclusive_j),
        "Calls": lambda total: _count(total.calls),
        "mJ/call": lambda total: _figure(1e3 * total.inclusive_j / total.calls if total.calls else None, digits),
        "Wall time": lambda total: _figure(total.wall_ns, duration),
    }
    rows = [[cell(total) for cell in columns.values()] for total in totals[:MOST_ROWS]]
    return _section("methods", "Methods", about, columns, rows, count=len(totals)) if totals else ""


def threads_section(profile: Profile, shown: Sequence[TestEnergy]) -> str:
    """Threads by name and role, largest first; empty where no thread is known."""
    totals, whole_j = profile.thread_totals(shown), profile.energy_j(shown)
    about = (
        "Threads of one name and role share a row. Share is their share of the energy of all tests above. Untraced is energy"
        " outside of methods with probes; probes is what probes used."
    )
    columns: dict[str, Callable[[ThreadTotal], Cell]] = {
        "Thread": lambda total: Cell(name(total.name or "(no name)", _LONGEST_NAME) + f"<small>{text(total.role)}</small>"),
        "Share": lambda total: _bar(share(total.energy_j, whole_j)),
        "Energy": lambda total: _joules(total.energy_j),
        "CPU time": lambda total: _figure(total.cpu_ns, duration),
        "Untraced": lambda total: _joules(total.untraced_j),
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
