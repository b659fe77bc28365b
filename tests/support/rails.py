"""The estimate beside the rails, run by run: what the accuracy of the profiler is scored with."""

from __future__ import annotations

from pathlib import Path

import navitas


def rails_by_run(recording: Path) -> list[tuple[float, float]]:
    """(estimate, rails) in joules of each run that has rails, over the time that both cover."""
    runs = navitas.load(recording).ledger.runs
    return [(run.rails_estimate_j, run.rails_j) for run in runs if run.rails_j is not None and run.rails_estimate_j is not None]
