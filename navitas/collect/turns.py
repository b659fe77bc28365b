"""The order of a profiling's runs: turns of all versions, shuffled within each turn, until enough is known."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from navitas.collect.choice import Choice
from navitas.collect.options import ProfileOptions

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class TurnStep:
    """One run of a turn: some tests of a bundle, with or (`baseline`) without probes."""

    choice: Choice
    class_argument: str
    baseline: bool


class Turns:
    """The turns of a profiling. In each turn, all tests run once; the first `options.warmup` turns do not count.

    The order in a turn is random, so that the device's drift affects all tests and versions alike.
    """

    def __init__(self, options: ProfileOptions, *, versions: int = 1) -> None:
        self._options = options
        self._shuffles = versions > 1 or options.max_turns > 1
        self._random = random.Random(options.seed)

    def numbers(self, is_enough: Callable[[], bool] | None) -> Iterator[int]:
        """Yield the numbers of the turns, until `is_enough` after the least number of turns, or until the last turn."""
        options = self._options
        for number in range(options.max_turns):
            yield number
            if number + 1 >= options.least_turns and (is_enough is None or is_enough()):
                return

    def steps(self, selected: Sequence[Choice]) -> list[TurnStep]:
        """Return the runs of the next turn."""
        baselines = (False, True) if self._options.baseline else (False,)
        return self.shuffled(
            [
                TurnStep(choice, argument, baseline)
                for baseline, choice in itertools.product(baselines, selected)
                for argument in choice.class_arguments
            ]
        )

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """Return the items in random order, or as they are if there is only one turn of one version."""
        return self._random.sample(items, len(items)) if self._shuffles else list(items)
