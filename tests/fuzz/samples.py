"""Undamaged recordings: frozen ones, generated ones of every level of evidence and form of stack samples, and recordings on
the virtual phone."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

from stack_files import sampled_file
from support.added_history import add_file
from support.ftrace_writer import Form, comments
from support.golden import GOLDEN
from support.no_progress import NoProgress
from support.notes_app import make_bundle
from support.perfetto_writer import PerfettoWriter
from support.recording_maker import PID0, make_recording, start_ns
from support.run_bytes import BOOT_OFFSET_NS, REAL_OFFSET_NS, TID0
from support.scenario import PolicySpec, Scenario, TestSpec, ThreadSpec, call
from truth.phone import PIXEL_6
from truth.recorder import write_recording
from truth.samples import LEVELS
from truth.workloads import simulate

from navitas.capture.build.gradle import BuildOptions, build_bundles
from navitas.capture.build.sample import copy_sample
from navitas.capture.collect.options import ProfileOptions
from navitas.capture.collect.session import profile
from navitas.recording.layout import MANIFEST_NAME
from navitas.recording.manifest import File
from navitas.virtual_phone.start import virtual_phone

MS = 1_000_000
_ROUNDS = 40
_PHONE_TESTS = ("*#searchByIndex", "*#photoPreviewsOnTwoThreads")
_PHONE: dict[str, dict[str, object]] = {
    "events": {"trace": "perfetto"},
    "folded": {"mode": "folded", "trace": "atrace"},
    "tick": {"mode": "tick", "trace": "none"},
    "logcat": {"transport": "logcat", "trace": "none", "repeat": 2},
    "whole": {"granularity": "test", "trace": "perfetto"},
    "baseline": {"baseline": True, "isolate": True, "trace": "none"},
    "components": {"record": "both", "sample_interval_ms": 50, "trace": "none"},
}


def made_samples(folder: Path) -> list[Path]:
    """Return recordings that need no device."""
    shutil.copytree(GOLDEN, folder / "golden")
    record = simulate("sleep-heavy", 1)
    for level in LEVELS:
        write_recording(folder / level, record, PIXEL_6, interval_ns=20 * MS, level=level)
    for name, scenario in _scenarios().items():
        make_recording(folder / name, *([scenario] * 2))
    for name, trace in {"trace.pftrace": _perfetto(), "trace.txt": _text()}.items():
        root = folder / f"with-{name}"
        recording = make_recording(root, _scenarios()["rails"])
        (root / "runs" / "0" / name).write_bytes(trace)
        file = File(path=f"runs/0/{name}", kind="trace", bytes=len(trace), sha256="0" * 64, run=0)
        manifest = recording.manifest.model_copy(update={"files": [*recording.manifest.files, file]})
        (root / MANIFEST_NAME).write_text(manifest.model_dump_json(by_alias=True))
    _make_sampled(folder)
    return sorted(path for path in folder.iterdir() if path.is_dir())


def _make_sampled(folder: Path) -> None:
    """Write recordings of sampled threads: one whose runs have text and JFR, and one with protobuf."""
    threads = tuple(
        ThreadSpec(name, busy=((0.0, 400.0, 1.0),), cpu=cpu, probed=False) for cpu, name in enumerate(("main", "worker-1"))
    )
    scenario = replace(_scenarios()["plain"], threads=threads, duration_ms=400.0, tests=(TestSpec("a.FooTest#one", 20, 380),))
    for name, forms in {
        "sampled": ("samples.jfr", "samples.perf.txt", "samples.collapsed trace.pftrace"),
        "sampled-protobuf": ("samples.simpleperf", "samples.pprof trace.pftrace", "trace.pftrace"),
    }.items():
        make_recording(folder / name, *([scenario] * len(forms)), settings={"mode": "sample"})
        for run, files in enumerate(forms):
            for file in files.split():
                add_file(folder / name, file, file.partition(".")[0], sampled_file(file, start_ns(run), PID0 + run), run)


def phone_samples(folder: Path, gradle: str) -> list[Path]:
    """Return recordings on the virtual phone: the sample project in every mode, and an Android app's tests."""
    with virtual_phone() as phone:
        bundles = build_bundles(copy_sample(folder / "project"), BuildOptions(gradle=gradle))
        for name, options in _PHONE.items():
            chosen = ProfileOptions(tests=_PHONE_TESTS, **options)  # type: ignore[arg-type]
            profile(phone, bundles, chosen, folder / name, NoProgress())
        (folder / "notes").mkdir()
        app = make_bundle(folder / "notes")
        profile(phone, [app], ProfileOptions(), folder / "android", NoProgress())
    return [*(folder / name for name in _PHONE), folder / "android"]


