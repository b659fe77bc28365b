"""The cycles of a graph: its strongly connected components, by Tarjan's algorithm (SIAM J. Comput. 1(2), 1972)."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from typing import TypeVar

_Node = TypeVar("_Node", bound=Hashable)


def strong_components(after: Mapping[_Node, Iterable[_Node]]) -> Iterator[list[_Node]]:
    """Yield the nodes that reach each other, together. A node in no cycle is alone. What a node leads to comes before it."""
    number, low = dict[_Node, int](), dict[_Node, int]()
    stack, on_stack = list[_Node](), set[_Node]()
    for root in after:
        if root in number:
            continue
        waiting = [(root, iter(after[root]))]
        while waiting:
            node, others = waiting[-1]
            if node not in number:
                number[node] = low[node] = len(number)
                stack.append(node)
                on_stack.add(node)
            for other in others:
                if other not in number:
                    waiting.append((other, iter(after[other])))
                    break
                if other in on_stack:
                    low[node] = min(low[node], number[other])
            else:
                waiting.pop()
                if waiting:
                    low[waiting[-1][0]] = min(low[waiting[-1][0]], low[node])
                if low[node] == number[node]:
                    found = list[_Node]()
                    while node in on_stack:
                        found.append(stack.pop())
                        on_stack.remove(found[-1])
                    yield found
