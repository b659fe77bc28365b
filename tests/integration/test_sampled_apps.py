"""`--mode sample` of an Android app: the phone samples its stacks, in its trace or in a file."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.lab import Lab, skip_where_starved
from support.lab_fixtures import Apps
from support.notes_app import APP, bundle_of

from navitas.capture.bundle.reader import open_bundle
from navitas.capture.device.adb import AdbDevice
from navitas.recording.store import open_recording

pytestmark = pytest.mark.extended


@pytest.fixture
def bundle(apps: Apps, sampler: Path, tmp_path: Path) -> Path:
    return bundle_of(apps(), tmp_path / "notes.bundle.zip")


@pytest.mark.parametrize(("trace", "sampler"), [("auto", "linux.perf"), ("atrace", "simpleperf")])
def test_the_stacks_of_an_app_are_in_its_trace_or_in_a_file(
    bundle: Path, phone: AdbDevice, tmp_path: Path, trace: str, sampler: str
) -> None:
    done = Lab(phone, [open_bundle(bundle)], tmp_path).profile("WorkTest#works", name="sampled", mode="sample", trace=trace)
    skip_where_starved(done)
    recording = open_recording(done.outcome.recording)
    files = [path.name for path in recording.files("samples", 0)]
    assert files == (["samples.simpleperf"] if sampler == "simpleperf" else [])
    work = done.methods("works", "helper")["work"]
    assert work.calls == 0 and 0 < work.inclusive_j <= done.thread("works", "helper").energy_j * (1 + 1e-9)
    assert done.profile.samplers == (sampler,) and "events_missing" not in done.warnings
    assert phone.shell(f"pm list packages {APP}; ls /data/local/tmp/navitas | grep stacks").text == ""
