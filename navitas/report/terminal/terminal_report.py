"""The terminal report, and the report of views: their tables, and the lines above and below them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from rich.console import Console, Group, RenderableType
from rich.text import Text

from navitas.base.counts import counted
from navitas.base.errors import UsageError
from navitas.base.near_names import near_names
from navitas.base.units import battery_share, charge, joules, unbroken
from navitas.base.untrusted_text import printable
from navitas.energy.analyze.profile import Profile
from navitas.energy.analyze.records import TestEnergy, ThreadEnergy
from navitas.insight.verdict.figures import Figures
from navitas.insight.verdict.next_step import RECORDING
from navitas.insight.verdict.verdict import verdict_of
from navitas.report.figure_notes import (
    doubts,
    evidence_groups,
    listed,
    measured_by_rails,
    tests_note,
    tick_note,
    uncertainty_note,
)
from navitas.report.terminal.call_trees import CallTree, energy_tree_table
from navitas.report.terminal.components_table import components_table, consumers_table, users_table
from navitas.report.terminal.methods_table import handed_work_table, methods_table
from navitas.report.terminal.paragraph import Paragraph, with_unbroken_figures
from navitas.report.terminal.power_table import PowerOverTime
from navitas.report.terminal.tests_table import baseline_table, not_passed, tests_table
from navitas.report.terminal.threads_table import threads_table
from navitas.report.terminal.verdict_lines import verdict_lines
from navitas.report.view_request import ViewRequest

_NO_USER = "No thread used it."
_MAX_WARNINGS = 100
_WARNING = "warning: "
_INDENT = " " * len(_WARNING)


@dataclass(frozen=True, slots=True)
class TerminalReport:
    """Prints tables of tests, threads and methods, and with `tree` the call tree of the thread with that name or serial.

    With repeats, threads and methods show the run of each test that is nearest to the median. `recording` is the folder that the
    next command names.
    """

    top: int = 20
    tree: str | None = None
    recording: str = RECORDING

    def render(self, profile: Profile, console: Console) -> None:
        """Print the report. Raises `UsageError` if no thread matches `tree`."""
        tests = profile.tests_by_class if profile.is_by_class else profile.tests
        groups = profile.classes() if profile.is_by_class else profile.repeats()
        shown = [group.typical for group in groups]
        trees = self._selected_threads(shown) if self.tree is not None else []
        table = tests_table(profile, groups, self.top)
        table.notes += [Paragraph(tests_note(profile, tests, groups), style="dim"), *not_passed(profile, tests, self.top)]
        parts: list[RenderableType] = [
            *header(profile),
            "",
            *verdict_lines(verdict_of(Figures(profile)), self.recording),
            "",
            table,
        ]
        if any(test.unprobed_j is not None for test in tests):
            parts += ["", baseline_table(profile, groups, self.top)]
        if any(len(group.tests) > 1 for group in groups):
            parts += ["", Paragraph("Threads and methods: for each test, the run nearest to its median.", style="dim")]
        if any(test.threads for test in shown):
            parts += ["", threads_table(profile, shown, self.top)]
        if any(thread.methods for test in shown for thread in test.threads):
            parts += ["", methods_table(profile, shown, self.top)]
        if profile.handed_work():
            parts += ["", handed_work_table(profile, self.top)]
        if len(profile.components) > 1:
            parts += ["", components_table(profile)]
        if profile.consumers and len(profile.components) > 1:
            parts += ["", consumers_table(profile)]
        for test, thread in trees:
            parts += ["", CallTree(profile, test, thread)]
        for doubt in doubts(shown, is_below_zero=any(thread.nodes.is_below_zero for _, thread in trees)):
            parts += ["", Paragraph(doubt, style="dim")]
        console.print(Group(*parts, "", *totals(profile), *evidence(profile), *warnings(profile)))

    def _selected_threads(self, shown: Sequence[TestEnergy]) -> list[tuple[TestEnergy, ThreadEnergy]]:
        """Return the threads that match `tree`, with their tests."""
        wanted = self.tree
        threads = [(test, thread) for test in shown for thread in test.threads if thread.nodes]
        found = [(test, thread) for test, thread in threads if wanted in {thread.name, str(thread.serial)}]
        if not found:
            raise unknown_thread(wanted or "", {thread.name for _, thread in threads})
        return found


def unknown_thread(wanted: str, names: Iterable[str]) -> UsageError:
    """Return the error for a name or serial that matches no thread with calls."""
    listed = near_names(wanted, names)
    remedy = f"Threads with calls: {listed}" if listed else "No thread has recorded calls."
    return UsageError(f"no thread with calls has the name or serial {printable(wanted)!r}", remedy)


@dataclass(frozen=True, slots=True)
class ViewsReport:
    """Prints the requested views, the evidence, and the warnings. At most `top` runs, threads and callees are listed."""

    views: ViewRequest
    top: int = 20

    def render(self, profile: Profile, console: Console) -> None:
        """Print the views. Raises `UsageError` if the recording lacks what they show."""
        self.views.check(profile)
        shown = {"top": self._shares, "timeline": self._timelines, "tree": self._trees}
        parts = [part for name in self.views.names for part in ("", *shown[name](profile))]
        console.print(Group(*header(profile), *parts, "", *evidence(profile, self.views.component), *warnings(profile)))

    def _shares(self, profile: Profile) -> Iterator[RenderableType]:
        component = self.views.component
        yield components_table(profile, component)
        yield ""
        yield users_table(profile, component)
        if profile.consumers and component is None:
            yield ""
            yield consumers_table(profile)

    def _timelines(self, profile: Profile) -> Iterator[RenderableType]:
        count, found = self.views.timelines(profile)
        shown = [use.component for use in profile.top().shown(self.views.component)]
        if self.views.thread is not None:
            yield Paragraph("Charges of calls, such as the tail of a radio, count at the time of the call.", style="dim")
        for place, timelines in enumerate(islice(found, self.top)):
            yield from [""] if place else []
            yield PowerOverTime(timelines.of(shown), rows=self.views.step_ns is not None)
        yield from _more(count - self.top, "run")

    def _trees(self, profile: Profile) -> Iterator[RenderableType]:
        every = self.views.trees(profile)
        trees = [tree for tree in every if len(tree.nodes) or self.views.thread is not None]
        for place, tree in enumerate(trees[: self.top]):
            yield from [""] if place else []
            yield energy_tree_table(profile, tree, depth=self.views.depth, most=self.top)
        if not every:
            yield Paragraph(_NO_USER, style="dim")
        yield from _more(len(trees) - self.top, "thread")
        rest = [tree.energy_j for tree in every if not len(tree.nodes)]
        if rest and self.views.thread is None:
            threads = counted(len(rest), "thread")
            yield Paragraph(f"… {threads} without traced calls: {unbroken(joules(sum(rest)))}", style="dim")


def _more(count: int, what: str) -> Iterator[RenderableType]:
    if count > 0:
        yield Text(f"… {counted(count, f'more {what}')} (--top)", style="dim")


def header(profile: Profile) -> Iterator[RenderableType]:
    """Yield the project, the device and the power profile."""
    device, power_profile = profile.about.device, profile.about.power_profile
    kind = " (virtual phone: an estimate as if on this phone)" if device.get("kind") == "virtual" else ""
    yield Paragraph(f"{printable(profile.project)} on {printable(str(device.get('model', '')))}{kind}", style="bold")
    volts = unbroken(f"{profile.about.voltage_v:g} V")
    source = printable(str(power_profile.get("voltage_source", "")))
    yield Paragraph(f"power profile: {printable(str(power_profile.get('name', '')))}; {volts} ({source})", style="dim")


def totals(profile: Profile) -> Iterator[RenderableType]:
    """Yield the total with its addends, and the energy that the device's rails measured."""
    sums, volts = profile.totals, profile.about.voltage_v
    runs = max((test.repeat for test in profile.tests), default=0) + 1
    addends = [
        ("threads", sums.threads_j),
        ("other processes", sums.other_processes_j),
        ("base", sums.base_j),
        ("unattributed", sums.unattributed_j),
    ]
    title = f"Total of {runs} runs" if runs > 1 else "Total"
    width = max(len(title), *(len(name) + 2 for name, _ in addends)) + 2
    yield Text(f"{title:<{width}}{joules(sums.energy_j):>8}", style="bold")
    for sign, (name, energy_j) in zip("=+++", addends, strict=True):
        yield Text(f"{sign} {name:<{width - 2}}{joules(energy_j):>8}")
    share = battery_share(sums.energy_j, volts, profile.about.battery_mah)
    battery = f", {unbroken(share)} of the battery" if share else ""
    outside = f"{unbroken(joules(sums.outside_tests_j))} outside of tests"
    yield Paragraph(f"The total is {unbroken(charge(sums.energy_j, volts))}{battery}; {outside}.", style="dim")
    if note := measured_by_rails(profile):
        yield Paragraph(with_unbroken_figures(f"Rails{note}"))


