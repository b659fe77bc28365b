"""The terminal report, and the report of views: their tables, and the lines above and below them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice

from rich.console import Console, Group, RenderableType
from rich.text import Text

from navitas.base.errors import UsageError
from navitas.base.near_names import near_names
from navitas.base.units import battery_share, charge, counted, joules, unbroken
from navitas.base.untrusted_text import printable, printable_list
from navitas.energy.analyze.profile import Profile
from navitas.energy.analyze.records import TestEnergy, ThreadEnergy
from navitas.energy.analyze.timeline import longest_run_ns, round_step_ns
from navitas.energy.analyze.top import mean_of
from navitas.insight.verdict.figures import Figures
from navitas.insight.verdict.next_step import RECORDING
from navitas.insight.verdict.verdict import EnergyVerdict, verdict_of
from navitas.report.figure_notes import (
    basis_note,
    doubts,
    draws_note,
    evidence_groups,
    listed,
    measured_by_rails,
    tests_note,
)
from navitas.report.page_request import EarlierRecording, change_since
from navitas.report.terminal.call_trees import CallTree, energy_tree_table
from navitas.report.terminal.components_table import components_table, consumers_table, users_table
from navitas.report.terminal.methods_table import handed_work_table, methods_table
from navitas.report.terminal.paragraph import Paragraph, with_unbroken_figures
from navitas.report.terminal.power_table import MOST_ROWS, chart_cells, marked_tests, power_table, steps_table
from navitas.report.terminal.tests_table import baseline_table, not_passed, tests_table
from navitas.report.terminal.threads_table import threads_table
from navitas.report.view_request import ViewRequest

_NO_USER = "No thread used it."
_CHARGES = "Some energy flows after the call that caused it, such as in a radio's tail. It is drawn at the time of the call."
_MAX_REASONS, _MAX_WARNINGS = 2, 5
_WARNING = "warning: "
_INDENT = " " * len(_WARNING)
_LONGEST_STATEMENT = 1000
_NEXT = "Next: "


@dataclass(frozen=True, slots=True)
class TerminalReport:
    """Prints tables of tests, threads and methods, and with `tree` the call tree of the thread with that name or serial.

    With repeats, figures are those of `basis_note`, and the call tree is of the run of each test that is nearest to the median.
    `recording` is the folder that the next command names. `before`: the recording that the verdict compares with.
    """

    top: int = 20
    tree: str | None = None
    recording: str = RECORDING
    before: EarlierRecording | None = None

    def render(self, profile: Profile, console: Console) -> None:
        """Print the report. Raises `UsageError` if no thread matches `tree`."""
        tests, figures = profile.tests_by_class if profile.is_by_class else profile.tests, Figures(profile)
        groups = profile.classes() if profile.is_by_class else profile.repeats()
        shown = [group.typical for group in groups]
        trees = self._selected_threads(shown) if self.tree is not None else []
        table = tests_table(profile, groups, self.top)
        note = f"{basis_note(figures)} {tests_note(figures)}".strip()
        table.notes += [Paragraph(note, style="dim"), *not_passed(profile, tests, self.top)]
        parts: list[RenderableType] = [
            *header(profile),
            "",
            *_verdict_lines(verdict_of(figures, change_since(self.before, figures)), self.recording),
            "",
            table,
        ]
        if any(test.unprobed_j is not None for test in tests):
            parts += ["", baseline_table(profile, groups, self.top)]
        if figures.all_threads:
            parts += ["", threads_table(figures, self.top)]
        if figures.methods:
            parts += ["", methods_table(figures, self.top)]
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
        footer = *totals(profile), *evidence(profile), *warnings(profile)
        console.print(Group(*parts, "", *footer), crop=False)  # the next command stays one line

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
    """Prints the requested views, and a line of what limits them. At most `top` runs, threads and callees are listed."""

    views: ViewRequest
    top: int = 20

    def render(self, profile: Profile, console: Console) -> None:
        """Print the views. Raises `UsageError` if the recording lacks what they show."""
        self.views.check(profile)
        timelines = partial(self._timelines, width=console.width)
        shown: dict[str, Callable[[Profile], Iterator[RenderableType]]] = {
            "top": self._shares,
            "timeline": timelines,
            "tree": self._trees,
        }
        parts = [part for name in self.views.names for part in (*shown[name](profile), "")]
        console.print(Group(*parts, view_footer(profile, self.views.component)))

    def _shares(self, profile: Profile) -> Iterator[RenderableType]:
        component = self.views.component
        yield components_table(profile, component)
        yield ""
        yield users_table(profile, component)
        if profile.consumers and component is None:
            yield ""
            yield consumers_table(profile)

    def _timelines(self, profile: Profile, width: int) -> Iterator[RenderableType]:
        span_ns, wanted_ns = longest_run_ns(profile.ledger), self.views.step_ns
        fitting_ns = round_step_ns(span_ns, chart_cells(width))
        steps = 0 if wanted_ns is None else -(-span_ns // wanted_ns)
        is_listed = 0 < steps <= MOST_ROWS
        step_ns = wanted_ns if wanted_ns is not None and (is_listed or wanted_ns >= fitting_ns) else fitting_ns
        count, found = replace(self.views, step_ns=step_ns).timelines(profile)
        shown = [use.component for use in profile.top().shown(self.views.component)]
        if self.views.thread is not None:
            yield Paragraph(_CHARGES, style="dim")
        for place, timelines in enumerate(islice(found, self.top)):
            yield from [""] if place else []
            drawn = timelines.of(shown)
            if step_ns >= fitting_ns:
                yield power_table(drawn, marked_tests(profile, drawn))
                yield from [""] if is_listed else []
            if is_listed:
                yield steps_table(drawn)
        if step_ns != wanted_ns and wanted_ns is not None:
            yield Paragraph(f"{steps:,} steps do not fit here: --json has them.", style="dim")
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
        rest = [tree.without_probes_j for tree in every if not len(tree.nodes)]
        if rest and self.views.thread is None:
            threads, rest_j = counted(len(rest), "thread"), sum(rest) / profile.totals.repeats
            without = "not sampled" if profile.is_sampled else "without traced calls"
            yield Paragraph(f"… {threads} {without}: {unbroken(joules(rest_j))}", style="dim")


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
    """Yield the energy of the whole recording per run with its addends, and the energy that the device's rails measured."""
    sums, volts = mean_of(profile.totals, profile.totals.repeats), profile.about.voltage_v
    addends = {
        "threads": sums.threads_j,
        "other processes": sums.other_processes_j,
        "base": sums.base_j,
        "unattributed": sums.unattributed_j,
    }
    runs = ", per run" if sums.repeats > 1 else ""
    if profile.about.selected:
        yield Paragraph(selection_note(profile))
    parts = " + ".join(f"{name} {unbroken(joules(energy_j))}" for name, energy_j in addends.items() if energy_j)
    share = battery_share(sums.energy_j, volts, profile.about.battery_mah)
    battery = f", {unbroken(share)} of the battery" if share else ""
    outside = f" {unbroken(joules(sums.outside_tests_j))} of it outside of tests." if sums.outside_tests_j else ""
    total = f"Whole recording{runs}: {unbroken(joules(sums.energy_j))}"
    rest = f" ({unbroken(charge(sums.energy_j, volts))}{battery}){f' = {parts}' if parts else ''}.{outside}"
    yield Paragraph(Text.assemble((total, "bold"), rest))
    if note := measured_by_rails(profile):
        yield Paragraph(with_unbroken_figures(f"Rails{note}"))


