"""Android apps on the framework, with and without instrumentation tests, recorded as on a phone.

The fixture compiles and instruments a small app and builds its APKs. The virtual phone runs its classes from a jvm.zip.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from support.command_line import eventually
from support.lab_fixtures import Apps
from support.notes_app import APP, RUNNER, TESTS

from navitas.capture.device.adb import AdbDevice

PUSHED = "/data/local/tmp/navitas"
LISTENER = "-e listener org.navitas.runtime.junit.NavitasListener"
RAILS = "cat /sys/bus/iio/devices/iio:device0/energy_value"
CLASSES = ("NotesTest", "LifecycleTest", "DeliveryTest", "ComponentsTest", "Nested$Inner")


@pytest.fixture(scope="module")
def phone(virtual: AdbDevice, apps: Apps) -> Iterator[AdbDevice]:
    """The phone with the app, its tests and classes, and the settings of a recording."""
    made = apps()
    virtual.install(made.apks)
    virtual.shell(f"mkdir -p {PUSHED}; run-as {APP} mkdir -p files/navitas; logcat -c")
    virtual.push(made.jvm, f"{PUSHED}/{TESTS}.jvm.zip")
    virtual.push(f"out=/data/data/{APP}/files/navitas\nflushIntervalMs=50\n".encode(), f"{PUSHED}/{APP}.properties")
    yield virtual
    for package in (TESTS, APP):
        virtual.uninstall(package)
    virtual.shell(f"rm -f {PUSHED}/*")


@dataclass(frozen=True)
class Ran:
    """The tests of all classes in one process: what was printed, the rails before and after, and batterystats since the start."""

    text: str
    log: str
    before: str
    after: str
    statistics: str

    def check(self, name: str, *tests: str, count: int = 0) -> None:
        """Assert that these tests of a class passed, in this order; or so many."""
        form = r"STATUS: class=\S+\.(\S+)\n(?:.*\n)*?INSTRUMENTATION_STATUS: test=(\w+)\nINSTRUMENTATION_STATUS_CODE: (-?\d)"
        found = [(test, code) for of, test, code in re.findall(form, self.text) if of == name]
        order = tests or [test for test, code in found if code == "1"]
        assert len(order) == (count or len(tests)), f"{self.text}\n{self.log}"
        assert found == [(test, code) for test in order for code in ("1", "0")], f"{self.text}\n{self.log}"


@pytest.fixture(scope="module")
def ran(phone: AdbDevice) -> Ran:
    phone.shell("dumpsys battery unplug; dumpsys batterystats --reset")
    before = phone.shell(RAILS).text
    classes = ",".join(f"{APP}.{name}" for name in CLASSES)
    text = phone.shell(f"am instrument -w -r -e class '{classes}' -e colour blue {LISTENER} {RUNNER}", timeout_s=1200).text
    after, statistics = phone.shell(RAILS).text, phone.shell("dumpsys batterystats -c; dumpsys battery reset").text
    return Ran(text, phone.shell("logcat -d -v tag -s AndroidRuntime Notes").text, before, after, statistics)


def recorded(phone: AdbDevice) -> bytes:
    """All events that the app's process wrote."""
    return b"".join(phone.exec_out(f"run-as {APP} sh -c 'cat files/navitas/events-*.nvch'"))


def test_instrumentation_tests_run_and_are_recorded(phone: AdbDevice, ran: Ran) -> None:
    names = ("aProcess", "bTimeRuns", "cActivities", "dServices", "eAnimationsTakeTheirTime", "fAssetsOfTheTests")
    names += ("gAnIntentServiceEndsAfterItsLastIntent", "hXmlIsParsed", "iPermissionsOfTheManifestAreGranted")
    ran.check("NotesTest", *names)
    assert ran.text.rstrip().endswith("OK (23 tests)\n\n\nINSTRUMENTATION_CODE: -1"), ran.text
    events = recorded(phone)
    for what in (b"main", b"sync worker", f"{APP}.NotesTest#dServices".encode()):
        assert what in events, what
    assert phone.shell(f"run-as {APP} cat files/note.txt").text == "kept"
    assert "p.xml" in phone.shell(f"run-as {APP} ls shared_prefs").text
    assert "I/Notes   : created on main\n" in ran.log
    assert phone.shell(f"pidof {APP}").exit_code == 1


def test_activity_lifecycle_is_as_on_a_phone(ran: Ran) -> None:
    ran.check("LifecycleTest", count=8)


def test_intents_and_alarms_are_delivered_as_on_a_phone(ran: Ran) -> None:
    ran.check("DeliveryTest", count=4)