def _scenarios() -> dict[str, Scenario]:
    def thread(name: str, begin: float, **options: object) -> ThreadSpec:
        starts = [begin + 8 * i for i in range(_ROUNDS)]
        made = tuple(
            call(f"a.Work#run{i % 3}", at, at + 7, call("a.Work#sort", at + 1, at + 3, throws=i % 5 == 0))
            for i, at in enumerate(starts)
        )
        return ThreadSpec(name, made, ((begin, begin + 8 * _ROUNDS, 0.6),), **options)  # type: ignore[arg-type]

    threads = (
        thread("main", 60),
        thread("worker-1", 100, cpu=1),
        thread("worker-2", 140, cpu=2),
        thread("folder", 200, cpu=3, folded=True),
        ThreadSpec("GC Thread#0", busy=((200, 260, 1.0),), cpu=3, probed=False),
    )
    plain = Scenario(
        1000,
        threads=threads,
        tests=(TestSpec("a.FooTest#one", 40, 460), TestSpec("a.FooTest#two", 490, 710, status="failed")),
        policies=(
            PolicySpec(0, (0, 1), (500_000, 1_000_000), ((100, 400, {500_000: 0.25, 1_000_000: 0.75}),)),
            PolicySpec(2, (2, 3), (800_000, 2_000_000)),
        ),
        others={1: ((0, 1000, 0.1),)},
        events_per_chunk=6,
    )
    rails = {"S1M": ((0.0, 500.0, 2.0), (500.0, 1000.0, 0.5)), "S2M": ((0.0, 1000.0, 1.0),)}
    return {
        "plain": plain,
        "rails": replace(plain, rails=rails),
        "logcat": replace(plain, transport="logcat"),
        "crashed": replace(plain, exit="crashed"),
    }


def _boot(ms: float) -> int:
    return start_ns() + int(ms * MS) + BOOT_OFFSET_NS


def _perfetto() -> bytes:
    writer = PerfettoWriter()
    writer.snapshot(_boot(1), start_ns() + MS, start_ns() + MS + REAL_OFFSET_NS)
    writer.tree({4000: "org.example.sample"}, [(TID0 + i, 4000, f"thread {i}") for i in range(4)])
    for cpu in range(4):
        writer.polled_frequencies(_boot(5 + cpu), [500_000, 500_000, 800_000, 800_000])
        for part in range(5):
            at = 10 + 200 * part + cpu
            rows = [(_boot(at + 2 * i), 1 if i % 2 else 0, 0 if i % 2 else TID0 + cpu, "t") for i in range(60)]
            writer.compact(cpu, rows)
        writer.rails(["CPU"], [(0, None if cpu % 2 else _boot(100 * cpu) // MS, 1_000 * cpu)], t_ns=_boot(100 * cpu + 1))
    writer.ftrace_stats(1, {0: 0})
    writer.ftrace_stats(2, {0: 3})
    return bytes(writer)


def _text() -> bytes:
    form = Form(tgid=True)
    lines = []
    for i in range(200):
        cpu = i % 4
        lines.append(form.switch(cpu, _boot(10 + 4 * i), (f"swapper/{cpu}", 0, "R"), ("main", TID0 + cpu)))
        lines.append(form.frequency(cpu, _boot(11 + 4 * i), (500_000, 500_000, 800_000, 2_000_000)[cpu]))
        lines.append(form.switch(cpu, _boot(13 + 4 * i), ("main", TID0 + cpu, "S"), (f"swapper/{cpu}", 0), tgid=4000))
    return (comments("boot") + "".join(lines)).encode()
