"""Parse a whole recording into tables."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from pathlib import Path

import numpy as np

from navitas.android.r8_mapping import MOST_MAPPING_BYTES, SourceNames, parse_mapping
from navitas.base.errors import RecordingError
from navitas.base.regular_files import read_regular
from navitas.recording.layout import NAMES
from navitas.recording.manifest import Manifest, Run, Test, Warning
from navitas.recording.parse.block_counts import decode_block_counts
from navitas.recording.parse.calibration import check_probe_cost, probe_cost
from navitas.recording.parse.chunks import (
    BLOCK_COUNTS,
    COMMUNICATIONS,
    COUNTERS,
    HANDOFFS,
    HOOKS,
    MARKERS,
    MOUNTS,
    TRIPLES,
    Chunk,
)
from navitas.recording.parse.clock_triples import ClockTriples, decode_triples
from navitas.recording.parse.communication_records import Communications, decode_communications
from navitas.recording.parse.counters import TICKS_SOURCE, Readings, decode_counters, tick_period_ns
from navitas.recording.parse.failures import failed_lines
from navitas.recording.parse.findings import LOST, TORN, UPDATE, Findings, ParsedLoss, report_newer, report_unknown_readings
from navitas.recording.parse.hook_calls import Handoffs, HookCalls, decode_handoffs, decode_hooks
from navitas.recording.parse.io_counters import IoCounters
from navitas.recording.parse.io_tables import app_counters, with_device_counters
from navitas.recording.parse.jfr.read_jfr import read_jfr
from navitas.recording.parse.markers import decode_markers, windows_of
from navitas.recording.parse.methodmap import Span, read_method_table, spans
from navitas.recording.parse.mounts import decode_mounts
from navitas.recording.parse.power_monitors import read_monitors, warn_of_short_run
from navitas.recording.parse.rail_readings import IMPOSSIBLE_GROWTH, EnergyConsumers, RailReadings, best_rails, possible_growth
from navitas.recording.parse.run_chunks import read_run_chunks
from navitas.recording.parse.sample_join import joined_samples, merged_samples, with_processes, with_source_names
from navitas.recording.parse.sampled_files import ShellTables, process_clock, shell_tables, time_in_state_tables
from navitas.recording.parse.samples_perf_script import read_perf_script
from navitas.recording.parse.samples_untimed import read_collapsed, timed_by_trace
from navitas.recording.parse.schedstat import app_run_queue, parse_schedstats
from navitas.recording.parse.stack_samples import RawSamples, StackSamples
from navitas.recording.parse.state_history import read_state_history
from navitas.recording.parse.tables import (
    AppTables,
    BlockCounts,
    CallTables,
    CpuTables,
    DeviceTables,
    Marker,
    MethodTable,
    RunTables,
    Thread,
    Window,
)
from navitas.recording.parse.thread_residency import parse_residencies, with_residencies
from navitas.recording.parse.threads import Groups, by_thread, join_threads, of_threads, probed_threads
from navitas.recording.parse.trace.join import clocks_of, read_trace
from navitas.recording.parse.trace.trace_tables import Trace
from navitas.recording.store import Recording

_THREADS_SOURCE = 1
_EVENTS_NAMED = 3


def _simpleperf(path: Path) -> RawSamples:
    from navitas.recording.parse.samples_simpleperf import read_simpleperf  # noqa: PLC0415  # protobuf takes 20 ms to import.

    return read_simpleperf(path)


def _pprof(path: Path) -> RawSamples:
    from navitas.recording.parse.samples_pprof import read_pprof  # noqa: PLC0415  # As `_simpleperf`.

    return read_pprof(path)


SAMPLE_READERS: dict[str, Callable[[Path], RawSamples]] = {
    ".jfr": read_jfr,
    ".simpleperf": _simpleperf,
    ".txt": read_perf_script,
    ".collapsed": read_collapsed,
    ".pprof": _pprof,
}
"""Reads a file of kind `samples`, by the suffix of its name."""


@dataclass(frozen=True, slots=True)
class ParsedRecording:
    """A whole recording as tables, with its warnings and losses. Those of the manifest come first.

    `failures` has where and why tests failed, by run and test.
    """

    method_table: MethodTable
    runs: tuple[RunTables, ...]
    warnings: tuple[Warning, ...]
    losses: tuple[ParsedLoss, ...]
    failures: Mapping[tuple[int, int], str] = field(default_factory=dict)


def parse_recording(recording: Recording) -> ParsedRecording:
    """Parse every run of a recording.

    Raises `RecordingError` if a file or method map cannot be read, or events belong to another map.
    """
    manifest, recording_findings = recording.manifest, Findings()
    report_newer(recording, recording_findings)
    table = read_method_table(recording, recording_findings)
    known = spans(table)
    tests: defaultdict[int, list[Test]] = defaultdict(list)
    for test in manifest.tests:
        tests[test.run].append(test)
    runs, warnings = [], [*manifest.warnings, *recording_findings.warnings, *recording.check()]
    losses = [*(ParsedLoss(loss.what, loss.count, loss.run) for loss in manifest.losses), *recording_findings.losses]
    failures: dict[tuple[int, int], str] = {}
    names_of = cache(partial(_source_names, recording))  # Runs of one build share them.
    for run in manifest.runs:
        findings = Findings(run.id)
        failures |= {(run.id, test): text for test, text in failed_lines(recording, run.id, tests[run.id]).items()}
        tables, table = _run(recording, run, known, tests[run.id], table=table, names_of=names_of, findings=findings)
        runs.append(tables)
        warnings += findings.warnings
        losses += findings.losses
    return ParsedRecording(table, tuple(runs), tuple(warnings), tuple(losses), failures)


@dataclass(frozen=True, slots=True)
class _Events:
    """The content of a run's event files: chunks by type and by thread, markers, clocks, and readings of counters by source.

    `by_process` has the readings of each process: an app may have several at once.
    """

    manifest: Manifest
    chunks: Mapping[int, Sequence[Chunk]]
    groups: Groups
    markers: tuple[Marker, ...]
    clocks: ClockTriples
    readings: dict[int, Readings]
    by_process: list[dict[int, Readings]]


def _run(
    recording: Recording,
    run: Run,
    known: dict[int, Span],
    tests: Sequence[Test],
    *,
    table: MethodTable,
    names_of: Callable[[str], SourceNames],
    findings: Findings,
) -> tuple[RunTables, MethodTable]:
    """Parse a run. Methods that only its stack samples know are added to the table. `names_of` has a build's source names."""
    events = _events(recording, run, known, findings)
    clocks, manifest = events.clocks, recording.manifest
    probed = probed_threads(events.groups, known, findings)
    lifetimes, torn = parse_schedstats([one.get(_THREADS_SOURCE, Readings()) for one in events.by_process])
    findings.add_loss("thread_samples", torn, "{count} torn lines of thread clocks were skipped", TORN)
    sampled_ns = np.array(events.readings.get(_THREADS_SOURCE, Readings()).t_ns, np.int64)
    threads = join_threads(probed, lifetimes, sampled_ns)
    run_ns = _span(threads, events)
    time_in_state = time_in_state_tables(manifest, events.readings, findings)
    process = process_clock(manifest, events.by_process, findings)
    tids = [thread.tid for thread in threads if thread.tid]
    trace, reasons = read_trace(recording, run, clocks, findings, run_ns=run_ns, tids=tids)
    if run_ns is None:  # Only the runtime says when a run began. An app without it was traced for the whole run.
        run_ns, clocks = ((0, 0), clocks) if trace is None else ((trace.start_ns, trace.end_ns), clocks_of(trace))
    shell = shell_tables(recording, run, clocks, findings)
    residencies, torn = parse_residencies(shell.thread_states, shell.blocks_ns, manifest.device.policies, time_in_state)
    findings.add_loss("thread_residencies", torn, "{count} torn or unknown readings of threads' time_in_state were skipped", TORN)
    threads, profiled = with_residencies(threads, residencies), _profiled(recording, run, trace, names_of, findings)
    samples, threads, table = _samples(run, profiled, clocks, threads, table=table, findings=findings)
    if samples is None and manifest.settings.get("mode") == "sample" and not recording.files("samples", run.id):
        message = f"there are no stack samples of {run.package}: its processes were not sampled, or did not run"
        findings.warn("events_missing", message, f"navitas doctor {run.package}")
    trace = trace and replace(trace, samples=None)  # They are joined now, and may be as large as all else.
    serials = [thread.serial for thread in threads]
    mounts = decode_mounts(of_threads(events.groups, MOUNTS), probed, serials, run_ns[1])
    cpu = CpuTables(time_in_state, process, shell.cpu_stat, trace, reasons, app_run_queue(lifetimes.values()), mounts)
    cost = check_probe_cost(probe_cost(events.groups.values()), findings)
    windows = _windows(run, events.markers, tests, run_ns, findings)
    history = read_state_history(recording, run, clocks, findings, run_ns=run_ns)
    devices = DeviceTables(*_devices(events, shell, trace, run_ns, findings), history.states, history.radio_times)
    calls = CallTables(
        cost,
        tick_period_ns(events.readings.get(TICKS_SOURCE)),
        _hooks(of_threads(events.groups, HOOKS), serials, findings),
        _handoffs(of_threads(events.groups, HANDOFFS), serials, findings),
        _block_counts(events.chunks[BLOCK_COUNTS], serials, known, findings),
        samples,
    )
    communications = _communications(of_threads(events.groups, COMMUNICATIONS), serials, findings)
    app = AppTables(windows, events.markers, communications, history.events)
    return RunTables(run.id, *run_ns, threads, clocks, calls, cpu, devices, app), table


