"""The terminal's views of call trees: of one thread in one test, and of a thread over all tests by component."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text
from rich.tree import Tree

from navitas.base.units import counted, duration, joules, percent, share, unbroken
from navitas.base.untrusted_text import printable
from navitas.energy.analyze.call_words import call_words
from navitas.energy.analyze.energy_tree import Branch, Branches, EnergyTree, inclusive_j
from navitas.energy.analyze.names import MethodNames, test_label
from navitas.energy.analyze.profile import Profile
from navitas.energy.analyze.records import TestEnergy, ThreadEnergy
from navitas.report.terminal.fitted_table import Column, FittedTable
from navitas.report.terminal.paragraph import Paragraph
from navitas.report.terminal.threads_table import thread_name

_MAX_DEPTH = 24
_MAX_CHILDREN = 30
_LEVEL_WIDTH, _LEAST_WIDTH = 4, 16
"""Widths of a level's guides, and of the text of the deepest level."""
_LEVEL = "·"
_SMALL = 0.001
"""Branches with a smaller share of the thread's energy are summed, except for the largest one of a caller."""


@dataclass(frozen=True, slots=True)
class CallTree:
    """A thread's call tree in one run of a test, largest energy first. Energy is without that of probes.

    Deep and small subtrees are summed. Direct recursion is one line. A narrow
    terminal shows fewer levels, so that figures are never cut.
    """

    profile: Profile
    test: TestEnergy
    thread: ThreadEnergy

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        levels = max((options.max_width - _LEAST_WIDTH) // _LEVEL_WIDTH, 1)
        yield _tree(self.profile, self.test, self.thread, min(levels, _MAX_DEPTH))


def _tree(profile: Profile, test: TestEnergy, thread: ThreadEnergy, max_depth: int) -> Tree:
    found = Branches(thread.nodes)
    names, words = MethodNames(profile.method_table), call_words(profile.ledger)
    energy_j = thread.energy_j - thread.probes_j
    title = thread_name(thread).append(f"  {_joules(thread.known(energy_j))} in ").append(printable(test_label(test)))
    title.append(", in the run nearest to the median" if profile.totals.repeats > 1 else "")
    tree = Tree(Paragraph(title), guide_style="dim")
    stack: list[tuple[Tree, Branch | None, int]] = [(tree, None, 0)]
    while stack:
        place, above, depth = stack.pop()
        branches = found.top() if above is None else found.below(above)
        kept = branches[:_MAX_CHILDREN] if depth < max_depth else []
        for branch in kept:
            percents = unbroken(percent(thread.known(share(branch.inclusive_j, energy_j))))
            line = Text(f"{_joules(thread.known(branch.inclusive_j))} {percents:>7}  ")
            line.append(printable(names.short(branch.method)), style="bold")
            calls = counted(branch.calls, words.singular)
            recursive = f", calls itself {branch.levels:,} deep" if branch.levels > 1 else ""
            wall = unbroken(duration(branch.wall_ns))
            line.append(f"  self {_joules(thread.known(branch.exclusive_j))}, {unbroken(calls)}, {wall}{recursive}", style="dim")
            stack.append((place.add(Paragraph(line)), branch, depth + 1))
        if branches[len(kept) :]:
            rest_j = inclusive_j(branches[len(kept) :])
            others = unbroken(f"… {len(branches) - len(kept):,} more")
            place.add(Paragraph(f"{_joules(thread.known(rest_j))}  {others}", style="dim"))
    tree.add(Paragraph(f"{_joules(thread.known(thread.untraced_j))}  {words.rest}", style="dim"))
    if thread.probes_j:
        tree.add(Paragraph(f"{_joules(thread.probes_j)}  probes, no part of these", style="dim"))
    return tree


def _joules(energy_j: float | None) -> str:
    return unbroken(joules(energy_j))


def energy_tree_table(profile: Profile, tree: EnergyTree, *, depth: int = 8, most: int = 20) -> FittedTable:
    """Return the calls of a thread, callees below their callers, with inclusive and self energy.

    A dot before a name is a level. At most `most` callees of a call are listed; the rest is summed. With several components,
    columns split the inclusive energy. Figures are means of all runs. Energy outside of tests and that of probes are below the
    others, without a share.
    """
    split, words = _used_components(tree), call_words(profile.ledger)
    columns = [
        Column("Call", text=True),
        Column("Inclusive"),
        Column("Self", drop=1),
        Column("Share", drop=2),
        *(Column(printable(tree.components[i], 40), drop=5 + rank) for rank, i in enumerate(split)),
        Column(words.counted, drop=3),
        Column("Time", drop=4),
    ]
    of_component = f", {printable(tree.components[0], 40)}" if len(tree.components) == 1 else ""
    role = "" if tree.role == "app" else f" {printable(tree.role, 40)}"
    runs, names = profile.totals.repeats, MethodNames(profile.method_table)
    of_runs = f", mean of {runs} runs" if runs > 1 else ""
    energy = f"{joules(tree.without_probes_j / runs)}{of_runs}"
    table = FittedTable(f"{printable(tree.name, 200) or '(no name)'}{role}{of_component}: {energy}", columns)
    rows = _Rows(tree, table, split, names, most=most, runs=runs)
    rows.add_branches(depth)
    rows.add_rest(words.rest, tree.untraced, has_share=True)
    rows.add_rest("probes", tree.probes)
    rows.add_rest("outside of tests", tree.outside_tests)
    return table


def _used_components(tree: EnergyTree) -> Sequence[int]:
    """Return the components with energy, largest first, if there are several."""
    used = sorted((i for i, energy_j in enumerate(tree.energy) if energy_j), key=lambda i: -tree.energy[i])
    return used if len(used) > 1 else []


class _Rows:
    """Adds the rows of a tree to a table."""

    def __init__(
        self, tree: EnergyTree, table: FittedTable, split: Sequence[int], names: MethodNames, *, most: int, runs: int
    ) -> None:
        self._tree, self._table, self._split, self._names, self._most, self._runs = tree, table, split, names, most, runs

    def add_branches(self, depth: int) -> None:
        """Add the calls of the first `depth` levels."""
        found = Branches(self._tree.nodes)
        pending: list[tuple[int, Branch | None, Sequence[Branch]]] = []
        self._push(pending, 0, found.top(), depth)
        while pending:
            level, branch, rest = pending.pop()
            if branch is None:
                nodes = [node for each in rest for node in each.outermost]
                self._add(level, f"… {len(rest):,} more", inclusive_j(rest), nodes)
                continue
            recursive = f" (calls itself {branch.levels:,} deep)" if branch.levels > 1 else ""
            name = printable(self._names.short(branch.method), 10_000)
            self._add(level, f"{name}{recursive}", branch.inclusive_j, branch.outermost, branch)
            self._push(pending, level + 1, found.below(branch), depth)

    def add_rest(self, name: str, energies: Sequence[float], *, has_share: bool = False) -> None:
        """Add energy outside of calls, if there is any."""
        if any(energies):
            by_component = [joules(energies[i] / self._runs) for i in self._split]
            energy_j = sum(energies)
            part = percent(share(energy_j, self._tree.without_probes_j)) if has_share else ""
            self._table.add(name, joules(energy_j / self._runs), "", part, *by_component, "", "")

    def _push(
        self, pending: list[tuple[int, Branch | None, Sequence[Branch]]], level: int, branches: Sequence[Branch], depth: int
    ) -> None:
        """Add branches to the stack, so that the largest one is taken first, and the sum of those not listed last."""
        least_j = _SMALL * self._tree.without_probes_j
        listed = [each for place, each in enumerate(branches[: self._most]) if not place or each.inclusive_j >= least_j]
        listed = listed if level < depth else []
        if rest := branches[len(listed) :]:
            pending.append((level, None, rest))
        pending.extend((level, branch, ()) for branch in reversed(listed))

    def _add(self, level: int, name: str, energy_j: float, nodes: Sequence[int], branch: Branch | None = None) -> None:
        """Add the row of a branch, or of several (`branch` is None). `nodes` are those of the outermost calls."""
        by = self._tree.nodes.inclusive_by
        self._table.add(
            f"{_LEVEL * level} {name}" if level else name,
            joules(energy_j / self._runs),
            "" if branch is None else joules(branch.exclusive_j / self._runs),
            percent(share(energy_j, self._tree.without_probes_j)),
            *(joules(float(by[list(nodes), i].sum()) / self._runs) for i in self._split),
            "" if branch is None else f"{round(branch.calls / self._runs):,}",
            "" if branch is None else duration(branch.wall_ns / self._runs),
        )
