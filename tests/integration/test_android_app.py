"""A small Android app is profiled and recorded on the virtual phone over adb, without Gradle or an SDK."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.capture import Capture
from support.lab import Lab, app_threads
from support.lab_fixtures import Apps
from support.no_progress import NoProgress
from support.notes_app import APP, TESTS, Made, bundle_of

from navitas.capture.bundle.reader import open_bundle
from navitas.capture.collect.apps.installing import installed
from navitas.capture.device.adb import AdbDevice
from navitas.cli.main import run


@pytest.fixture
def made(apps: Apps) -> Made:
    """The app and its tests."""
    return apps()


@pytest.fixture
def serial(phone: AdbDevice, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The virtual phone on the user's adb server, without the app, and without method maps kept by other tests."""
    monkeypatch.setenv("ADB_SERVER_SOCKET", phone.client.socket_spec)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setattr("navitas.capture.collect.apps.map_cache.cache_folder", lambda: tmp_path / "cache")
    yield phone.serial
    for package in (TESTS, APP):
        phone.uninstall(package)


@pytest.mark.extended
def test_an_android_app_is_profiled_with_a_process_per_test(made: Made, serial: str, phone: AdbDevice, tmp_path: Path) -> None:
    fields = {"orchestrator": True, "clear_package_data": True, "runner_arguments": {"clearPackageData": "true"}}
    lab = Lab(phone, [open_bundle(bundle_of(made, tmp_path / "notes.bundle.zip", **fields))], tmp_path)
    done = lab.profile("WorkTest#*", name="all")
    tests = {test.method: test for test in done.profile.tests}
    assert {name: test.status for name, test in tests.items()} == {"works": "passed", "fails": "failed"}
    assert list(done.outcome.failures) == [f":app {APP}.WorkTest#fails"]
    assert len({test.run for test in tests.values()}) == 2 and "events_missing" not in done.warnings, (
        "events are pulled before the packages' data are cleared"
    )
    for test in tests.values():
        assert sum(thread.energy_j for thread in app_threads(test)) > 0
        parts = sum(thread.energy_j for thread in test.threads) + test.other_processes_j + test.base_j + test.unattributed_j
        assert parts == pytest.approx(test.energy_j)
        for thread in test.threads:
            parts = sum(row.exclusive_j for row in thread.methods) + thread.untraced_j + thread.probes_j
            assert parts == pytest.approx(thread.energy_j)
    assert done.methods("works", "helper")["work"].exclusive_j > 0
    assert phone.shell(f"pm list packages {APP}").text == "", "packages installed for the test are uninstalled"


@pytest.mark.extended
def test_the_events_of_an_app_that_is_not_debuggable_are_in_its_media_folder(
    apps: Apps, serial: str, phone: AdbDevice, tmp_path: Path
) -> None:
    bundle = open_bundle(bundle_of(apps(debuggable=False), tmp_path / "notes.bundle.zip", debuggable=False))
    done = Lab(phone, [bundle], tmp_path).profile("WorkTest#works", name="media")
    assert done.methods("works", "helper")["work"].exclusive_j > 0
    assert {"transport", "events_missing"}.isdisjoint(done.warnings)
    assert phone.shell("ls /sdcard/Android/media").text == "", "nothing is left"


