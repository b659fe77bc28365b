"""Generate a complete, small, valid recording of a scenario: `make_recording(folder, scenario, …)`."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from navitas.recording.manifest import DeviceEntry, Policy, Project, Run, Source, Test
from navitas.recording.store import Recording, open_recording
from navitas.recording.writer import RecordingWriter, Supply
from support import chunk_writer as cw
from support.run_bytes import REAL_OFFSET_NS, RunBytes
from support.scenario import PROFILE_XML, Scenario

T0_NS = 1_000_000_000_000
RUN_STEP_NS = 1_000_000_000_000
PID0 = 4000
PACKAGE = "org.example.sample"

Settings = Mapping[str, str | int | float | bool | None]


def start_ns(run: int = 0) -> int:
    """CLOCK_MONOTONIC at a run's 0 ms."""
    return T0_NS + run * RUN_STEP_NS


def make_map(methods: list[str], id_step: int = 1) -> tuple[str, bytes]:
    """Return map id and `map.json` of methods given as `a.b.C#name`. Classes that end in Test have the source `test`.

    Ids are 0 … n−1, or with a larger `id_step` far apart and in descending order.
    """
    classes = sorted({method.partition("#")[0] for method in methods})
    ordered = sorted(methods, key=lambda method: method.partition("#")[0])
    map_id = hashlib.sha256("\n".join(ordered).encode()).hexdigest()[:16]
    ids = [i if id_step == 1 else (len(ordered) - i) * id_step for i in range(len(ordered))]
    source = {name: "test" if name.endswith("Test") else "main" for name in classes}
    text = {
        "schema_version": 1,
        "map_id": map_id,
        "classes": [
            {"name": n, "sha256": "0" * 64, "source": source[n], "module": ":", "file": n.split(".")[-1] + ".java"}
            for n in classes
        ],
        "methods": [
            {"id": number, "class": m.partition("#")[0], "name": m.partition("#")[2], "descriptor": "()V", "line": 10 + i}
            for i, (number, m) in enumerate(zip(ids, ordered, strict=True))
        ],
        "skipped": [],
    }
    return map_id, json.dumps(text).encode()


@contextmanager
def written(
    folder: Path, project: str, device: DeviceEntry, supply: Supply, *, settings: Settings, method_map: tuple[str, bytes]
) -> Iterator[tuple[RecordingWriter, dict[str, int]]]:
    """A recording that is complete at the end of the context. Yields its writer and the ids of methods by `a.b.C#name`.

    Its sources are 1: threads, 2: the process, 10 and more: policies.
    """
    map_id, map_json = method_map
    writer = RecordingWriter(
        folder,
        project=Project(name=project, build_tool="gradle"),
        device=device,
        supply=supply,
        settings=dict(settings),
        created_utc=datetime(2026, 1, 1, tzinfo=UTC),
    )
    with writer:
        writer.add_map(map_id, ":", map_json)
        writer.add_source(Source(id=1, path="threads", kind="thread_schedstat"))
        writer.add_source(Source(id=2, path="/proc/self/stat", kind="process_stat"))
        for policy in device.policies:
            path = f"/sys/devices/system/cpu/cpufreq/policy{policy.id}/stats/time_in_state"
            writer.add_source(Source(id=10 + policy.id, path=path, kind="time_in_state", policy=policy.id))
        yield writer, {f"{method['class']}#{method['name']}": method["id"] for method in json.loads(map_json)["methods"]}
        writer.finish("complete")


def make_recording(
    folder: Path,
    *scenarios: Scenario,
    methods: tuple[str, ...] = (),
    profile_xml: bytes = PROFILE_XML,
    voltage_v: float = 3.85,
    settings: Settings | None = None,
    id_step: int = 1,
) -> Recording:
    """Write one run for each scenario and open the recording. The map contains all called methods, and `methods`."""
    method_map = make_map(sorted({m for s in scenarios for m in s.methods()} | set(methods)), id_step)
    device = DeviceEntry(
        kind="virtual",
        serial="127.0.0.1:5555",
        identity="navitas-virtual",
        model="Virtual",
        fingerprint="navitas/virtual/1",
        sdk=33,
        cpus=list(scenarios[0].cpus),
        policies=[Policy(id=policy.id, cpus=list(policy.cpus)) for policy in scenarios[0].policies],
    )
    supply = Supply(profile_xml, "test profile", voltage_v, "default")
    with written(folder, "sample", device, supply, settings=settings or {}, method_map=method_map) as (writer, ids):
        first_test = 0
        for number, scenario in enumerate(scenarios):
            run = RunBytes(scenario, start_ns(number), int(method_map[0], 16), ids, PID0 + number)
            _write_run(writer, scenario, run, number, first_test)
            first_test += len(scenario.tests)
    return open_recording(folder)


def _write_run(writer: RecordingWriter, scenario: Scenario, run: RunBytes, number: int, first_test: int) -> None:
    chunks = run.chunks()
    stamp = f"{(REAL_OFFSET_NS + run.t0) / 1e9:19.6f}"
    log = [f"{stamp} {run.pid:5d} {run.pid:5d} I {'InstrumentationRunner':8s}: run started"]
    if scenario.transport == "logcat":
        log += [f"{stamp} {run.pid:5d} {run.pid + 1:5d} I {'navitas':8s}: {line}" for line in cw.logcat_lines(chunks, run.pid)]
    else:
        writer.add_file("events", number, f"events-{run.pid}.nvch", b"".join(chunks))
    writer.add_file("logcat", number, "logcat.txt", ("\n".join(log) + "\n").encode())
    writer.add_file("shell", number, "shell.txt", run.shell_text().encode())
    common = {"module": ":", "repeat": scenario.repeat}
    for test_id, test in enumerate(scenario.tests, start=first_test):
        class_name, _, method = test.name.partition("#")
        status = "cut" if test.end_ms is None else test.status
        fields = {"id": test_id, "run": number, "class": class_name, "method": method, "status": status}
        writer.add_test(Test.model_validate(fields | common))
    fields = {"id": number, "package": PACKAGE, "map_id": f"{run.map_id:016x}", "exit": scenario.exit, "pid": run.pid}
    writer.add_run(Run.model_validate(fields | common))
