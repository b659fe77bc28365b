"""Android apps on the framework, with and without instrumentation tests, recorded as on a phone.

The fixture compiles and instruments a small app and builds its APKs. The virtual phone runs its classes from a jvm.zip.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.command_line import eventually
from support.maven import NotFetchedError
from support.notes_app import APP, RUNNER, TESTS, Made, make

from navitas.device.adb import AdbDevice

PUSHED = "/data/local/tmp/navitas"
LISTENER = "-e listener org.navitas.runtime.junit.NavitasListener"


@pytest.fixture(scope="module")
def made(jvm: str, virtual: AdbDevice, tmp_path_factory: pytest.TempPathFactory) -> Made:
    """The instrumented app, and its tests."""
    try:
        return make(tmp_path_factory.mktemp("notes"), permissions=["android.permission.RECORD_AUDIO"])
    except NotFetchedError as error:
        pytest.skip(str(error))


@pytest.fixture
def phone(virtual: AdbDevice, made: Made) -> Iterator[AdbDevice]:
    """The phone with the app, its tests and classes, and the settings of a recording."""
    virtual.install(made.apks)
    virtual.shell(f"mkdir -p {PUSHED}; run-as {APP} mkdir -p files/navitas; logcat -c")
    virtual.push(made.jvm, f"{PUSHED}/{TESTS}.jvm.zip")
    virtual.push(f"out=/data/data/{APP}/files/navitas\nflushIntervalMs=50\n".encode(), f"{PUSHED}/{APP}.properties")
    yield virtual
    for package in (TESTS, APP):
        virtual.uninstall(package)
    virtual.shell(f"rm -f {PUSHED}/*")


def recorded(phone: AdbDevice) -> bytes:
    """All events that the app's process wrote."""
    return b"".join(phone.exec_out(f"run-as {APP} sh -c 'cat files/navitas/events-*.nvch'"))


def crash(phone: AdbDevice) -> str:
    """What ended an app's process, from the log."""
    return phone.shell("logcat -d -s AndroidRuntime").text


def test_instrumentation_tests_run_and_are_recorded(phone: AdbDevice) -> None:
    found = phone.shell(f"am instrument -w -r -e class {APP}.NotesTest -e colour blue {LISTENER} {RUNNER}", timeout_s=240)
    tests = re.findall(r"STATUS: stack=(.*)|STATUS: test=(\w+)\nINSTRUMENTATION_STATUS_CODE: (-?\d)", found.text)
    names = ("aProcess", "bTimeRuns", "cActivities", "dServices", "eAnimationsTakeTheirTime", "fAssetsOfTheTests")
    names += ("gAnIntentServiceEndsAfterItsLastIntent", "hXmlIsParsed", "iPermissionsOfTheManifestAreGranted")
    assert [test[1:] for test in tests] == [(name, code) for name in names for code in ("1", "0")], found.text
    assert found.text.rstrip().endswith("OK (9 tests)\n\n\nINSTRUMENTATION_CODE: -1")
    events = recorded(phone)
    for what in (b"main", b"sync worker", f"{APP}.NotesTest#dServices".encode()):
        assert what in events, what
    assert phone.shell(f"run-as {APP} cat files/note.txt").text == "kept"
    assert "p.xml" in phone.shell(f"run-as {APP} ls shared_prefs").text
    assert "I/Notes   : created on main\n" in phone.shell("logcat -d -v tag -s Notes").text
    assert phone.shell(f"pidof {APP}").exit_code == 1


def test_activity_lifecycle_is_as_on_a_phone(phone: AdbDevice) -> None:
    found = phone.shell(f"am instrument -w -r -e class {APP}.LifecycleTest {RUNNER}", timeout_s=240)
    assert found.text.rstrip().endswith("OK (8 tests)\n\n\nINSTRUMENTATION_CODE: -1"), f"{found.text}\n{crash(phone)}"


def test_intents_and_alarms_are_delivered_as_on_a_phone(phone: AdbDevice) -> None:
    found = phone.shell(f"am instrument -w -r -e class {APP}.DeliveryTest {RUNNER}", timeout_s=240)
    assert found.text.rstrip().endswith("OK (4 tests)\n\n\nINSTRUMENTATION_CODE: -1"), f"{found.text}\n{crash(phone)}"


