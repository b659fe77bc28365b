"""Makes a recording of a kernel trace and a method trace of the same time: evidence level *sched*."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from navitas.base.errors import PowerProfileError, RecordingError, UsageError
from navitas.power import cpu_keys
from navitas.power.cpu import needs_frequencies
from navitas.power.model import PowerModel
from navitas.power.power_profile import read_power_profile
from navitas.recording.event_chunks import marker_chunk, triple_chunk
from navitas.recording.importing.art_trace import ArtThread, ArtTrace
from navitas.recording.importing.notes import ImportNote, notes_of_profile, notes_of_trace, traced_notes
from navitas.recording.importing.other_forms import STACKS, is_perfetto, perfetto_form, trace_form
from navitas.recording.importing.place_in_trace import Placed, matched_threads, place, running_threads
from navitas.recording.importing.plain_files import copy_file, errors_naming, head_of
from navitas.recording.importing.recording_parts import (
    MODULE,
    ImportedDevice,
    anchor_chunks,
    call_chunks,
    model_of,
    named_methods,
    named_test,
    new_writer,
    package_of,
    write_run,
)
from navitas.recording.manifest import Policy, Provenance
from navitas.recording.parse.arrays import I64
from navitas.recording.parse.clock_triples import ClockTriples
from navitas.recording.parse.reasons import Reason
from navitas.recording.parse.samples_pprof import is_pprof
from navitas.recording.parse.tables import ENTER
from navitas.recording.parse.trace.join import Joined, to_monotonic
from navitas.recording.parse.trace.perfetto import read_perfetto
from navitas.recording.parse.trace.text_trace import read_text
from navitas.recording.parse.trace.trace_tables import RawTrace, Trace
from navitas.recording.writer import Supply

_HEAD_BYTES = 4096
_LATEST_NS = 1 << 61
_ANCHOR_NS = 1_000_000


@dataclass(frozen=True, slots=True)
class ReadTrace:
    """A kernel trace whose times are monotonic, if the recording has these `triples`, and the name of its file there.

    `reasons` limit what the trace shows.
    """

    path: Path
    file_name: str
    trace: Trace
    triples: tuple[tuple[int, int, int], ...]
    reasons: tuple[Reason, ...]


@dataclass(frozen=True, slots=True)
class TracedRecording:
    """A written recording: its test, process, threads with scheduling slices and without, place of the methods, and warnings.

    `repeated_notes` are about the kernel trace and the power profile. Reports find them again, so the recording does not have
    them.
    """

    test: str
    pid: int
    threads: tuple[str, ...]
    without_slices: tuple[str, ...]
    events: int
    placed: Placed
    notes: tuple[ImportNote, ...]
    repeated_notes: tuple[ImportNote, ...]


def read_kernel_trace(path: Path, shown: str) -> ReadTrace:
    """Read a Perfetto, atrace, systrace or trace-cmd file: `path` is that of `plain_file`, and `shown` its name in messages.

    Raises `RecordingError` if it shows no thread that runs. The error names the form of files that are not read.
    """
    head = head_of(path, shown)[:_HEAD_BYTES]
    binary = is_perfetto(head)
    with errors_naming(shown, path):
        raw = read_perfetto(path) if binary else read_text(path)
    none = np.empty(0, np.int64)
    joined = _joined(raw, ClockTriples(none, none, none))
    triples: tuple[tuple[int, int, int], ...] = ()
    if any(reason.code == "trace_clock_unrelated" for reason in joined.reasons):
        # Nothing relates boottime to monotonic: they count as equal, as if the device had not slept since it booted.
        start = raw.trace.start_ns
        triples = ((start, start, 0),)
        joined = _joined(raw, ClockTriples(*(np.array([value], np.int64) for value in triples[0])))
    if joined.trace is None:
        stacks = STACKS if is_pprof(head) else None  # A profile can begin as a Perfetto trace does.
        if (other := (perfetto_form(path) or stacks) if binary else trace_form(head)) is not None:
            raise other.error(shown)
        unit = "packets" if binary else "lines"
        skipped = [f"{count:,} {unit} were skipped ({reason})" for reason, count in raw.skipped_by_reason.items()]
        reasons = "; ".join([*map(str, joined.reasons), *skipped])
        raise RecordingError(f"{shown}: no usable trace of the scheduler: {reasons}", "Trace sched_switch and cpu_frequency.")
    return ReadTrace(path, "trace.pftrace" if binary else "trace.txt", joined.trace, triples, joined.reasons)


def _joined(raw: RawTrace, triples: ClockTriples) -> Joined:
    return to_monotonic(raw, triples, run_ns=(0, _LATEST_NS))


def write_traced(
    folder: Path,
    read: ReadTrace,
    art: ArtTrace,
    supply: Supply,
    *,
    name: str,
    pid: int | None,
    start_ns: int | None,
    origin: Provenance | None = None,
) -> TracedRecording:
    """Write a recording with one run. `name` is that of the method trace, `pid` and `start_ns` what the user knows.

    Raises `UsageError` if the process is unknown or the profile lacks CPUs, `RecordingError` if the traces do not fit.
    """
    threads = [one for one in art.threads if len(one.t_ns)]
    if not threads:
        raise RecordingError(f"{art.shown}: the method trace has no events", "Trace while the app runs.")
    known, tids = matched_threads(art, read.trace, pid)
    if known is None:
        cause = ", since its final summary is missing" if art.is_cut else ""
        raise UsageError(f"{art.shown}: the method trace does not name its process{cause}", "Give its process id: --process PID")
    if known not in read.trace.tasks.tgid and known not in read.trace.tasks.tid:
        raise RecordingError(
            f"{art.shown}: no thread of the method trace is in the trace, which has no process {known}",
            "Give traces of the same time and app. If the process is another one: --process PID",
        )
    slices = running_threads(read.trace, set(tids.values()))
    running = {number: slices[tid] for number, tid in tids.items() if tid in slices}
    placed = place(art, read.trace, running, start_ns=start_ns, shown=art.shown)
    device, model = traced_device(supply, read.trace)
    methods = named_methods(art.methods)
    package = package_of(one.class_name for one in art.methods[1:])
    test = named_test(name)
    writer = new_writer(folder, device, supply, package, imported_from="art-trace", origin=origin)
    notes = tuple(traced_notes(art, placed, [one.name for one in threads if one.number not in running]))
    with writer:
        writer.add_map(methods.map_id, MODULE, methods.data)
        copy_file(read.path, writer.path("trace", 0, read.file_name))
        ids = np.array([methods.ids[one] for one in art.methods], np.int64)
        traced = [PlacedThread(one, tids.get(one.number, 0), ids[one.method]) for one in threads]
        chunks = traced_chunks(traced, placed.start_ns, int(methods.map_id, 16), has_triples=bool(read.triples))
        write_run(writer, 0, test, chunks, package=package, map_id=methods.map_id, pid=known)
        for note in notes:
            writer.warn(note.code, note.message, note.remedy, run=0)
        writer.finish("complete")
    return TracedRecording(
        str(test),
        known,
        tuple(one.name for one in threads if one.number in running),
        tuple(one.name for one in threads if one.number not in running),
        sum(len(one.t_ns) for one in threads),
        placed,
        notes,
        (*notes_of_trace(read.reasons), *notes_of_profile(model)),
    )


@dataclass(frozen=True, slots=True)
class PlacedThread:
    """A thread, its tid (0: unknown), and the method ids of its events."""

    thread: ArtThread
    tid: int
    method: I64


def traced_chunks(threads: Sequence[PlacedThread], start_ns: int, map_id: int, *, has_triples: bool) -> Iterator[bytes]:
    """Yield the chunks of a run. The method trace began at `start_ns`. `has_triples`: boottime is monotonic time."""
    for serial, one in enumerate(threads, 1):
        thread = one.thread
        t_ns = start_ns + thread.t_ns
        yield from call_chunks(t_ns, thread.kind, one.method, map_id=map_id, serial=serial, tid=one.tid, name=thread.name)
        if thread.cpu_ns is not None:
            at = _anchors(thread)
            yield from anchor_chunks(t_ns[at], thread.cpu_ns[at], serial=serial, tid=one.tid, name=thread.name)
    first = start_ns + min(int(one.thread.t_ns[0]) for one in threads)
    last = start_ns + max(int(one.thread.t_ns[-1]) for one in threads)
    yield marker_chunk(first, last)
    if has_triples:
        yield triple_chunk([(t_ns, t_ns, 0) for t_ns in (first, last)])


def _anchors(thread: ArtThread) -> I64:
    """The events whose CPU time is kept: of outermost calls, and the first one of each millisecond."""
    depth = np.cumsum(np.where(thread.kind == ENTER, 1, -1))
    depth -= min(int(depth.min()), 0)
    outermost = (depth == 0) | ((thread.kind == ENTER) & (depth == 1))
    fresh = np.diff(thread.t_ns // _ANCHOR_NS, prepend=-1) > 0
    return np.flatnonzero(outermost | fresh)


def traced_device(supply: Supply, trace: Trace) -> tuple[ImportedDevice, PowerModel]:
    """Return the device of a trace, and its power model. A profile of one cluster that does not state its cores is for all CPUs.

    Raises `PowerProfileError` if the profile needs what a trace lacks, `UsageError` if it lacks CPUs.
    """
    profile = read_power_profile(supply.profile_xml, name=supply.profile_source)
    if needs_frequencies(profile):
        raise PowerProfileError(
            f"{supply.profile_source}: the profile lists currents by operating point (Android 14 and later), and a kernel trace "
            "does not list the operating points",
            "Give a profile with speeds: add the operating points of the phone as cpu.core_speeds.",
        )
    cpus = np.unique(trace.switches.cpu).tolist()
    clusters = cpu_keys.by_cluster(profile) or cpu_keys.single(profile)
    is_for_all = len(clusters) == 1 and clusters[0].cores is None
    policies = [Policy(id=0, cpus=list(range(max(cpus, default=0) + 1)))] if is_for_all else []
    model = model_of(supply, policies, {})
    lacking = set(cpus) - {cpu for cluster in model.cpu.clusters for cpu in cluster.cpus}
    if lacking:
        raise UsageError(
            f"the trace has CPU {min(lacking)}, and the power profile {supply.profile_source} has not",
            "Give the power_profile.xml of the traced phone with --power-profile.",
        )
    return ImportedDevice(cpus, policies), model
