"""The parts of a recording that every import writes: its writer, its power profile, runs and tests."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from navitas.new_files import new_file
from navitas.power.cpu import power_model
from navitas.power.model import PowerModel
from navitas.power.power_profile import read_power_profile
from navitas.recording.manifest import IMPORTED_FROM, DeviceEntry, Policy, Project, Provenance, Run, Test
from navitas.recording.writer import RecordingWriter, Supply
from navitas.untrusted_text import clean_name

MODULE = ":"
_NAME = re.compile(r"(?:\d{4}-\d{2}-\d{2}_)?([\w$.]*\w)\.([\w$]+)")


@dataclass(frozen=True, slots=True)
class ImportedDevice:
    """The CPUs of the measured device, and its cpufreq policies; none if they are those of the power profile."""

    cpus: Sequence[int]
    policies: Sequence[Policy] = ()


@dataclass(frozen=True, slots=True)
class ImportedTest:
    """A test and its repeat."""

    __test__ = False  # for pytest

    class_name: str
    method: str
    repeat: int = 0

    def __str__(self) -> str:
        return f"{self.class_name}#{self.method}"


def named_test(name: str, addition: str = "") -> ImportedTest:
    """Return the test that a name names: `Class#method`, or `Class.method`, also after a date. Of other names, it is `all`."""
    match = _NAME.fullmatch(name)
    class_name, mark, method = name.partition("#")
    if not (class_name and mark and method):
        class_name, method = (match[1], match[2]) if match else (name or "log", "all")
    return ImportedTest(clean_name(class_name), clean_name(method + addition))


def model_of(supply: Supply, policies: Sequence[Policy], frequencies: Mapping[int, Sequence[int]]) -> PowerModel:
    """Return a device's power model; `frequencies` (kHz) by policy. Raises `PowerProfileError` if the profile does not fit."""
    profile = read_power_profile(supply.profile_xml, name=supply.profile_source)
    return power_model(profile, supply.voltage_v, [(policy.id, policy.cpus) for policy in policies] or None, frequencies)


def new_writer(
    folder: Path, device: ImportedDevice, supply: Supply, package: str, *, imported_from: str, origin: Provenance | None
) -> RecordingWriter:
    """Return the writer of a new recording."""
    return RecordingWriter(
        folder,
        project=Project(name=package or "imported", build_tool="none"),
        device=DeviceEntry(
            kind="phone",
            serial="",
            model="unknown device",
            fingerprint="",
            sdk=0,
            cpus=list(device.cpus),
            policies=list(device.policies),
        ),
        supply=supply,
        settings={"mode": "events", IMPORTED_FROM: imported_from},
        components=["cpu"],
        provenance=origin,
    )


def write_run(
    writer: RecordingWriter, number: int, test: ImportedTest, chunks: Iterable[bytes], *, package: str, map_id: str, pid: int
) -> None:
    """Write the events of a run, and list it with its test, which is the whole run."""
    with new_file(writer.path("events", number, f"events-{pid}.nvch")) as out:
        for chunk in chunks:
            out.write(chunk)
    names = {"class": test.class_name, "method": test.method, "module": MODULE, "repeat": test.repeat}
    writer.add_test(Test.model_validate({"id": number, "run": number, "status": "passed", **names}))
    process = Run(
        id=number, module=MODULE, repeat=test.repeat, package=package, map_id=map_id, exit="complete", pid=pid, whole=True
    )
    writer.add_run(process)
    writer.checkpoint()
