"""Writes imported processes as a recording: one run for each process."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from navitas.errors import PowerProfileError
from navitas.importing.chunk_writer import CallRow, call_chunks, counter_chunks, run_chunks
from navitas.importing.counted_cpus import CountedCpus, counted_cpus
from navitas.importing.method_map import NamedMethods, named_methods
from navitas.importing.notes import ImportNote, notes_of_energy, notes_of_log, notes_of_run
from navitas.importing.processes import Process
from navitas.importing.rising_readings import RisingReadings
from navitas.new_files import new_file
from navitas.power.cpu import power_model
from navitas.power.model import PowerModel
from navitas.power.power_profile import read_power_profile
from navitas.recording.manifest import DeviceEntry, Project, Provenance, Run, Source, Test, VoltageSource
from navitas.recording.writer import RecordingWriter
from navitas.untrusted_text import clean_name

START_NS = 1_000_000_000
"""Time of a run's first event."""
_FIRST_SOURCE = 10
_NAME = re.compile(r"(?:\d{4}-\d{2}-\d{2}_)?([\w$.]*\w)\.([\w$]+)")
_MODULE = ":"


@dataclass(frozen=True, slots=True)
class ImportSupply:
    """The power profile's XML and name, and the voltage with its source."""

    profile_xml: bytes
    profile_source: str
    voltage_v: float
    voltage_source: VoltageSource


@dataclass(frozen=True, slots=True)
class ImportedRun:
    """A written run: its number, test and process."""

    run: int
    test: str
    process: Process


@dataclass(frozen=True, slots=True)
class ImportedRecording:
    """The runs of a written recording, and its warnings, each with its run (None: all runs)."""

    runs: tuple[ImportedRun, ...]
    notes: tuple[tuple[int | None, ImportNote], ...]


def check_supply(supply: ImportSupply, cpus: CountedCpus) -> PowerModel:
    """Return the power model of the logs' device. Raises `PowerProfileError` if the profile does not fit its CPUs."""
    profile = read_power_profile(supply.profile_xml, name=supply.profile_source)
    policies = [(policy.id, policy.cpus) for policy in cpus.policies]
    frequencies = {policy.id: cpus.frequencies[policy.cpus[0]] for policy in cpus.policies}
    try:
        return power_model(profile, supply.voltage_v, policies, frequencies)
    except PowerProfileError as error:
        seen = "; ".join(
            f"CPUs {policy.cpus[0]}-{policy.cpus[-1]}, {len(frequencies[policy.id])} speeds" for policy in cpus.policies
        )
        raise PowerProfileError(f"{error.message} The log has {len(policies)} clusters: {seen}.", error.remedy) from error


def write_recording(
    folder: Path, processes: Sequence[Process], supply: ImportSupply, origin: Provenance | None = None
) -> ImportedRecording:
    """Write a recording of these processes, in this order.

    Raises `RecordingError` if the logs are of different devices or the folder cannot be written, `PowerProfileError` if the
    profile does not fit.
    """
    cpus = counted_cpus(processes)
    model = check_supply(supply, cpus)
    methods = named_methods(event.method for process in processes for event in process.events)
    writer = RecordingWriter(
        folder,
        project=Project(name=methods.package or "imported", build_tool="none"),
        device=DeviceEntry(
            kind="phone",
            serial="",
            model="unknown device",
            fingerprint="",
            sdk=0,
            cpus=sorted(cpus.frequencies),
            policies=list(cpus.policies),
        ),
        power_profile=supply.profile_xml,
        power_profile_source=supply.profile_source,
        voltage_v=supply.voltage_v,
        voltage_source=supply.voltage_source,
        settings={"mode": "events", "imported_from": "navitas-framework"},
        components=["cpu"],
        provenance=origin,
    )
    runs: list[ImportedRun] = []
    notes: list[tuple[int | None, ImportNote]] = [(None, note) for note in notes_of_energy(model)]
    for log in {id(process.log): process.log for process in processes}.values():
        notes += [(None, note) for note in notes_of_log(log, [process for process in processes if process.log is log])]
    with writer:
        writer.add_map(methods.map_id, _MODULE, methods.data)
        for policy in cpus.policies:
            path = f"/sys/devices/system/cpu/cpufreq/policy{policy.id}/stats/time_in_state"
            writer.add_source(Source(id=_FIRST_SOURCE + policy.id, path=path, kind="time_in_state", policy=policy.id))
        for number, (process, test) in enumerate(zip(processes, _tests(processes), strict=True)):
            readings = RisingReadings(process, cpus)
            run = Run(
                id=number,
                module=_MODULE,
                repeat=test.repeat,
                package=methods.package,
                map_id=methods.map_id,
                exit="complete",
                pid=process.pid,
                whole=True,
            )
            _write_run(writer, number, test, _chunks(process, readings, methods), run)
            notes += [(number, note) for note in notes_of_run(process, readings)]
            runs.append(ImportedRun(number, f"{test.class_name}#{test.method}", process))
        for of_run, note in notes:
            writer.warn(note.code, note.message, note.remedy, run=of_run)
        writer.finish("complete")
    return ImportedRecording(tuple(runs), tuple(notes))


@dataclass(frozen=True, slots=True)
class _TestName:
    class_name: str
    method: str
    repeat: int


def _tests(processes: Sequence[Process]) -> Iterator[_TestName]:
    """The test of each process. Logs of one name are repeats of one test; several processes of a log are tests of their own."""
    sharing = Counter((id(process.log), process.test) for process in processes)
    seen: Counter[tuple[str, str]] = Counter()
    for process in processes:
        match = _NAME.fullmatch(process.test)
        class_name, method = (match[1], match[2]) if match else (process.test or "log", "all")
        if sharing[id(process.log), process.test] > 1:
            method += f" (process {process.pid})"
        name = clean_name(class_name), clean_name(method)
        yield _TestName(*name, repeat=seen[name])
        seen[name] += 1


def _write_run(writer: RecordingWriter, number: int, test: _TestName, chunks: Iterable[bytes], run: Run) -> None:
    with new_file(writer.path("events", number, f"events-{run.pid}.nvch")) as out:
        for chunk in chunks:
            out.write(chunk)
    names = {"class": test.class_name, "method": test.method, "module": _MODULE, "repeat": test.repeat}
    writer.add_test(Test.model_validate({"id": number, "run": number, "status": "passed", **names}))
    writer.add_run(run)
    writer.checkpoint()


def _chunks(process: Process, readings: RisingReadings, methods: NamedMethods) -> Iterable[bytes]:
    rows: list[list[CallRow]] = [[] for _ in process.names]
    for t_ns, thread, event in zip(process.t_ns, process.threads, process.events, strict=True):
        rows[thread].append((START_NS + t_ns, event.is_entry, methods.ids[event.method]))
    for serial, ((tid, name), of_thread) in enumerate(zip(process.names, rows, strict=True), 1):
        yield from call_chunks(of_thread, map_id=int(methods.map_id, 16), serial=serial, tid=tid, name=name)
    yield from counter_chunks((START_NS + t_ns, _FIRST_SOURCE + policy, text) for t_ns, policy, text in readings)
    yield from run_chunks(START_NS, START_NS + process.t_ns[-1], process.realtime_ns)