def evidence(profile: Profile, component: str | None = None) -> Iterator[RenderableType]:
    """Yield the evidence for the components, or for one, with the expected error, and the reasons why it is not better.

    Components with the same evidence share a line. Reasons that are warnings, too, are left out.
    """
    warned = frozenset(notice.message for notice in profile.warnings)
    for group in evidence_groups(profile, component):
        subject = f" of {listed(group.components)}" if len(profile.evidence) > 1 else ""
        words = f"{group.level} ({group.basis})" if group.basis else group.level
        if group.expected_error is not None:
            error = unbroken(f"{100 * group.expected_error:.0f} %")
            words += f". Half of all methods are off by less than {error} (docs/accuracy.md)."
        yield Paragraph(f"Evidence{subject}: {words}")
        for reason in group.reason_lines(warned)[:_MAX_WARNINGS]:
            yield Paragraph(f"  {printable(reason, 500)}", style="dim", indent="  ")
    if note := tick_note(profile):
        yield Paragraph(note)
    yield Paragraph(uncertainty_note(profile), style="dim")


def warnings(profile: Profile) -> Iterator[RenderableType]:
    """Yield each warning with its remedy."""
    for notice in profile.warnings[:_MAX_WARNINGS]:
        message, remedy = (with_unbroken_figures(printable(part, 500)) for part in (notice.message, notice.remedy))
        yield Paragraph(Text.assemble((_WARNING, "yellow"), message), indent=_INDENT)
        if remedy:
            yield Paragraph(f"{_INDENT}{remedy}", style="dim", indent=_INDENT)
    if len(profile.warnings) > _MAX_WARNINGS:
        yield Text(f"… {len(profile.warnings) - _MAX_WARNINGS:,} more warnings, in the JSON report (--json)", style="dim")
