"""`--mode sample` of an Android app: the phone samples its stacks, in its trace or beside it.

Skipped without async-profiler in the cache: `navitas profile --mode sample` fetches it.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from support.lab import Lab
from support.lab_fixtures import Apps
from support.notes_app import APP, bundle_of

from navitas.base.errors import BuildError
from navitas.capture.build import async_profiler
from navitas.capture.bundle.reader import open_bundle
from navitas.capture.device.adb import AdbDevice
from navitas.recording.parse.parsed_recording import parse_recording
from navitas.recording.store import open_recording

pytestmark = pytest.mark.extended


@pytest.fixture
def bundle(apps: Apps, tmp_path: Path) -> Path:
    try:
        async_profiler.find()
    except BuildError as reason:
        pytest.skip(f"{reason.message}: {reason.remedy}")
    return bundle_of(apps(), tmp_path / "notes.bundle.zip")


def test_the_trace_has_the_stacks_of_an_app(bundle: Path, phone: AdbDevice, tmp_path: Path) -> None:
    done = Lab(phone, [open_bundle(bundle)], tmp_path).profile("WorkTest#works", name="sampled", mode="sample")
    recording = open_recording(done.outcome.recording)
    assert not recording.files("samples", 0) and [path.name for path in recording.files("trace", 0)] == ["trace.pftrace"]
    (run,) = parse_recording(recording).runs
    assert run.calls.samples is not None and len(run.calls.samples) > 10
    work = done.methods("works", "helper")["work"]
    assert work.calls == 0 and 0 < work.inclusive_j <= done.thread("works", "helper").energy_j * (1 + 1e-9)
    assert done.profile.samplers == ("linux.perf",) and "events_missing" not in done.warnings
    assert phone.shell(f"pm list packages {APP}").text == ""
