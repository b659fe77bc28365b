"""Sampled files of a run as tables: what the app's sampler read, and what the device's shell printed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from navitas.parse import thread_residency
from navitas.parse.arrays import I64
from navitas.parse.clock_triples import UNJOINED, ClockTriples
from navitas.parse.counters import Readings
from navitas.parse.findings import TORN, Findings
from navitas.parse.procstat import parse_cpu_stat, parse_process_stat
from navitas.parse.rail_readings import RailReadings
from navitas.parse.rails import parse_rails
from navitas.parse.shell import Series, parse_shell
from navitas.parse.tables import CpuClock, CpuStat, TimeInState
from navitas.parse.time_in_state import parse_time_in_state
from navitas.recording.manifest import Manifest, Run, Source
from navitas.recording.raw import read_lines
from navitas.recording.store import Recording

_POLICY_PATH = re.compile(r"/cpufreq/policy(\d{1,4})/stats/time_in_state$")
_RAILS_PATH = re.compile(r"/energy_value$")


@dataclass(frozen=True, slots=True)
class ShellTables:
    """What came of `shell.txt`."""

    cpu_stat: CpuStat | None
    rails: RailReadings | None
    thread_states: dict[int, thread_residency.Texts]
    """By tid: threads' own time_in_state."""
    blocks_ns: I64
    """When something was read."""


def time_in_state_tables(manifest: Manifest, readings: dict[int, Readings], findings: Findings) -> tuple[TimeInState, ...]:
    """A table for each policy that was sampled, in the policies' order."""
    cpus = {policy.id: policy.cpus for policy in manifest.device.policies}
    tables: dict[int, TimeInState] = {}
    for source in manifest.sources:
        policy = _policy_of(source) if source.kind == "time_in_state" else None
        reading = readings.get(source.id)
        if policy is None or policy in tables or reading is None:
            continue
        table, skipped = parse_time_in_state(policy, cpus.get(policy, []), reading.t_ns, reading.texts)
        findings.lose("time_in_state_readings", skipped, f"{source.path}: {{count}} empty or torn readings were skipped", TORN)
        if table is not None:
            tables[policy] = table
    return tuple(tables[policy] for policy in sorted(tables))


def process_clock(manifest: Manifest, processes: Sequence[dict[int, Readings]], findings: Findings) -> CpuClock | None:
    """CPU time from `/proc/self/stat`: the sum of the run's processes."""
    sources = [source for source in manifest.sources if source.kind == "process_stat"]
    clocks: list[CpuClock] = []
    for source, readings in product(sources[:1], processes):
        if (reading := readings.get(source.id)) is not None:
            clock, skipped = parse_process_stat(reading.t_ns, reading.texts)
            findings.lose("process_stat_readings", skipped, f"{source.path}: {{count}} torn readings were skipped", TORN)
            clocks += [clock] if clock is not None else []
    return summed(clocks) if clocks else None


def summed(clocks: Sequence[CpuClock]) -> CpuClock:
    """The sum of clocks; each stands still before its first reading and after its last."""
    if len(clocks) == 1:
        return clocks[0]
    t_ns = np.unique(np.concatenate([clock.t_ns for clock in clocks]))
    parts = [np.interp(t_ns, clock.t_ns, clock.cpu_ns - clock.cpu_ns[0]) for clock in clocks if len(clock.t_ns)]
    return CpuClock(t_ns, np.sum(parts, axis=0).astype(np.int64))


def shell_tables(recording: Recording, run: Run, clocks: ClockTriples, findings: Findings) -> ShellTables:
    """What the device's shell read in a run, its realtimes joined with monotonic by the clock triples."""
    cpu_stat: CpuStat | None = None
    rails: RailReadings | None = None
    states: dict[int, list[tuple[int, str]]] = {}
    blocks_ns: set[int] = set()
    for path in recording.files("shell", run.id):
        found, left_out = parse_shell(read_lines(path))
        message = f"{path.name} is too large: its last {{count}} lines were left out"
        remedy = "Other processes and rails end before the run does: profile fewer tests."
        findings.lose("shell_lines", left_out, message, remedy, file=path.name)
        for name, series in found.items():
            joined = _joined(series, clocks)
            if joined is None:
                message = f"{path.name} cannot be joined with the events: no clock triples were recorded"
                findings.warn("no_clocks", message, "Other processes and rails are missing from this run.")
                break
            t_ns, texts = joined
            message = f"{name}: {{count}} readings cannot be joined with the events: the device's clock was set before they began"
            findings.lose("unjoined_readings", len(series.texts) - len(texts), message, "Set no clock while tests run.")
            if of_thread := thread_residency.PATH.match(name):
                blocks_ns.update(t_ns)
                states.setdefault(int(of_thread[1]), []).extend(zip(t_ns, texts, strict=True))
            elif name == "/proc/stat" and cpu_stat is None:
                cpu_stat, skipped = parse_cpu_stat(t_ns, texts)
                findings.lose("cpu_stat_readings", skipped, "/proc/stat: {count} torn readings were skipped", TORN)
            elif _RAILS_PATH.search(name) and rails is None:
                rails, skipped = parse_rails(t_ns, texts, clocks)
                findings.lose("rail_readings", skipped, "rails: {count} torn readings were skipped", TORN)
    thread_states = {tid: _in_order(read) for tid, read in states.items() if read}
    return ShellTables(cpu_stat, rails, thread_states, np.array(sorted(blocks_ns), np.int64))


def _joined(series: Series, clocks: ClockTriples) -> tuple[Sequence[int], list[str]] | None:
    """Monotonic times, never falling, and texts of the readings that can be joined; None when there are no triples to join by."""
    t_ns = clocks.from_realtime(np.array(series.realtime_ns, np.int64))
    if t_ns is None:
        return None
    kept = np.flatnonzero(t_ns != UNJOINED)
    return np.maximum.accumulate(t_ns[kept]).tolist(), [series.texts[i] for i in kept.tolist()]


def _in_order(read: Sequence[tuple[int, str]]) -> thread_residency.Texts:
    ordered = sorted(read, key=lambda reading: reading[0])
    return [t_ns for t_ns, _ in ordered], [text for _, text in ordered]


def _policy_of(source: Source) -> int | None:
    if source.policy is not None:
        return source.policy
    match = _POLICY_PATH.search(source.path)
    return int(match[1]) if match else None
