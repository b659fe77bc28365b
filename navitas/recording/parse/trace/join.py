"""Read a run's kernel trace, and convert its times to CLOCK_MONOTONIC, with reasons for any remaining uncertainty."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np

from navitas.base.errors import RecordingError
from navitas.recording.manifest import Run
from navitas.recording.parse.arrays import I64
from navitas.recording.parse.clock_triples import ClockTriples
from navitas.recording.parse.findings import Findings
from navitas.recording.parse.reasons import Reason
from navitas.recording.parse.trace.offsets import ClockMapping, constant_offset, map_boottime
from navitas.recording.parse.trace.trace_tables import ALL_CPUS, UNKNOWN, Losses, RawTrace, Tasks, Trace
from navitas.recording.store import Recording

# A text trace's clock mark has the resolution of a float of seconds, and is written a moment after the clock was read.
_MARK_NS = 20_000_000
_FLOAT_BITS = 23
_MACHINES_NAMED = 5
# Realtimes at boot that differ by more are of two boots.
_ANOTHER_BOOT_NS = 10_000_000_000
# Times further from the run are clipped: a damaged time may have any value.
_AROUND_NS = 3_600_000_000_000


class Joined(NamedTuple):
    """A trace on the run's clock (None if it belongs to another run), the clocks' largest disagreement, and reasons."""

    trace: Trace | None
    residual_ns: int
    reasons: tuple[Reason, ...]


@dataclass(frozen=True, slots=True)
class Process:
    """A run's process: the ids of its threads, and the process id if known."""

    tids: Collection[int] = ()
    pid: int | None = None

    def pids(self, tasks: Tasks) -> list[int]:
        """The process id, if it is known, else those of the threads with these ids."""
        if self.pid is not None:
            return [self.pid]
        tgid = tasks.tgid[np.isin(tasks.tid, list(self.tids)) & (tasks.tgid >= 0)]
        pids: list[int] = np.unique(tgid).tolist()
        return pids

    def uid(self, trace: Trace) -> int | None:
        """The uid of this process in a trace, by the process id, else by its threads' process; None if it is unknown."""
        uids = {trace.process_uids[pid] for pid in self.pids(trace.tasks) if pid in trace.process_uids}
        return uids.pop() if len(uids) == 1 else None

    def is_in(self, tasks: Tasks) -> bool:
        """Whether a trace contains threads of this process.

        Threads of another process may have the same ids, so a known process id must match too.
        """
        own = np.isin(tasks.tid, list(self.tids))
        known = own & (tasks.tgid >= 0)
        if self.pid is not None and known.any():
            return bool((tasks.tgid[known] == self.pid).any())
        return not self.tids or bool(own.any())


NOT_KNOWN = Process()


def to_monotonic(
    raw: RawTrace, triples: ClockTriples, process: Process = NOT_KNOWN, run_ns: tuple[int, int] | None = None
) -> Joined:
    """Join a trace by its own clock snapshots and the run's clock triples.

    The run lasts from `run_ns[0]` to `run_ns[1]`, by default from the first triple to the last, without triples as long as the
    trace. `Joined.trace` is None if the trace is of another boot or time, or does not contain the process.
    """
    trace, reasons = raw.trace, [Reason("trace_lost", text) for text in raw.warnings]
    if raw.other_machines:
        reasons.append(_other_machines(raw.other_machines))
    if not len(trace.switches):
        return Joined(None, 0, (*reasons, Reason("trace_empty", "the trace has no switches of threads")))
    if _is_of_another_boot(trace, triples):
        return Joined(None, 0, (*reasons, Reason("trace_of_other_boot", "the trace is of another boot of the device")))
    mapping = _mapping(trace, triples, reasons)
    if mapping is None:
        text = "no reading relates the trace's clock to the run's clock"
        return Joined(None, 0, (*reasons, Reason("trace_clock_unrelated", text)))
    triple_ns = triples.monotonic_ns
    ends_ns = triple_ns if len(triple_ns) else mapping.monotonic(np.array([trace.start_ns, trace.end_ns], np.int64))
    begin_ns, end_ns = run_ns or (int(ends_ns[0]), int(ends_ns[-1]))
    low, high = begin_ns - _AROUND_NS, end_ns + _AROUND_NS
    joined = _apply(trace, lambda t_ns: np.clip(mapping.monotonic(t_ns), low, high), mapping)
    if joined.start_ns == low or joined.end_ns == high:
        reasons.append(Reason("trace_times_far", "some of the trace's times are far outside the run"))
    if not joined.start_ns <= end_ns or not joined.end_ns >= begin_ns:
        other = Reason("trace_of_other_time", "the trace is of another time than the run")
        return Joined(None, mapping.residual_ns, (*reasons, other))
    if not process.is_in(joined.tasks):
        other = Reason("trace_without_app", "the app's process is not in the trace")
        return Joined(None, mapping.residual_ns, (*reasons, other))
    return Joined(joined, mapping.residual_ns, tuple(reasons))


