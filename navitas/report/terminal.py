"""The report in the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from difflib import get_close_matches

from rich.console import Console, Group, RenderableType
from rich.text import Text
from rich.tree import Tree

from navitas.attribute.classes import by_class, is_by_class
from navitas.attribute.repeats import repeats_of
from navitas.attribute.result import Analysis, Node, TestEnergy, ThreadEnergy, Totals
from navitas.errors import UsageError
from navitas.report.names import MethodNames, printable, test_label
from navitas.report.tables import baseline_table, methods_table, tests_table, thread_name, threads_table
from navitas.report.units import battery_share, charge, duration, joules, percent

_MAX_DEPTH = 24
_MAX_CHILDREN = 30
_MAX_WARNINGS = 100
_NARROW = 100
_LONGEST_NAME = 200


class TerminalReport:
    """Tests, threads and methods; with `tree` the call tree of the thread of that name or serial.

    With repeated runs, threads and methods are those of each test's run that is nearest to the median.
    """

    def __init__(self, top: int = 20, tree: str | None = None) -> None:
        self._top = top
        self._tree = tree

    def render(self, analysis: Analysis, console: Console) -> None:
        """Print the report. UsageError when no thread fits `tree`."""
        if is_by_class(analysis):
            analysis = replace(analysis, tests=by_class(analysis.tests))
        groups = repeats_of(analysis.tests)
        shown = [group.typical for group in groups]
        trees = list(self._trees(analysis, shown)) if self._tree is not None else []
        paper1 = any(test.paper1_j is not None for test in shown)
        narrow = console.width < _NARROW
        parts: list[RenderableType] = [_header(analysis), "", tests_table(analysis, groups, self._top, narrow=narrow)]
        if any(len(group.tests) > 1 for group in groups):
            parts += ["", Text("Threads and methods: of each test the run nearest to its median.", style="dim")]
        if any(test.unprobed_j is not None for test in analysis.tests):
            parts += ["", baseline_table(analysis, groups, self._top)]
        if any(test.threads for test in shown):
            parts += ["", threads_table(analysis, shown, self._top)]
        if any(thread.methods for test in shown for thread in test.threads):
            parts += ["", methods_table(analysis, shown, self._top, paper1=paper1, narrow=narrow)]
        parts += ["", *trees, _totals(analysis), *_evidence(analysis)]
        console.print(Group(*parts))

    def _trees(self, analysis: Analysis, shown: Sequence[TestEnergy]) -> Iterator[RenderableType]:
        wanted = self._tree
        threads = [(test, thread) for test in shown for thread in test.threads if thread.nodes]
        found = [(test, thread) for test, thread in threads if wanted in {thread.name, str(thread.serial)}]
        if not found:
            raise unknown_thread(wanted or "", {thread.name for _, thread in threads})
        for test, thread in found:
            yield call_tree(analysis, test, thread)
            yield ""


def unknown_thread(wanted: str, names: Iterable[str]) -> UsageError:
    """The error for a thread that is not among those with calls."""
    known = sorted(set(names))
    nearest = get_close_matches(wanted[:_LONGEST_NAME], [name[:_LONGEST_NAME] for name in known], n=5, cutoff=0.3) or known[:5]
    listed = ", ".join(printable(name, 60) for name in nearest)
    remedy = f"Threads with calls: {listed}" if listed else "No thread has recorded calls."
    return UsageError(f"no thread with calls has the name or serial {printable(wanted)!r}", remedy)


def call_tree(analysis: Analysis, test: TestEnergy, thread: ThreadEnergy) -> Tree:
    """A thread's call tree, largest energy first; deep and small parts are summed up."""
    children: list[list[Node]] = [[] for _ in thread.nodes]
    roots: list[Node] = []
    for node in thread.nodes:
        (roots if node.parent < 0 else children[node.parent]).append(node)
    names = MethodNames(analysis.methods)
    title = thread_name(thread).append(f"  {joules(thread.energy_j)} in ").append(printable(test_label(test)))
    tree = Tree(title, guide_style="dim")
    stack: list[tuple[Tree, list[Node], int]] = [(tree, roots, 0)]
    while stack:
        branch, nodes, depth = stack.pop()
        nodes = sorted(nodes, key=lambda node: (-node.inclusive_j, node.id))
        kept = nodes[:_MAX_CHILDREN] if depth < _MAX_DEPTH else []
        for node in kept:
            line = Text(f"{joules(node.inclusive_j)} {percent(node.inclusive_j, thread.energy_j):>7}  ")
            line.append(printable(names.short(node.method)), style="bold")
            calls = "1 call" if node.calls == 1 else f"{node.calls:,} calls"
            line.append(f"  self {joules(node.exclusive_j)}, {calls}, {duration(node.wall_ns)}", style="dim")
            stack.append((branch.add(line), children[node.id], depth + 1))
        if nodes[len(kept) :]:
            rest = sum(node.inclusive_j for node in nodes[len(kept) :])
            branch.add(Text(f"{joules(rest)}  … {len(nodes) - len(kept):,} more", style="dim"))
    tree.add(Text(f"{joules(thread.untraced_j)}  outside of traced calls", style="dim"))
    if thread.probes_j:
        tree.add(Text(f"{joules(thread.probes_j)}  probes", style="dim"))
    return tree


