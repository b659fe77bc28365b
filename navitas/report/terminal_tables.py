"""The terminal report's tables."""

from __future__ import annotations

from collections.abc import Sequence

from rich.table import Table
from rich.text import Text

from navitas.analyze.baselines import CompensatedTotals
from navitas.analyze.profile import Profile
from navitas.analyze.records import TestEnergy, ThreadEnergy
from navitas.analyze.repeats import Repeats
from navitas.analyze.role_totals import RoleTotal
from navitas.analyze.roll_up import MethodTotal
from navitas.analyze.share_of_whole import share
from navitas.report.names import MethodNames, short_class
from navitas.report.units import battery_share, charge, digits, duration, joules, percent
from navitas.untrusted_text import printable

_METHOD_FIGURES = ("Exclusive", "±", "Share", "Inclusive", "Calls", "mJ/call", "Time", "Paper 1")
_ROLES = {
    "jit": "JIT compiler",
    "gc": "garbage collector",
    "profiler": "profiler itself",
    "system": "threads without probes",
}
# More tests than this, or than --top, are not all listed.
_ALL_TESTS = 50
_NOTICEABLE = 0.1
"""The part of a figure from which on its error is among the notes."""
_BAD = ("failed", "cut")
_STATUS_STYLE = {"passed": "green", "failed": "bold red", "cut": "bold yellow"}


def tests_table(
    profile: Profile, tests: Sequence[TestEnergy], groups: Sequence[Repeats], top: int, *, compensated: bool, narrow: bool
) -> Table:
    """Every run of every test, with medians where there are several; without battery share and wall time when it must be narrow.

    Of very many tests only the `top` that used most, and those that did not pass.
    """
    repeated = any(len(group.tests) > 1 for group in groups)
    energy = ["Compensated", "±"] if compensated else ["Energy"]
    table = _table(
        "Tests",
        "Test",
        [*(["Run"] if repeated else []), *energy, "Charge", *([] if narrow else ["Battery", "Wall"])],
        last="Status",
    )
    label = _TestNames(profile)

    def add(name: Text | str, run: str, energy_j: float | None, wall: str, status: Text, *, error: str = "") -> None:
        bold = not name
        figures = [""] * 3 if energy_j is None else _energy(energy_j, profile)
        figures[1:1] = [error] if compensated else []
        cells = [*([run] if repeated else []), *(figures[:-1] if narrow else [*figures, wall])]
        table.add_row(name, *(Text(cell, style="bold" if bold else "") for cell in cells), status, end_section=bold)

    shown = _most(groups, top)
    for group in shown:
        for test in group.tests:
            status = Text(printable(test.status, 40), style=_STATUS_STYLE.get(test.status, ""))
            error = "" if test.compensated_error_j is None else joules(test.compensated_error_j)
            add(label.of(test), str(test.repeat + 1), test.compensated_j, duration(test.wall_ns), status, error=error)
        if len(group.tests) > 1:
            add("", "median", group.compensated_median_j, "", Text(_spread(group), style="bold"))
    _more(table, len(groups) - len(shown), "tests")
    untimed = [test for test in tests if test.wall_ns == 0]
    for test in untimed[: max(top, _ALL_TESTS)]:
        add(label.of(test), str(test.repeat + 1), None, "", Text(printable(test.status, 40)))
    _more(table, len(untimed) - max(top, _ALL_TESTS), "tests without a run")
    return table


def compensated_note(totals: CompensatedTotals) -> str:
    """What the figures of compensated tests are."""
    by = "by their sampled cost and the runs without probes" if totals.by_baseline else "by their sampled cost"
    return (
        f"Compensated: an estimate of the energy without probes, {by}; ± is its standard error."
        f" With probes {joules(totals.energy_j)}, without {joules(totals.compensated_j)}."
    )


def _spread(group: Repeats) -> str:
    """How far the runs that count lie from their median, at most; empty for a single one."""
    furthest = share(group.compensated_j.deviation, group.compensated_median_j)
    return "" if furthest is None or len(group.compensated_j.counted) == 1 else f"± {percent(furthest)}"


