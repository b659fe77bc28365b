"""Branches of call trees: siblings are merged by method, and direct recursion is folded into one branch."""

from __future__ import annotations

import numpy as np

from navitas.energy.analyze.energy_tree import Branches, inclusive_j
from navitas.energy.analyze.records import Nodes


def tree(*rows: tuple[int, int, int, float, float, int]) -> Nodes:
    """Nodes from rows: parent, method, calls, inclusive and exclusive joules, wall time."""
    columns = [np.array(column) for column in zip(*rows, strict=True)]
    return Nodes(*columns, exclusive_by=columns[4][:, None], inclusive_by=columns[3][:, None])


def test_direct_recursion_is_one_branch_with_the_callees_of_all_levels() -> None:
    found = Branches(
        tree(
            (-1, 7, 1, 10.0, 1.0, 100),
            (0, 7, 2, 8.0, 2.0, 80),  # calls itself
            (1, 3, 4, 5.0, 5.0, 50),
            (1, 7, 1, 1.0, 1.0, 10),  # and again
            (0, 3, 1, 1.0, 1.0, 10),
            (-1, 3, 1, 11.0, 11.0, 110),
        )
    )
    first, second = found.top()
    assert (first.method, first.inclusive_j, first.levels) == (3, 11.0, 1)
    assert (second.id, second.method, second.inclusive_j, second.exclusive_j) == (0, 7, 10.0, 4.0)
    assert (second.calls, second.wall_ns, second.levels) == (4, 100, 3)
    (below,) = found.below(second)
    assert (below.method, below.inclusive_j, below.calls, below.wall_ns) == (3, 6.0, 5, 60)
    assert found.below(below) == found.below(first) == []
    assert inclusive_j([first, second]) == 21.0


def test_a_tree_without_nodes_has_no_branches() -> None:
    assert Branches(Nodes.none()).top() == []
