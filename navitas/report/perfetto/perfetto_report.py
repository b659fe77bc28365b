"""A Perfetto trace: the recorded kernel trace, with energy, power, tests and calls on the same clock (docs/dev/formats.md)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import IO, TypeVar

import numpy as np

from navitas import __version__
from navitas.base.units import UJ_PER_J, percent
from navitas.base.untrusted_text import printable_list
from navitas.energy.analyze.names import test_label
from navitas.energy.analyze.profile import Profile
from navitas.energy.analyze.records import TestEnergy
from navitas.insight.verdict.figures import Figures
from navitas.insight.verdict.limits import power_profile
from navitas.report.figure_notes import evidence_groups, listed
from navitas.report.format import Format
from navitas.report.perfetto.call_stacks import CallStacks
from navitas.report.perfetto.energy_samples import EnergySamples, energy_samples
from navitas.report.perfetto.kernel_trace import copy_packets, kernel_trace_of
from navitas.report.perfetto.largest_calls import LargestCalls, SingleCalls
from navitas.report.perfetto.power_counters import PowerCounters
from navitas.report.perfetto.run_tracks import RunTracks
from navitas.report.perfetto.trace_packets import EnergyUnit, TracePackets

Rows = TypeVar("Rows", EnergySamples, SingleCalls)
_PATTERNS = 20


def write(profile: Profile, out: IO[bytes]) -> None:
    """Write the kernel traces of the runs that count as they are, and one packet sequence with Navitas' figures."""
    counted = [row for row, run in enumerate(profile.ledger.runs) if not run.baseline]
    traces = {row: kernel_trace_of(profile.recorded, profile.ledger.runs[row].id) for row in counted}
    copied = [trace for trace in traces.values() if isinstance(trace, Path)]
    if not copied:
        _write_figures(profile, traces, out)
    for number, path in enumerate(copied):
        copy_packets(path, out, partial(_write_figures, profile, traces, out) if number == 0 else None)


FORMAT = Format(
    "perfetto",
    ".pftrace",
    "the kernel trace with energy, power, tests and calls, for ui.perfetto.dev",
    write,
    binary=True,
    call_steps=True,
    recorded=True,
)


def _write_figures(profile: Profile, traces: Mapping[int, Path | str], out: IO[bytes]) -> None:
    """Write the packets of the runs in `traces`, which has their kernel traces by row of the ledger."""
    about = _about(profile)
    packets = TracePackets(
        out, EnergyUnit("navitas", "energy", "uJ", "; ".join(f"{name}: {text}" for name, text in about.items()))
    )
    stacks, samples, calls = CallStacks(profile.ledger, packets), energy_samples(profile.ledger), LargestCalls(profile.ledger)
    runs = {row: RunTracks(profile, row, packets, stacks) for row in traces}
    if not any(isinstance(trace, Path) for trace in traces.values()):
        for run in list(runs.values())[:1]:
            run.write_clocks()
    for run in runs.values():
        if run.tables is not None:
            calls.add(run.tables, int(run.owners[0]))
    largest = calls.calls()
    counters = PowerCounters(profile, packets, len(runs))
    about |= {"calls": _about_calls(profile, largest, calls.seen)}
    for row, run in runs.items():
        trace = traces[row]
        more: dict[str, str | int] = {
            "kernel trace": "included" if isinstance(trace, Path) else trace,
            "threads without a power counter": counters.write(run),
        }
        _write_run(profile, run, packets, about | more)
        _write_calls(_of(largest, run), run, packets, stacks)
        _write_samples(_of(samples, run), run, packets, stacks)


