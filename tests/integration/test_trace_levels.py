"""Tracers and samplers on the phone: each reaches its level of evidence.

`make accuracy` compares their energy with the rails (tests/accuracy/live_trace_levels.py).
"""

from __future__ import annotations

import pytest
from support.lab import Lab, Profiled

from navitas.capture.collect.doctor import examine
from navitas.energy.analyze.conserve import check

pytestmark = pytest.mark.extended
LEVELS = {"atrace": "sched", "none": "thread-freq"}  # Perfetto: test_known_cases.py


@pytest.fixture(scope="module", params=LEVELS)
def traced(request: pytest.FixtureRequest, sample: Lab) -> tuple[str, Profiled]:
    tracing: str = request.param
    return tracing, sample.profile("KnownCasesTest#twoBusyThreads", name=f"trace-{tracing}", trace=tracing)


def test_the_level_is_the_one_that_the_doctor_predicts(traced: tuple[str, Profiled], sample: Lab) -> None:
    tracing, done = traced
    assert done.outcome.failures == {} and check(done.profile) == []
    if any(reason.code == "no_thread_time_in_state" for reason in done.profile.evidence[0].reasons):
        pytest.skip("this computer was too busy for the phone's shell to read the threads' time_in_state")
    assert done.profile.evidence[0].level == LEVELS[tracing], done.profile.evidence
    reported = examine(sample.phone)
    assert (reported.evidence_untraced if tracing == "none" else reported.evidence) == LEVELS[tracing]
    for number in (1, 2):
        assert done.method("twoBusyThreads", "busy", f"busy-{number}").inclusive_j > 0
