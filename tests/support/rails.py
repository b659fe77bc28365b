"""Compare the estimate with the rails, run by run, to score the profiler's accuracy."""

from __future__ import annotations

from pathlib import Path

import navitas


def rails_by_run(recording: Path) -> list[tuple[float, float]]:
    """Return (estimate, rails) in joules of each run with rails, over the time that both cover."""
    runs = navitas.load(recording).ledger.runs
    return [(run.rails_estimate_j, run.rails_j) for run in runs if run.rails_j is not None and run.rails_estimate_j is not None]
