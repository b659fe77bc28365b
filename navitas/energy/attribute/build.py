"""Build the ledger from parsed tables and a power model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from navitas.energy.attribute.analysis_settings import DEFAULT, AnalysisSettings
from navitas.energy.attribute.calls.paths import Paths
from navitas.energy.attribute.compensation import Baselines, ProbesError, relative_error
from navitas.energy.attribute.component import Component, ComponentCurves, run_energy_j
from navitas.energy.attribute.components import COMPONENTS
from navitas.energy.attribute.consumers_comparison import consumer_energies
from navitas.energy.attribute.dimensions import OwnerRows, TestRows
from navitas.energy.attribute.evidence import evidence_of
from navitas.energy.attribute.facts import (
    RunFacts,
    facts_of,
    joined_calls,
    joined_energy,
    joined_estimates,
    joined_shares,
    joined_transfers,
)
from navitas.energy.attribute.handed_tasks import joined_handed_tasks
from navitas.energy.attribute.ledger import SAMPLE_INTERVAL_NS, CallPaths, CurveStore, Ledger, ModuleMessages, RunEntry
from navitas.energy.attribute.measured_runs import MeasuredRuns, RunComponents
from navitas.energy.attribute.module_messages import joined_messages, module_messages
from navitas.energy.attribute.scaling import rails_comparison, unrecorded_uses
from navitas.energy.attribute.waits import cpus_of, waits_of
from navitas.energy.attribute.windows import AttributedRun
from navitas.power.model import PowerModel
from navitas.recording.manifest import Manifest
from navitas.recording.parse.arrays import Bool
from navitas.recording.parse.parsed_recording import ParsedRecording
from navitas.recording.parse.tables import RunTables

_LONGEST_INTERVAL_MS = 60_000


def build_ledger(
    parsed: ParsedRecording,
    manifest: Manifest,
    model: PowerModel,
    settings: AnalysisSettings = DEFAULT,
    *,
    components: Sequence[Component] | None = None,
) -> Ledger:
    """Attribute the energy of every run.

    By default, the ledger has the CPU and all components that anything is known of. If rails are evidence, a component with a
    power rail has the energy that the rail measured, and the model splits it.
    """
    measured = MeasuredRuns(parsed, manifest, model, settings)
    components, runs = measured.runs(components)
    has_alternative = settings.alternative is not None
    attribution = _Attribution(manifest, measured.paths, TestRows(manifest.tests, alternative=has_alternative))
    is_baseline = [attribution.is_baseline(run.tables) for run in runs]
    numbers = range(len(runs))
    unprobed = [test for i in numbers if is_baseline[i] for test in attribution.attribute(i, runs[i], Baselines(())).unprobed]
    baselines = Baselines(unprobed)
    probed = [number for number in numbers if not is_baseline[number]]
    for number in probed:
        attribution.attribute(number, runs[number], baselines)
    facts, count = attribution.facts, len(components)
    evidence = (
        evidence_of(
            component,
            [(runs[number].tables, runs[number].components[place].curves) for number in probed],
            has_baselines=any(is_baseline),
        )
        for place, component in enumerate(components)
    )
    has_messages = any(tables.app.communications is not None for tables in parsed.runs)
    return Ledger(
        runs=tuple(attribution.entries[number] for number in numbers),
        tests=attribution.tests.table(),
        compensation=joined_estimates(facts, len(attribution.tests)),
        owners=attribution.owners.table(),
        components=tuple(component.name for component in components),
        paths=CallPaths(measured.paths.parent.copy(), measured.paths.method.copy()),
        methods=parsed.method_table,
        energy=joined_energy(facts),
        calls=joined_calls(facts, alternative=has_alternative),
        shares=joined_shares(facts, count),
        transfers=joined_transfers(facts),
        handed=joined_handed_tasks([run.handed for run in facts], count),
        run_energy_j=np.array([_run_energies(run) for run in runs], np.float64).reshape(-1, count),
        evidence=tuple(evidence),
        alternative=settings.alternative,
        curves=attribution.store,
        messages=joined_messages(attribution.messages) if has_messages else None,
    )


class _Attribution:
    """The facts of the runs attributed so far. Baseline runs come first, because the other runs need them."""

    def __init__(self, manifest: Manifest, paths: Paths, tests: TestRows) -> None:
        self.tests, self.owners, self.store = tests, OwnerRows(), CurveStore()
        self.facts: list[RunFacts] = []
        self.messages: list[ModuleMessages] = []
        self.entries: dict[int, RunEntry] = {}
        self._manifest, self._paths = manifest, paths
        self._listed = {run.id: run for run in manifest.runs}
        self._hot = {warning.run for warning in manifest.warnings if warning.code == "hot"}

    def is_baseline(self, tables: RunTables) -> bool:
        """Whether a run has no probes."""
        return tables.run_id in self._listed and self._listed[tables.run_id].baseline

    def attribute(self, number: int, measured: RunComponents, baselines: Baselines) -> RunFacts:
        """Attribute the energy of one run."""
        calls, tables, curves = measured.calls, measured.tables, measured.curves
        first_owner = len(self.owners)
        alternatives = [each.alternative for each in curves if each is not None and each.alternative is not None]
        rows = self.tests.add_windows(number, tables.run_id, calls.spans, alternatives)
        if tables.cpu.run_queue is not None:
            self.tests.add_waits(rows, waits_of(tables.cpu.run_queue, calls.spans, cpus_of(self._manifest)))
        error = relative_error(tables.calls.probe_cost, ticked=tables.calls.tick_ns is not None)
        is_known = _is_known(tables, curves)
        run = AttributedRun(calls, rows, curves, first_owner, error, self.tests.tests, is_known, baselines)
        facts = facts_of(run, calls.totals(curves), self._paths)
        self.messages.append(module_messages(number, first_owner, calls))
        self.store.add(first_owner, len(tables.threads), len(facts.groups), curves)
        self.owners.add(number, tables.threads, facts.groups, is_known)
        self.facts.append(facts)
        self.entries[number] = self._entry(measured, error)
        return facts

    def _entry(self, measured: RunComponents, probes_error: ProbesError | None) -> RunEntry:
        tables, cost = measured.tables, measured.tables.calls.probe_cost
        estimate_j, rails_j = rails_comparison(tables, measured.components) or (None, None)
        run_ns = np.array([tables.start_ns, tables.end_ns])
        entry = RunEntry(
            id=tables.run_id,
            module="",
            repeat=0,
            start_ns=tables.start_ns,
            end_ns=tables.end_ns,
            baseline=False,
            tick_ns=tables.calls.tick_ns,
            call_cost_ns=None if cost is None else cost.events.inside_ns + cost.events.outside_ns,
            probes_error=probes_error,
            rails_j=rails_j,
            rails_estimate_j=estimate_j,
            slept_ns=int(np.diff(tables.clocks.to_boottime(run_ns))[0] - np.diff(run_ns)[0]),
            sample_interval_ns=_sample_interval_ns(self._manifest),
            consumers=consumer_energies(tables, measured.components),
            unrecorded_j=unrecorded_uses(tables, COMPONENTS),
        )
        if (run := self._listed.get(tables.run_id)) is None:
            return entry
        unfit = (*(("warmup",) if run.warmup else ()), *(("hot",) if run.id in self._hot else ()))
        entry = replace(entry, module=run.module, repeat=run.repeat, baseline=run.baseline, package=run.package)
        return replace(entry, target_sdk=run.target_sdk, unfit=unfit)


def _is_known(tables: RunTables, curves: Sequence[ComponentCurves | None]) -> Bool:
    """Whether the energy of each thread is known. At level *device*, it needs no thread's clock."""
    needs_clocks = any(one is not None and one.threads is not None and one.threads.by_clock for one in curves)
    return ~np.array(tables.without_clock, bool) if needs_clocks else np.ones(len(tables.threads), bool)


def _sample_interval_ns(manifest: Manifest) -> int:
    interval_ms = manifest.settings.get("sample_interval_ms")
    if isinstance(interval_ms, int | float) and 0 < interval_ms <= _LONGEST_INTERVAL_MS:
        return round(interval_ms * 1e6)
    return SAMPLE_INTERVAL_NS


def _run_energies(run: RunComponents) -> list[float]:
    tables = run.tables
    return [0.0 if curves is None else run_energy_j(curves, tables.start_ns, tables.end_ns) for curves in run.curves]
