"""Call trees for people: sibling calls of a method are merged into one branch, and direct recursion is folded into it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from navitas.analyze.records import Nodes


@dataclass(frozen=True, slots=True)
class Branch:
    """The calls of one method below one branch, with direct recursion folded in.

    - `id`: the id of its first node.
    - `inclusive_j`, `wall_ns`: sums over the outermost calls.
    - `levels`: the depth of the recursion; 1 without recursion.
    - `below`: the nodes that calls at any level call.
    - `outermost`: the nodes of the outermost calls.
    """

    id: int
    method: int
    inclusive_j: float
    exclusive_j: float
    calls: int
    wall_ns: int
    levels: int
    below: tuple[int, ...]
    outermost: tuple[int, ...] = ()


class Branches:
    """The branches of one call tree, computed level by level on demand. Nodes are integers, since trees have millions of them."""

    def __init__(self, nodes: Nodes) -> None:
        parents, self._method, self._calls, self._inclusive_j, self._exclusive_j, self._wall_ns = (
            column.tolist() for column in nodes.columns
        )
        self._children: dict[int, list[int]] = {}
        for node, parent in enumerate(parents):
            self._children.setdefault(parent, []).append(node)

    def top(self) -> list[Branch]:
        """Return the outermost branches, largest inclusive energy first."""
        return self._branches(self._children.get(-1, ()))

    def below(self, branch: Branch) -> list[Branch]:
        """Return the branches that a branch calls, largest inclusive energy first. Calls from all recursion levels are merged."""
        return self._branches(branch.below)

    def _branches(self, nodes: Iterable[int]) -> list[Branch]:
        by_method: defaultdict[int, list[int]] = defaultdict(list)
        for node in nodes:
            by_method[self._method[node]].append(node)
        return sorted(map(self._branch, by_method.values()), key=lambda branch: (-branch.inclusive_j, branch.id))

    def _branch(self, outermost: Sequence[int]) -> Branch:
        method = self._method[outermost[0]]
        exclusive_j, calls, levels = 0.0, 0, 0
        below: list[int] = []
        level: Sequence[int] = outermost
        while level:
            levels += 1
            exclusive_j += sum(self._exclusive_j[node] for node in level)
            calls += sum(self._calls[node] for node in level)
            called = [child for node in level for child in self._children.get(node, ())]
            below += [child for child in called if self._method[child] != method]
            level = [child for child in called if self._method[child] == method]
        return Branch(
            id=outermost[0],
            method=method,
            inclusive_j=sum(self._inclusive_j[node] for node in outermost),
            exclusive_j=exclusive_j,
            calls=calls,
            wall_ns=sum(self._wall_ns[node] for node in outermost),
            levels=levels,
            below=tuple(below),
            outermost=tuple(outermost),
        )


def inclusive_j(branches: Iterable[Branch]) -> float:
    """Return the sum of the inclusive energies of sibling branches."""
    return sum(branch.inclusive_j for branch in branches)