def _header(analysis: Analysis) -> Text:
    device, profile = analysis.device, analysis.power_profile
    kind = " (virtual phone: an estimate as if on this phone)" if device.get("kind") == "virtual" else ""
    text = Text(printable(analysis.project), style="bold")
    text.append(f" on {printable(str(device.get('model', '')))}{kind}\n", style="not bold")
    volts = f"{analysis.voltage_v:g} V ({printable(str(profile.get('voltage_source', '')))})"
    return text.append(f"power profile: {printable(str(profile.get('name', '')))}; {volts}", style="dim not bold")


def _totals(analysis: Analysis) -> Text:
    totals, volts = analysis.totals, analysis.voltage_v
    runs = max((test.repeat for test in analysis.tests), default=0) + 1
    text = Text(f"Total{f' of {runs} runs' if runs > 1 else ''} {joules(totals.energy_j)}", style="bold")
    share = battery_share(totals.energy_j, volts, analysis.battery_mah)
    amounts = ", ".join([charge(totals.energy_j, volts), *([f"{share} of the battery"] if share else [])])
    parts = (
        f" ({amounts}) = threads {joules(totals.threads_j)} + other processes {joules(totals.other_processes_j)}"
        f" + idle {joules(totals.idle_j)} + unattributed {joules(totals.unattributed_j)};"
        f" outside of tests {joules(totals.outside_tests_j)}"
    )
    return text.append(parts + _rails(totals), style="not bold")


def _rails(totals: Totals) -> str:
    if not totals.rails_j or totals.rails_estimate_j is None:
        return ""
    error = 100 * (totals.rails_estimate_j / totals.rails_j - 1)
    estimate = f"estimated for the same time {joules(totals.rails_estimate_j)} ({error:+.1f} %)"
    return f"\nrails: {joules(totals.rails_j)} measured, {estimate}"


def _evidence(analysis: Analysis) -> Iterator[Text]:
    tick_ns = analysis.evidence.tick_ns
    ticks = (
        ""
        if tick_ns is None
        else f"; calls are exact, times statistical: ticks of {duration(round(tick_ns))}, ± is a standard error"
    )
    yield Text(f"evidence: {analysis.evidence.level}{ticks}", style="dim")
    for reason in analysis.evidence.reasons[:_MAX_WARNINGS]:
        yield Text(f"  {printable(reason, 500)}", style="dim")
    for notice in analysis.warnings[:_MAX_WARNINGS]:
        text = Text("warning: ", style="yellow").append(printable(notice.message, 500))
        yield text.append(f"\n         {printable(notice.remedy, 500)}", style="dim") if notice.remedy else text
    if len(analysis.warnings) > _MAX_WARNINGS:
        yield Text(f"… {len(analysis.warnings) - _MAX_WARNINGS:,} more warnings, in the JSON report (--json)", style="dim")
