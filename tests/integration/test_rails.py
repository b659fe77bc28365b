"""The estimate of a whole profiling agrees with the phone's power rails."""

from __future__ import annotations

import pytest
from support.lab import Lab, skip_where_starved
from support.rails import rails_by_run

# Alone, after all other tests: they would starve the phone, and a starved recording is not judged.
pytestmark = [pytest.mark.slow, pytest.mark.quiet, pytest.mark.timeout(600)]


def test_the_estimate_agrees_with_the_rails(sample: Lab) -> None:
    profiled = sample.profile("KnownCasesTest#nestedCalls", "KnownCasesTest#twoBusyThreads", name="rails")
    assert profiled.outcome.failures == {}
    assert profiled.profile.evidence[0].level == "sched"
    skip_where_starved(profiled)
    ((estimate_j, rails_j),) = rails_by_run(profiled.outcome.recording)
    assert estimate_j == pytest.approx(rails_j, rel=0.05)
