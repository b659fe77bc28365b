"""From a parsed recording and a power model to the analysed result."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import fsum
from typing import Literal

from navitas.attribute.amounts import Amounts
from navitas.attribute.assemble import RunView, tests_of_run, untimed_test
from navitas.attribute.calls import items_of_calls
from navitas.attribute.compensation import Baselines, relative_error
from navitas.attribute.conserve import check
from navitas.attribute.energy import RunEnergy
from navitas.attribute.folded import items_of_folded
from navitas.attribute.overhead import NO_COST, with_baseline, with_probes
from navitas.attribute.paper1 import paper1_curve
from navitas.attribute.probe_notices import probe_notices
from navitas.attribute.rails import rails_comparison
from navitas.attribute.result import Analysis, Evidence, EvidenceLevel, Notice, TestEnergy, Totals
from navitas.attribute.rows import rows_of
from navitas.attribute.run import run_curves
from navitas.attribute.statistical import with_errors
from navitas.parse.findings import LOST
from navitas.parse.run import ParsedRecording
from navitas.parse.tables import RunTables, Thread
from navitas.power.model import PowerModel
from navitas.recording.manifest import Manifest

Method = Literal["default", "paper1"]
_BEST_FIRST: tuple[EvidenceLevel, ...] = ("sched", "thread-freq", "thread-time", "device")
_SHARE = re.compile(r"(\d+\.\d)%(?= of the threads' )")
_J_PER_MAH_AND_VOLT = 3.6
_RAILS_LIMIT = 0.1


def analyze(parsed: ParsedRecording, manifest: Manifest, model: PowerModel, *, method: Method = "default") -> Analysis:
    """Analyse every run of a recording; with method `paper1`, that paper's figures stand beside the default ones.

    The result conserves energy (docs/how-it-measures.md); where it should not, a warning `not_conserved` says so.
    """
    inputs = _Inputs(parsed, manifest, model, method)
    energies: list[RunEnergy] = []
    tests: list[TestEnergy] = []
    beside: list[TestEnergy] = []
    baselines = {run.id for run in manifest.runs if run.baseline}
    runs = [run for run in parsed.runs if run.run_id not in baselines]
    for run in (run for run in parsed.runs if run.run_id in baselines):
        beside += _analyze_run(run, inputs, Baselines(()))[1]
    known = Baselines(beside)
    for run in runs:
        energy, found = _analyze_run(run, inputs, known)
        energies.append(energy)
        tests += found
    timed = {test.id for test in tests}
    untimed = [test for test in manifest.tests if test.id not in timed and test.run not in baselines]
    tests += [untimed_test(test, method == "paper1") for test in untimed]
    # What was cut, or ended otherwise without probes, is nothing to compare with.
    ended = {_key(test): test.status for test in tests if test.status != "cut"}
    tests = with_baseline(tests, [test for test in beside if ended.get(_key(test)) == test.status])
    analysis = Analysis(
        device=manifest.device.model_dump(mode="json"),
        project=manifest.project.name,
        settings=dict(manifest.settings),
        power_profile={**manifest.power_profile.model_dump(mode="json"), "name": model.name},
        battery_mah=model.battery_mah,
        voltage_v=model.voltage_v,
        evidence=_evidence(energies, runs),
        methods=parsed.method_table,
        totals=_totals(runs, energies, tests, model.voltage_v),
        tests=tuple(sorted(tests, key=lambda test: (test.run, test.id))),
        warnings=tuple(_notices(parsed, manifest, model)),
        losses=parsed.losses,
    )
    costs = {run.run_id: run.probe_cost for run in runs}
    problems = [*_against_rails(analysis.totals), *probe_notices(analysis.tests, costs, parsed.method_table)]
    problems += [Notice("not_conserved", problem, "Please report this as a bug.") for problem in check(analysis)]
    return replace(analysis, warnings=(*analysis.warnings, *problems))


def _key(test: TestEnergy) -> tuple[str, str, str, int]:
    return test.module, test.class_name, test.method, test.repeat


@dataclass(frozen=True, slots=True)
class _Inputs:
    """What every run is analysed with."""

    parsed: ParsedRecording
    manifest: Manifest
    model: PowerModel
    method: Method


def _analyze_run(run: RunTables, inputs: _Inputs, baselines: Baselines) -> tuple[RunEnergy, list[TestEnergy]]:
    parsed, manifest, model = inputs.parsed, inputs.manifest, inputs.model
    curves = run_curves(run, manifest, model, len(parsed.method_table.methods))
    paper1 = paper1_curve(curves.clusters, model) if inputs.method == "paper1" else None
    amounts = Amounts(curves.energy, paper1)
    costs = (None, None) if run.probe_cost is None else (run.probe_cost.events, run.probe_cost.folded)
    parts = [
        with_probes(items(run.threads, curves.spans, amounts, curves.paths), cost)
        for items, cost in zip((items_of_calls, items_of_folded), costs, strict=True)
    ]
    rows = rows_of(run.threads, curves.energy, curves.spans, parts)
    known = {test.id: test for test in manifest.tests if test.run == run.run_id}
    error = relative_error(run.probe_cost, ticked=run.tick_ns is not None)
    tests = tests_of_run(RunView(run.threads, curves, rows, paper1, error, baselines), parts, known)
    if run.tick_ns is not None:
        tests = [with_errors(test, run.tick_ns) for test in tests]
    return curves.energy, tests


def _totals(runs: Sequence[RunTables], energies: Sequence[RunEnergy], tests: Sequence[TestEnergy], voltage_v: float) -> Totals:
    spans = [(energy, run.start_ns, run.end_ns) for run, energy in zip(runs, energies, strict=True)]
    total = fsum(energy.between(start, end) for energy, start, end in spans)
    rails = [pair for run, energy in zip(runs, energies, strict=True) if (pair := rails_comparison(run, energy)) is not None]
    return Totals(
        energy_j=total,
        charge_mah=total / (voltage_v * _J_PER_MAH_AND_VOLT),
        threads_j=fsum(energy.threads_between(start, end) for energy, start, end in spans),
        other_processes_j=fsum(energy.others.between(start, end) for energy, start, end in spans),
        idle_j=fsum(energy.idle_between(start, end) for energy, start, end in spans),
        unattributed_j=fsum(energy.unattributed.between(start, end) for energy, start, end in spans),
        outside_tests_j=total - fsum(test.energy_j for test in tests),
        rails_j=fsum(rail for _, rail in rails) if rails else None,
        rails_estimate_j=fsum(estimate for estimate, _ in rails) if rails else None,
    )


def _evidence(energies: Sequence[RunEnergy], runs: Sequence[RunTables]) -> Evidence:
    """The lowest level of all runs, and every reason once."""
    level = max((energy.level for energy in energies), key=_BEST_FIRST.index, default=_BEST_FIRST[-1])
    reasons = dict.fromkeys(merged_reasons([energy.reasons for energy in energies]))
    if any(run.probe_cost is None and any(_has_calls(thread) for thread in run.threads) for run in runs):
        reasons[NO_COST] = None
    tick_ns = max((run.tick_ns for run in runs if run.tick_ns is not None), default=None)
    return Evidence(level, tuple(reasons) if energies else ("the recording holds no run",), tick_ns)


def merged_reasons(runs: Sequence[Sequence[str]]) -> list[str]:
    """Every run's reasons once: those that differ by their share alone are one, from the least to the largest of them."""
    shares: dict[str, list[float]] = {}
    plain: dict[str, str] = {}
    for reason in (reason for reasons in runs for reason in reasons):
        share = _SHARE.match(reason)
        what = reason[share.end() :] if share else reason
        plain.setdefault(what, reason)
        if share:
            shares.setdefault(what, []).append(float(share[1]))
    found = []
    for what, reason in plain.items():
        parts = shares.get(what, [])
        if len(parts) > 1:
            low, high = f"{min(parts):.1f}%", f"{max(parts):.1f}%"
            both = high if low == high else f"{low} to {high}"
            found.append(f"{both}{what} (in {len(parts)} of {len(runs)} runs)")
        else:
            found.append(reason)
    return found


