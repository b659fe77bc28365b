"""Writes imported processes as a recording: one run for each process."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from navitas.base.errors import PowerProfileError, RecordingError, UsageError
from navitas.base.units import counted
from navitas.power import catalog
from navitas.power.model import PowerModel
from navitas.power.power_profile import read_power_profile, read_profile_bytes
from navitas.recording.event_chunks import counter_chunks, run_chunks
from navitas.recording.importing.counted_cpus import CountedCpus, RisingReadings, counted_cpus
from navitas.recording.importing.notes import ImportNote, notes_of_energy, notes_of_log, notes_of_profile, notes_of_run
from navitas.recording.importing.processes import LoggedProcess
from navitas.recording.importing.recording_parts import (
    MODULE,
    ImportedDevice,
    ImportedTest,
    NamedMethods,
    call_chunks,
    model_of,
    named_methods,
    named_test,
    new_writer,
    package_of,
    split_name,
    write_run,
)
from navitas.recording.manifest import Provenance, Source
from navitas.recording.parse.tables import ENTER, EXIT
from navitas.recording.writer import DEFAULT_VOLTAGE_V, Supply

START_NS = 1_000_000_000
"""Time of a run's first event."""
MAX_PROCESSES = 1000
_FIRST_SOURCE = 10


@dataclass(frozen=True, slots=True)
class ImportedRun:
    """A written run: its number, test and process."""

    run: int
    test: str
    process: LoggedProcess


@dataclass(frozen=True, slots=True)
class ImportedRecording:
    """The runs of a written recording, and its warnings, each with its run (None: all runs).

    `profile_notes` are about the power profile. Reports find them again, so the recording does not have them.
    """

    runs: tuple[ImportedRun, ...]
    notes: tuple[tuple[int | None, ImportNote], ...]
    profile_notes: tuple[ImportNote, ...]


def check_supply(supply: Supply, cpus: CountedCpus) -> PowerModel:
    """Return the power model of the logs' device. Raises `PowerProfileError` if the profile does not fit its CPUs."""
    frequencies = {policy.id: cpus.frequencies[policy.cpus[0]] for policy in cpus.policies}
    try:
        return model_of(supply, cpus.policies, frequencies)
    except PowerProfileError as error:
        seen = "; ".join(f"{_listed(one.cpus)}, {counted(len(frequencies[one.id]), 'speed')}" for one in cpus.policies)
        raise PowerProfileError(
            f"{error.message} The log has {counted(len(frequencies), 'cluster')}: {seen}.",
            "Give the power_profile.xml of the measured phone with --power-profile.",
        ) from error


def _listed(cpus: Sequence[int]) -> str:
    return f"CPU {cpus[0]}" if len(cpus) == 1 else f"CPUs {cpus[0]}-{cpus[-1]}"


def read_supply(power_profile: str, voltage_v: float | None) -> Supply:
    """Read the profile that the user named. Raises `UsageError` if it does not exist, `PowerProfileError` if it is unreadable."""
    path = catalog.find(power_profile)
    xml = read_profile_bytes(path)
    if voltage_v is None:
        return Supply(xml, path.stem, DEFAULT_VOLTAGE_V, "default")
    return Supply(xml, path.stem, voltage_v, "option")


