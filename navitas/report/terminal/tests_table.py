"""The terminal table of tests."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from rich.text import Text

from navitas.analyze.profile import Profile
from navitas.analyze.records import TestEnergy
from navitas.analyze.repeats import Repeats
from navitas.report.names import short_class
from navitas.report.terminal.fitted_table import Column, FittedTable
from navitas.report.terminal.paragraph import Paragraph, unbroken
from navitas.report.units import battery_rate, duration, joules, percent, watts
from navitas.untrusted_text import printable

_INTERVAL = unbroken("95 % interval")
_LEAST_JIT = 0.01
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


def tests_note(profile: Profile, tests: Sequence[TestEnergy], groups: Sequence[Repeats]) -> Paragraph:
    """Return a note that explains the figures of the table."""
    sums = profile.compensated_totals(tests)
    sentences = ["App energy: energy of the app's threads."]
    if sums is not None:
        basis = "their sampled cost and the runs without probes" if sums.by_baseline else "their sampled cost"
        sentences = [
            f"App energy: energy of the app's threads without probes, estimated from {basis}.",
            f"All tests: {unbroken(joules(sums.energy_j))} with probes, {unbroken(joules(sums.compensated_j))} without.",
        ]
    if any(len(group.tests) > 1 for group in groups):
        sentences.append(f"Energies are medians of the runs that count. ±: {_INTERVAL} of the measurement and of other runs.")
    else:
        sentences.append(f"±: {_INTERVAL} of the measurement. One run does not show how runs differ: repeat it.")
    sentences += _jit(profile)
    sentences.append("Mean power: measured energy of the test divided by its wall time.")
    return Paragraph(" ".join(sentences), style="dim")


def _jit(profile: Profile) -> list[str]:
    """Return a sentence on the JIT compiler, if it used a noticeable share of the threads' energy."""
    shares = profile.jit_shares()
    jit_j, threads_j = (sum(getattr(one, name) for one in shares) for name in ("jit_j", "threads_j"))
    if jit_j <= _LEAST_JIT * threads_j or threads_j <= 0:
        return []
    over = ""
    if len(shares) > 1:
        low, high = (unbroken(percent(pick(one.share for one in shares))) for pick in (min, max))
        over = f", {low} to {high} by run"
    total = unbroken(percent(jit_j / threads_j))
    return [f"The JIT compiler used {total} of the threads' energy{over}; it is not part of app energy."]


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
    counts: dict[str, int] = {}
    for test in tests:
        counts[test.status] = counts.get(test.status, 0) + 1
    cell = Text()
    for status, count in counts.items():
        cell.append(", " if cell else "").append(f"{count} " if len(tests) > 1 else "")
        cell.append(printable(status, 40), style=_STATUS_STYLE.get(status, ""))
    unfit = Counter(reason for test in tests for reason in test.unfit)
    many = len(tests) > 1
    return cell.append("".join(f"; {f'{count} ' if many else ''}{printable(reason, 40)}" for reason, count in unfit.items()))
