"""Compute an app's run queue from its threads' clocks."""

from __future__ import annotations

from collections.abc import Iterable

from navitas.parse.roles import NOT_THE_TESTS, role_of
from navitas.parse.run_queue import RunQueue, Slices, run_queue
from navitas.parse.schedstat import Life


def run_queue_of(lives: Iterable[Iterable[Life]]) -> RunQueue | None:
    """Return running and waiting time of the sampled threads, or None if the kernel does not count waiting time."""
    all_lives = [life for of_tid in lives for life in of_tid]
    own = [life.slices for life in all_lives if role_of(life.name, False) not in NOT_THE_TESTS]
    return run_queue(Slices.joined([life.slices for life in all_lives]), Slices.joined(own))
