"""The estimate beside the rails, run by run: what the accuracy of the profiler is scored with."""

from __future__ import annotations

from navitas.attribute.calls import pair_calls
from navitas.attribute.frequency import clusters_of
from navitas.attribute.items import Spans
from navitas.attribute.rails import rails_comparison
from navitas.attribute.run import run_energy
from navitas.parse.run import ParsedRecording
from navitas.power.model import PowerModel
from navitas.recording.manifest import Manifest


def rails_by_run(parsed: ParsedRecording, manifest: Manifest, model: PowerModel) -> list[tuple[float, float]]:
    """(estimate, rails) in joules of each run that has rails, over the time that both cover."""
    pairs = []
    for run in parsed.runs:
        clusters = clusters_of(run, manifest.device.policies, model.cpu)
        energy = run_energy(run, clusters, model, pair_calls(run.threads), Spans(run.windows).marks)
        pair = rails_comparison(run, energy)
        if pair is not None:
            pairs.append(pair)
    return pairs
