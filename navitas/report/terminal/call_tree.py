"""The terminal's view of a thread's call tree."""

from __future__ import annotations

from rich.text import Text
from rich.tree import Tree

from navitas.analyze.branches import Branch, Branches, inclusive_j
from navitas.analyze.profile import Profile
from navitas.analyze.records import TestEnergy, ThreadEnergy
from navitas.analyze.share_of import share
from navitas.report.names import MethodNames, test_label
from navitas.report.terminal.threads_table import thread_name
from navitas.report.units import duration, joules, percent
from navitas.untrusted_text import printable

_MAX_DEPTH = 24
_MAX_CHILDREN = 30


def call_tree(profile: Profile, test: TestEnergy, thread: ThreadEnergy) -> Tree:
    """Return a thread's call tree, largest energy first. Deep and small subtrees are summed. Direct recursion is one line."""
    found = Branches(thread.nodes)
    names = MethodNames(profile.method_table)
    title = thread_name(thread).append(f"  {joules(thread.energy_j)} in ").append(printable(test_label(test)))
    tree = Tree(title, guide_style="dim")
    stack: list[tuple[Tree, Branch | None, int]] = [(tree, None, 0)]
    while stack:
        place, above, depth = stack.pop()
        branches = found.top() if above is None else found.below(above)
        kept = branches[:_MAX_CHILDREN] if depth < _MAX_DEPTH else []
        for branch in kept:
            line = Text(f"{joules(branch.inclusive_j)} {percent(share(branch.inclusive_j, thread.energy_j)):>7}  ")
            line.append(printable(names.short(branch.method)), style="bold")
            calls = "1 call" if branch.calls == 1 else f"{branch.calls:,} calls"
            recursive = f", calls itself {branch.levels:,} deep" if branch.levels > 1 else ""
            line.append(f"  self {joules(branch.exclusive_j)}, {calls}, {duration(branch.wall_ns)}{recursive}", style="dim")
            stack.append((place.add(line), branch, depth + 1))
        if branches[len(kept) :]:
            rest_j = inclusive_j(branches[len(kept) :])
            place.add(Text(f"{joules(rest_j)}  … {len(branches) - len(kept):,} more", style="dim"))
    tree.add(Text(f"{joules(thread.untraced_j)}  outside of traced calls", style="dim"))
    if thread.probes_j:
        tree.add(Text(f"{joules(thread.probes_j)}  probes", style="dim"))
    return tree
