"""The terminal's view of a thread's call tree."""

from __future__ import annotations

from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text
from rich.tree import Tree

from navitas.analyze.branches import Branch, Branches, inclusive_j
from navitas.analyze.profile import Profile
from navitas.analyze.records import TestEnergy, ThreadEnergy
from navitas.analyze.share_of import share
from navitas.counts import counted
from navitas.report.names import MethodNames, test_label
from navitas.report.terminal.paragraph import Paragraph
from navitas.report.terminal.threads_table import thread_name
from navitas.report.units import duration, joules, percent, unbroken
from navitas.untrusted_text import printable

_MAX_DEPTH = 24
_MAX_CHILDREN = 30
_LEVEL_WIDTH, _LEAST_WIDTH = 4, 16
"""Widths of a level's guides, and of the text of the deepest level."""


@dataclass(frozen=True, slots=True)
class CallTree:
    """A thread's call tree, largest energy first. Deep and small subtrees are summed. Direct recursion is one line.

    A narrow terminal shows fewer levels, so that figures are never cut.
    """

    profile: Profile
    test: TestEnergy
    thread: ThreadEnergy

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        levels = max((options.max_width - _LEAST_WIDTH) // _LEVEL_WIDTH, 1)
        yield _tree(self.profile, self.test, self.thread, min(levels, _MAX_DEPTH))


def _tree(profile: Profile, test: TestEnergy, thread: ThreadEnergy, max_depth: int) -> Tree:
    found = Branches(thread.nodes)
    names = MethodNames(profile.method_table)
    title = thread_name(thread).append(f"  {_joules(thread.known(thread.energy_j))} in ").append(printable(test_label(test)))
    tree = Tree(Paragraph(title), guide_style="dim")
    stack: list[tuple[Tree, Branch | None, int]] = [(tree, None, 0)]
    while stack:
        place, above, depth = stack.pop()
        branches = found.top() if above is None else found.below(above)
        kept = branches[:_MAX_CHILDREN] if depth < max_depth else []
        for branch in kept:
            percents = unbroken(percent(thread.known(share(branch.inclusive_j, thread.energy_j))))
            line = Text(f"{_joules(thread.known(branch.inclusive_j))} {percents:>7}  ")
            line.append(printable(names.short(branch.method)), style="bold")
            calls = counted(branch.calls, "call")
            recursive = f", calls itself {branch.levels:,} deep" if branch.levels > 1 else ""
            wall = unbroken(duration(branch.wall_ns))
            line.append(f"  self {_joules(thread.known(branch.exclusive_j))}, {unbroken(calls)}, {wall}{recursive}", style="dim")
            stack.append((place.add(Paragraph(line)), branch, depth + 1))
        if branches[len(kept) :]:
            rest_j = inclusive_j(branches[len(kept) :])
            others = unbroken(f"… {len(branches) - len(kept):,} more")
            place.add(Paragraph(f"{_joules(thread.known(rest_j))}  {others}", style="dim"))
    tree.add(Paragraph(f"{_joules(thread.known(thread.untraced_j))}  outside of traced calls", style="dim"))
    if thread.probes_j:
        tree.add(Paragraph(f"{_joules(thread.probes_j)}  probes", style="dim"))
    return tree


def _joules(energy_j: float | None) -> str:
    return unbroken(joules(energy_j))
