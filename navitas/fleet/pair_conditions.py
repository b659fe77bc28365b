"""The condition of each pair: its screen and its network, as a number."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from navitas.fleet.designs import PairBlock
from navitas.fleet.pairs import Pairs
from navitas.fleet.schema import I64, NETWORKS

CHANGING = len(NETWORKS)
"""The network of a pair whose ends differ, or of which one is unknown."""
_SCREEN_CHANGES = 1


@dataclass(frozen=True, slots=True)
class PairConditions:
    """The number of ends with the screen on, and the network, of the pair that ends at each sample."""

    screen: NDArray[np.int8]
    network: NDArray[np.int8]

    @classmethod
    def of(cls, samples: pa.Table, pairs: Pairs) -> PairConditions:
        """The conditions of an ordered table's pairs."""
        number = np.asarray(pc.fill_null(pc.index_in(samples["network"], pa.array(NETWORKS)), CHANGING).to_numpy(), np.int8)
        before = np.append(np.int8(CHANGING), number[:-1])[: len(number)]
        return cls(pairs.screen, np.where(number == before, number, np.int8(CHANGING)).astype(np.int8))

    def of_client(self, block: PairBlock, number: int) -> I64:
        """The condition of each of a client's pairs, which is the same in a whole span."""
        end = block.end[block.pairs.of_client(number)]
        screen, network = (
            block.pairs.alike_in_span(number, one[end].astype(np.int64), changing)
            for one, changing in ((self.screen, _SCREEN_CHANGES), (self.network, CHANGING))
        )
        return screen * (CHANGING + 1) + network


def screen_and_network(condition: I64) -> tuple[I64, I64]:
    """The screen and the network of conditions."""
    return np.divmod(condition, CHANGING + 1)