def _most(groups: Sequence[Repeats], top: int) -> Sequence[Repeats]:
    """All tests in their order; of very many those that used most, and `top` of those that did not pass."""
    if len(groups) <= max(top, _ALL_TESTS):
        return groups
    ranked = sorted(groups, key=lambda group: -group.compensated_median_j)
    bad = [group for group in groups if any(test.status in _BAD for test in group.tests)]
    chosen = {id(group) for group in (*ranked[:top], *bad[:top])}
    return [group for group in ranked if id(group) in chosen]


def baseline_table(profile: Profile, groups: Sequence[Repeats], top: int) -> Table:
    """What each test's threads used with probes, without these' energy by their sampled cost alone, and as it ran without them:
    medians over its runs.
    """
    table = _table("Probes", "Test", ["With probes", "By sampled cost", "Without probes"], last="Sampled cost is off by")
    label = _TestNames(profile)
    shown = _most(groups, top)
    for group in shown:
        if (pairs := group.baseline) is not None:
            off = "" if pairs.error is None else f"{100 * pairs.error:+.1f} %"
            figures = (pairs.probed_j, pairs.compensated_j, pairs.unprobed_j)
            table.add_row(label.of(group.typical), *map(joules, figures), Text(off))
    _more(table, len(groups) - len(shown), "tests")
    return table


def baseline_note(groups: Sequence[Repeats]) -> str:
    """Where the runs say more of how runs differ than of probes; empty where they do not."""
    pairs = [found for group in groups if (found := group.baseline) is not None]
    advice = "the JIT compiler and the device's other work are never the same"
    beyond = sum(each.exceeds_probes for each in pairs)
    if beyond:
        tests = "1 test" if beyond == 1 else f"{beyond:,} tests"
        return f"In {tests} the runs differ by more than all that probes used, so it is not the probes: {advice}. See --repeat."
    if any(each.runs == 1 for each in pairs):
        return f"Of a test that ran once, the difference is also that of two runs: {advice}. Take --repeat."
    return ""


def threads_table(profile: Profile, shown: Sequence[TestEnergy], top: int) -> Table:
    """The app's threads that used most, over the given tests; below them what the runtime around it used, by role."""
    probed = any(thread.probes_j for test in shown for thread in test.threads)
    traced = any(thread.methods for test in shown for thread in test.threads)
    figures = ["Energy", "Share", "CPU", *(["Untraced"] if traced else []), *(["Probes"] if probed else [])]
    table = _table("Threads", "Thread", figures, last="Test")
    whole_j = profile.energy_j(shown)
    label = _TestNames(profile)

    def add(name: Text, row: ThreadEnergy | RoleTotal, place: Text) -> None:
        of_calls = [*([joules(row.untraced_j)] if traced else []), *([joules(row.probes_j)] if probed else [])]
        part = percent(share(row.energy_j, whole_j))
        table.add_row(name, joules(row.energy_j), part, duration(row.cpu_ns), *of_calls, place)

    rows = [(thread, test) for test in shown for thread in test.threads if thread.role == "app"]
    own = sorted(rows, key=lambda row: -row[0].energy_j)
    for thread, test in own[:top]:
        add(thread_name(thread), thread, label.of(test))
    _more(table, len(own) - top, "threads")
    by_role = {total.role: total for total in profile.role_totals(shown)}
    for role, name in _ROLES.items():
        if role in by_role:
            add(Text(name, style="dim"), by_role[role], Text("all of these tests", style="dim"))
    return table