def _other_machines(packets: Mapping[int, int]) -> Reason:
    named = sorted(packets)[:_MACHINES_NAMED]
    ids = ", ".join([*map(str, named), *(["…"] if len(packets) > len(named) else [])])
    total = sum(packets.values())
    count = f"{total:,} packet{'' if total == 1 else 's'}"
    text = f"the trace is of several machines: {count} of others than the host (machine_id {ids}) left out"
    return Reason("trace_other_machines", text)


def _is_of_another_boot(trace: Trace, triples: ClockTriples) -> bool:
    """Whether realtime at boot differs between the trace's snapshots and the run's triples."""
    snapshots = trace.snapshots
    known = (snapshots.boottime_ns >= 0) & (snapshots.realtime_ns >= 0)
    own = triples.boottime_ns != UNKNOWN
    if not known.any() or not own.any():
        return False
    # If realtime was set between two readings, some of them still agree.
    trace_boots = np.unique((snapshots.realtime_ns[known] - snapshots.boottime_ns[known]) // _ANOTHER_BOOT_NS)
    run_boots = np.unique((triples.realtime_ns[own] - triples.boottime_ns[own]) // _ANOTHER_BOOT_NS)
    return not np.isin(trace_boots, np.concatenate([run_boots - 1, run_boots, run_boots + 1])).any()


def _mapping(trace: Trace, triples: ClockTriples, reasons: list[Reason]) -> ClockMapping | None:
    if trace.clock == "monotonic":
        return constant_offset(0, 0)
    if trace.clock == "boottime":
        return map_boottime(trace, triples, reasons)
    return _map_unknown(trace, triples, reasons)


def _map_unknown(trace: Trace, triples: ClockTriples, reasons: list[Reason]) -> ClockMapping | None:
    """Map a trace that does not name its clock. Its marks identify the clock, or give its offset to monotonic."""
    snapshots = trace.snapshots
    marks = [(snapshots.trace_ns, snapshots.monotonic_ns)]
    read = snapshots.realtime_ns >= 0
    if read.any() and (monotonic := triples.from_realtime(snapshots.realtime_ns[read])) is not None:
        marks.append((snapshots.trace_ns[read], monotonic))
    # Prefer monotonic marks: realtime may have been set.
    offsets = next((found for at, own in marks if len(found := (at - own)[own >= 0])), None)
    if offsets is None:
        reasons.append(Reason("trace_clock_unknown", "the trace does not name its clock; assumed to be the monotonic clock"))
        return constant_offset(0, 0)
    offset = round(float(np.median(offsets)))
    spread = int(np.abs(offsets - offset).max())
    reach = _MARK_NS + (max(trace.end_ns, 0) >> _FLOAT_BITS)
    known = triples.boottime_ns != UNKNOWN
    ahead = triples.boottime_ns[known] - triples.monotonic_ns[known]
    if abs(offset) <= reach:
        return constant_offset(0, spread)
    if len(ahead) and np.abs(ahead - offset).min() <= reach:
        return map_boottime(trace, triples, reasons)
    text = f"the trace's clock is joined only by its own marks, which are accurate to {reach / 1e6:.0f} ms"
    reasons.append(Reason("trace_clock_rough", text))
    return constant_offset(offset, spread)


def _apply(trace: Trace, to: Callable[[I64], I64], mapping: ClockMapping) -> Trace:
    """Convert the times of all tables by `to`, one column after another."""
    start_ns, end_ns = to(np.array([trace.start_ns, trace.end_ns], np.int64)).tolist()
    windows, losses, suspends, snapshots = trace.windows, trace.losses, trace.suspends, trace.snapshots
    uncertain = mapping.uncertain
    more = Losses(np.full(len(uncertain), ALL_CPUS, np.int32), uncertain.from_ns, uncertain.to_ns)
    losses = Losses.joined([losses, more])
    losses = replace(losses, from_ns=to(losses.from_ns), to_ns=to(losses.to_ns))
    return replace(
        trace,
        switches=replace(trace.switches, t_ns=to(trace.switches.t_ns)),
        frequencies=replace(trace.frequencies, t_ns=to(trace.frequencies.t_ns)),
        idle=replace(trace.idle, t_ns=to(trace.idle.t_ns)),
        tasks=replace(trace.tasks, from_ns=to(trace.tasks.from_ns), to_ns=to(trace.tasks.to_ns)),
        windows=replace(windows, from_ns=to(windows.from_ns), to_ns=to(windows.to_ns)),
        losses=losses.chosen(np.argsort(losses.from_ns, kind="stable")),
        suspends=replace(suspends, from_ns=to(suspends.from_ns), to_ns=to(suspends.to_ns)),
        snapshots=replace(snapshots, trace_ns=to(snapshots.trace_ns)),
        rails=trace.rails and replace(trace.rails, t_ns=to(trace.rails.t_ns)),
        consumers=trace.consumers
        and replace(trace.consumers, t_ns=to(trace.consumers.t_ns), uid_t_ns=to(trace.consumers.uid_t_ns)),
        samples=trace.samples and replace(trace.samples, t_ns=to(trace.samples.t_ns), clock="monotonic"),
        start_ns=start_ns,
        end_ns=end_ns,
    )


PERFETTO_SUFFIXES = (".pftrace", ".perfetto-trace")
NOT_TRACED: Final = "trace"
"""Code of the manifest's warnings that a run was not traced, or not by the requested tracer."""
_ROUGH_NS = 1_000_000


def read_trace(
    recording: Recording,
    run: Run,
    clocks: ClockTriples,
    findings: Findings,
    *,
    run_ns: tuple[int, int] | None,
    tids: Collection[int],
) -> tuple[Trace | None, tuple[Reason, ...]]:
    """Return the run's first usable trace, and reasons about all its traces. Skipped lines are counted in `findings`."""
    warnings = [warning for warning in recording.manifest.warnings if warning.code == NOT_TRACED and warning.run == run.id]
    reasons = [Reason("tracer", warning.message) for warning in warnings]
    for path in recording.files("trace", run.id):
        try:
            raw = _read(path)
        except RecordingError as error:
            findings.warn("trace_unreadable", str(error), "The analysis of the run does not use it.")
            reasons.append(Reason("trace_unreadable", f"{path.name} cannot be read"))
            continue
        _count_skipped(path, raw, findings)
        joined = to_monotonic(raw, clocks, Process(tids, run.pid), run_ns)
        reasons += joined.reasons
        if joined.trace is not None:
            if joined.residual_ns > _ROUGH_NS:
                text = f"the trace's clock is known only to {joined.residual_ns / 1e6:.1f} ms"
                reasons.append(Reason("trace_clock_rough", text))
            return _with_app_uid(joined.trace, Process(tids, run.pid)), tuple(reasons)
    return None, tuple(reasons)


def clocks_of(trace: Trace) -> ClockTriples:
    """Return the clocks that a joined trace has read, for a run that has no other readings of them."""
    read = trace.snapshots.chosen(np.flatnonzero(trace.snapshots.realtime_ns >= 0))
    return ClockTriples(read.trace_ns, read.boottime_ns, read.realtime_ns)


def _with_app_uid(trace: Trace, process: Process) -> Trace:
    uid = process.uid(trace)
    if trace.consumers is None or uid is None:
        return trace
    return replace(trace, consumers=replace(trace.consumers, app_uid=uid))


def _read(path: Path) -> RawTrace:
    if path.suffix in PERFETTO_SUFFIXES:  # Each reader takes long to import.
        from navitas.recording.parse.trace.perfetto import read_perfetto  # noqa: PLC0415

        return read_perfetto(path)
    from navitas.recording.parse.trace.text_trace import read_text  # noqa: PLC0415

    return read_text(path)


def _count_skipped(path: Path, raw: RawTrace, findings: Findings) -> None:
    """Count the skipped lines or packets by reason, with the number of the first one."""
    unit = "packets" if path.suffix in PERFETTO_SUFFIXES else "lines"
    for reason, count in raw.skipped_by_reason.items():
        first = next((f", the first is number {one.number}" for one in raw.skipped if one.reason == reason), "")
        message = f"{path.name}: {{count}} {unit} were skipped ({reason}){first}"
        findings.add_loss("trace_lines", count, message, "The others are used.", file=path.name)
