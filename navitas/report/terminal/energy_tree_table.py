"""The terminal table of a thread's energy call tree."""

from __future__ import annotations

from collections.abc import Sequence

from navitas.analyze.branches import Branch, Branches, inclusive_j
from navitas.analyze.energy_tree import EnergyTree
from navitas.analyze.profile import Profile
from navitas.analyze.share_of import share
from navitas.report.names import MethodNames
from navitas.report.terminal.fitted_table import Column, FittedTable
from navitas.report.units import duration, joules, percent
from navitas.untrusted_text import printable

_LEVEL = "·"
_SMALL = 0.001
"""Branches with a smaller share of the thread's energy are summed, except for the largest one of a caller."""


def energy_tree_table(profile: Profile, tree: EnergyTree, *, depth: int = 8, most: int = 20) -> FittedTable:
    """Return the calls of a thread, callees below their callers, with inclusive and self energy.

    A dot before a name is a level. At most `most` callees of a call are listed; the rest is summed. With several components,
    columns split the inclusive energy.
    """
    split = _used_components(tree)
    columns = [
        Column("Call", text=True),
        Column("Inclusive"),
        Column("Self", drop=1),
        Column("Share", drop=2),
        *(Column(printable(tree.components[i], 40), drop=5 + rank) for rank, i in enumerate(split)),
        Column("Calls", drop=3),
        Column("Time", drop=4),
    ]
    of_component = f", {printable(tree.components[0], 40)}" if len(tree.components) == 1 else ""
    role = "" if tree.role == "app" else f" {printable(tree.role, 40)}"
    table = FittedTable(f"{printable(tree.name, 200) or '(no name)'}{role}{of_component}: {joules(tree.energy_j)}", columns)
    rows = _Rows(tree, table, split, MethodNames(profile.method_table), most)
    rows.add_branches(depth)
    rows.add_rest("outside of traced calls", tree.untraced)
    rows.add_rest("probes", tree.probes)
    rows.add_rest("outside of tests", tree.outside_tests)
    return table


def _used_components(tree: EnergyTree) -> Sequence[int]:
    """Return the components with energy, largest first, if there are several."""
    used = sorted((i for i, energy_j in enumerate(tree.energy) if energy_j), key=lambda i: -tree.energy[i])
    return used if len(used) > 1 else []


class _Rows:
    """Adds the rows of a tree to a table."""

    def __init__(self, tree: EnergyTree, table: FittedTable, split: Sequence[int], names: MethodNames, most: int) -> None:
        self._tree, self._table, self._split, self._names, self._most = tree, table, split, names, most

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

    def add_rest(self, name: str, energies: Sequence[float]) -> None:
        """Add energy outside of calls, if there is any."""
        if any(energies):
            by_component = [joules(energies[i]) for i in self._split]
            energy_j = sum(energies)
            self._table.add(name, joules(energy_j), "", percent(share(energy_j, self._tree.energy_j)), *by_component, "", "")

    def _push(
        self, pending: list[tuple[int, Branch | None, Sequence[Branch]]], level: int, branches: Sequence[Branch], depth: int
    ) -> None:
        """Add branches to the stack, so that the largest one is taken first, and the sum of those not listed last."""
        least_j = _SMALL * self._tree.energy_j
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
            joules(energy_j),
            "" if branch is None else joules(branch.exclusive_j),
            percent(share(energy_j, self._tree.energy_j)),
            *(joules(float(by[list(nodes), i].sum())) for i in self._split),
            "" if branch is None else f"{branch.calls:,}",
            "" if branch is None else duration(branch.wall_ns),
        )