@pytest.mark.quiet
def test_components_that_an_app_uses_have_state_and_energy(phone: AdbDevice) -> None:
    rails = "cat /sys/bus/iio/devices/iio:device0/energy_value"

    def energy_uj(rail: str, text: str) -> int:
        found = re.search(rf"\[{rail}\], (\d+)", text)
        assert found, text
        return int(found[1])

    phone.shell("dumpsys battery unplug; dumpsys batterystats --reset")
    before = phone.shell(rails).text
    found = phone.shell(f"am instrument -w -r -e class {APP}.ComponentsTest {RUNNER}", timeout_s=240)
    after, statistics = phone.shell(rails).text, phone.shell("dumpsys batterystats -c; dumpsys battery reset").text
    assert "OK (1 test)" in found.text, found.text
    for rail in ("L9S_GNSS_CORE", "VSYS_PWR_CAMERA", "S9S_VDD_AOC"):
        assert energy_uj(rail, after) > energy_uj(rail, before), rail
    uid = re.search(rf"9,0,i,uid,(\d+),{re.escape(APP)}\n", statistics)
    assert uid, statistics
    times_ms = {
        name: int(ms)
        for name, ms in re.findall(rf"^9,{uid[1]},l,(cam|fla|aud|sr,-?\d+|wl,.*,p),(\d+),", statistics, re.MULTILINE)
    }
    assert set(times_ms) >= {"cam", "fla", "aud", "sr,-10000", "sr,4"}, statistics
    assert all(450 <= ms < 5000 for name, ms in times_ms.items() if not name.startswith("wl")), times_ms
    lock = re.search(rf"^9,{uid[1]},l,wl,notes:sync,0,f,0,0,0,0,(\d+),p,2,", statistics, re.MULTILINE)
    assert lock and 750 <= int(lock[1]) < 5000, statistics
    for state in ("g", "s", "ca", "fl", "a"):
        assert re.search(rf"^9,h,\d+(,[^,]+)*,\+{state}\b", statistics, re.MULTILINE), state
        assert re.search(rf"^9,h,\d+(,[^,]+)*,-{state}\b", statistics, re.MULTILINE), state


def test_classes_outside_of_the_runners_scope_are_not_run(phone: AdbDevice) -> None:
    listed = phone.shell(f"am instrument -w -r -e log true {RUNNER}", timeout_s=240).text
    classes = set(re.findall(r"STATUS: class=(.*)", listed))
    assert classes == {
        f"{APP}.{name}" for name in ("ComponentsTest", "DeliveryTest", "NotesTest", "LifecycleTest", "CrashTest", "Nested")
    }, listed
    named = phone.shell(f"am instrument -w -r -e class {APP}.Nested$Inner {RUNNER}".replace("$", "\\$"), timeout_s=240)
    assert "OK (1 test)" in named.text, named.text


def instrumented(virtual: AdbDevice, folder: Path, **kind: str) -> str:
    """The output of `am instrument` for an app of this kind with one test."""
    tests = {"OldTest": "public class OldTest { @org.junit.Test public void works() { org.junit.Assert.assertTrue(true); } }"}
    try:
        made = make(folder / "made", tests, **kind)
    except NotFetchedError as error:
        pytest.skip(str(error))
    virtual.install(made.apks)
    virtual.shell(f"mkdir -p {PUSHED}")
    virtual.push(made.jvm, f"{PUSHED}/{TESTS}.jvm.zip")
    try:
        return virtual.shell(f"am instrument -w -r {RUNNER}", timeout_s=240).text
    finally:
        for package in (TESTS, APP):
            virtual.uninstall(package)
        virtual.shell(f"rm -f {PUSHED}/*")


def test_tests_with_an_older_junit_run(virtual: AdbDevice, tmp_path: Path) -> None:
    """Robolectric needs JUnit 4.13; tests of 2014 to 2020 have 4.12."""
    assert "OK (1 test)" in (said := instrumented(virtual, tmp_path, junit="4.12")), said


def test_a_framework_that_does_not_start_reports_the_cause(virtual: AdbDevice, tmp_path: Path) -> None:
    said = instrumented(virtual, tmp_path, application=".Gone")
    assert re.search(r"RESULT: longMsg=java.lang.ClassNotFoundException: .*Gone, at org", said), said
    assert "RESULT: shortMsg=Android's framework did not start (if the app starts on a phone, delete /" in said, said


def test_a_crash_of_the_main_thread_ends_the_run(phone: AdbDevice) -> None:
    found = phone.shell(f"am instrument -w -r -e class {APP}.CrashTest {RUNNER}", timeout_s=240)
    assert found.text.endswith("INSTRUMENTATION_RESULT: shortMsg=Process crashed.\nINSTRUMENTATION_CODE: 0\n"), found.text
    log = phone.shell("logcat -d -v tag -s AndroidRuntime").text
    assert "E/AndroidRuntime: FATAL EXCEPTION: main\n" in log
    assert (
        f"E/AndroidRuntime: Process: {APP}, PID: " in log and "E/AndroidRuntime: java.lang.IllegalStateException: boom\n" in log
    )


def test_an_app_without_tests_runs_until_it_is_stopped(phone: AdbDevice) -> None:
    started = phone.shell(f"am start -W -n {APP}/.Main", timeout_s=240)
    assert started.text.startswith(f"Starting: Intent {{ cmp={APP}/.Main }}\nStatus: ok\nLaunchState: COLD\n"), started
    pid = phone.shell(f"pidof {APP}").text
    runs = [phone.shell(f"monkey -p {APP} -s 5 -v 30", timeout_s=120) for _ in range(2)]
    assert all(run.exit_code == 0 and "Events injected: 30\n" in run.text for run in runs), phone.shell("logcat -d").text
    assert "click Button 7" in runs[0].text
    assert phone.shell(f"am startservice {APP}/.Sync").text.startswith("Starting service: Intent { cmp=")
    assert phone.shell(f"pidof {APP}").text == pid
    phone.shell("sleep 0.5")
    events = recorded(phone)
    assert b"main" in events and b"sync worker" in events
    phone.shell(f"am force-stop {APP}")
    assert eventually(lambda: phone.shell(f"pidof {APP}").exit_code == 1)