def _has_calls(thread: Thread) -> bool:
    return len(thread.calls) > 0 or len(thread.folded.node) > 0


def _against_rails(totals: Totals) -> Iterator[Notice]:
    """A warning where the device's own rails contradict the estimate."""
    if totals.rails_j and totals.rails_estimate_j is not None:
        error = totals.rails_estimate_j / totals.rails_j - 1
        if abs(error) > _RAILS_LIMIT:
            message = f"the estimate is {100 * error:+.0f} % off what the device's rails measured"
            yield Notice("rails_disagree", message, "Run longer tests, or take the figures as relative only.")


def _notices(parsed: ParsedRecording, manifest: Manifest, model: PowerModel) -> Iterator[Notice]:
    if manifest.state == "partial":
        remedy = "Figures hold for what was recorded; record again for the rest."
        yield Notice("partial_recording", "the recording is partial: it was interrupted or a device was lost", remedy)
    for warning in parsed.warnings:
        yield Notice(warning.code, warning.message, warning.remedy)
    for message in model.warnings:
        yield Notice("power_profile", message, "Name a better profile with --power-profile.")
    warned = {warning.code for warning in parsed.warnings}
    for loss in parsed.losses:
        if loss.what not in warned:
            place = "" if loss.run is None else f"runs/{loss.run}: "
            yield Notice("loss", f"{place}{loss.count} × {loss.what} lost", LOST)
