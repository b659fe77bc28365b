"""The loops of a method, from the successors of its blocks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from navitas.strong_components import strong_components


@dataclass(frozen=True, slots=True)
class BlockLoops:
    """The outermost loop of each block that is in one. `loop` has its number, and `members` the blocks of each loop.

    `entering` has the blocks outside of each loop that lead into it. The method's start leads into the loop of block 0.
    """

    loop: dict[int, int]
    members: tuple[frozenset[int], ...]
    entering: tuple[frozenset[int], ...]

    @classmethod
    def of(cls, successors: Sequence[Sequence[int]]) -> BlockLoops:
        """Find the loops of a method by the successors of each block. Exceptions make no loop."""
        components = strong_components(dict(enumerate(successors)))
        members = [frozenset(one) for one in components if len(one) > 1 or one[0] in successors[one[0]]]
        loop = {block: number for number, blocks in enumerate(members) for block in blocks}
        entering: list[set[int]] = [set() for _ in members]
        for block, following in enumerate(successors):
            for other in following:
                if other in loop and loop.get(block) != loop[other]:
                    entering[loop[other]].add(block)
        return cls(loop, tuple(members), tuple(map(frozenset, entering)))

    def entries(self, block: int, executions: Sequence[int], calls: int) -> int:
        """The most often that the loop of a block can have been entered: the executions of the blocks that lead into it.

        A block that can also lead elsewhere counts in full.
        """
        number = self.loop[block]
        start = calls if 0 in self.members[number] else 0
        return sum((executions[other] for other in self.entering[number]), start)