@pytest.mark.extended
@pytest.mark.usefixtures("serial")
def test_a_command_can_start_an_app_that_no_launcher_shows(
    apps: Apps, phone: AdbDevice, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor is it debuggable: while it is recorded, its events are in the media folder."""
    bundle = bundle_of(apps(launcher=False, debuggable=False), tmp_path / "notes.bundle.zip", debuggable=False)
    always = ["record", APP, "--device", phone.serial, "--bundle", str(bundle)]
    assert run([*always, "-o", str(tmp_path / "use"), "--", f"am startservice -n {APP}/.Sync"]) == 0
    assert '"work"' in (tmp_path / "use/report.json").read_text()
    assert phone.shell("ls /sdcard/Android/media").text == "", "nothing is left"
    monkeypatch.setattr("navitas.capture.collect.apps.app_processes._EVENTS_S", 0.0)
    assert run([*always, "-o", str(tmp_path / "none"), "--", "true"]) != 0
    assert f"{APP} does not run" in capsys.readouterr().err


@pytest.mark.extended
def test_an_app_of_another_user_is_measured_alone(
    made: Made, serial: str, phone: AdbDevice, tmp_path: Path, capsys: Capture
) -> None:
    """The first user has the app too: its data and its installation stay."""
    bundle = bundle_of(made, tmp_path / "notes.bundle.zip")
    user = phone.shell("pm create-user --profileOf 0 --managed Work").text.split()[-1]
    always = ["--device", serial, "--user", user, "-o", str(tmp_path / "rec"), "--bundle", str(bundle)]
    try:
        assert run(["profile", *always]) == 2
        assert "is not ready" in capsys.readouterr().err
        phone.shell(f"am start-user {user}")
        with installed(phone, [open_bundle(bundle)], NoProgress()):
            for package in (TESTS, APP):
                phone.shell(f"pm uninstall --user {user} {package}")
            phone.shell(f"run-as {APP} sh -c 'echo kept > files/note.txt'")
            assert run(["profile", *always, "--tests", "WorkTest#works"]) == 0
            report = json.loads((tmp_path / "rec/report.json").read_text())
            assert '"work"' in json.dumps(report) and report["settings"]["user"] == int(user)
            assert phone.shell(f"pm list packages --user {user}").text == ""
            assert phone.shell(f"run-as {APP} cat files/note.txt").text == "kept\n"
            assert phone.shell(f"run-as {APP} ls files").text == "note.txt\n"
    finally:
        phone.shell(f"pm remove-user {user}")


@pytest.mark.extended
def test_an_app_of_another_user_survives_a_measurement(made: Made, serial: str, phone: AdbDevice, tmp_path: Path) -> None:
    """Only a work profile has the app, and the measurement is for the first user. Before, for the profile, which lacks it."""
    bundle = bundle_of(made, tmp_path / "notes.bundle.zip")
    user = phone.shell("pm create-user --profileOf 0 --managed Work").text.split()[-1]
    always = ["record", APP, "--device", serial, "--bundle", str(bundle)]
    try:
        phone.shell(f"am start-user {user}")
        starts = ["--", "am", "startservice", "--user", user, f"{APP}/.Sync"]
        assert run([*always, "--user", user, "-o", str(tmp_path / "first"), *starts]) == 0
        phone.push(made.apks[0], "/data/local/tmp/own.apk")
        phone.shell(f"pm install --user {user} /data/local/tmp/own.apk; rm /data/local/tmp/own.apk")
        phone.shell(f"run-as {APP} --user {user} sh -c 'echo kept > files/note.txt'")
        assert run([*always, "-o", str(tmp_path / "second"), "--", "am", "startservice", f"{APP}/.Sync"]) == 0
        assert phone.shell(f"pm list packages --user {user}").text == f"package:{APP}\n"
        assert phone.shell(f"run-as {APP} --user {user} cat files/note.txt").text == "kept\n"
        assert phone.shell("pm list packages").text == ""
    finally:
        phone.shell(f"pm remove-user {user}")


@pytest.mark.extended
def test_the_use_of_an_app_is_recorded_through_the_log(made: Made, serial: str, phone: AdbDevice, tmp_path: Path) -> None:
    """Settings that a lost phone has left in the media folder would make the app record there, too: they are removed."""
    bundle = bundle_of(made, tmp_path / "notes.bundle.zip")
    media = f"/storage/emulated/0/Android/media/{APP}"
    phone.shell(f"mkdir -p {media}/navitas; echo out={media}/navitas > {media}/navitas/navitas.properties")
    always = ["record", APP, "--device", serial, "--bundle", str(bundle), "-o", str(tmp_path / "rec")]
    assert run([*always, "--transport", "logcat", "--monkey", "20"]) == 0
    assert '"onCreate"' in (tmp_path / "rec/report.json").read_text()
    assert not any((tmp_path / "rec").rglob("events-*"))
    assert phone.shell("ls /sdcard/Android/media").text == ""


def test_a_script_of_input_events_uses_the_app(made: Made, serial: str, tmp_path: Path) -> None:
    bundle = bundle_of(made, tmp_path / "notes.bundle.zip")
    (tmp_path / "use.txt").write_text(
        "tap 160 230  # the button\nsleep 0.3\nkeyevent BACK\nswipe 10 400 300 400 100\ntext 'a b'\n"
    )
    always = ["--device", serial, "--bundle", str(bundle), "-o", str(tmp_path / "rec")]
    assert run(["record", APP, *always, "--script", str(tmp_path / "use.txt")]) == 0
    report = json.loads((tmp_path / "rec/report.json").read_text())
    methods = (
        {row["name"] for row in report["methods"].values()}
        if isinstance(report["methods"], dict)
        else {row["name"] for row in report["methods"]}
    )
    assert {"clicked", "onActivityResult"} <= methods


@pytest.mark.extended
@pytest.mark.parametrize(
    ("use", "called"),
    [
        ("input swipe 160 230 160 230 1500", {"pressed", "cancelled"}),  # a long press opens another activity
        ("input text ''; input tap 160 230", {"pressed", "released"}),
    ],
)
def test_a_gesture_stays_with_the_activity_that_it_touched(
    made: Made, serial: str, tmp_path: Path, use: str, called: set[str]
) -> None:
    bundle = bundle_of(made, tmp_path / "gestures.bundle.zip")
    always = ["--device", serial, "--bundle", str(bundle), "-o", str(tmp_path / "rec")]
    assert run(["record", APP, *always, "--", use]) == 0
    names = set(re.findall(r'"name": "(\w+)"', (tmp_path / "rec/report.json").read_text()))
    assert names & {"pressed", "cancelled", "released", "touched"} == called


@pytest.mark.extended
def test_recording_an_app_in_use_finds_the_method_map(
    made: Made, serial: str, phone: AdbDevice, tmp_path: Path, capsys: Capture
) -> None:
    bundle = bundle_of(made, tmp_path / "notes.bundle.zip", hooks=False, warnings=["built in a hurry"])
    map_id = json.loads(made.map.read_text())["map_id"]
    always = ["record", APP, "--device", serial]
    service = ["--", "am", "startservice", f"{APP}/.Sync"]

    def methods(name: str) -> set[str]:
        return set(re.findall(r'"name": "(\w+)"', (tmp_path / name / "report.json").read_text()))

    assert run([*always, "-o", str(tmp_path / "early"), *service]) == 4
    assert "not installed" in capsys.readouterr().err
    with installed(phone, [open_bundle(bundle)], NoProgress()):
        # The activity's first events identify the build, before the app is used.
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("navitas.capture.collect.runs.app_use._MAP_S", 120.0)  # whenever they come
            assert run([*always, "-o", str(tmp_path / "early"), *service]) == 4
        reported = capsys.readouterr().err
        assert (
            f"the method map {map_id} of its build is not known here" in reported
            and "--bundle" in reported
            and "--map" in reported
        )

        # If the build cannot be identified early, the recording is kept.
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("navitas.capture.collect.runs.app_use._MAP_S", 0.0)
            assert run([*always, "-o", str(tmp_path / "late"), *service]) == 4
        reported = capsys.readouterr().err
        assert f"recording kept: {tmp_path / 'late'}" in reported and "report RECORDING --map FILE" in reported
        again = ["report", str(tmp_path / "late"), "--json", str(tmp_path / "late.json")]
        assert run(again) == 4
        assert run([*again, "--map", str(made.map)]) == 0
        assert run(again) == 0, "the map is now in the recording"
        report = json.loads((tmp_path / "late.json").read_text())
        assert '"work"' in json.dumps(report)
        assert "map_unknown" not in {warning["code"] for warning in report["warnings"]}

        given = ["-o", str(tmp_path / "bundle"), "--bundle", str(bundle), "--record", "hooks"]
        assert run([*always, *given, "--", "monkey", "-p", APP, "-s", "5", "20"]) == 0
        assert "clicked" in methods("bundle") or "onCreate" in methods("bundle")
        report = json.loads((tmp_path / "bundle/report.json").read_text())
        warnings = {each["code"]: each["message"] for each in report["warnings"]}
        assert warnings["build"] == "built in a hurry" and "no_hooks" in warnings
        assert run([*always, "-o", str(tmp_path / "cached"), *service]) == 0, "the bundle's map has been kept"
        assert "work" in methods("cached")
        assert phone.shell(f"pidof {APP}").exit_code == 1
