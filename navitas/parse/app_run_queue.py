"""Compute an app's run queue from its threads' clocks."""

from __future__ import annotations

from collections.abc import Iterable

from navitas.parse.roles import NOT_THE_TESTS, role_of
from navitas.parse.run_queue import RunQueue, Slices, run_queue
from navitas.parse.schedstat import Lifetime


def app_run_queue(lifetimes: Iterable[Iterable[Lifetime]]) -> RunQueue | None:
    """Return running and waiting time of the sampled threads, or None if the kernel does not count waiting time."""
    all_lifetimes = [lifetime for of_tid in lifetimes for lifetime in of_tid]
    own = [lifetime.slices for lifetime in all_lifetimes if role_of(lifetime.name, False) not in NOT_THE_TESTS]
    return run_queue(Slices.joined([lifetime.slices for lifetime in all_lifetimes]), Slices.joined(own))