def _profiled(
    recording: Recording, run: Run, trace: Trace | None, names_of: Callable[[str], SourceNames], findings: Findings
) -> Iterator[RawSamples]:
    """Yield what profilers recorded of a run: in files of their own, or else in the trace. Warns of a file that is damaged.

    Threads whose process a profiler does not name are of the process that the trace has.
    """
    listed = [entry for entry in recording.manifest.files if entry.kind == "samples" and entry.run == run.id]
    paths = [path for entry in listed if (path := recording.file(entry.path)).suffix in SAMPLE_READERS and path.is_file()]
    if not paths and (trace is None or trace.samples is None):
        return
    names = names_of(run.map_id)
    for path in paths:
        try:
            raw = with_source_names(SAMPLE_READERS[path.suffix](path), names)
            yield raw if trace is None else with_processes(timed_by_trace(raw, trace), trace.tasks)
        except RecordingError as error:
            findings.warn("events_missing", f"its stack samples cannot be read: {error.message}", error.remedy)
    if not listed and trace is not None and trace.samples is not None:
        yield with_processes(with_source_names(trace.samples, names), trace.tasks)


def _source_names(recording: Recording, map_id: str) -> SourceNames:
    """The names of a build that R8 has changed; none, if it has not."""
    path = f"maps/{map_id}{NAMES}"
    if not any(entry.path == path for entry in recording.manifest.files) or not (file := recording.file(path)).is_file():
        return SourceNames()
    return parse_mapping(read_regular(file, MOST_MAPPING_BYTES).decode("utf-8", "replace").split("\n"))


