"""A thread's call tree in the terminal."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rich.text import Text
from rich.tree import Tree

from navitas.analyze.profile import Profile
from navitas.analyze.records import Node, TestEnergy, ThreadEnergy
from navitas.analyze.share_of_whole import share
from navitas.report.names import MethodNames, test_label
from navitas.report.threads_table import thread_name
from navitas.report.units import duration, joules, percent
from navitas.untrusted_text import printable

_MAX_DEPTH = 24
_MAX_CHILDREN = 30


@dataclass(frozen=True, slots=True)
class _Branch:
    """One line of the tree: a method's calls below one line, with those that it made of itself directly folded into it.

    Inclusive energy and wall time are those of the outermost calls; `levels` is how deep they recurse, 1 if not at all.
    """

    id: int
    method: int
    inclusive_j: float
    exclusive_j: float
    calls: int
    wall_ns: int
    levels: int
    below: tuple[Node, ...]


def call_tree(profile: Profile, test: TestEnergy, thread: ThreadEnergy) -> Tree:
    """A thread's call tree, largest energy first; deep and small parts are summed up, and direct recursion is one line."""
    children: list[list[Node]] = [[] for _ in thread.nodes]
    roots: list[Node] = []
    for node in thread.nodes:
        (roots if node.parent < 0 else children[node.parent]).append(node)
    names = MethodNames(profile.method_table)
    title = thread_name(thread).append(f"  {joules(thread.energy_j)} in ").append(printable(test_label(test)))
    tree = Tree(title, guide_style="dim")
    stack: list[tuple[Tree, Sequence[Node], int]] = [(tree, roots, 0)]
    while stack:
        place, nodes, depth = stack.pop()
        branches = sorted(_branches(nodes, children), key=lambda branch: (-branch.inclusive_j, branch.id))
        kept = branches[:_MAX_CHILDREN] if depth < _MAX_DEPTH else []
        for branch in kept:
            line = Text(f"{joules(branch.inclusive_j)} {percent(share(branch.inclusive_j, thread.energy_j)):>7}  ")
            line.append(printable(names.short(branch.method)), style="bold")
            calls = "1 call" if branch.calls == 1 else f"{branch.calls:,} calls"
            recursive = f", calls itself {branch.levels:,} deep" if branch.levels > 1 else ""
            line.append(f"  self {joules(branch.exclusive_j)}, {calls}, {duration(branch.wall_ns)}{recursive}", style="dim")
            stack.append((place.add(line), branch.below, depth + 1))
        if branches[len(kept) :]:
            rest = sum(branch.inclusive_j for branch in branches[len(kept) :])
            place.add(Text(f"{joules(rest)}  … {len(branches) - len(kept):,} more", style="dim"))
    tree.add(Text(f"{joules(thread.untraced_j)}  outside of traced calls", style="dim"))
    if thread.probes_j:
        tree.add(Text(f"{joules(thread.probes_j)}  probes", style="dim"))
    return tree


def _branches(nodes: Iterable[Node], children: Sequence[Sequence[Node]]) -> list[_Branch]:
    """The nodes below one line, method by method: what recursion calls at any of its levels comes below it once."""
    by_method: defaultdict[int, list[Node]] = defaultdict(list)
    for node in nodes:
        by_method[node.method].append(node)
    return [_branch(same, children) for same in by_method.values()]


def _branch(outermost: Sequence[Node], children: Sequence[Sequence[Node]]) -> _Branch:
    method = outermost[0].method
    exclusive_j, calls, levels = 0.0, 0, 0
    below: list[Node] = []
    level: Sequence[Node] = outermost
    while level:
        levels += 1
        exclusive_j += sum(node.exclusive_j for node in level)
        calls += sum(node.calls for node in level)
        called = [child for node in level for child in children[node.id]]
        below += [child for child in called if child.method != method]
        level = [child for child in called if child.method == method]
    return _Branch(
        id=outermost[0].id,
        method=method,
        inclusive_j=sum(node.inclusive_j for node in outermost),
        exclusive_j=exclusive_j,
        calls=calls,
        wall_ns=sum(node.wall_ns for node in outermost),
        levels=levels,
        below=tuple(below),
    )