def no_profile_of_log(cpus: CountedCpus) -> UsageError:
    """Return the error for a missing profile. It names the log's clusters, and packaged profiles that resemble them."""
    fitting = [name for name in catalog.names() if _fits(name, cpus)]
    highest = [(len(one.cpus), cpus.frequencies[one.cpus[0]][-1] // 1000) for one in cpus.policies]
    clusters = ", ".join(f"{counted(count, 'CPU')} up to {mhz} MHz" for count, mhz in highest)
    instead = f", or try one with similar clusters: {', '.join(fitting)}" if fitting else ""
    return UsageError(
        f"a log has no power profile, so --power-profile is required (clusters of the log: {clusters})",
        f"Give the power_profile.xml of this model{instead}.",
    )


def _fits(name: str, cpus: CountedCpus) -> bool:
    """Whether a packaged profile has clusters of as many cores, as far as it states them, with about the same highest speeds."""
    supply = read_supply(name, None)
    counts = read_power_profile(supply.profile_xml, name=name).values("cpu.clusters.cores")
    try:
        model = check_supply(supply, cpus)
    except PowerProfileError:
        return False
    pairs = zip(model.cpu.clusters, cpus.policies, strict=True)
    has_speeds = all(0.8 < cluster.freq_khz[-1] / cpus.frequencies[policy.cpus[0]][-1] < 1.25 for cluster, policy in pairs)
    return has_speeds and (not counts or list(counts) == [len(policy.cpus) for policy in cpus.policies])


def write_recording(
    folder: Path, processes: Sequence[LoggedProcess], supply: Supply, *, test: str | None = None, origin: Provenance | None = None
) -> ImportedRecording:
    """Write a recording of these processes, in this order. `test` is the name of their test, if not that of their log: they
    are repeats of it then.

    Raises `RecordingError` if there are too many, the logs are of different devices, or the folder cannot be written.
    Raises `PowerProfileError` if the profile does not fit.
    """
    if len(processes) > MAX_PROCESSES:
        raise RecordingError(f"the logs have {len(processes):,} processes", "Choose up to 1,000 of them with --process.")
    cpus = counted_cpus(processes)
    model = check_supply(supply, cpus)
    methods = named_methods(split_name(event.method) for process in processes for event in process.events)
    package = package_of(method.class_name for method in methods.ids)
    device = ImportedDevice(sorted(cpus.frequencies), list(cpus.policies))
    writer = new_writer(folder, device, supply, package, imported_from="navitas-framework", origin=origin)
    runs: list[ImportedRun] = []
    notes: list[tuple[int | None, ImportNote]] = [(None, note) for note in notes_of_energy(model)]
    for log in {id(process.log): process.log for process in processes}.values():
        own = [process for process in processes if process.log is log]
        notes += [(None, note) for note in notes_of_log(log, own, are_repeats=test is not None)]
    with writer:
        writer.add_map(methods.map_id, MODULE, methods.data)
        for policy in cpus.policies:
            path = f"/sys/devices/system/cpu/cpufreq/policy{policy.id}/stats/time_in_state"
            writer.add_source(Source(id=_FIRST_SOURCE + policy.id, path=path, kind="time_in_state", policy=policy.id))
        for number, (process, of_run) in enumerate(zip(processes, _tests(processes, test), strict=True)):
            readings = RisingReadings(process, cpus)
            chunks = _chunks(process, readings, methods)
            write_run(writer, number, of_run, chunks, package=package, map_id=methods.map_id, pid=process.pid)
            notes += [(number, note) for note in notes_of_run(process, readings)]
            runs.append(ImportedRun(number, str(of_run), process))
        for place, note in notes:
            writer.warn(note.code, note.message, note.remedy, run=place)
        writer.finish("complete")
    return ImportedRecording(tuple(runs), tuple(notes), tuple(notes_of_profile(model)))


def _tests(processes: Sequence[LoggedProcess], name: str | None) -> Iterator[ImportedTest]:
    """The test of each process. Logs of one name are repeats of one test. Several processes of a log are tests of their own, if
    the user does not name the test."""
    sharing = Counter((id(process.log), process.test) for process in processes)
    seen: Counter[ImportedTest] = Counter()
    for process in processes:
        shared = name is None and sharing[id(process.log), process.test] > 1
        found = named_test(name or process.test, f" (process {process.pid})" if shared else "")
        yield replace(found, repeat=seen[found])
        seen[found] += 1


def _chunks(process: LoggedProcess, readings: RisingReadings, methods: NamedMethods) -> Iterable[bytes]:
    thread = np.array(process.threads, np.int64)
    t_ns = START_NS + np.array(process.t_ns, np.int64)
    kind = np.array([ENTER if event.is_entry else EXIT for event in process.events], np.uint8)
    method = np.array([methods.ids[split_name(event.method)] for event in process.events], np.int64)
    for number, (tid, name) in enumerate(process.names):
        own = thread == number
        serial, map_id = number + 1, int(methods.map_id, 16)
        yield from call_chunks(t_ns[own], kind[own], method[own], map_id=map_id, serial=serial, tid=tid, name=name)
    yield from counter_chunks((START_NS + t_ns, _FIRST_SOURCE + policy, text) for t_ns, policy, text in readings)
    yield from run_chunks(START_NS, START_NS + process.t_ns[-1], process.realtime_ns)
