"""Walks a thread's call tree, for flame graph formats."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from navitas.analyze.records import ThreadEnergy

UNTRACED = "(untraced)"
J_TO_UJ = 1e6


class Step(NamedTuple):
    """One step of a walk: it enters a node, with the node's self energy, or leaves it."""

    enters: bool
    method: int
    self_uj: float


def walk(thread: ThreadEnergy) -> Iterator[Step]:
    """Walk a thread's call tree depth first. The walk is iterative, since trees can be as deep as a JVM's stack."""
    parents, methods, _, _, self_j, _ = (column.tolist() for column in thread.nodes.columns)
    children: list[list[int] | None] = [None] * len(parents)
    roots: list[int] = []
    for node, parent in enumerate(parents):
        if parent < 0:
            roots.append(node)
        elif (siblings := children[parent]) is None:
            children[parent] = [node]
        else:
            siblings.append(node)
    stack = roots[::-1]
    while stack:
        node = stack.pop()
        if node < 0:
            yield Step(False, methods[~node], 0.0)
            continue
        yield Step(True, methods[node], max(self_j[node], 0.0) * J_TO_UJ)
        stack.append(~node)
        stack += (children[node] or ())[::-1]
