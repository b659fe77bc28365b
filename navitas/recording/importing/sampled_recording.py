"""Makes a recording of a kernel trace with stack samples: of the same Perfetto trace, or of another profiler's file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np

from navitas.android.r8_mapping import parse_mapping
from navitas.base.errors import RecordingError, UsageError
from navitas.base.untrusted_text import printable
from navitas.recording.event_chunks import marker_chunk, triple_chunk
from navitas.recording.importing.notes import ImportNote, notes_of_profile, notes_of_trace
from navitas.recording.importing.place_in_trace import ahead_of_monotonic, running_threads
from navitas.recording.importing.plain_files import copy_file
from navitas.recording.importing.recording_parts import (
    MODULE,
    named_methods,
    named_test,
    new_writer,
    package_of,
    write_run,
)
from navitas.recording.importing.sample_forms import SampleFile
from navitas.recording.importing.traced_recording import ReadTrace, traced_device
from navitas.recording.importing.untimed_stacks import notes_of_shares, only_thread, share_of_running
from navitas.recording.manifest import Provenance
from navitas.recording.parse.arrays import I64
from navitas.recording.parse.sample_join import with_processes
from navitas.recording.parse.samples_untimed import timed_by_trace
from navitas.recording.parse.stack_samples import Frame, RawSamples, SampleClock
from navitas.recording.parse.trace.trace_tables import UNKNOWN, Trace
from navitas.recording.writer import Supply

IMPORTED_FROM_SAMPLES: Final = "stack-samples"
_MOST_THREADS, _MOST_SAMPLES = 10, 20_000
_SURE, _LEAST = 0.95, 0.5
_LISTED = 5
_CLOCK_KNOWN = (".jfr", ".simpleperf")
_AT_ONE_TIME = "Give a trace and samples of the same time. perf script -F +pid also prints processes."
_WITH_PROCESSES = "Record the trace with ftrace's option record-tgid, or give samples with processes: perf script -F +pid."
_ON_ONE_CLOCK = "Sample at the time of the trace, on its clock: perf record -k CLOCK_MONOTONIC, trace-cmd record -C mono."


@dataclass(frozen=True, slots=True)
class SampledRecording:
    """A written recording: its test, process, number of threads and samples, share of these in slices of their threads, notes.

    `repeated_notes` are about the kernel trace and the power profile. Reports find them again, so the recording does not have
    them.
    """

    test: str
    pid: int
    threads: int
    samples: int
    share: float
    notes: tuple[ImportNote, ...]
    repeated_notes: tuple[ImportNote, ...]


def write_sampled(
    folder: Path,
    read: ReadTrace,
    file: SampleFile | None,
    supply: Supply,
    *,
    name: str,
    pid: int | None,
    origin: Provenance | None,
    mapping: bytes = b"",
) -> SampledRecording:
    """Write a recording with one run, from the first sample of a process to its last. Without a `file`, samples are the trace's.
    `mapping` is the mapping.txt of the build, empty if its names are those of the source code.

    Raises `UsageError` if several processes have samples or the profile lacks CPUs, `RecordingError` if there are no samples, or
    they are of another time or clock than the trace.
    """
    profiled, shown = (read.trace.samples, read.path.name) if file is None else (file.samples, file.shown)
    if profiled is None or not len(profiled):
        raise RecordingError(f"{shown}: no stack samples of time", "Sample the stacks of the app by a clock or by cycles.")
    is_timed, name_in = profiled.clock != "none", "samples"
    if not is_timed and not profiled.tid.any():
        alone = only_thread(read.trace, pid, shown)
        profiled, name_in = replace(profiled, tid=np.full_like(profiled.tid, alone)), f"samples-{alone}"
    profiled = with_processes(timed_by_trace(profiled, read.trace), read.trace.tasks)
    pid = _process(profiled, read.trace, pid, shown)
    own = _of_process(profiled, pid)
    if is_timed:
        clock, t_ns, share = _placed(own, read.trace, file, shown)
        period_ns = round(own.period_ns or 0)
        first = max(int(t_ns.min()) - period_ns, read.trace.start_ns)
        last = min(int(t_ns.max()) + period_ns, read.trace.end_ns)
    else:
        clock, share = "none", share_of_running(profiled, pid, shown)
        first, last = read.trace.start_ns, read.trace.end_ns
    device, model = traced_device(supply, read.trace)
    methods, test = named_methods(()), named_test(name)
    package = _name_of(read.trace, pid) or package_of(frame.class_name for frame in own.frames if frame.class_name)
    writer = new_writer(folder, device, supply, package, imported_from=IMPORTED_FROM_SAMPLES, origin=origin, mode="sample")
    notes = tuple(_notes(share, is_other_file=file is not None) if is_timed else notes_of_shares(share))
    notes += tuple(_notes_of_mapping(mapping, own.frames))
    with writer:
        writer.add_map(methods.map_id, MODULE, methods.data)
        writer.add_names(methods.map_id, mapping)
        copy_file(read.path, writer.path("trace", 0, read.file_name))
        if file is not None:
            copy_file(file.path, writer.path("samples", 0, f"{name_in}{'.boottime' if clock == 'boottime' else ''}{file.suffix}"))
        write_run(writer, 0, test, _chunks(read, first, last), package=package, map_id=methods.map_id, pid=pid)
        for note in notes:
            writer.warn(note.code, note.message, note.remedy, run=0)
        writer.finish("complete")
    repeated = (*notes_of_trace(read.reasons), *notes_of_profile(model))
    return SampledRecording(str(test), pid, len(np.unique(own.tid)), own.total, share, notes, repeated)


def _chunks(read: ReadTrace, first: int, last: int) -> Iterator[bytes]:
    yield marker_chunk(first, last)
    if read.triples:
        yield triple_chunk([(t_ns, t_ns, 0) for t_ns in (first, last)])
        return
    # Samples can be on boottime, and the trace may know it by its snapshots alone.
    snapshots = read.trace.snapshots
    rows = np.flatnonzero((snapshots.monotonic_ns > 0) & (snapshots.boottime_ns > 0))
    if len(rows):
        clocks = (snapshots.monotonic_ns, snapshots.boottime_ns, np.maximum(snapshots.realtime_ns, 0))
        yield triple_chunk([(int(a), int(b), int(c)) for a, b, c in zip(*(clock[rows] for clock in clocks), strict=True)])


def _process(samples: RawSamples, trace: Trace, pid: int | None, shown: str) -> int:
    """The process whose samples to use: the named one, or the only one with samples."""
    counts: Counter[int] = Counter()
    tids = np.unique(samples.tid)
    of_tid = np.bincount(np.searchsorted(tids, samples.tid), samples.count)
    for tid, count in zip(tids.tolist(), of_tid.tolist(), strict=True):
        counts[samples.process_of.get(tid, UNKNOWN)] += int(count)
    counts.pop(UNKNOWN, None)
    listed = ", ".join(
        f"{number} ({printable(_name_of(trace, number) or '?')}, {count:,} samples)"
        for number, count in counts.most_common(_LISTED)
    )
    if not counts:
        why, remedy = "the trace has none of their threads", _AT_ONE_TIME
        if np.isin(tids, trace.tasks.tid).any():
            why, remedy = "the trace has no process ids, which --process does not replace", _WITH_PROCESSES
        raise UsageError(f"{shown}: the process of the stack samples is unknown: {why}", remedy)
    if pid is not None:
        if pid not in counts:
            raise UsageError(f"{shown}: no stack samples of process {pid}", f"There are samples of: {listed}")
        return pid
    if len(counts) > 1:
        more = f" and {len(counts) - _LISTED} more" if len(counts) > _LISTED else ""
        raise UsageError(f"{shown}: stack samples of {len(counts)} processes: {listed}{more}", "Choose one: --process PID")
    return next(iter(counts))


def _of_process(samples: RawSamples, pid: int) -> RawSamples:
    own = [tid for tid, process in samples.process_of.items() if process == pid]
    rows = np.isin(samples.tid, np.array(own, np.int64))
    count = None if samples.count is None else samples.count[rows]
    return replace(samples, t_ns=samples.t_ns[rows], tid=samples.tid[rows], stack=samples.stack[rows], count=count)


def _name_of(trace: Trace, pid: int) -> str:
    rows = np.flatnonzero((trace.tasks.tid == pid) & (trace.tasks.name >= 0))
    return bytes(trace.tasks.names[trace.tasks.name[rows[-1]]]).decode("utf-8", "replace") if len(rows) else ""


def _placed(samples: RawSamples, trace: Trace, file: SampleFile | None, shown: str) -> tuple[SampleClock, I64, float]:
    """The clock of the samples, their monotonic times, and the share of them at which their threads run in the trace.

    A profiler samples a thread while it runs. So the clock on which samples are in slices of their threads is theirs. Without a
    `file`, they are in the trace. JFR names its clock.
    """
    times: dict[SampleClock, I64] = {"monotonic": samples.t_ns}
    if samples.clock == "realtime":
        if not (ahead := ahead_of_monotonic(trace, trace.snapshots.realtime_ns)):
            raise RecordingError(
                f"{shown}: its times are wall time, which the trace does not have",
                "Profile with async-profiler's option clock=monotonic, or give a Perfetto trace.",
            )
        times = {"realtime": samples.t_ns - ahead}
    elif file is not None and file.suffix != ".jfr" and (ahead := ahead_of_monotonic(trace, trace.snapshots.boottime_ns)):
        times["boottime"] = samples.t_ns - ahead
    shares = {clock: _share(samples.tid, t_ns, trace) for clock, t_ns in times.items()}
    best = max(shares, key=lambda clock: shares[clock])
    if shares[best] < _LEAST:
        raise RecordingError(
            f"{shown}: only {shares[best]:.0%} of the stack samples are at times at which their threads run in the trace",
            "Give a trace and samples of the same time." if file is None or file.suffix in _CLOCK_KNOWN else _ON_ONE_CLOCK,
        )
    return best, times[best], shares[best]


def _share(tid: I64, t_ns: I64, trace: Trace) -> float:
    """The share of samples in slices of their threads, of the threads with most samples."""
    tids, counts = np.unique(tid, return_counts=True)
    most = tids[np.argsort(-counts, kind="stable")][:_MOST_THREADS].tolist()
    running = running_threads(trace, set(most))
    shares, weights = [], []
    for thread in most:
        own = t_ns[tid == thread]
        chosen = own[:: -(-len(own) // _MOST_SAMPLES)]
        shares.append(running[thread].share_inside(chosen))
        weights.append(len(own))
    return float(np.average(shares, weights=weights))


def _notes_of_mapping(mapping: bytes, frames: Sequence[Frame]) -> Iterator[ImportNote]:
    """Yield that a mapping.txt, if there is one, names no class of the samples."""
    if mapping:
        classes = parse_mapping(mapping.decode("utf-8", "replace").split("\n")).classes
        if classes.keys().isdisjoint(frame.class_name for frame in frames):
            message = "the mapping.txt has no class of the stack samples, so all names stay as they are"
            yield ImportNote("imported", message, "Give that of the sampled build.")


def _notes(share: float, *, is_other_file: bool) -> Iterator[ImportNote]:
    """Yield what limits the figures."""
    if is_other_file or share < _SURE:
        remedy = "Figures of threads with few samples are uncertain." if share >= _SURE else "The clocks of both fit poorly."
        message = f"{share:.1%} of the stack samples are at times at which their threads run in the trace"
        yield ImportNote("imported", message, remedy)
