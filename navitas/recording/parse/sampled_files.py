"""Sampled files of a run as tables: readings by the app's sampler and by the device's shell."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import product

import numpy as np

from navitas.android.power_statistics import SERIES, parse_power_statistics
from navitas.recording.manifest import Manifest, Run, Source
from navitas.recording.parse.arrays import I64
from navitas.recording.parse.clock_triples import UNJOINED, ClockTriples
from navitas.recording.parse.counters import Readings
from navitas.recording.parse.findings import TORN, Findings
from navitas.recording.parse.io_counters import IoCounters
from navitas.recording.parse.io_tables import DISKSTATS, NET_DEV, device_counters
from navitas.recording.parse.procstat import parse_cpu_stat, parse_process_stat
from navitas.recording.parse.rail_readings import EnergyConsumers, RailReadings, SkippedReadings, alike, parse_rails
from navitas.recording.parse.tables import CpuClock, CpuStat, TimeInState
from navitas.recording.parse.thread_residency import PATH, Texts
from navitas.recording.parse.time_in_state import parse_time_in_state
from navitas.recording.raw import read_lines
from navitas.recording.store import Recording

_BLOCK = re.compile(r"@ (\d{1,10})[.,](\d{1,9})$")
# About twenty hours of a phone's readings. Each line adds an overhead, because a short string takes more memory than its text.
_MAX_CHARS = 1 << 29
_LINE_OVERHEAD = 100


def parse_shell(lines: Iterable[str]) -> tuple[dict[str, Texts], int]:
    """Return realtimes and texts by path, and the number of lines at the end that were left out because the file is too large.

    A block is `@ <EPOCHREALTIME>`, then `# <path>` and its text. Other content is ignored, whatever its bytes.
    The decimal separator follows the device's locale. Texts are unchanged, and the last one may be cut.
    """
    series: dict[str, Texts] = {}
    now: int | None = None
    path = ""
    text: list[str] = []
    room, left_out = _MAX_CHARS, 0

    def close() -> None:
        if now is not None and path:
            times, texts = series.setdefault(path, ([], []))
            times.append(now)
            texts.append("".join(text))
        text.clear()

    for line in lines:
        room -= len(line) + _LINE_OVERHEAD
        if room < 0:
            left_out += 1
            continue
        if line.startswith("@ ") and (match := _BLOCK.match(line.rstrip())):
            close()
            path = ""
            now = int(match[1]) * 1_000_000_000 + int(match[2].ljust(9, "0"))
        elif line.startswith("# /"):
            close()
            path = line[2:].rstrip()
        else:
            text.append(line)
    close()
    return series, left_out


_POLICY_PATH = re.compile(r"/cpufreq/policy(\d{1,4})/stats/time_in_state$")
_RAILS_PATH = re.compile(r"/energy_value$")
_UNPLUGGED = ", as of cores that are unplugged"


@dataclass(slots=True)
class ShellTables:
    """Tables from `shell.txt`. `statistics_rails` and `consumers` are from the text of the power statistics."""

    cpu_stat: CpuStat | None = None
    rails: RailReadings | None = None
    thread_states: dict[int, Texts] = field(default_factory=dict)
    """Readings of threads' time_in_state, by tid."""
    blocks_ns: I64 = field(default_factory=lambda: np.empty(0, np.int64))
    """Times of all these readings."""
    io_counters: tuple[IoCounters, ...] = ()
    statistics_rails: RailReadings | None = None
    consumers: EnergyConsumers | None = None


def time_in_state_tables(manifest: Manifest, readings: dict[int, Readings], findings: Findings) -> tuple[TimeInState, ...]:
    """Return one table for each sampled policy, in order of policy ids."""
    cpus = {policy.id: policy.cpus for policy in manifest.device.policies}
    tables: dict[int, TimeInState] = {}
    for source in manifest.sources:
        policy = _policy_of(source) if source.kind == "time_in_state" else None
        reading = readings.get(source.id)
        if policy is None or policy in tables or reading is None:
            continue
        table, skipped = parse_time_in_state(policy, cpus.get(policy, []), reading.t_ns, reading.texts)
        findings.add_loss(
            "time_in_state_readings", skipped, f"{source.path}: {{count}} empty or torn readings were skipped", TORN
        )
        if table is not None:
            tables[policy] = table
            if table.restarts:
                listed = ", ".join(map(str, cpus.get(policy) or [policy]))
                _warn_of_restarts(source.path, f"CPUs {listed}: {table.restarts} ×{_UNPLUGGED}", findings)
    return tuple(tables[policy] for policy in sorted(tables))


def process_clock(manifest: Manifest, processes: Sequence[dict[int, Readings]], findings: Findings) -> CpuClock | None:
    """Return CPU time from `/proc/self/stat`, summed over the run's processes."""
    sources = [source for source in manifest.sources if source.kind == "process_stat"]
    clocks: list[CpuClock] = []
    for source, readings in product(sources[:1], processes):
        if (reading := readings.get(source.id)) is not None:
            clock, skipped, restarts = parse_process_stat(reading.t_ns, reading.texts)
            findings.add_torn("process_stat_readings", skipped, source.path)
            if restarts:
                _warn_of_restarts(source.path, f"{restarts} ×", findings)
            clocks += [clock] if clock is not None else []
    return sum_of_clocks(clocks) if clocks else None


def sum_of_clocks(clocks: Sequence[CpuClock]) -> CpuClock:
    """Return the sum of clocks. Each clock is constant before its first reading and after its last."""
    if len(clocks) == 1:
        return clocks[0]
    t_ns = np.unique(np.concatenate([clock.t_ns for clock in clocks]))
    parts = [np.interp(t_ns, clock.t_ns, clock.cpu_ns - clock.cpu_ns[0]) for clock in clocks if len(clock.t_ns)]
    return CpuClock(t_ns, np.sum(parts, axis=0).astype(np.int64))


