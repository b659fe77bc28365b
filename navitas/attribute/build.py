"""Build the ledger from parsed tables and a power model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from navitas.attribute.amounts import Amounts
from navitas.attribute.analysis_settings import DEFAULT, AnalysisSettings
from navitas.attribute.calls.event_totals import totals_of_events
from navitas.attribute.calls.folded_totals import totals_of_folded
from navitas.attribute.calls.overhead import NO_COST, with_probe_columns
from navitas.attribute.calls.paths import EMPTY, Paths
from navitas.attribute.compensation import Baselines, ProbesError, relative_error
from navitas.attribute.component import Component, ComponentCurves, run_energy_j
from navitas.attribute.components import COMPONENTS
from navitas.attribute.consumers_comparison import consumer_energies
from navitas.attribute.curve_store import CurveStore
from navitas.attribute.dimensions import OwnerRows, TestRows
from navitas.attribute.facts import (
    RunFacts,
    facts_of,
    joined_calls,
    joined_energy,
    joined_estimates,
    joined_shares,
    joined_transfers,
)
from navitas.attribute.handed_tasks import joined_handed_tasks
from navitas.attribute.ledger import SAMPLE_INTERVAL_NS, CallPaths, Evidence, Ledger, ModuleMessages, RunEntry
from navitas.attribute.measured_runs import Curves, MeasuredRuns
from navitas.attribute.merged_reasons import merged
from navitas.attribute.module_messages import joined_messages, module_messages
from navitas.attribute.rails_comparison import rails_comparison, unrecorded_uses
from navitas.attribute.scaling import NO_USE
from navitas.attribute.waits import cpus_of, waits_of
from navitas.attribute.window_spans import WindowSpans
from navitas.attribute.windows import AttributedRun
from navitas.parse.arrays import F64, Bool
from navitas.parse.parsed_recording import ParsedRecording
from navitas.parse.reasons import Reason
from navitas.parse.tables import RunTables, Thread
from navitas.power.model import PowerModel
from navitas.recording.manifest import Manifest, Run

_LONGEST_INTERVAL_MS = 60_000
_NO_RUN = Reason("no_runs", "the recording holds no run")
_ONLY_BASELINES = Reason("only_baselines", "the recording holds only runs without probes")


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
    components, run_curves = measured.curves(components)
    has_alternative = settings.alternative is not None
    tests = TestRows(manifest.tests, alternative=has_alternative)
    attribution = _Attribution(parsed, manifest, components, run_curves, measured.paths, tests)
    baselines = {run.id for run in manifest.runs if run.baseline}
    baseline_runs = [number for number, tables in enumerate(parsed.runs) if tables.run_id in baselines]
    probed_runs = [number for number, tables in enumerate(parsed.runs) if tables.run_id not in baselines]
    unprobed = [each for number in baseline_runs for each in attribution.attribute(number, Baselines(())).unprobed]
    known = Baselines(unprobed)
    for number in probed_runs:
        attribution.attribute(number, known)
    order = range(len(parsed.runs))
    curves = run_curves
    has_messages = any(tables.communications is not None for tables in parsed.runs)
    return Ledger(
        runs=tuple(attribution.entries[number] for number in order),
        tests=tests.table(),
        compensation=joined_estimates(attribution.facts, len(tests)),
        owners=attribution.owners.table(),
        components=tuple(component.name for component in components),
        paths=_call_paths(attribution.paths),
        methods=parsed.method_table,
        energy=joined_energy(attribution.facts),
        calls=joined_calls(attribution.facts, alternative=has_alternative),
        shares=joined_shares(attribution.facts, len(components)),
        transfers=joined_transfers(attribution.facts),
        handed=joined_handed_tasks([facts.handed for facts in attribution.facts], len(components)),
        run_energy_j=_run_energies(parsed.runs, curves, len(components)),
        evidence=tuple(
            _evidence(
                component, [(parsed.runs[number], curves[number][i]) for number in probed_runs], has_baselines=bool(baseline_runs)
            )
            for i, component in enumerate(components)
        ),
        alternative=settings.alternative,
        curves=attribution.store,
        messages=joined_messages(attribution.messages) if has_messages else None,
    )


@dataclass(slots=True)
class _Attribution:
    """The facts of the runs attributed so far. Baseline runs come first, because the other runs need them."""

    parsed: ParsedRecording
    manifest: Manifest
    components: Sequence[Component]
    curves: Sequence[Curves]
    paths: Paths
    tests: TestRows
    owners: OwnerRows = field(default_factory=OwnerRows)
    store: CurveStore = field(default_factory=CurveStore)
    facts: list[RunFacts] = field(default_factory=list)
    messages: list[ModuleMessages] = field(default_factory=list)
    entries: dict[int, RunEntry] = field(default_factory=dict)

    def attribute(self, number: int, baselines: Baselines) -> RunFacts:
        """Attribute the energy of one run."""
        tables = self.parsed.runs[number]
        spans = WindowSpans(tables.windows)
        curves = self.curves[number]
        alternatives = [each.alternative for each in curves if each is not None and each.alternative is not None]
        rows = self.tests.add_windows(number, tables.run_id, spans, alternatives)
        if tables.run_queue is not None:
            self.tests.add_waits(rows, waits_of(tables.run_queue, spans, cpus_of(self.manifest)))
        # Methods have the alternative of the first component, the CPU: a call uses no screen.
        amounts = Amounts([None if each is None else each.threads for each in curves], next(iter(alternatives), None))
        amounts = amounts.with_local_cost(tables)
        error = relative_error(tables.probe_cost, ticked=tables.tick_ns is not None)
        measured = _measured(tables, curves)
        run = AttributedRun(tables, spans, rows, curves, len(self.owners), error, self.tests.tests, measured, baselines)
        facts = _facts(run, amounts, self.paths)
        self.messages.append(module_messages(number, tables, len(self.owners), self.paths))
        self.store.add(len(self.owners), len(tables.threads), len(facts.groups), curves)
        self.owners.add(number, tables.threads, facts.groups, measured)
        self.facts.append(facts)
        entry = _entry(self.manifest, tables, rails_comparison(tables, self.components, curves), error)
        consumers = consumer_energies(tables, self.components, curves)
        self.entries[number] = replace(entry, consumers=consumers, unrecorded_j=unrecorded_uses(tables, COMPONENTS))
        return facts


def _measured(tables: RunTables, curves: Curves) -> Bool:
    """Whether the energy of each thread is known. At level *device*, it needs no thread's clock."""
    needs_clocks = any(one is not None and one.threads is not None and one.threads.by_clock for one in curves)
    return ~np.array(tables.without_clock, bool) if needs_clocks else np.ones(len(tables.threads), bool)


