"""The terminal tables of tests, and of their runs with probes compared with baseline runs."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from navitas.analyze.profile import Profile
from navitas.analyze.records import TestEnergy
from navitas.analyze.repeats import Repeats
from navitas.report.figure_notes import UNFIT, baseline_note, statuses
from navitas.report.names import short_class
from navitas.report.terminal.fitted_table import Column, FittedTable
from navitas.report.terminal.paragraph import Paragraph
from navitas.report.units import battery_rate, duration, joules, watts
from navitas.untrusted_text import printable

ALL_TESTS = 50
"""The table lists all tests if there are at most this many, or at most `top`."""
_BAD = ("failed", "cut")
_STATUS_STYLE = {"passed": "green", "failed": "bold red", "cut": "bold yellow"}


def tests_table(profile: Profile, groups: Sequence[Repeats], top: int) -> FittedTable:
    """Return one row for each test that `select_groups` selects: its run, or the median of its runs."""
    repeated = any(len(group.tests) > 1 for group in groups)
    columns = [
        Column("Test", text=True),
        Column("App energy"),
        Column("±", drop=3),
        Column("Base and other", drop=4),
        Column("Mean power", drop=1),
        Column("Battery", drop=5),
        Column("Wall time", drop=6),
        Column("Runs" if repeated else "Status", drop=2, text=True),
    ]
    table = FittedTable("Tests", columns)
    name, about = TestNames(profile), profile.about
    shown = select_groups(groups, top)
    for group in shown:
        test, power_w = group.typical, group.typical.mean_power_w or 0.0
        table.add(
            name.label(test),
            joules(group.app_j.median),
            joules(profile.app_half_width_j(group)),
            joules(test.rest_j),
            watts(power_w),
            battery_rate(power_w, about.voltage_v, about.battery_mah),
            duration(test.wall_ns),
            _statuses(group.tests),
        )
    if more := len(groups) - len(shown):
        table.notes.append(Text(f"… {more:,} more tests (--top)", style="dim"))
    return table


def not_passed(profile: Profile, tests: Sequence[TestEnergy], top: int) -> list[Paragraph]:
    """Return a line for each status of tests that failed, were cut or never ran, with the names of these tests."""
    name, found = TestNames(profile), []
    notable = [test for test in tests if test.status in _BAD or test.wall_ns == 0]
    for status in dict.fromkeys(test.status for test in notable):
        names = list(dict.fromkeys(name.label(test).plain for test in notable if test.status == status))
        more = f" and {len(names) - top:,} more" if len(names) > top else ""
        text = f"{printable(status, 40)}: {', '.join(names[:top])}{more}"
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
        """Return the name as a cell."""
        place = f"{test.module} " if self._many else ""
        return Text(printable(f"{place}{short_class(test.class_name)}#{test.method}", 10_000))


def _statuses(tests: Sequence[TestEnergy]) -> Text:
    """Return `passed`, or `2 passed, 1 failed; 1 warmup` for several runs."""
    cell = Text()
    for status, label in statuses(tests):
        cell.append(("; " if status == UNFIT else ", ") if cell else "").append(label, style=_STATUS_STYLE.get(status, ""))
    return cell


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