def methods_table(profile: Profile, shown: Sequence[TestEnergy], top: int, *, paper1: bool, narrow: bool) -> Table:
    """The methods that used most by themselves, over all threads of the given tests; fewer columns when it must be narrow."""
    left_out = {"Share", "Time"} if narrow else set()
    left_out |= set() if paper1 else {"Paper 1"}
    left_out |= {"±"} if profile.tick_ns is None else set()
    figures = [name for name in _METHOD_FIGURES if name not in left_out]
    table = _table("Methods", "Method", figures, last="Notes")
    whole_j = profile.energy_j(shown)
    names = MethodNames(profile.method_table)
    ranked = profile.method_totals(shown)
    for total in ranked[:top]:
        per_call_j = total.inclusive_j_per_call
        values = {
            "Exclusive": joules(total.exclusive_j),
            "±": joules(total.exclusive_error_j),
            "Share": percent(share(total.exclusive_j, whole_j)),
            "Inclusive": joules(total.inclusive_j),
            "Calls": f"{total.calls:,}",
            "mJ/call": "–" if per_call_j is None else digits(1e3 * per_call_j),
            "Time": duration(total.wall_ns),
            "Paper 1": joules(total.alternative_j),
        }
        label = Text(printable(names.short(total.id)))
        table.add_row(label, *(values[name] for name in figures), _notes(total, own_error="±" in left_out))
    _more(table, len(ranked) - top, "methods")
    return table


def thread_name(thread: ThreadEnergy) -> Text:
    """A thread's name, how many it stands for, and its role when it is not the app's."""
    name = Text(printable(thread.name, 60) or "(no name)")
    if thread.count > 1:
        name.append(f" ×{thread.count:,}", style="dim")
    if thread.role != "app":
        name.append(f" {thread.role}", style="dim")
    return name


def _notes(total: MethodTotal, *, own_error: bool) -> str:
    """Errors that are a noticeable part of their figure (that of `Exclusive` only with `own_error`), throws and cuts."""
    parts = []
    own = _error(total.exclusive_j, total.exclusive_error_j)
    whole = _error(total.inclusive_j, total.inclusive_error_j)
    if own and (own_error or _is_within(total.exclusive_j, total.exclusive_error_j)):
        parts.append(own)
    if whole and whole != own and (own_error or _is_within(total.inclusive_j, total.inclusive_error_j)):
        parts.append(f"inclusive {whole}")
    parts += [f"{total.throws:,} thrown"] if total.throws else []
    return ", ".join([*parts, f"{total.cut:,} cut"] if total.cut else parts)


def _error(value_j: float, error_j: float) -> str:
    """The error of a figure where it is a noticeable part of it, else nothing."""
    if error_j <= _NOTICEABLE * abs(value_j):
        return ""
    remark = " (within its error)" if _is_within(value_j, error_j) else " (nothing beside its probes)" if value_j < 0 else ""
    return f"± {joules(error_j)}{remark}"


def _is_within(value_j: float, error_j: float) -> bool:
    return error_j > 0 and abs(value_j) <= error_j


def _table(title: str, first: str, figures: Sequence[str], *, last: str) -> Table:
    table = Table(title=title, title_justify="left", title_style="bold", header_style="dim", box=None, pad_edge=False)
    table.add_column(first, overflow="fold")
    for name in figures:
        table.add_column(name, justify="right", no_wrap=True)
    # It folds like the first, and neither has a least width: the table would lose the other's text where both are long.
    table.add_column(last, overflow="fold")
    return table


def _more(table: Table, count: int, what: str) -> None:
    if count > 0:
        table.add_row(Text(f"… {count:,} more {what} (--top)", style="dim"))


class _TestNames:
    """Short names of tests, with their module where there are several."""

    def __init__(self, profile: Profile) -> None:
        self._many = len({test.module for test in profile.tests}) > 1

    def of(self, test: TestEnergy) -> Text:
        place = f"{test.module} " if self._many else ""
        return Text(printable(f"{place}{short_class(test.class_name)}#{test.method}"))


def _energy(energy_j: float, profile: Profile) -> list[str]:
    volts = profile.about.voltage_v
    return [joules(energy_j), charge(energy_j, volts), battery_share(energy_j, volts, profile.about.battery_mah)]
