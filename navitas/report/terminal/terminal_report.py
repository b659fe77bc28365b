"""The terminal report."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.console import Console, Group, RenderableType

from navitas.analyze.profile import Profile
from navitas.analyze.records import TestEnergy, ThreadEnergy
from navitas.errors import UsageError
from navitas.report.figure_notes import doubts, tests_note
from navitas.report.terminal.call_trees import CallTree
from navitas.report.terminal.components_table import components_table, consumers_table
from navitas.report.terminal.methods_table import handed_work_table, methods_table
from navitas.report.terminal.paragraph import Paragraph
from navitas.report.terminal.summary import evidence, header, totals, warnings
from navitas.report.terminal.tests_table import baseline_table, not_passed, tests_table
from navitas.report.terminal.threads_table import threads_table
from navitas.report.view_request import near_names
from navitas.untrusted_text import printable


class TerminalReport:
    """Prints tables of tests, threads and methods, and with `tree` the call tree of the thread with that name or serial.

    With repeats, threads and methods show the run of each test that is nearest to the median.
    """

    def __init__(self, top: int = 20, tree: str | None = None) -> None:
        self._top = top
        self._tree = tree

    def render(self, profile: Profile, console: Console) -> None:
        """Print the report. Raises `UsageError` if no thread matches `tree`."""
        tests = profile.tests_by_class if profile.is_by_class else profile.tests
        groups = profile.classes() if profile.is_by_class else profile.repeats()
        shown = [group.typical for group in groups]
        trees = self._selected_threads(shown) if self._tree is not None else []
        table = tests_table(profile, groups, self._top)
        table.notes += [Paragraph(tests_note(profile, tests, groups), style="dim"), *not_passed(profile, tests, self._top)]
        parts: list[RenderableType] = [*header(profile), "", table]
        if any(test.unprobed_j is not None for test in tests):
            parts += ["", baseline_table(profile, groups, self._top)]
        if any(len(group.tests) > 1 for group in groups):
            parts += ["", Paragraph("Threads and methods: for each test, the run nearest to its median.", style="dim")]
        if any(test.threads for test in shown):
            parts += ["", threads_table(profile, shown, self._top)]
        if any(thread.methods for test in shown for thread in test.threads):
            parts += ["", methods_table(profile, shown, self._top)]
        if profile.handed_work():
            parts += ["", handed_work_table(profile, self._top)]
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
        wanted = self._tree
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
