"""Writes imported processes as a recording: one run for each process."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from navitas.counts import counted
from navitas.errors import PowerProfileError, RecordingError
from navitas.importing.chunk_writer import call_chunks, counter_chunks, run_chunks
from navitas.importing.counted_cpus import CountedCpus, counted_cpus
from navitas.importing.method_map import NamedMethods, named_methods, package_of, split_name
from navitas.importing.notes import ImportNote, notes_of_energy, notes_of_log, notes_of_profile, notes_of_run
from navitas.importing.processes import LoggedProcess
from navitas.importing.recording_parts import (
    MODULE,
    ImportedDevice,
    ImportedRow,
    ImportedTest,
    ImportSupply,
    model_of,
    named_test,
    new_writer,
    write_run,
)
from navitas.importing.rising_readings import RisingReadings
from navitas.parse.tables import ENTER, EXIT
from navitas.power.model import PowerModel
from navitas.recording.manifest import Provenance, Source

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


def check_supply(supply: ImportSupply, cpus: CountedCpus) -> PowerModel:
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


def write_recording(
    folder: Path,
    processes: Sequence[LoggedProcess],
    supply: ImportSupply,
    *,
    test: str | None = None,
    origin: Provenance | None = None,
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
            run = ImportedRow(number, of_run, package, methods.map_id, process.pid)
            write_run(writer, run, _chunks(process, readings, methods))
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
