"""Build the ledger from parsed tables and a power model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace

import numpy as np

from navitas.energy.attribute.analysis_settings import DEFAULT, AnalysisSettings
from navitas.energy.attribute.calls.paths import OUTSIDE, Paths
from navitas.energy.attribute.calls.run_calls import RunCalls, has_calls
from navitas.energy.attribute.calls.self_totals import NO_COST
from navitas.energy.attribute.calls.step_totals import step_length_ns
from navitas.energy.attribute.compensation import Baselines, ProbesError, relative_error
from navitas.energy.attribute.component import Component, ComponentCurves, run_energy_j
from navitas.energy.attribute.component_registry import COMPONENTS
from navitas.energy.attribute.consumers_comparison import consumer_energies
from navitas.energy.attribute.dimensions import OwnerRows, TestRows, cpus_of, waits_of
from navitas.energy.attribute.facts import (
    RunFacts,
    facts_of,
    joined_calls,
    joined_energy,
    joined_estimates,
    joined_shares,
    joined_steps,
    joined_transfers,
)
from navitas.energy.attribute.handed_tasks import NO_TASK, innermost_spans, joined_handed_tasks, outermost_tasks, task_at
from navitas.energy.attribute.ledger import (
    NO_OWNER,
    SAMPLE_INTERVAL_NS,
    CallPaths,
    CurveStore,
    Evidence,
    Ledger,
    ModuleMessages,
    RunEntry,
)
from navitas.energy.attribute.measured_runs import MeasuredRuns, RunComponents
from navitas.energy.attribute.scaling import NO_USE, rails_comparison, unrecorded_uses
from navitas.energy.attribute.windows import AttributedRun
from navitas.power.model import PowerModel
from navitas.recording.manifest import Manifest
from navitas.recording.parse.arrays import I64, Bool
from navitas.recording.parse.communication_records import Communications
from navitas.recording.parse.parsed_recording import ParsedRecording
from navitas.recording.parse.reasons import MergedReason, Reason
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
    attribution = _Attribution(manifest, measured.paths, TestRows(manifest.tests, parsed.failures, alternative=has_alternative))
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
    # The largest columns of the runs go as soon as they are joined.
    energy, facts = joined_energy(facts), [replace(run, energy=()) for run in attribution.facts]
    attribution.facts.clear()
    calls, facts = joined_calls(facts, alternative=has_alternative), [replace(run, calls=()) for run in facts]
    has_messages = any(tables.app.communications is not None for tables in parsed.runs)
    return Ledger(
        runs=tuple(attribution.entries[number] for number in numbers),
        tests=attribution.tests.table(),
        compensation=joined_estimates(facts, len(attribution.tests)),
        owners=attribution.owners.table(),
        components=tuple(component.name for component in components),
        paths=CallPaths(measured.paths.parent.copy(), measured.paths.method.copy()),
        methods=parsed.method_table,
        energy=energy,
        calls=calls,
        call_steps=joined_steps(facts) if measured.has_steps else None,
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
        calls, tables, curves = measured.calls, measured.tables, measured.curves
        first_owner = len(self.owners)
        alternatives = [each.alternative for each in curves if each is not None and each.alternative is not None]
        rows = self.tests.add_windows(number, tables.run_id, calls.spans, alternatives)
        if tables.cpu.run_queue is not None:
            self.tests.add_waits(rows, *waits_of(tables.cpu.run_queue, calls.spans, cpus_of(self._manifest)))
        error = relative_error(tables.calls.probe_cost, ticked=tables.calls.tick_ns is not None)
        is_known = _is_known(tables, curves)
        run = AttributedRun(calls, rows, curves, first_owner, error, self.tests.tests, is_known, baselines)
        facts = facts_of(run, calls.take_totals(curves), self._paths)
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
            sampler="" if tables.calls.samples is None else tables.calls.samples.engine,
            call_cost_ns=None if cost is None else cost.events.inside_ns + cost.events.outside_ns,
            probes_error=probes_error,
            rails_j=rails_j,
            rails_estimate_j=estimate_j,
            slept_ns=int(np.diff(tables.clocks.to_boottime(run_ns))[0] - np.diff(run_ns)[0]),
            sample_interval_ns=_sample_interval_ns(self._manifest),
            call_step_ns=step_length_ns(tables.start_ns, tables.end_ns),
            consumers=consumer_energies(tables, measured.components),
            unrecorded_j=unrecorded_uses(tables, COMPONENTS),
        )
        if (run := self._listed.get(tables.run_id)) is None:
            return entry
        unfit = (*(("warmup",) if run.warmup else ()), *(("hot",) if run.id in self._hot else ()))
        entry = replace(entry, module=run.module, repeat=run.repeat, baseline=run.baseline, package=run.package)
        return replace(entry, target_sdk=run.target_sdk, unfit=unfit)


def _is_known(tables: RunTables, curves: Sequence[ComponentCurves | None]) -> Bool:
    """Whether the energy of each thread is known. At level *device*, it needs no thread's clock.

    Of a thread that only stack samples know, the kernel trace can know it.
    """
    threads = [component.threads for component in curves if component is not None]
    by_clock = [own for own in threads if own is not None and own.by_clock]
    if not by_clock:
        return np.ones(len(tables.threads), bool)
    is_known = ~np.array(tables.without_clock, bool)
    for number, thread in enumerate(tables.threads):
        if thread.seen_ns is not None and not is_known[number]:
            start, end = by_clock[0].knots.start[number : number + 2].tolist()
            is_known[number] = by_clock[0].energy_j[end - 1] > by_clock[0].energy_j[start]
    return is_known


def _sample_interval_ns(manifest: Manifest) -> int:
    interval_ms = manifest.settings.get("sample_interval_ms")
    if isinstance(interval_ms, int | float) and 0 < interval_ms <= _LONGEST_INTERVAL_MS:
        return round(interval_ms * 1e6)
    return SAMPLE_INTERVAL_NS


def _run_energies(run: RunComponents) -> list[float]:
    tables = run.tables
    return [0.0 if curves is None else run_energy_j(curves, tables.start_ns, tables.end_ns) for curves in run.curves]


_NO_RUN = Reason("no_runs", "the recording holds no run")
_ONLY_BASELINES = Reason("only_baselines", "the recording holds only runs without probes")


def evidence_of(
    component: Component, runs: Sequence[tuple[RunTables, ComponentCurves | None]], *, has_baselines: bool
) -> Evidence:
    """The lowest level of all runs that have data of the component, and every reason once."""
    known = [(run, curves) for run, curves in runs if curves is not None]
    if not known:
        return Evidence(component.name, "none", () if runs else merged([[_ONLY_BASELINES if has_baselines else _NO_RUN]]))
    names = [level.name for level in component.levels]
    level = component.levels[max(names.index(curves.level) for _, curves in known)]
    with_cpu_time = [run for run, curves in known if curves.threads is not None and curves.threads.cpu_ns is not None]
    uncalibrated = any(run.calls.probe_cost is None and has_calls(run.threads).any() for run in with_cpu_time)
    reasons = (*merged(_reasons_of_runs([curves for _, curves in known])), *merged([[NO_COST]] if uncalibrated else []))
    rails_j, unscaled_j = (
        [joules for joules in column if joules is not None]
        for column in zip(*((curves.rails_j, curves.unscaled_j) for _, curves in known), strict=True)
    )
    return Evidence(
        component.name,
        level.name,
        reasons,
        level.basis,
        level.expected_error,
        rails_j=sum(rails_j) if rails_j else None,
        unscaled_j=sum(unscaled_j) if unscaled_j else None,
    )


def _reasons_of_runs(known: Sequence[ComponentCurves]) -> list[Sequence[Reason]]:
    """The reasons of each run. If one run shows what used the component, the others were able to: it was not used in them."""
    if all(NO_USE in curves.reasons for curves in known):
        return [curves.reasons for curves in known]
    return [[reason for reason in curves.reasons if reason != NO_USE] for curves in known]


def merged(runs: Sequence[Sequence[Reason]]) -> tuple[MergedReason, ...]:
    """Return every reason once. Reasons that differ only in their share become one with a range of shares."""
    shares: dict[Reason, list[float | None]] = {}
    for reason in (reason for reasons in runs for reason in reasons):
        shares.setdefault(replace(reason, share=None), []).append(reason.share)
    merged = []
    for reason, of_runs in shares.items():
        known = [share for share in of_runs if share is not None]
        least, most = (min(known), max(known)) if known else (None, None)
        merged.append(MergedReason(reason.code, reason.text, least, most, len(known or of_runs), len(runs)))
    return tuple(merged)


_NAMED = ("module", "target", "action")
_NONE = np.empty(0, np.int64)
NO_MESSAGES = ModuleMessages(*(_NONE,) * 13, ("",))


def module_messages(run: int, first_owner: int, calls: RunCalls) -> ModuleMessages:
    """The communications of a run, which is a row in the ledger, with their call paths."""
    tables = calls.run
    rows = tables.app.communications
    if rows is None or not len(rows):
        return NO_MESSAGES
    return ModuleMessages(
        run=np.full(len(rows), run),
        owner=np.where(rows.thread < 0, NO_OWNER, first_owner + rows.thread),
        process=rows.process,
        t_ns=tables.clocks.to_boottime(rows.t_ns),
        token=rows.token,
        kind=rows.kind.astype(np.int64),
        flags=rows.flags.astype(np.int64),
        period_ms=rows.period_ms,
        path=calls.communications,
        root=_roots(calls, rows),
        module=rows.module,
        target=rows.target,
        action=rows.action,
        names=rows.names,
    )


def _roots(calls: RunCalls, rows: Communications) -> I64:
    """The path of the call that started the handed work which each communication ran in, `OUTSIDE` if there is none."""
    handoffs, root = calls.run.calls.handoffs, np.full(len(rows), OUTSIDE)
    if handoffs is None or not len(handoffs):
        return root
    spans = innermost_spans(handoffs.thread, handoffs.run_start_ns, handoffs.run_end_ns)
    task = task_at(spans, rows.thread, rows.t_ns)
    inside = np.flatnonzero(task != NO_TASK)
    root[inside] = calls.starters[outermost_tasks(handoffs, spans)[task[inside]]]
    return root


def joined_messages(runs: Sequence[ModuleMessages]) -> ModuleMessages:
    """The messages of all runs, by run, then time."""
    numbers, parts = {"": 0}, []
    for part in runs:
        own = np.array([numbers.setdefault(name, len(numbers)) for name in part.names], np.int64)
        parts.append(replace(part, **{name: own[getattr(part, name)] for name in _NAMED}))
    columns = [field.name for field in fields(ModuleMessages) if field.name != "names"]
    joined = {name: np.concatenate([getattr(part, name) for part in (NO_MESSAGES, *parts)]) for name in columns}
    order = np.lexsort((joined["t_ns"], joined["run"]))
    return ModuleMessages(**{name: column[order] for name, column in joined.items()}, names=tuple(numbers))