def _samples(
    run: Run,
    profiled: Iterable[RawSamples],
    clocks: ClockTriples,
    threads: tuple[Thread, ...],
    *,
    table: MethodTable,
    findings: Findings,
) -> tuple[StackSamples | None, tuple[Thread, ...], MethodTable]:
    """The run's stack samples, None without any, and the threads and methods with those that only samples know."""
    parts = []
    for raw in profiled:
        if raw.others:
            count, names = sum(raw.others.values()), ", ".join(list(raw.others)[:_EVENTS_NAMED])
            message = f"{count:,} samples were left out: they are of other events than time ({names})"
            findings.warn("sampling", message, "Sample by a clock or by cycles alone.")
        samples, threads, table = joined_samples(raw, threads, clocks, table, pid=run.pid)
        parts.append(samples)
    if not parts:
        return None, threads, table
    merged = merged_samples(parts)
    beside = "Their energy is that of the samples next to them."
    findings.add_loss("stack_samples", merged.lost, "{count} stack samples were lost while recording", beside)
    message = "{count} stack samples have times or threads that are not those of the run"
    findings.add_loss("stack_samples", merged.unplaced, message, "What their threads used is that of other samples.")
    message = "{count} stacks could not be unwound: their outermost callers, or all their frames, are missing"
    findings.add_loss("broken_stacks", merged.broken, message, "What is missing of them is unknown code.")
    message = "{count} stacks were cut at the profiler's limit of depth: their outermost callers are missing"
    findings.add_loss("cut_stacks", merged.cut, message, "Their inclusive energy is not part of the missing callers'.")
    return merged, threads, table


def _events(recording: Recording, run: Run, known: dict[int, Span], findings: Findings) -> _Events:
    chunks: defaultdict[int, list[Chunk]] = defaultdict(list)
    every = read_run_chunks(recording, run, known, findings)
    for chunk in every:
        chunks[chunk.type].append(chunk)
    if not every and not (run.whole and recording.manifest.settings.get("mode") == "sample"):
        remedy = "Look for a crash of the app in the run's logcat.txt. Check that its process got the runtime's configuration."
        findings.warn("no_events", "no events were recorded", remedy)
    groups = by_thread(every, findings)
    markers, bad_markers, newer_markers = decode_markers(chunks[MARKERS])
    of_process: defaultdict[int, list[Chunk]] = defaultdict(list)
    for chunk in chunks[COUNTERS]:
        of_process[chunk.process].append(chunk)
    decoded = [decode_counters(of_process[process]) for process in sorted(of_process)]
    readings = decoded[0][0] if len(decoded) == 1 else decode_counters(chunks[COUNTERS])[0]
    malformed = bad_markers + sum(dropped for _, dropped in decoded)
    message = "{count} malformed markers or counter readings were left out"
    findings.add_loss("malformed_records", malformed, message, "Copy the recording again, or record again.")
    message = "{count} markers have kinds that this version of Navitas does not know ({names}); they are kept and not used"
    findings.add_losses_by_name("unknown_markers", _by_kind(newer_markers), message, UPDATE)
    report_unknown_readings(recording.manifest, readings, findings)
    return _Events(
        recording.manifest, chunks, groups, markers, decode_triples(chunks[TRIPLES]), readings, [own for own, _ in decoded]
    )