def shell_tables(recording: Recording, run: Run, clocks: ClockTriples, findings: Findings) -> ShellTables:
    """Return the readings by the device's shell in a run. The clock triples convert their realtimes to monotonic."""
    tables, blocks_ns = ShellTables(), set[int]()
    states: dict[int, list[tuple[int, str]]] = {}
    for path in recording.files("shell", run.id):
        found, lines = parse_shell(read_lines(path))
        message = f"{path.name} is too large: its last {{count}} lines were left out"
        remedy = "Data of other processes and rails ends before the run. Profile fewer tests."
        findings.add_loss("shell_lines", lines, message, remedy, file=path.name)
        for name, series in found.items():
            joined = _joined(series, clocks)
            if joined is None:
                message = f"{path.name} cannot be joined with the events: no clock triples were recorded"
                findings.warn("no_clocks", message, "Data of other processes and rails is missing from this run.")
                break
            t_ns, texts = joined
            message = f"{name}: {{count}} readings cannot be joined with the events: the device's clock was set before they began"
            remedy = "Do not set the device's clock while tests run."
            findings.add_loss("unjoined_readings", len(series[1]) - len(texts), message, remedy)
            if of_thread := PATH.match(name):
                blocks_ns.update(t_ns)
                states.setdefault(int(of_thread[1]), []).extend(zip(t_ns, texts, strict=True))
            elif name == "/proc/stat" and tables.cpu_stat is None:
                tables.cpu_stat, skipped = parse_cpu_stat(t_ns, texts)
                findings.add_torn("cpu_stat_readings", skipped, name)
                if tables.cpu_stat is not None and tables.cpu_stat.restarts:
                    counts = ", ".join(f"CPU {cpu}: {n} ×" for cpu, n in tables.cpu_stat.restarts.items())
                    _warn_of_restarts(name, f"{counts}{_UNPLUGGED}", findings)
            elif name in (NET_DEV, DISKSTATS):
                tables.io_counters += device_counters(name, t_ns, texts, findings)
            elif name == SERIES and tables.statistics_rails is None and tables.consumers is None:
                tables.statistics_rails, tables.consumers, left_out = parse_statistics(t_ns, texts)
                _count_rails("power statistics", left_out, findings)
            elif _RAILS_PATH.search(name) and tables.rails is None:
                tables.rails, left_out = parse_rails(t_ns, texts, clocks)
                _count_rails("rails", left_out, findings)
    tables.thread_states = {tid: _in_order(read) for tid, read in states.items() if read}
    tables.blocks_ns = np.array(sorted(blocks_ns), np.int64)
    return tables


def _warn_of_restarts(source: str, counts: str, findings: Findings) -> None:
    message = f"{source}: counters began again at 0 ({counts}): they continue from there"
    findings.warn("counter_restarts", message, "What they counted from the last reading to the restart is missing.")


def _count_rails(source: str, skipped: SkippedReadings, findings: Findings) -> None:
    findings.add_torn("rail_readings", skipped.torn, source)
    message = f"{source}: {{count}} readings were skipped: they have other rails than most readings"
    findings.add_loss("rail_readings", skipped.others, message, TORN)


def _joined(series: Texts, clocks: ClockTriples) -> Texts | None:
    """Return non-decreasing monotonic times and texts of the readings whose times can be converted; None without triples."""
    t_ns = clocks.from_realtime(np.array(series[0], np.int64))
    if t_ns is None:
        return None
    kept = np.flatnonzero(t_ns != UNJOINED)
    return np.maximum.accumulate(t_ns[kept]).tolist(), [series[1][i] for i in kept.tolist()]


def _in_order(read: Sequence[tuple[int, str]]) -> Texts:
    ordered = sorted(read, key=lambda reading: reading[0])
    return [t_ns for t_ns, _ in ordered], [text for _, text in ordered]


def _policy_of(source: Source) -> int | None:
    if source.policy is not None:
        return source.policy
    match = _POLICY_PATH.search(source.path)
    return int(match[1]) if match else None


def parse_statistics(
    t_ns: Sequence[int], texts: Sequence[str]
) -> tuple[RailReadings | None, EnergyConsumers | None, SkippedReadings]:
    """Return rails, consumers (without types), and the numbers of skipped readings."""
    found = [parse_power_statistics(text) for text in texts]
    names = [(tuple(one.meters), tuple(one.consumers)) for one in found]
    good, skipped = alike([each if any(each) else None for each in names], texts)
    if not good:
        return None, None, skipped
    rails, consumers = names[good[0]]
    times = np.maximum.accumulate(np.array([t_ns[i] for i in good], np.int64))
    rows = [
        (int(times[row]), place, uid, energy_j)
        for row, i in enumerate(good)
        for place, name in enumerate(consumers)
        for uid, energy_j in found[i].by_uid.get(name, {}).items()
    ]
    users = np.array([row[:3] for row in rows], np.int64).reshape(-1, 3)
    table = EnergyConsumers(
        consumers,
        ("",) * len(consumers),
        times,
        np.array([list(found[i].consumers.values()) for i in good], np.float64),
        uid_consumer=users[:, 1],
        uid=users[:, 2],
        uid_t_ns=users[:, 0],
        uid_energy_j=np.array([row[3] for row in rows], np.float64),
    )
    energy_j = np.array([list(found[i].meters.values()) for i in good], np.float64)
    return RailReadings(rails, times, energy_j) if rails else None, table if consumers else None, skipped
