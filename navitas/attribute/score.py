"""The estimate beside the rails, run by run: what the accuracy of the profiler is scored with."""

from __future__ import annotations

from navitas.attribute.rails import rails_comparison
from navitas.attribute.run import run_curves
from navitas.parse.run import ParsedRecording
from navitas.power.model import PowerModel
from navitas.recording.manifest import Manifest


def rails_by_run(parsed: ParsedRecording, manifest: Manifest, model: PowerModel) -> list[tuple[float, float]]:
    """(estimate, rails) in joules of each run that has rails, over the time that both cover."""
    methods = len(parsed.method_table.methods)
    pairs = (rails_comparison(run, run_curves(run, manifest, model, methods).energy) for run in parsed.runs)
    return [pair for pair in pairs if pair is not None]
