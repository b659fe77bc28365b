"""Parse a whole recording into tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from navitas.parse.app_run_queue import app_run_queue
from navitas.parse.block_counts import BlockCounts
from navitas.parse.block_records import decode_block_counts
from navitas.parse.calibration import probe_cost
from navitas.parse.chunks import BLOCK_COUNTS, COMMUNICATIONS, COUNTERS, HANDOFFS, HOOKS, MARKERS, TRIPLES, Chunk
from navitas.parse.clock_triples import ClockTriples, decode_triples
from navitas.parse.communication_records import Communications
from navitas.parse.communications import decode_communications
from navitas.parse.counters import Readings, decode_counters
from navitas.parse.energy_consumers import EnergyConsumers
from navitas.parse.findings import LOST, TORN, UPDATE, Findings, ParsedLoss
from navitas.parse.handoffs import decode_handoffs
from navitas.parse.hook_calls import Handoffs, HookCalls
from navitas.parse.hooks import decode_hooks
from navitas.parse.io_tables import app_counters, with_device_counters
from navitas.parse.markers import decode_markers, windows_of
from navitas.parse.methodmap import Span, read_method_table, spans
from navitas.parse.mounts import decode_mounts
from navitas.parse.power_monitors import read_monitors, warn_of_short_run
from navitas.parse.probe_cost_check import check_probe_cost
from navitas.parse.probed_threads import Groups, by_thread, of_type, probed_threads
from navitas.parse.rail_readings import IMPOSSIBLE_GROWTH, RailReadings, best_rails, possible_growth
from navitas.parse.run_chunks import read_run_chunks
from navitas.parse.sampled_files import process_clock, shell_tables, time_in_state_tables
from navitas.parse.schedstat import parse_schedstats
from navitas.parse.state_history import read_state_history
from navitas.parse.tables import Marker, MethodTable, RunTables, Thread, Window
from navitas.parse.thread_residency import parse_residencies, with_residencies
from navitas.parse.threads import join_threads
from navitas.parse.ticks import TICKS_SOURCE, tick_period_ns
from navitas.parse.trace.recorded import read_trace
from navitas.parse.unknown_data import report_newer, report_unknown_readings
from navitas.recording.manifest import Run, Warning
from navitas.recording.store import Recording

_THREADS_SOURCE = 1


@dataclass(frozen=True, slots=True)
class ParsedRecording:
    """A whole recording as tables, with its warnings and losses. Those of the manifest come first."""

    method_table: MethodTable
    runs: tuple[RunTables, ...]
    warnings: tuple[Warning, ...]
    losses: tuple[ParsedLoss, ...]


def parse_recording(recording: Recording) -> ParsedRecording:
    """Parse every run of a recording.

    Raises `RecordingError` if a file or method map cannot be read, or events belong to another map.
    """
    recording_findings = Findings()
    report_newer(recording, recording_findings)
    table = read_method_table(recording, recording_findings)
    known = spans(table)
    runs, warnings = [], [*recording.manifest.warnings, *recording_findings.warnings, *recording.check()]
    losses = [*(ParsedLoss(loss.what, loss.count, loss.run) for loss in recording.manifest.losses), *recording_findings.losses]
    for run in recording.manifest.runs:
        findings = Findings(run.id)
        runs.append(_parse(recording, run, known, findings))
        warnings += findings.warnings
        losses += findings.losses
    return ParsedRecording(table, tuple(runs), tuple(warnings), tuple(losses))


def _parse(recording: Recording, run: Run, known: dict[int, Span], findings: Findings) -> RunTables:
    manifest = recording.manifest
    chunks = read_run_chunks(recording, run, known, findings)
    if not chunks:
        remedy = "Look for a crash of the app in the run's logcat.txt. Check that its process got the runtime's configuration."
        findings.warn("no_events", "no events were recorded", remedy)
    groups = by_thread(chunks, findings)
    probed = probed_threads(groups, known, findings)
    clocks = decode_triples(of_type(chunks, TRIPLES))
    markers, bad_markers, newer_markers = decode_markers(of_type(chunks, MARKERS))
    counters = of_type(chunks, COUNTERS)
    readings, bad_readings = decode_counters(counters)
    # Counters that describe one process, by process: an app may have several at once.
    by_process = [decode_counters(c for c in counters if c.process == n)[0] for n in sorted({c.process for c in counters})]
    message = "{count} malformed markers or counter readings were left out"
    findings.add_loss("malformed_records", bad_markers + bad_readings, message, "Copy the recording again, or record again.")
    message = "{count} markers have kinds that this version of Navitas does not know ({names}); they are kept and not used"
    findings.add_losses_by_name(
        "unknown_markers", {f"kind {n}": newer_markers[n] for n in sorted(newer_markers)}, message, UPDATE
    )
    report_unknown_readings(manifest, readings, findings)
    samples = readings.get(_THREADS_SOURCE, Readings())
    lifetimes, torn = parse_schedstats([one.get(_THREADS_SOURCE, Readings()) for one in by_process])
    findings.add_loss("thread_samples", torn, "{count} torn lines of thread clocks were skipped", TORN)
    threads = join_threads(probed, lifetimes, np.array(samples.t_ns, np.int64))
    time_in_state = time_in_state_tables(manifest, readings, findings)
    process_cpu = process_clock(manifest, by_process, findings)
    start_ns, end_ns = _span(threads, markers, clocks, readings)
    shell = shell_tables(recording, run, clocks, findings)
    residencies, torn = parse_residencies(shell.thread_states, shell.blocks_ns, manifest.device.policies, time_in_state)
    findings.add_loss("thread_residencies", torn, "{count} torn or unknown readings of threads' time_in_state were skipped", TORN)
    threads = with_residencies(threads, residencies)
    tids = [thread.tid for thread in threads if thread.tid]
    trace, reasons = read_trace(recording, run, clocks, findings, run_ns=(start_ns, end_ns), tids=tids)
    cost = check_probe_cost(probe_cost(groups.values()), findings)
    tests = [test for test in manifest.tests if test.run == run.id]
    if run.exit == "complete" and markers and not any(marker.kind == "run_end" for marker in markers):
        findings.warn("no_run_end", "the last events are missing: the end of the tests was not recorded", LOST)
    if run.whole:
        windows: tuple[Window, ...] = tuple(Window(test.id, start_ns, end_ns) for test in tests[:1])
    else:
        windows = windows_of(markers, tests, end_ns, findings)
    history = read_state_history(recording, run, clocks, findings, run_ns=(start_ns, end_ns))
    monitors = read_monitors(manifest, by_process, clocks, findings, since_ns=start_ns)
    rail_sources = [shell.rails, None if trace is None else trace.rails, shell.statistics_rails, monitors.rails]
    rails = _rails(rail_sources, findings, (start_ns, end_ns))
    if rails is None or len(rails.t_ns) < 2:
        warn_of_short_run(monitors, findings)
    consumers = _consumers([None if trace is None else trace.consumers, shell.consumers, monitors.consumers], findings)
    serials = [thread.serial for thread in threads]
    return RunTables(
        run_id=run.id,
        start_ns=start_ns,
        end_ns=end_ns,
        threads=threads,
        windows=windows,
        markers=markers,
        time_in_state=time_in_state,
        process_cpu=process_cpu,
        cpu_stat=shell.cpu_stat,
        rails=rails,
        consumers=consumers,
        tick_ns=tick_period_ns(readings.get(TICKS_SOURCE)),
        trace=trace,
        reasons=reasons,
        probe_cost=cost,
        run_queue=app_run_queue(lifetimes.values()),
        hooks=_hooks(groups, serials, findings),
        handoffs=_handoffs(groups, serials, findings),
        communications=_communications(groups, serials, findings),
        io_counters=with_device_counters(app_counters(manifest, by_process, findings), shell.io_counters),
        device_states=history.states,
        radio_times=history.radio_times,
        history_events=history.events,
        clocks=clocks,
        block_counts=_block_counts(of_type(chunks, BLOCK_COUNTS), serials, known, findings),
        mounts=decode_mounts(groups, probed, serials, end_ns),
        realtime_offset_ns=int(clocks.realtime_ns[0] - clocks.monotonic_ns[0]) if len(clocks.monotonic_ns) else None,
    )


def _rails(found: Sequence[RailReadings | None], findings: Findings, run_ns: tuple[int, int]) -> RailReadings | None:
    """The source of rails to use, of those that there are, without impossible growth."""
    chosen = best_rails([one for one in found if one is not None], *run_ns)
    if chosen is None:
        return None
    rails, impossible = possible_growth(chosen)
    findings.add_losses_by_name("rail_readings", impossible, IMPOSSIBLE_GROWTH, TORN)
    return rails


def _consumers(sources: Sequence[EnergyConsumers | None], findings: Findings) -> EnergyConsumers | None:
    """The first source of consumers, without impossible growth."""
    first = next((source for source in sources if source is not None), None)
    if first is None:
        return None
    grown, impossible = possible_growth(RailReadings(first.names, first.t_ns, first.energy_j))
    findings.add_losses_by_name("rail_readings", impossible, IMPOSSIBLE_GROWTH.replace("rails", "energy consumers", 1), TORN)
    return replace(first, energy_j=grown.energy_j)


def _hooks(groups: Groups, serials: Sequence[int], findings: Findings) -> HookCalls | None:
    found = decode_hooks(groups, serials)
    lost = _lost(groups, HOOKS)
    findings.add_loss("hook_calls", lost + found.impossible, "{count} records of API calls were lost while recording", LOST)
    message = "{count} API calls are of kinds that this version of Navitas does not know ({names}); they are left out"
    findings.add_losses_by_name("unknown_hooks", {f"kind {n}": count for n, count in found.unknown.items()}, message, UPDATE)
    return found.calls if len(found.calls) or lost else None


def _handoffs(groups: Groups, serials: Sequence[int], findings: Findings) -> Handoffs | None:
    handoffs, impossible = decode_handoffs(groups, serials)
    lost = _lost(groups, HANDOFFS)
    findings.add_loss("handoffs", lost + impossible, "{count} records of work that threads handed over were lost", LOST)
    return handoffs if len(handoffs) or lost else None


def _communications(groups: Groups, serials: Sequence[int], findings: Findings) -> Communications | None:
    found = decode_communications(groups, serials)
    lost = _lost(groups, COMMUNICATIONS) + found.damaged
    message = "{count} records of communications between modules were lost or are damaged"
    findings.add_loss("communications", lost, message, "The graph of modules lacks them.")
    message = "{count} communications are of kinds that this version of Navitas does not know ({names}); the graph lists them"
    unknown = {f"kind {n}": found.unknown[n] for n in sorted(found.unknown)}
    findings.add_losses_by_name("unknown_communications", unknown, message, UPDATE)
    return found.rows if len(found.rows) or lost else None


def _block_counts(
    chunks: Sequence[Chunk], serials: Sequence[int], known: dict[int, Span], findings: Findings
) -> BlockCounts | None:
    found, damaged = decode_block_counts(chunks, serials, known)
    lost = sum(chunk.lost_before for chunk in chunks) + damaged
    message = "{count} records of executed blocks were lost or are damaged"
    findings.add_loss("block_counts", lost, message, "Counts of their blocks are too low. Record again.")
    return found if len(found) or lost else None


def _lost(groups: Groups, kind: int) -> int:
    return sum(chunk.lost_before for by_type in groups.values() for chunk in by_type.get(kind, ()))


def _span(
    threads: Iterable[Thread], markers: Iterable[Marker], clocks: ClockTriples, readings: dict[int, Readings]
) -> tuple[int, int]:
    """Return the first and last known monotonic time of a run; (0, 0) if there is none."""
    ends: list[int] = [marker.t_ns for marker in markers]
    columns = [clocks.monotonic_ns]
    for thread in threads:
        columns += [thread.anchors.t_ns, thread.folded.epoch_start_ns, thread.folded.epoch_end_ns]
        ends += thread.calls.span_ns if len(thread.calls) else ()
    for column in columns:
        ends += [int(column[0]), int(column[-1])] if len(column) else []
    for reading in readings.values():
        ends += [reading.t_ns[0], reading.t_ns[-1]]
    return (min(ends), max(ends)) if ends else (0, 0)
