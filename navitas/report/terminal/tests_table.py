"""The terminal tables of tests, and of their runs with probes compared with baseline runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rich.text import Text

from navitas.base.units import battery_rate, duration, joules, unbroken, watts
from navitas.base.untrusted_text import printable
from navitas.energy.analyze.names import short_class
from navitas.energy.analyze.profile import Profile
from navitas.energy.analyze.records import TestEnergy
from navitas.energy.analyze.repeats import BaselinePairs, Repeats
from navitas.report.figure_notes import UNFIT, baseline_note, interval_cell, statuses
from navitas.report.terminal.fitted_table import Cell, Column, FittedTable
from navitas.report.terminal.paragraph import Paragraph

ALL_TESTS = 50
"""The table lists all tests if there are at most this many, or at most `top`."""
_BAD = ("failed", "cut")
_STATUS_STYLE = {"passed": "green", "failed": "bold red", "cut": "bold yellow", UNFIT: "bold yellow"}


def tests_table(profile: Profile, groups: Sequence[Repeats], top: int) -> FittedTable:
    """Return one row for each test that `select_groups` selects: its run, or the median of its runs."""
    repeated = any(len(group.tests) > 1 for group in groups)
    name, about, shown = TestNames(profile), profile.about, select_groups(groups, top)

    def battery(group: Repeats) -> str:
        return battery_rate(group.typical.mean_power_w or 0.0, about.voltage_v, about.battery_mah)

    columns: dict[Column, Callable[[Repeats], Cell]] = {
        Column("Test", text=True): lambda group: name.label(group.typical),
        Column("App energy"): lambda group: joules(group.app_j.median),
        Column("±", drop=1): lambda group: interval_cell(group.app_j.median, profile.app_interval(group)),
        Column("Base and other", drop=4): lambda group: joules(group.compensated_j.median - group.app_j.median),
        Column("Mean power", drop=3): lambda group: watts(group.typical.mean_power_w or 0.0),
        Column("Battery", drop=5): battery,
        Column("Wall time", drop=6): lambda group: duration(group.typical.wall_ns),
        Column("Runs" if repeated else "Status", drop=2, wrap=True): lambda group: _statuses(group.tests),
    }
    table = FittedTable.of("Tests", columns, shown)
    table.notes += _others(len(groups) - len(shown))
    return table


def not_passed(profile: Profile, tests: Sequence[TestEnergy], top: int) -> list[Paragraph]:
    """Return a line for each failure, and one for each status of other tests that failed, were cut or never ran, with names."""
    name, found = TestNames(profile), []
    failures = dict.fromkeys((name.label(test).plain, test.failure) for test in tests if test.failure)
    for label, failure in [*failures][:top]:
        found.append(Paragraph(f"failed: {label}: {printable(failure, 500)}", style=_STATUS_STYLE["failed"], indent="  "))
    if len(failures) > top:
        found.append(Paragraph(f"… {len(failures) - top:,} more failures (--json)", style="dim"))
    notable = [test for test in tests if (test.status in _BAD or test.wall_ns == 0) and not test.failure]
    for status in dict.fromkeys(test.status for test in notable):
        names = list(dict.fromkeys(name.label(test).plain for test in notable if test.status == status))
        more = f" and {len(names) - top:,} more" if len(names) > top else ""
        unknown = "; the recording has no stack that names the line" if status == "failed" else ""
        text = f"{printable(status, 40)}: {', '.join(names[:top])}{more}{unknown}"
        found.append(Paragraph(text, style=_STATUS_STYLE.get(status, "dim"), indent="  "))
    return found


def select_groups(groups: Sequence[Repeats], top: int) -> Sequence[Repeats]:
    """Return all tests in order. If there are too many, return the `top` with the most energy and `top` that didn't pass."""
    if len(groups) <= max(top, ALL_TESTS):
        return groups
    ranked = sorted(groups, key=lambda group: -group.compensated_median_j)
    bad = [group for group in groups if any(test.status in _BAD for test in group.tests)]
    chosen = {id(group) for group in (*ranked[:top], *bad[:top])}
    return [group for group in ranked if id(group) in chosen]


class TestNames:
    """Short names of tests. If there are several modules, the module is prepended."""

    __test__ = False

    def __init__(self, profile: Profile) -> None:
        self._many = len({test.module for test in profile.tests}) > 1

    def label(self, test: TestEnergy) -> Text:
        place = f"{test.module} " if self._many else ""
        return Text(printable(f"{place}{short_class(test.class_name)}#{test.method}", 10_000))


def _statuses(tests: Sequence[TestEnergy]) -> Text:
    """Return `passed`, or `2 passed, 1 failed; 1 warmup` for several runs."""
    cell = Text()
    for status, label in statuses(tests):
        cell.append(("; " if status == UNFIT else ", ") if cell else "").append(
            unbroken(label), style=_STATUS_STYLE.get(status, "")
        )
    return cell


def baseline_table(profile: Profile, groups: Sequence[Repeats], top: int) -> FittedTable:
    """Return the energy of each test's threads: with probes, minus the probes' sampled cost, and measured without probes.

    Figures are medians over the test's runs.
    """
    columns: dict[Column, Callable[[tuple[Text, BaselinePairs]], Cell]] = {
        Column("Test", text=True): lambda row: row[0],
        Column("With probes", drop=2): lambda row: joules(row[1].probed_j),
        Column("By sampled cost", drop=3): lambda row: joules(row[1].compensated_j),
        Column("Without probes"): lambda row: joules(row[1].unprobed_j),
        Column("Sampled cost is off by", drop=1): lambda row: "" if row[1].error is None else f"{100 * row[1].error:+.1f} %",
    }
    name, shown = TestNames(profile), select_groups(groups, top)
    rows = ((name.label(group.typical), pairs) for group in shown if (pairs := group.baseline) is not None)
    table = FittedTable.of("Probes", columns, rows)
    table.notes += _others(len(groups) - len(shown))
    if note := baseline_note(groups):
        table.notes.append(Paragraph(note, style="dim"))
    return table


def _others(count: int) -> list[Text]:
    """Return a note on the tests that the table does not list."""
    return [Text(f"… {count:,} more tests (--top)", style="dim")] if count else []