def _facts(run: AttributedRun, amounts: Amounts, paths: Paths) -> RunFacts:
    tables, cost = run.tables, run.tables.probe_cost
    costs = (None, None) if cost is None else (cost.events, cost.folded)
    parts = [
        with_probe_columns(totals(tables.threads, run.spans, amounts, paths), each)
        for totals, each in zip((totals_of_events, totals_of_folded), costs, strict=True)
    ]
    return facts_of(run, parts, paths)


def _call_paths(paths: Paths) -> CallPaths:
    """The ledger's paths. Numbers are one higher than in `Paths`, to make room for `PROBES`. `OUTSIDE` is the root."""
    parent = np.where(paths.parent == EMPTY, EMPTY, paths.parent + 1)[1:]
    return CallPaths(np.concatenate([[-1, -1], parent]), np.concatenate([[-1, -1], paths.method[1:]]))


def _entry(
    manifest: Manifest, tables: RunTables, rails: tuple[float, float] | None, probes_error: ProbesError | None
) -> RunEntry:
    run = next((run for run in manifest.runs if run.id == tables.run_id), None)
    cost = tables.probe_cost
    estimate_j, rails_j = rails or (None, None)
    return RunEntry(
        id=tables.run_id,
        module="" if run is None else run.module,
        repeat=0 if run is None else run.repeat,
        start_ns=tables.start_ns,
        end_ns=tables.end_ns,
        baseline=run is not None and run.baseline,
        tick_ns=tables.tick_ns,
        call_cost_ns=None if cost is None else cost.events.inside_ns + cost.events.outside_ns,
        probes_error=probes_error,
        rails_j=rails_j,
        rails_estimate_j=estimate_j,
        package="" if run is None else run.package,
        slept_ns=_slept_ns(tables),
        target_sdk=None if run is None else run.target_sdk,
        unfit=_unfit(manifest, run),
        sample_interval_ns=_sample_interval_ns(manifest),
    )


