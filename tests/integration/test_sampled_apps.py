"""`--mode sample` of an Android app: the phone samples its stacks, in its trace or in a file."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.lab import Lab, skip_where_starved
from support.lab_fixtures import Apps
from support.no_progress import NoProgress
from support.notes_app import APP, bundle_of

from navitas import load
from navitas.capture.bundle.reader import open_bundle
from navitas.capture.collect.apps.installing import installed
from navitas.capture.device.adb import AdbDevice
from navitas.cli.main import run
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


@pytest.fixture
def phone_of_user(phone: AdbDevice, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AdbDevice:
    """The phone on the user's adb server."""
    monkeypatch.setenv("ADB_SERVER_SOCKET", phone.client.socket_spec)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return phone


@pytest.mark.parametrize(("trace", "sampler"), [("auto", "linux.perf"), ("atrace", "simpleperf")])
def test_the_use_of_an_installed_app_is_sampled_without_its_build(
    bundle: Path, phone_of_user: AdbDevice, tmp_path: Path, trace: str, sampler: str
) -> None:
    """The app records nothing itself: clocks, threads and the length of the run are those of the trace."""
    words = ["record", APP, "--device", phone_of_user.serial, "--mode", "sample", "--trace", trace, "-o", str(tmp_path / "use")]
    with installed(phone_of_user, [open_bundle(bundle)], NoProgress()):
        assert run([*words, "--", f"am startservice -n {APP}/.Sync; sleep 3"]) == 0
    assert not list((tmp_path / "use").rglob("events-*"))
    profile = load(tmp_path / "use")
    assert profile.samplers == (sampler,) and {"events_missing", "no_events", "no_clocks"}.isdisjoint(
        warning.code for warning in profile.warnings
    )
    if "starved" in {warning.code for warning in profile.warnings}:
        pytest.skip("the host is busy: the service may have had no time")
    (use,) = profile.tests
    worker = next(thread for thread in use.threads if thread.name == "sync worker")
    names = {profile.method_table.methods[row.method].name: row for row in worker.methods}
    assert 0 < names["work"].inclusive_j <= worker.energy_j * (1 + 1e-9) and names["work"].calls == 0
