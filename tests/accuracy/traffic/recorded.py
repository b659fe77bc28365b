"""What a recording says of each method's bytes: by its hooks, and by its counters with equation (2) of Hiya et al.

Calls belong to the phase in which their thread was at their start, by the app's own log. So this checks the recording, and
not the report's call trees.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np

from navitas.recording.parse.apis import API_SOURCE
from navitas.recording.parse.hook_calls import NETWORK, STORAGE
from navitas.recording.parse.io_counters import Increments, IoCounters, increments
from navitas.recording.parse.parsed_recording import ParsedRecording, parse_recording
from navitas.recording.parse.tables import ENTER, RunTables
from navitas.recording.store import open_recording
from traffic.plan import TAIL_NS, RunLog

KINDS = {"network": tuple(map(int, NETWORK)), "storage": tuple(map(int, STORAGE))}
_MEDIA = {"network": ("network", "wifi", "mobile"), "storage": ("storage",)}
# Columns of counters: received bytes and sent bytes; of a disk, written bytes. The page cache serves reads.
_COLUMNS = {"network": (0, 2), "storage": (2,)}


@dataclass(frozen=True, slots=True)
class Sampled:
    """The growth of a medium's counters during the test, and what equation (2) allocates to each phase of the log."""

    growth: float
    by_phase: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Rails:
    """J by rail: in the test with its tails, and in the whole run. Empty where the readings do not cover the time."""

    test_j: dict[str, float]
    run_j: dict[str, float]


@dataclass(frozen=True, slots=True)
class Recorded:
    """Bytes of each phase by medium; None where the recording has no data."""

    hooked: dict[str, tuple[float, ...]] | None
    sampled: dict[str, Sampled | None]
    rails: Rails
    api_calls: int


@dataclass(frozen=True, slots=True)
class ApiCall:
    """A call of an API of a `HookKind`, in a phase of the log (-1: none)."""

    phase: int
    kind: int
    start_ns: int
    end_ns: int


def read_recorded(recording: Path, log: RunLog) -> Recorded:
    """Read a recording of one run."""
    parsed = parse_recording(open_recording(recording))
    (run,) = parsed.runs
    calls = _api_calls(parsed, run, log)
    return Recorded(
        _hooked(run, log),
        {medium: _sampled(run, calls, log, medium) for medium in KINDS},
        Rails(_rails(run, log.start_ns, log.end_ns + TAIL_NS), _rails(run, run.start_ns, run.end_ns)),
        len(calls),
    )


def rails_between(recording: Path, start_ns: int, end_ns: int) -> Rails:
    """Read the rails of a recording of one run, and of a time in it."""
    (run,) = parse_recording(open_recording(recording)).runs
    return Rails(_rails(run, start_ns, end_ns), _rails(run, run.start_ns, run.end_ns))


def _phase_at(log: RunLog, lane: str, t_ns: int) -> int:
    """Return the index of a lane's phase at a time; -1 for none."""
    for index, (phase, start, end) in enumerate(log.phases):
        if phase.lane == lane and start <= t_ns <= end:
            return index
    return -1


def _api_calls(parsed: ParsedRecording, run: RunTables, log: RunLog) -> list[ApiCall]:
    kinds = np.array([method.api_kind if method.source == API_SOURCE else 0 for method in parsed.method_table.methods])
    found = []
    for thread in run.threads:
        events = thread.calls.whole()
        if not len(events):
            continue
        of_api = kinds[events.method] > 0
        opened: list[int] = []
        rows = zip(events.t_ns[of_api].tolist(), events.kind[of_api].tolist(), events.method[of_api].tolist(), strict=True)
        for t_ns, kind, method in rows:
            if kind == ENTER:
                opened.append(t_ns)
            elif opened:
                start_ns = opened.pop()
                if not opened:
                    found.append(ApiCall(_phase_at(log, thread.name, start_ns), int(kinds[method]), start_ns, t_ns))
    return found


def _hooked(run: RunTables, log: RunLog) -> dict[str, tuple[float, ...]] | None:
    hooks = run.calls.hooks
    if hooks is None:
        return None
    found = {medium: [0.0] * len(log.phases) for medium in KINDS}
    rows = zip(hooks.thread.tolist(), hooks.start_ns.tolist(), hooks.kind.tolist(), hooks.amount.tolist(), strict=True)
    for thread, start_ns, kind, amount in rows:
        phase = _phase_at(log, run.threads[thread].name, start_ns)
        for medium, of_it in KINDS.items():
            if phase >= 0 and kind in of_it:
                found[medium][phase] += amount
    return {medium: tuple(amounts) for medium, amounts in found.items()}


def _counters(run: RunTables, medium: str) -> IoCounters | None:
    """Return the app's own counters, else the device's."""
    of_it = [each for each in run.devices.io_counters if each.medium in _MEDIA[medium] and len(each.t_ns) > 1]
    return min(of_it, key=lambda each: each.scope != "app", default=None)


def _sampled(run: RunTables, calls: Sequence[ApiCall], log: RunLog, medium: str) -> Sampled | None:
    counters = _counters(run, medium)
    if counters is None:
        return None
    steps = increments(counters)
    edges = pairwise(steps.edges_ns.tolist())
    during = np.array([low < log.end_ns and high > log.start_ns for low, high in edges], bool)
    growth = float(steps.growth[during][:, list(_COLUMNS[medium])].sum())
    return Sampled(growth, tuple(allocate(steps, calls, medium, len(log.phases))))


def allocate(steps: Increments, calls: Sequence[ApiCall], medium: str, phases: int) -> list[float]:
    """Share each interval's growth by the time of the calls in it: A' = time(A) / sum of time(x). Returns bytes by phase."""
    edges = steps.edges_ns.tolist()
    growth = steps.growth[:, list(_COLUMNS[medium])].sum(axis=1).tolist()
    time_ns: list[dict[int, int]] = [{} for _ in growth]
    for call in calls:
        if call.kind in KINDS[medium]:
            for step in range(max(bisect_right(edges, call.start_ns) - 1, 0), len(growth)):
                if edges[step] >= call.end_ns:
                    break
                inside_ns = min(call.end_ns, edges[step + 1]) - max(call.start_ns, edges[step])
                time_ns[step][call.phase] = time_ns[step].get(call.phase, 0) + max(inside_ns, 0)
    shares = [0.0] * phases
    for amount, times in zip(growth, time_ns, strict=True):
        total_ns = sum(times.values())
        for phase, ns in times.items():
            if phase >= 0 and total_ns:
                shares[phase] += amount * ns / total_ns
    return shares


def _rails(run: RunTables, start_ns: int, end_ns: int) -> dict[str, float]:
    """Return each rail's energy in a time; nothing if its readings do not cover the time."""
    rails = run.devices.rails
    if rails is None or len(rails.t_ns) < 2 or rails.t_ns[0] > start_ns or rails.t_ns[-1] < end_ns:
        return {}
    ends = [[np.interp(t, rails.t_ns, column) for t in (start_ns, end_ns)] for column in rails.energy_j.T]
    return {name: float(end - start) for name, (start, end) in zip(rails.names, ends, strict=True)}
