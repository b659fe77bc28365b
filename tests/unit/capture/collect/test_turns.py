"""The order of runs: turns of all versions, shuffled by a seed; warm-ups first; until enough is known, or a limit."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from navitas.capture.collect.options import ProfileOptions
from navitas.capture.collect.runs.version_runs import Turns


def choice(name: str, *arguments: str) -> Any:
    return SimpleNamespace(bundle=name, class_arguments=arguments or ("",))


def numbers(options: ProfileOptions, answers: list[bool] | None = None) -> list[int]:
    left = iter(answers or [])
    return list(Turns(options).numbers(None if answers is None else lambda: next(left)))


def test_without_a_limit_of_the_interval_all_repeats_run() -> None:
    assert numbers(ProfileOptions()) == [0]
    assert numbers(ProfileOptions(repeat=3, warmup=2)) == [0, 1, 2, 3, 4]


def test_repeats_end_when_the_interval_is_narrow() -> None:
    options = ProfileOptions(until_percent=3.0, warmup=1)
    assert numbers(options, [False, False, True]) == list(range(9)), "a warm-up, six repeats at least, two more"
    assert numbers(ProfileOptions(until_percent=3.0, repeat=8), [True]) == list(range(8))


def test_repeats_end_at_the_limit() -> None:
    assert len(numbers(ProfileOptions(until_percent=0.1, max_repeat=7), [False] * 9)) == 7
    assert len(numbers(ProfileOptions(until_percent=0.1, max_repeat=4), [False] * 9)) == 4, "also below six"


def test_a_single_turn_keeps_its_order() -> None:
    turns = Turns(ProfileOptions(baseline=True, seed=1))
    steps = [
        (step.choice.bundle, step.class_argument, step.baseline) for step in turns.steps([choice("a", "x", "y"), choice("b")])
    ]
    assert steps == [("a", "x", False), ("a", "y", False), ("b", "", False), ("a", "x", True), ("a", "y", True), ("b", "", True)]


@pytest.mark.parametrize("versions", [1, 2])
def test_the_seed_gives_the_order(versions: int) -> None:
    def orders(seed: int) -> list[list[str]]:
        turns = Turns(ProfileOptions(repeat=6, seed=seed), versions=versions)
        return [[step.class_argument for step in turns.steps([choice("a", *"abcdefgh")])] for _ in range(6)]

    assert orders(7) == orders(7) != orders(8)
    assert all(sorted(order) == list("abcdefgh") for order in orders(7)), "each runs once in each turn"
    assert len({tuple(order) for order in orders(7)}) > 1


def test_each_profiling_has_a_seed_of_its_own() -> None:
    assert ProfileOptions(seed=5).with_seed().seed == 5
    assert len({ProfileOptions().with_seed().seed for _ in range(4)}) > 1
