"""Random numbers that are the same in each order of the tests."""

from __future__ import annotations

from typing import Any

import numpy as np

_FIRST_STATES: list[tuple[np.random.Generator, dict[str, Any]]] = []


def repeatable_rng(seed: int) -> np.random.Generator:
    """Return a generator for the tests of a module. Each test gets the same numbers (tests/conftest.py)."""
    rng = np.random.default_rng(seed)
    _FIRST_STATES.append((rng, dict(rng.bit_generator.state)))
    return rng


def restart_random_numbers() -> None:
    """Return all generators of `repeatable_rng` to their first states."""
    for rng, state in _FIRST_STATES:
        rng.bit_generator.state = state