def _sample_interval_ns(manifest: Manifest) -> int:
    interval_ms = manifest.settings.get("sample_interval_ms")
    if isinstance(interval_ms, int | float) and 0 < interval_ms <= _LONGEST_INTERVAL_MS:
        return round(interval_ms * 1e6)
    return SAMPLE_INTERVAL_NS


def _unfit(manifest: Manifest, run: Run | None) -> tuple[str, ...]:
    is_hot = any(warning.code == "hot" and warning.run == run.id for warning in manifest.warnings) if run is not None else False
    return (*(("warmup",) if run is not None and run.warmup else ()), *(("hot",) if is_hot else ()))


def _slept_ns(tables: RunTables) -> int:
    if tables.clocks is None:
        return 0
    run_ns = np.array([tables.start_ns, tables.end_ns])
    return int(np.diff(tables.clocks.to_boottime(run_ns))[0] - np.diff(run_ns)[0])


def _run_energies(runs: Sequence[RunTables], curves: Sequence[Curves], components: int) -> F64:
    energy_j = np.zeros((len(runs), components))
    for number, (run, each) in enumerate(zip(runs, curves, strict=True)):
        energy_j[number] = [0.0 if one is None else run_energy_j(one, run.start_ns, run.end_ns) for one in each]
    return energy_j


def _evidence(component: Component, runs: Sequence[tuple[RunTables, ComponentCurves | None]], *, has_baselines: bool) -> Evidence:
    """The lowest level of all runs that have data of the component, and every reason once."""
    known = [(run, curves) for run, curves in runs if curves is not None]
    if not known:
        return Evidence(component.name, "none", () if runs else merged([[_ONLY_BASELINES if has_baselines else _NO_RUN]]))
    names = [level.name for level in component.levels]
    level = component.levels[max(names.index(curves.level) for _, curves in known)]
    with_cpu_time = [run for run, curves in known if curves.threads is not None and curves.threads.cpu_ns is not None]
    uncalibrated = any(run.probe_cost is None and any(map(_has_calls, run.threads)) for run in with_cpu_time)
    reasons = (*merged(_reasons([curves for _, curves in known])), *merged([[NO_COST]] if uncalibrated else []))
    return Evidence(
        component.name,
        level.name,
        reasons,
        level.basis,
        level.expected_error,
        rails_j=_known_sum([curves.rails_j for _, curves in known]),
        unscaled_j=_known_sum([curves.unscaled_j for _, curves in known]),
    )


def _reasons(known: Sequence[ComponentCurves]) -> list[Sequence[Reason]]:
    """The reasons of each run. If one run shows what used the component, the others were able to: it was not used in them."""
    if all(NO_USE in curves.reasons for curves in known):
        return [curves.reasons for curves in known]
    return [[reason for reason in curves.reasons if reason != NO_USE] for curves in known]


def _known_sum(values: Sequence[float | None]) -> float | None:
    found = [value for value in values if value is not None]
    return sum(found) if found else None


def _has_calls(thread: Thread) -> bool:
    return len(thread.calls) > 0 or len(thread.folded.node) > 0