def _windows(
    run: Run, markers: Sequence[Marker], tests: Sequence[Test], run_ns: tuple[int, int], findings: Findings
) -> tuple[Window, ...]:
    if run.exit == "complete" and markers and not any(marker.kind == "run_end" for marker in markers):
        findings.warn("no_run_end", "the last events are missing: the end of the tests was not recorded", LOST)
    if run.whole:
        return tuple(Window(test.id, *run_ns) for test in tests[:1])
    return windows_of(markers, tests, run_ns[1], findings)


def _devices(
    events: _Events, shell: ShellTables, trace: Trace | None, run_ns: tuple[int, int], findings: Findings
) -> tuple[RailReadings | None, EnergyConsumers | None, tuple[IoCounters, ...]]:
    """The rails, the energy consumers and the traffic counters."""
    monitors = read_monitors(events.manifest, events.by_process, events.clocks, findings, since_ns=run_ns[0])
    rail_sources = [shell.rails, None if trace is None else trace.rails, shell.statistics_rails, monitors.rails]
    rails = _rails(rail_sources, findings, run_ns)
    if rails is None or len(rails.t_ns) < 2:
        warn_of_short_run(monitors, findings)
    consumers = _consumers([None if trace is None else trace.consumers, shell.consumers, monitors.consumers], findings)
    counters = with_device_counters(app_counters(events.manifest, events.by_process, findings), shell.io_counters)
    return rails, consumers, counters


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


def _hooks(chunks: Sequence[Chunk], serials: Sequence[int], findings: Findings) -> HookCalls | None:
    calls, impossible, unknown = decode_hooks(chunks, serials)
    lost = _lost(chunks)
    findings.add_loss("hook_calls", lost + impossible, "{count} records of API calls were lost while recording", LOST)
    message = "{count} API calls are of kinds that this version of Navitas does not know ({names}); they are left out"
    findings.add_losses_by_name("unknown_hooks", _by_kind(unknown), message, UPDATE)
    return calls if len(calls) or lost else None


def _handoffs(chunks: Sequence[Chunk], serials: Sequence[int], findings: Findings) -> Handoffs | None:
    handoffs, impossible = decode_handoffs(chunks, serials)
    lost = _lost(chunks)
    findings.add_loss("handoffs", lost + impossible, "{count} records of work that threads handed over were lost", LOST)
    return handoffs if len(handoffs) or lost else None


def _communications(chunks: Sequence[Chunk], serials: Sequence[int], findings: Findings) -> Communications | None:
    rows, damaged, unknown = decode_communications(chunks, serials)
    lost = _lost(chunks) + damaged
    message = "{count} records of communications between modules were lost or are damaged"
    findings.add_loss("communications", lost, message, "The graph of modules lacks them.")
    message = "{count} communications are of kinds that this version of Navitas does not know ({names}); the graph lists them"
    findings.add_losses_by_name("unknown_communications", _by_kind(unknown), message, UPDATE)
    return rows if len(rows) or lost else None


def _block_counts(
    chunks: Sequence[Chunk], serials: Sequence[int], known: dict[int, Span], findings: Findings
) -> BlockCounts | None:
    found, damaged = decode_block_counts(chunks, serials, known)
    lost = _lost(chunks) + damaged
    message = "{count} records of executed blocks were lost or are damaged"
    findings.add_loss("block_counts", lost, message, "Counts of their blocks are too low. Record again.")
    return found if len(found) or lost else None


def _lost(chunks: Iterable[Chunk]) -> int:
    return sum(chunk.lost_before for chunk in chunks)


def _by_kind(counts: Mapping[int, int]) -> dict[str, int]:
    return {f"kind {number}": counts[number] for number in sorted(counts)}


def _span(threads: Iterable[Thread], events: _Events) -> tuple[int, int] | None:
    """Return the first and last monotonic time that a run's events have; None if there is none."""
    ends: list[int] = [marker.t_ns for marker in events.markers]
    columns = [events.clocks.monotonic_ns]
    for thread in threads:
        columns += [thread.anchors.t_ns, thread.folded.epoch_start_ns, thread.folded.epoch_end_ns]
        ends += thread.calls.span_ns if len(thread.calls) else ()
    for column in columns:
        ends += [int(column[0]), int(column[-1])] if len(column) else []
    for reading in events.readings.values():
        ends += [reading.t_ns[0], reading.t_ns[-1]]
    return (min(ends), max(ends)) if ends else None
