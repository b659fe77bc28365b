"""The energy from each tracer and sampler matches the rails (`make accuracy`)."""

from __future__ import annotations

import numpy as np
import pytest
from support.lab import Lab, Profiled, skip_where_starved
from support.rails import rails_by_run

from navitas.energy.analyze.load import load_tables
from navitas.recording.parse.tables import RunTables

TESTS = ("KnownCasesTest#sleepingAndBusyThread", "KnownCasesTest#twoBusyThreads")
LEVELS = {"perfetto": "sched", "atrace": "sched", "none": "thread-freq"}


STARVED_NS = 250_000_000
"""The sampler wakes every 20 ms. A gap of this length shows that the host starved the phone."""
RARE_NS = 1_500_000_000
"""Threads are read five times a second. If that takes long, the shell waits ten times as long."""


@pytest.fixture(scope="module", params=LEVELS)
def traced(request: pytest.FixtureRequest, sample: Lab) -> tuple[str, Profiled]:
    """A profile, repeated if the host starved the phone, since its counters are then read too late."""
    for attempt in range(3):
        done = sample.profile(*TESTS, name=f"trace-{request.param}-{attempt}", trace=request.param)
        (run,) = load_tables(done.outcome.recording).parsed.runs
        if not _starved(run):
            break
    return request.param, done


def _starved(run: RunTables) -> bool:
    grid = run.cpu.time_in_state[0].t_ns
    late = max(np.diff(one.t_ns).max() for one in run.cpu.time_in_state) >= STARVED_NS
    read = [table.t_ns for thread in run.threads for table in thread.residency]
    rare = bool(read) and np.diff(np.unique(np.concatenate([*read, grid[-1:]]))).max() >= RARE_NS
    return bool(late or rare)


def test_energy_matches_the_rails(traced: tuple[str, Profiled]) -> None:
    tracing, done = traced
    assert done.profile.evidence[0].level == LEVELS[tracing], done.profile.evidence
    skip_where_starved(done)
    ((estimate_j, rails_j),) = rails_by_run(done.outcome.recording)
    assert estimate_j == pytest.approx(rails_j, rel=0.03)


def test_two_busy_threads_use_equal_energy(traced: tuple[str, Profiled]) -> None:
    _, done = traced
    first, second = (done.method("twoBusyThreads", "busy", f"busy-{number}").inclusive_j for number in (1, 2))
    assert first == pytest.approx(second, rel=0.15)
