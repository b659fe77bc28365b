"""The parts of a recording that every import writes: its writer, method map, runs and tests, and chunks of event files.

The format of chunks: docs/dev/formats.md.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from navitas.base.errors import RecordingError
from navitas.base.new_files import new_file
from navitas.base.untrusted_text import clean_name
from navitas.power.cpu import power_model
from navitas.power.model import PowerModel
from navitas.power.power_profile import read_power_profile
from navitas.recording.event_chunks import event_chunk
from navitas.recording.manifest import IMPORTED_FROM, DeviceEntry, Policy, Project, Provenance, Run, Test
from navitas.recording.parse.arrays import I64, U8
from navitas.recording.parse.chunks import ANCHORS, CALLS
from navitas.recording.writer import RecordingWriter, Supply

MODULE = ":"
_NAME = re.compile(r"(?:\d{4}-\d{2}-\d{2}_)?([\w$.]*\w)\.([\w$]+)")
MAX_METHODS = 4_000_000
"""Event files have 22 bits for the number of a method."""
_UNKNOWN_CLASS = "(unknown)"
_DELTA_NS = 1 << 40
_EVENTS = 8192


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
    folder: Path,
    device: ImportedDevice,
    supply: Supply,
    package: str,
    *,
    imported_from: str,
    origin: Provenance | None,
    mode: str = "events",
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
        settings={"mode": mode, IMPORTED_FROM: imported_from},
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


class MethodName(NamedTuple):
    """A method as its measurement names it. The descriptor is empty, and file and line are None, if they are unknown."""

    class_name: str
    name: str
    descriptor: str = ""
    file: str | None = None
    line: int | None = None


@dataclass(frozen=True, slots=True)
class NamedMethods:
    """A method map: its id, its JSON, and the id of each method."""

    map_id: str
    data: bytes
    ids: dict[MethodName, int]


def named_methods(methods: Iterable[MethodName]) -> NamedMethods:
    """Return the map of methods. Without descriptors, overloads are one method. Raises `RecordingError` if there are too many."""
    ordered = sorted(set(methods), key=lambda one: (*one[:3], one.file or "", one.line or 0))
    if len(ordered) > MAX_METHODS:
        raise RecordingError(f"more than {MAX_METHODS:,} methods", "Import a part of the measurements.")
    files = {one.class_name: one.file for one in ordered}
    classes = json.dumps(
        [{"name": name, "sha256": None, "source": "main", "module": None, "file": file} for name, file in files.items()]
    )
    rows = json.dumps(
        [
            {"id": i, "class": one.class_name, "name": one.name, "descriptor": one.descriptor, "line": one.line}
            for i, one in enumerate(ordered)
        ]
    )
    map_id = hashlib.sha256(f"[{classes}, {rows}]".encode()).hexdigest()[:16]
    # A million methods are 100 MB of JSON, so the document contains the text that was hashed.
    document = f'{{"schema_version": 1, "map_id": "{map_id}", "classes": {classes}, "methods": {rows}, "skipped": []}}'
    return NamedMethods(map_id, document.encode(), {one: i for i, one in enumerate(ordered)})


def split_name(name: str) -> MethodName:
    """Return the class and method of a name such as `a.b.C.run`."""
    class_name, dot, method = name.rpartition(".")
    return MethodName(class_name, method) if dot and class_name and method else MethodName(_UNKNOWN_CLASS, name)


def package_of(class_names: Iterable[str]) -> str:
    """Return the package that all classes share; empty if there is none."""
    shared: list[str] = []
    for level in zip(*(name.split(".")[:-1] for name in set(class_names)), strict=False):
        if len(set(level)) > 1:
            break
        shared.append(level[0])
    return ".".join(shared)


def call_chunks(t_ns: I64, kind: U8, method: I64, *, map_id: int, serial: int, tid: int, name: str) -> Iterator[bytes]:
    """Yield chunks with the calls of one thread: times in order (ns), kinds (`tables.ENTER` …) and method ids."""
    start, seq = 0, 0
    while start < len(t_ns):
        base_ns = int(t_ns[start])
        end = min(start + _EVENTS, int(np.searchsorted(t_ns, base_ns + _DELTA_NS)))
        part = slice(start, end)
        words = kind[part].astype(np.uint64) << np.uint64(62)
        words |= method[part].astype(np.uint64) << np.uint64(40)
        words |= (t_ns[part] - base_ns).astype(np.uint64)
        payload = words.astype("<u8").tobytes()
        yield event_chunk(CALLS, payload, len(words), map_id=map_id, serial=serial, tid=tid, seq=seq, base_ns=base_ns, name=name)
        start, seq = end, seq + 1


def anchor_chunks(t_ns: I64, cpu_ns: I64, *, serial: int, tid: int, name: str) -> Iterator[bytes]:
    """Yield chunks with readings of a thread's CPU clock: times and CPU times (ns)."""
    for seq, start in enumerate(range(0, len(t_ns), _EVENTS)):
        part = slice(start, start + _EVENTS)
        rows = np.column_stack([t_ns[part], cpu_ns[part]]).astype("<i8")
        yield event_chunk(ANCHORS, rows.tobytes(), len(rows), serial=serial, tid=tid, seq=seq, name=name)