def evidence(profile: Profile) -> Iterator[RenderableType]:
    """Yield the evidence for the components with the expected error, and for each the first reasons why it is not better.

    Components with the same evidence share a line. Reasons that are warnings, too, are left out.
    """
    warned = frozenset(notice.message for notice in profile.warnings)
    others = 0
    for group in evidence_groups(profile):
        subject = f" of {listed(group.components)}" if len(profile.evidence) > 1 else ""
        yield Paragraph(f"Evidence{subject}: {group.sentence}")
        reasons = group.reason_lines(warned)
        for reason in reasons[:_MAX_REASONS]:
            yield Paragraph(f"  {printable(reason, 500)}", style="dim", indent="  ")
        others += len(reasons[_MAX_REASONS:])
    if others:
        yield Text(f"… {counted(others, 'more reason')} (--json)", style="dim")
    if note := draws_note(profile):
        yield Paragraph(note)


def warnings(profile: Profile) -> Iterator[RenderableType]:
    """Yield the first warnings with their remedies, each code before any code's second one, and the number of the others."""
    first = {notice.code: notice for notice in reversed(profile.warnings)}
    ranked = sorted(profile.warnings, key=lambda notice: first[notice.code] is not notice)
    for notice in ranked[:_MAX_WARNINGS]:
        message, remedy = (with_unbroken_figures(printable(part, 500)) for part in (notice.message, notice.remedy))
        yield Paragraph(Text.assemble((_WARNING, "yellow"), message), indent=_INDENT)
        if remedy:
            yield Paragraph(f"{_INDENT}{remedy}", style="dim", indent=_INDENT)
    if more := ranked[_MAX_WARNINGS:]:
        yield Text(f"… {counted(len(more), 'more warning')} (--json)", style="dim")


def view_footer(profile: Profile, component: str | None) -> Paragraph:
    """Return the evidence of what a view shows, and the number of warnings, in one line."""
    groups = [f"{group.level} for {listed(group.components)}" for group in evidence_groups(profile, component)]
    count = len(profile.warnings)
    doubt = f" {counted(count, 'warning')}: see the report without --view." if count else ""
    selected = f" {selection_note(profile)}" if profile.about.selected else ""
    return Paragraph(f"Evidence: {'; '.join(groups) or 'none'}.{doubt}{selected}", style="dim")


def selection_note(profile: Profile) -> str:
    """Return a sentence that names the patterns of the tests that all figures are about."""
    return f"All figures are only of tests that match {printable_list(profile.about.selected, 5)} (--tests)."


def _verdict_lines(verdict: EnergyVerdict, recording: str) -> Iterator[RenderableType]:
    """Yield each statement, then the limits, then the next command, which nothing breaks: it can be copied."""
    for statement in verdict.statements:
        yield Paragraph(f"• {printable(statement.text, _LONGEST_STATEMENT)}", indent="  ")
    for limit in verdict.limits:
        yield Paragraph(f"  {printable(limit.text, _LONGEST_STATEMENT)}", style="dim", indent="  ")
    step = verdict.next_step
    yield Text.assemble((_NEXT, "bold"), step.line(recording), no_wrap=True, overflow="ignore")
    yield Paragraph(f"{' ' * len(_NEXT)}to {step.reason}", style="dim", indent=" " * len(_NEXT))