def _about(profile: Profile) -> dict[str, str | int]:
    """What the figures are, and how certain: arguments of the slice of each run."""
    groups = evidence_groups(profile)
    levels = [f"{listed(group.components)}: {group.level}" + (f" ({group.basis})" if group.basis else "") for group in groups]
    errors = [group.expected_error for group in groups if group.expected_error is not None]
    typical = {"typical error of a method": percent(max(errors))} if errors else {}
    return {
        "navitas": __version__,
        "figures": "estimates: energy in µJ, power in mW",
        "evidence": "; ".join(levels),
        **typical,
        "uncertainty": left_out.text if (left_out := power_profile(Figures(profile))) else "± is the whole error",
        "tests": printable_list(profile.about.selected, _PATTERNS) or "all",
    }


def _write_run(profile: Profile, run: RunTracks, packets: TracePackets, about: Mapping[str, str | int]) -> None:
    """Write a slice of the run, with `about` as its arguments, and one of each test."""
    entry = run.entry
    begin_ns, end_ns = run.boottime_ns(np.array([entry.start_ns, entry.end_ns])).tolist()
    track = packets.track(run.process, "Navitas")
    packets.begin(begin_ns, track, f"run {entry.id} of {profile.project}", about)
    packets.end(end_ns, track)
    tests = profile.ledger.tests
    windows = {test.rows[0]: test for test in profile.tests if test.run == entry.id and test.wall_ns > 0}
    if windows:
        track = packets.track(run.process, "Tests")
    for row, test in sorted(windows.items(), key=lambda item: tests.start_ns[item[0]]):
        begin_ns, end_ns = run.boottime_ns(np.array([tests.start_ns[row], tests.end_ns[row]])).tolist()
        packets.begin(begin_ns, track, test_label(test), _of_test(profile, test))
        packets.end(end_ns, track)


def _of_test(profile: Profile, test: TestEnergy) -> dict[str, str | float]:
    return {
        "energy_uj": test.energy_j * UJ_PER_J,
        "standard_error_uj": profile.test_error(test).standard_j * UJ_PER_J,
        "app_energy_uj": test.app_j * UJ_PER_J,
        "repeat": test.repeat + 1,
        "status": test.status,
    }


def _about_calls(profile: Profile, shown: SingleCalls, seen: int) -> str:
    if profile.recorded is None:
        return "not included: the profile has no recording"
    if not seen:
        return "none: no single calls were recorded"
    if len(shown) == seen:
        return f"all {seen:,}"
    return f"the {len(shown):,} with most energy of {seen:,}; those without energy, and others, are left out"


def _write_calls(calls: SingleCalls, run: RunTracks, packets: TracePackets, stacks: CallStacks) -> None:
    """Write calls as nested slices of their threads."""
    begins, ends = (run.boottime_ns(t_ns).tolist() for t_ns in (calls.begin_ns, calls.end_ns))
    methods, energies_uj = calls.method.tolist(), (calls.energy_j * UJ_PER_J).tolist()
    open_ns: list[int] = []
    track = 0
    for owner, begin_ns, end_ns, method, energy_uj in zip(calls.owner.tolist(), begins, ends, methods, energies_uj, strict=True):
        following = run.track(owner)
        while open_ns and (following != track or open_ns[-1] <= begin_ns):
            packets.end(open_ns.pop(), track)
        track = following
        packets.begin(begin_ns, track, stacks.method(method), {"energy_uj": energy_uj})
        open_ns.append(end_ns)
    while open_ns:
        packets.end(open_ns.pop(), track)


def _write_samples(samples: EnergySamples, run: RunTracks, packets: TracePackets, stacks: CallStacks) -> None:
    """Write stack samples. Each call stack is described before its first sample."""
    columns = run.boottime_ns(samples.t_ns), samples.owner, samples.path, samples.weight_uj
    for t_ns, owner, path, weight_uj in zip(*(column.tolist() for column in columns), strict=True):
        packets.sample(t_ns, run.task(owner), stacks.number(owner, path), weight_uj)


def _of(rows: Rows, run: RunTracks) -> Rows:
    """Return the rows of a run's owners."""
    chosen = np.flatnonzero((rows.owner >= run.owners[0]) & (rows.owner <= run.owners[-1]))
    return rows.chosen(chosen)
