"""Write a run as a recording in the raw formats (docs/dev/formats.md), with a given level of evidence."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from support.recording_maker import make_map, written

from navitas.recording.manifest import DeviceEntry, Policy, Run, Test
from navitas.recording.writer import Supply
from truth.ftrace import trace_text
from truth.phone import Phone, profile_xml
from truth.record import Record
from truth.samples import BOOT_OFFSET_NS, OTHER_PID, PID, REAL_OFFSET_NS, T0_NS, Level, Samples

TEST = "org.example.WorkloadTest#run"


def write_recording(
    folder: Path,
    record: Record,
    profile: Phone,
    *,
    interval_ns: int,
    level: Level = "sched",
    seed: int = 0,
    edges_ns: Sequence[int] = (),
    stacks: str = "",
) -> None:
    """Write a recording of a run with counters sampled every `interval_ns`. `profile` is the phone in its power profile.

    `edges_ns` splits the run into tests, from each edge to the next. Without them, there is one test: the run's window.
    `stacks` is the text of `perf script` with samples of the threads' stacks, which take the place of their calls.
    """
    edges_ns = edges_ns or record.window
    class_name, _, method = TEST.partition("#")
    methods = [method, *(f"{method}{number}" for number in range(1, len(edges_ns) - 1))]
    method_map = map_id, _ = make_map(sorted({TEST} | {event[2] for thread in record.threads for event in thread.events}))
    device = DeviceEntry(
        kind="virtual",
        serial="truth",
        model="Truth",
        fingerprint="navitas/truth/1",
        sdk=34,
        cpus=list(range(len(profile.cluster_of))),
        policies=[Policy(id=cluster.cpus[0], cpus=list(cluster.cpus)) for cluster in profile.clusters],
    )
    supply = Supply(profile_xml(profile), "truth", profile.voltage_v, "default")
    settings = {"sample_interval_ms": interval_ns / 1e6}
    with written(folder, "truth", device, supply, settings=settings, method_map=method_map) as (writer, ids):
        samples = Samples(record, interval_ns, level, seed)
        chunks = [
            *(() if stacks else samples.thread_chunks(int(map_id, 16), ids)),
            *samples.process_chunks([f"{class_name}#{name}" for name in methods], edges_ns),
        ]
        writer.add_file("events", 0, f"events-{PID}.nvch", b"".join(chunks))
        writer.add_file("shell", 0, "shell.txt", samples.shell_text().encode())
        if level == "sched":
            trace = trace_text(record, T0_NS, BOOT_OFFSET_NS, REAL_OFFSET_NS, {True: PID, False: OTHER_PID})
            writer.add_file("trace", 0, "trace.txt", trace.encode())
        if stacks:
            writer.add_file("samples", 0, "samples.perf.txt", stacks.encode())
        for number, name in enumerate(methods):
            test = {"id": number, "run": 0, "module": ":", "class": class_name, "method": name, "repeat": 0, "status": "passed"}
            writer.add_test(Test.model_validate(test))
        writer.add_run(Run(id=0, module=":", repeat=0, package="org.example.truth", map_id=map_id, exit="complete", pid=PID))