def test_components_that_an_app_uses_have_state_and_energy(ran: Ran) -> None:
    """What must be, however late the phone hears of a use. test_battery_stats.py has the times, by a clock of its own."""
    ran.check("ComponentsTest", "components")

    def energy_uj(rail: str, text: str) -> int:
        found = re.search(rf"\[{rail}\], (\d+)", text)
        assert found, text
        return int(found[1])

    for rail in ("L9S_GNSS_CORE", "VSYS_PWR_CAMERA", "S9S_VDD_AOC"):
        assert energy_uj(rail, ran.after) > energy_uj(rail, ran.before), rail
    statistics = ran.statistics
    uid = re.search(rf"9,0,i,uid,(\d+),{re.escape(APP)}\n", statistics)
    battery = re.search(r"^9,0,l,bt,0,(\d+),", statistics, re.MULTILINE)
    assert uid and battery, statistics
    lock = rf"^9,{uid[1]},l,wl,notes:sync,0,f,0,0,0,0,(\d+),p,(\d+),"
    uses = re.findall(rf"^9,{uid[1]},l,(cam|fla|aud|sr,-?\d+),(\d+),(\d+)", statistics, re.MULTILINE)
    uses += [("wl", *found) for found in re.findall(lock, statistics, re.MULTILINE)]
    counts = {name: int(count) for name, _, count in uses}
    assert counts == {"cam": 1, "fla": 1, "aud": 1, "sr,-10000": 1, "sr,4": 1, "wl": 2}, statistics
    assert all(int(ms) <= int(battery[1]) for _, ms, _ in uses), statistics
    history = [line.split(",") for line in statistics.splitlines() if line.startswith("9,h,")]
    for state in ("g", "s", "ca", "fl", "a"):
        began, ended = ([i for i, words in enumerate(history) if f"{sign}{state}" in words] for sign in "+-")
        assert began and ended and began[0] < ended[0], state


@pytest.mark.extended
def test_classes_outside_of_the_runners_scope_are_not_run(phone: AdbDevice, ran: Ran) -> None:
    listed = phone.shell(f"am instrument -w -r -e log true {RUNNER}", timeout_s=1200).text
    classes = set(re.findall(r"STATUS: class=(.*)", listed))
    tests = ("ComponentsTest", "DeliveryTest", "NotesTest", "LifecycleTest", "CrashTest", "WorkTest", "Nested")
    assert classes == {f"{APP}.{name}" for name in tests}, listed
    ran.check("Nested$Inner", "inside")


def instrumented(virtual: AdbDevice, apps: Apps, **kind: object) -> str:
    """The output of `am instrument` for an app of this kind with one test."""
    tests = {"OldTest": "public class OldTest { @org.junit.Test public void works() { org.junit.Assert.assertTrue(true); } }"}
    made = apps(tests=tests, **kind)
    virtual.install(made.apks)
    virtual.shell(f"mkdir -p {PUSHED}")
    virtual.push(made.jvm, f"{PUSHED}/{TESTS}.jvm.zip")
    try:
        return virtual.shell(f"am instrument -w -r {RUNNER}", timeout_s=1200).text
    finally:
        for package in (TESTS, APP):
            virtual.uninstall(package)
        virtual.shell(f"rm -f {PUSHED}/*")


def test_a_crash_of_the_main_thread_ends_the_run(phone: AdbDevice) -> None:
    found = phone.shell(f"am instrument -w -r -e class {APP}.CrashTest {RUNNER}", timeout_s=1200)
    assert found.text.endswith("INSTRUMENTATION_RESULT: shortMsg=Process crashed.\nINSTRUMENTATION_CODE: 0\n"), found.text
    log = phone.shell("logcat -d -v tag -s AndroidRuntime").text
    assert "E/AndroidRuntime: FATAL EXCEPTION: main\n" in log
    assert (
        f"E/AndroidRuntime: Process: {APP}, PID: " in log and "E/AndroidRuntime: java.lang.IllegalStateException: boom\n" in log
    )


@pytest.mark.extended
def test_an_app_without_tests_runs_until_it_is_stopped(phone: AdbDevice) -> None:
    phone.shell(f"run-as {APP} sh -c 'rm -f files/navitas/events-*'")
    started = phone.shell(f"am start -W -n {APP}/.Main", timeout_s=1200)
    assert started.text.startswith(f"Starting: Intent {{ cmp={APP}/.Main }}\nStatus: ok\nLaunchState: COLD\n"), started
    pid = phone.shell(f"pidof {APP}").text
    runs = [phone.shell(f"monkey -p {APP} -s 5 -v 30", timeout_s=1200) for _ in range(2)]
    assert all(run.exit_code == 0 and "Events injected: 30\n" in run.text for run in runs), phone.shell("logcat -d").text
    assert "click Button 7" in runs[0].text
    assert phone.shell(f"am startservice {APP}/.Sync").text.startswith("Starting service: Intent { cmp=")
    assert phone.shell(f"pidof {APP}").text == pid
    assert eventually(lambda: all(name in recorded(phone) for name in (b"main", b"sync worker")))
    phone.shell(f"am force-stop {APP}")
    assert eventually(lambda: phone.shell(f"pidof {APP}").exit_code == 1)


@pytest.mark.extended
def test_tests_with_an_older_junit_run(virtual: AdbDevice, apps: Apps) -> None:
    """Robolectric needs JUnit 4.13; tests of 2014 to 2020 have 4.12."""
    assert "OK (1 test)" in (said := instrumented(virtual, apps, junit="4.12")), said


@pytest.mark.extended
def test_a_framework_that_does_not_start_reports_the_cause(virtual: AdbDevice, apps: Apps) -> None:
    said = instrumented(virtual, apps, junit="4.12", application=".Gone")
    assert re.search(r"RESULT: longMsg=java.lang.ClassNotFoundException: .*Gone, at org", said), said
    assert "RESULT: shortMsg=Android's framework did not start (if the app starts on a phone, delete /" in said, said
