"""What a reader of an imported recording must know, as warnings of the recording and its runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import PurePath
from typing import NamedTuple

from navitas.base.units import counted
from navitas.base.untrusted_text import printable, printable_list
from navitas.power.model import PowerModel
from navitas.recording.codes import WarningCode
from navitas.recording.importing.art_trace import ArtTrace
from navitas.recording.importing.counted_cpus import RisingReadings
from navitas.recording.importing.measured_log import MeasuredLog
from navitas.recording.importing.place_in_trace import Placed
from navitas.recording.importing.probe_event import TICK_NS, ProbeEvent
from navitas.recording.importing.processes import LoggedProcess
from navitas.recording.parse.reasons import Reason

_LISTED = 5
_THREADTIME = "Make the log with logcat -v threadtime."
_SURE = 0.95


class ImportNote(NamedTuple):
    """A warning of a recording or run."""

    code: WarningCode
    message: str
    remedy: str


def _imported(message: str, remedy: str) -> ImportNote:
    return ImportNote("imported", message, remedy)


def notes_of_energy(model: PowerModel) -> Iterator[ImportNote]:
    """Yield what limits the energy of every log of Navitas-Framework."""
    yield _imported(
        "the logs have no CPU time of threads or processes: energy is that of all cores, idle or not, for all programs of the "
        "device (formula (1) of the Navitas paper)",
        "Compare tests on the same device. For the energy of threads, record with navitas profile.",
    )
    highest_ma = sum(len(cluster.cpus) * float(max(cluster.core_ma)) for cluster in model.cpu.clusters)
    most_j = highest_ma * model.voltage_v * TICK_NS / 1e12
    yield _imported(
        f"the time of cores counts in ticks of 10 ms: the energy of one call can be wrong by up to {most_j:.3g} J",
        "Look at calls that take much longer than 10 ms, or at sums over many.",
    )


def notes_of_profile(model: PowerModel) -> Iterator[ImportNote]:
    """Yield what does not fit in the power profile."""
    for message in model.warnings:
        yield ImportNote("power_profile", message, "Give another profile with --power-profile.")


def notes_of_log(log: MeasuredLog, processes: Sequence[LoggedProcess], *, are_repeats: bool) -> Iterator[ImportNote]:
    """Yield what is to know of a log. `processes` are those of this log. `are_repeats`: the user named one test for them."""
    shown = PurePath(log.shown).name
    if len(processes) > 1:
        pids = [str(process.pid) for process in processes]
        listed = ", ".join(pids[:_LISTED]) + (f" and {len(pids) - _LISTED} more" if len(pids) > _LISTED else "")
        role = "a repeat of the test" if are_repeats else "a test of its own"
        yield _imported(
            f"{shown}: {len(pids)} processes, each of which is a run and {role}: {listed}",
            f"The log buffer can have kept earlier ones. To import only the last one: --process {pids[-1]}",
        )
    if any(process.realtime_ns is None for process in processes):
        yield _imported(f"{shown}: no times (format {log.format}): they follow from the counters, in ticks", _THREADTIME)
    if not all(process.has_thread_ids for process in processes):
        without = f"{shown}: no thread ids (format {log.format})"
        count = max(len(process.names) for process in processes)
        inferred = "one thread" if count == 1 else f"up to {count} threads, inferred from calls that are not nested"
        yield _imported(f"{without}: the calls of a process belong to {inferred}", _THREADTIME)
    if log.year is not None:
        turns = f", and passes the turn of the year {counted(log.year_turns, 'time')}" if log.year_turns else ""
        yield _imported(
            f"{shown}: the dates have no year: the log begins in {log.year} ({log.year_source}){turns}",
            "Give the year in which the log begins: --year YYYY",
        )
    for part in log.parts:
        if count := log.repeated[part.name]:
            rest = "" if part.events else ", and nothing else"
            yield _imported(
                f"{shown}: the log buffer of {printable(part.name)} had {counted(count, 'measurement')} of earlier tests{rest}",
                "They count once: in the test whose log ended first.",
            )
    for reason, count in log.damaged.items():
        where = f"{log.unit} {log.first[reason]}"
        yield _imported(
            f"{shown}: {counted(count, f'{log.unit} is', f'{log.unit}s are')} left out, first {where}: {reason}",
            "Their entries and exits are missing.",
        )
    if log.estimates:
        yield _imported(f"{shown}: Android's own estimates of Wi-Fi and Bluetooth are not used", "Energy is that of the CPU.")
    if any(event.brightness for process in processes for event in process.events):
        yield _imported(f"{shown}: the screen's brightness is not used", "Energy is that of the CPU.")


def notes_of_run(process: LoggedProcess, readings: RisingReadings) -> Iterator[ImportNote]:
    """Yield what is to know of a process, whose readings have been read."""
    pairs = process.pairs
    if pairs.shared_ns:
        yield _imported(
            f"several threads were in calls at once, for {pairs.shared_ns / pairs.in_calls_ns:.1%} of the time in calls: they "
            "share the energy of that time equally. Paper 1 charges each of them with all of it",
            "Add --formula paper1 to see both.",
        )
    if pairs.first_cut is not None:
        some = _some(pairs.cut, process, "is an entry", "are entries")
        yield ImportNote(
            "events_missing",
            f"{some} without an exit, first {_shown(process, pairs.first_cut)}: an exception left the method, or the log ends "
            "before. Such a call ends with the next exit of a caller, or the log",
            "Their energy is at most what is shown.",
        )
    if pairs.first_unmatched is not None:
        some = _some(pairs.unmatched, process, "is an exit", "are exits")
        yield ImportNote(
            "events_missing",
            f"{some} without an entry, first {_shown(process, pairs.first_unmatched)}: the log begins after the entry, or lost "
            "it. Such an exit is not used",
            "Enlarge the device's log buffer (logcat -G 16M).",
        )
    if lost := sum(not event.layout for event in process.events):
        yield ImportNote(
            "time_in_state_readings",
            f"{counted(lost, 'reading is', 'readings are')} cut off, impossible, or at odds with the others: the energy at these "
            "entries and exits is interpolated",
            "logcat cuts long lines. The other readings are used.",
        )
    if readings.other_cpus:
        yield ImportNote(
            "time_in_state_readings",
            f"{counted(readings.other_cpus, 'reading')} of a cluster without some of its CPUs: they were off, and used nothing",
            "Where their counters are not known from before, the energy of the cluster is interpolated.",
        )
    if process.restarts:
        listed = ", ".join(f"CPU {cpu}" + (f" ({times} ×)" if times > 1 else "") for cpu, times, _ in process.restarts)
        first = min((restart.first for restart in process.restarts), key=lambda event: event.place)
        yield ImportNote(
            "counter_restarts",
            f"counters began again at 0, as those of cores that are unplugged: {listed}, first {_shown(process, first)}: they "
            "continue from there",
            "What they counted from the last reading to the restart is missing.",
        )
    if readings.raised:
        yield _imported(
            f"{counted(readings.raised, 'reading has', 'readings have')} counters below those of the reading before, since "
            "threads read at the same time: these counters are raised",
            "The energy of calls that begin or end there can be wrong by another tick.",
        )
    if process.clock_set:
        yield _imported(
            f"the log's clock goes back {counted(process.clock_set, 'time')}: the time in between is unknown, and counts as none",
            "Energies do not depend on it.",
        )


def _some(count: int, process: LoggedProcess, one: str, several: str) -> str:
    return f"{count} of {counted(len(process.events), 'event')} {one if count == 1 else several}"


def _shown(process: LoggedProcess, event: ProbeEvent) -> str:
    return f"in {process.log.unit} {event.place} ({printable(event.method)})"


def notes_of_trace(reasons: Sequence[Reason]) -> Iterator[ImportNote]:
    """Yield what limits a kernel trace."""
    for reason in reasons:
        yield ImportNote("trace", str(reason), "The evidence of reports says so, too.")


def traced_notes(art: ArtTrace, placed: Placed, without: Sequence[str]) -> Iterator[ImportNote]:
    """Yield what limits the figures. `without` are the names of threads without scheduling slices."""
    where = f"at {placed.start_ns / 1e9:.6f} s of the trace's clock"
    sure = f", ± {placed.uncertain_ns / 1e3:.0f} µs" if placed.uncertain_ns else ""
    yield _imported(
        f"the methods are placed by {placed.source}: they begin {where}{sure}; {placed.share:.1%} of the entries and exits are "
        "at times at which their threads run in the trace",
        "Figures of shorter calls than this are uncertain. To place them yourself: --start SECONDS"
        if placed.share >= _SURE
        else "This is a poor fit: threads do not enter methods while they do not run. To place them yourself: --start SECONDS",
    )
    yield _imported(
        "method tracing makes each call slower, and its cost is not known: its energy is included in that of methods",
        "Compare methods with many short calls with care.",
    )
    if all(one.cpu_ns is None for one in art.threads):
        yield _imported("the method trace has no CPU times of threads", "They follow from the slices of the kernel trace.")
    if without:
        yield _imported(
            f"{counted(len(without), 'thread of the method trace is', 'threads of the method trace are')} not found in the "
            "kernel trace, by id or a name of their own: "
            f"{printable_list(without, _LISTED)}",
            "Their calls have no energy. Their energy, if any, is unattributed.",
        )
    if art.unlisted:
        yield _imported(
            f"{counted(art.unlisted, 'entry or exit has', 'entries and exits have')} an id that the trace does not "
            "list: they are of one method, (unknown)",
            "Trace again if they are many.",
        )
    if art.is_cut:
        yield ImportNote("events_missing", "the final summary of the method trace is missing", "Stop it with am profile stop.")
    if art.is_full:
        yield ImportNote(
            "events_missing", "the buffer of the method trace was full: later events are missing", "Trace a shorter time."
        )
    if art.cut_bytes:
        yield ImportNote(
            "events_missing",
            f"the method trace is cut off: its last {counted(art.cut_bytes, 'byte is', 'bytes are')} not used",
            "Copy it again.",
        )
