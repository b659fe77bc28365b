"""A thread's call tree as stacks of frames with weights, for flame graph tools."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from navitas.attribute.result import ThreadEnergy

UNTRACED = "(untraced)"
J_TO_UJ = 1e6


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a walk: a node is entered (with its own µJ) or left."""

    enters: bool
    node: int
    self_uj: float


def walk(thread: ThreadEnergy) -> Iterator[Step]:
    """Walk a thread's call tree depth first, without recursion (trees may be as deep as stacks)."""
    children: list[list[int]] = [[] for _ in thread.nodes]
    roots: list[int] = []
    for node in thread.nodes:
        (roots if node.parent < 0 else children[node.parent]).append(node.id)
    stack = [(root, True) for root in reversed(roots)]
    while stack:
        at, enters = stack.pop()
        if enters:
            yield Step(True, at, max(thread.nodes[at].exclusive_j, 0.0) * J_TO_UJ)
            stack.append((at, False))
            stack += [(child, True) for child in reversed(children[at])]
        else:
            yield Step(False, at, 0.0)
