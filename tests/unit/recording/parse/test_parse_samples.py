"""A recording's files of stack samples: their threads and methods, and what was lost."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest
from support.recording_maker import make_recording, start_ns
from support.scenario import Scenario, TestSpec, ThreadSpec

from navitas.energy.analyze.conserve import check
from navitas.energy.analyze.load import load
from navitas.recording.parse import parsed_recording
from navitas.recording.parse.parsed_recording import parse_recording
from navitas.recording.parse.stack_samples import Frame, RawSamples, Stacks
from navitas.recording.store import Recording, open_recording

MS = 1_000_000
WORKER = ThreadSpec("worker", busy=((100, 400, 1.0),), cpu=1, probed=False)
SCENARIO = Scenario(1000, threads=(WORKER,), tests=(TestSpec("a.FooTest#one", 40, 460),))
FRAMES = (Frame("java", "app", "a.Work", "run", "()V"), Frame("native", "/lib/libc.so", "", "memcpy"))


def sampled_recording(folder: Path, count: int = 1) -> Recording:
    """A recording whose run has `count` files of kind `samples`, for the reader below."""
    recording = make_recording(folder, SCENARIO, methods=("a.Work#run",))
    path = folder / "manifest.json"
    manifest = json.loads(path.read_text("utf-8"))
    for number in range(count):
        name = f"runs/0/samples{number}.made"
        (folder / name).write_bytes(b"made")
        entry = {"path": name, "kind": "samples", "bytes": 4, "sha256": hashlib.sha256(b"made").hexdigest(), "run": 0}
        manifest["files"].append(entry)
    path.write_text(json.dumps(manifest), "utf-8")
    del recording
    return open_recording(folder)


@pytest.fixture
def tid(tmp_path: Path) -> int:
    run = parse_recording(make_recording(tmp_path / "plain", SCENARIO)).runs[0]
    return next(thread.tid for thread in run.threads if thread.name == "worker")


@pytest.fixture(autouse=True)
def _reader(monkeypatch: pytest.MonkeyPatch, tid: int) -> None:
    t_ns = start_ns() + np.arange(110, 400, 10, dtype=np.int64) * MS
    stack = np.where(np.arange(len(t_ns)) % 3 == 0, 1, 0).astype(np.int32)
    stacks = Stacks(np.array([-1, 0], np.int32), np.array([0, 1], np.int32))
    tids = np.full(len(t_ns), tid, np.int64)
    raw = RawSamples(t_ns, tids, stack, stacks, FRAMES, "monotonic", 10.0 * MS, lost=3, cut=2)
    monkeypatch.setitem(parsed_recording.SAMPLE_READERS, ".made", lambda _path: raw)


def test_samples_have_threads_and_methods(tmp_path: Path) -> None:
    parsed = parse_recording(sampled_recording(tmp_path / "rec"))
    run, methods = parsed.runs[0], parsed.method_table.methods
    samples = run.calls.samples
    assert samples is not None and len(samples) == 29
    assert {run.threads[place].name for place in samples.thread.tolist()} == {"worker"}
    assert [(methods[row].module, methods[row].name) for row in samples.stacks.frame.tolist()] == [
        (":", "run"),
        ("/lib/libc.so", "memcpy"),
    ]
    losses = {(loss.what, loss.count) for loss in parsed.losses}
    assert losses >= {("stack_samples", 3), ("cut_stacks", 2)} and {warning.code for warning in parsed.warnings} >= {"cut_stacks"}


def test_the_energy_of_a_sampled_run_is_conserved(tmp_path: Path) -> None:
    sampled_recording(tmp_path / "rec")
    profile = load(tmp_path / "rec")
    assert profile.is_sampled and check(profile) == []
    (thread,) = (thread for thread in profile.tests[0].threads if thread.name == "worker")
    methods = {profile.method_table.methods[method.method].name: method for method in thread.methods}
    assert [methods[name].samples for name in ("run", "memcpy")] == [19, 10]
    assert methods["run"].inclusive_j == pytest.approx(thread.energy_j - thread.untraced_j)
    assert thread.untraced_j < 0.1 * thread.energy_j


def test_two_files_of_samples_are_one_table(tmp_path: Path) -> None:
    parsed = parse_recording(sampled_recording(tmp_path / "rec", 2))
    samples = parsed.runs[0].calls.samples
    assert samples is not None and len(samples) == 58 and (np.diff(samples.t_ns) >= 0).all()


def test_files_without_a_reader_and_missing_files_are_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    recording = sampled_recording(tmp_path / "rec")
    (tmp_path / "rec/runs/0/samples0.made").unlink()
    parsed = parse_recording(recording)
    assert parsed.runs[0].calls.samples is None and "file_missing" in {warning.code for warning in parsed.warnings}
    monkeypatch.delitem(parsed_recording.SAMPLE_READERS, ".made")
    assert parse_recording(sampled_recording(tmp_path / "other")).runs[0].calls.samples is None
