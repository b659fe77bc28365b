"""Hooks of Android's APIs on the virtual phone: what an app starts, stores and posts is in the tables and has energy."""

from __future__ import annotations

from collections import Counter

import pytest
from support.java_sources import java_sources
from support.lab import Lab, Profiled
from support.lab_fixtures import Apps
from support.notes_app import APP, bundle_of

from navitas.capture.bundle.reader import open_bundle
from navitas.capture.device.adb import AdbDevice
from navitas.insight.vitals.report import vitals_of_recording
from navitas.recording.parse.hook_calls import HookKind
from navitas.recording.parse.parsed_recording import ParsedRecording, parse_recording
from navitas.recording.store import open_recording

DEVICES = java_sources("devices/app")
SHINES = 1 + next(number for number, line in enumerate(DEVICES["Devices"].splitlines(), 1) if "void shines" in line)


@pytest.fixture(scope="module")
def profiled(apps: Apps, phone: AdbDevice, tmp_path_factory: pytest.TempPathFactory) -> Profiled:
    """The app's tests. The last one leaves a device on."""
    folder = tmp_path_factory.mktemp("devices")
    made = apps(tests=java_sources("devices/tests"), hooked=DEVICES)
    lab = Lab(phone, [open_bundle(bundle_of(made, folder / "devices.bundle.zip"))], folder)
    return lab.profile("DevicesTest#*", name="all", record="hooks")


@pytest.fixture(scope="module")
def parsed(profiled: Profiled) -> ParsedRecording:
    """The tables of the recording."""
    return parse_recording(open_recording(profiled.outcome.recording))


COUNTS = {
    ("GNSS", False): 4,
    ("GNSS", True): 3,
    ("CAMERA", False): 1,
    ("CAMERA", True): 1,
    ("FLASHLIGHT", False): 2,
    ("FLASHLIGHT", True): 1,
    ("SENSOR", False): 2,
    ("SENSOR", True): 2,
    ("WAKE_LOCK", False): 3,
    ("WAKE_LOCK", True): 2,
    ("AUDIO", False): 3,
    ("AUDIO", True): 3,
    ("VIDEO", False): 2,
    ("VIDEO", True): 2,
    ("BLUETOOTH_LINK", False): 3,
    ("BLUETOOTH_LINK", True): 3,
    ("WIFI_LOCK", False): 2,
    ("WIFI_LOCK", True): 1,
    ("WIFI_SCAN", False): 1,
    ("LOOPBACK_WRITE", False): 3,
    ("LOOPBACK_READ", False): 3,
    ("BLUETOOTH_SCAN", False): 1,
    ("BLUETOOTH_SCAN", True): 1,
    ("DATABASE", False): 7,
    ("PREFERENCES", False): 2,
    ("FILE_WRITE", False): 2,
    ("FILE_READ", False): 1,
}
STARTERS = {
    "gnss": ("locates", "requestLocationUpdates"),
    "camera": ("photographs", "openCamera"),
    "flashlight": ("shines", "setTorchMode"),
    "sensors": ("measures", "registerListener"),
    "wakelock": ("staysAwake", "acquire"),
    "audio": ("plays", "play"),
    "bluetooth": ("scans", "startScan"),
}
PLAYS = {"audio": ("playsVideo", "start"), "video": ("playsVideo", "start"), "bluetooth": ("links", "connectGatt")}


def test_each_use_is_recorded_from_start_to_stop(profiled: Profiled, parsed: ParsedRecording) -> None:
    assert not profiled.outcome.failures and not parsed.losses
    counts: Counter[tuple[str, bool]] = Counter()
    amounts: Counter[str] = Counter()
    for run in parsed.runs:
        assert run.calls.hooks is not None
        for kind, is_stop, amount in zip(run.calls.hooks.kind, run.calls.hooks.is_stop, run.calls.hooks.amount, strict=True):
            counts[HookKind(kind).name, bool(is_stop)] += 1
            amounts[HookKind(kind).name] += int(amount)
    assert counts == COUNTS
    assert amounts["FILE_WRITE"] == amounts["FILE_READ"] == 1001
    assert amounts["LOOPBACK_WRITE"] == amounts["LOOPBACK_READ"] == 650
    assert amounts["SENSOR"] == 550 + 150 + 150, "currents in µA of both starts, and of the stop of one sensor"


def test_a_device_that_stops_has_the_handle_of_its_start(parsed: ParsedRecording) -> None:
    for run in parsed.runs:
        assert run.calls.hooks is not None
        for kind in {int(each) for each in run.calls.hooks.kind[run.calls.hooks.is_stop]}:
            stops = run.calls.hooks.is_stop[run.calls.hooks.kind == kind]
            handles = run.calls.hooks.handle[run.calls.hooks.kind == kind]
            assert set(handles[stops].tolist()) == set(handles[~stops].tolist()), HookKind(kind).name


@pytest.mark.parametrize(("test_method", "starters"), [("stops", STARTERS), ("plays", PLAYS)])
def test_energy_belongs_to_the_call_that_started_the_device(
    profiled: Profiled, test_method: str, starters: dict[str, tuple[str, str]]
) -> None:
    (test,) = (each for each in profiled.profile.tests if each.method == test_method)
    components, methods = profiled.profile.components, profiled.profile.method_table.methods
    for component, (starter, call) in starters.items():
        of = components.index(component)
        own = {methods[row.method].name: row for thread in test.threads for row in thread.methods}
        assert own[call].components[of] > 0, component
        assert own[starter].inclusive_components[of] == pytest.approx(own[call].components[of]), component
        charged = {name for name, row in own.items() if row.components[of] > 0}
        assert charged == {call}, component


def test_a_device_that_is_left_on_is_named_with_its_line(profiled: Profiled) -> None:
    reasons = {each.component: [reason.text for reason in each.reasons] for each in profiled.profile.evidence}
    left = [text for texts in reasons.values() for text in texts if "not stopped" in text or "without a recorded start" in text]
    assert left == [
        f"flashlight: started in {APP}.Devices.shines (Devices.java:{SHINES}), and not stopped before the end of the run"
    ]


def test_vitals_have_the_method_and_the_line_of_a_wake_lock(profiled: Profiled) -> None:
    """The history of the virtual phone names the wake lock at the time of the call. The line is the first one of the body."""
    report = vitals_of_recording(profiled.outcome.recording)
    line = 2 + next(number for number, line in enumerate(DEVICES["Devices"].splitlines(), 1) if "void staysAwake" in line)
    acquirers = {one.method: one for one in report.acquirers or ()}
    staying = acquirers["staysAwake"]
    assert (staying.class_name, staying.place, staying.tags) == (f"{APP}.Devices", f"Devices.java:{line}", ("devices:sync",))
    assert staying.energy_j is not None and staying.energy_j > 0 and staying.held_ns > 0
    (app,) = (app for app in report.apps if app.is_recorded)
    (lock,) = (lock for lock in app.use.locks if lock.tag == "devices:sync")
    assert report.acquirers_of(app, lock.tag) == (staying,) and lock.all_ms is not None


def test_posted_work_carries_where_it_was_posted(parsed: ParsedRecording) -> None:
    (run,) = (run for run in parsed.runs if run.calls.handoffs is not None and len(run.calls.handoffs))
    assert run.calls.handoffs is not None
    assert [run.threads[index].name for index in run.calls.handoffs.thread] == ["main", "main"]
    assert {run.threads[index].name.partition(":")[0] for index in run.calls.handoffs.origin} == {"Instr"}
    assert (run.calls.handoffs.origin_ns <= run.calls.handoffs.run_start_ns).all()
