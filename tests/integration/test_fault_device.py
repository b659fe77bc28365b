"""Devices that are lost, slow, hanging or full during profiling: a clear error, the recording kept, no leftovers."""

from __future__ import annotations

import functools
import os
import re
import signal
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from support.command_line import eventually
from support.host import check_gone, processes, small_disk
from support.lab import Lab
from support.link import linked
from support.no_progress import NoProgress
from support.phone_data import skeleton, state_folder
from support.quick_jvm import quick_jvms

import navitas
from navitas.base.errors import DeviceError, ExitCode, NavitasError
from navitas.capture.collect.runs.instrument import Watchdog
from navitas.capture.collect.trace.run_trace import remove_traces
from navitas.capture.device.adb import AdbDevice
from navitas.capture.device.adb_server import adb_path, connect
from navitas.capture.device.base import ShellResult
from navitas.capture.device.server_client import ServerClient
from navitas.energy.analyze.profile import Profile
from navitas.recording.store import open_recording
from navitas.virtual_phone.start import virtual_phone


class Doing:
    """A profiling in a separate thread."""

    def __init__(self, lab: Lab, device: AdbDevice, test: str, **options: object) -> None:
        self.error: BaseException | None = None
        self._lab = Lab(device, lab.bundles, lab.folder)
        self._thread = threading.Thread(target=self._run, args=(test, options))
        self._thread.start()

    def _run(self, test: str, options: dict[str, object]) -> None:
        try:
            self._lab.profile(test, name="rec", **options)
        except BaseException as error:
            self.error = error

    def until(self, condition: Callable[[], bool]) -> None:
        assert eventually(lambda: condition() or not self._thread.is_alive())
        assert condition(), self.error

    def failed(self) -> NavitasError:
        """Wait for its end; return its error."""
        self._thread.join()
        assert isinstance(self.error, NavitasError), self.error
        assert self.error.exit_code is ExitCode.TROUBLE and self.error.remedy
        assert not [one.name for one in threading.enumerate() if one.name.startswith("navitas-")]
        return self.error


def partial(lab: Lab) -> Profile:
    """The analysis of the partial recording."""
    recording = open_recording(lab.folder / "rec")
    assert recording.manifest.state == "partial"
    assert not list(recording.path.glob("**/.*")) and not list(recording.path.glob("**/*.part"))
    return navitas.load(recording.path)


def waiting(lab: Lab) -> Callable[[], bool]:
    return (lab.bundles[0].working_dir / "waiting").exists


def left_on(device: AdbDevice, lab: Lab) -> str:
    """Leftovers on a device: packages, settings for the app, staged files, the app's process."""
    package = lab.bundles[0].manifest.package
    return device.shell(
        f"pm list packages {package}; ls /data/local/tmp/navitas 2>/dev/null; ls /data/local/tmp | grep navitas-; pidof {package}"
    ).text


@pytest.mark.extended
@pytest.mark.parametrize("what", ["phone", "server"])
def test_a_phone_or_adb_server_that_ends_during_a_test(lab: Lab, monkeypatch: pytest.MonkeyPatch, what: str) -> None:
    monkeypatch.setattr("navitas.capture.collect.runs.run_recorder._RECONNECT_S", 0.3)
    with quick_jvms(), virtual_phone() as device:
        state = state_folder(device)
        doing = Doing(lab, device, "*#waits", record="both")
        doing.until(waiting(lab))
        words = ("navitas.virtual_phone", state) if what == "phone" else ("nodaemon", f"-L\0{device.client.socket_spec}")
        for pid in processes(*words):
            os.kill(pid, signal.SIGKILL)
        error = doing.failed()
        assert device.serial in error.message and "lost" in error.message
    profile = partial(lab)
    (test,) = profile.tests
    assert (test.method, test.status) == ("waits", "cut")
    (states,) = [warning for warning in profile.warnings if warning.code == "device_states"]
    assert "batterystats.txt contains no history" in states.message and states.remedy
    assert "cleanup" in {warning.code for warning in open_recording(lab.folder / "rec").manifest.warnings}
    check_gone(state)
    check_gone(f"-L\0{device.client.socket_spec}")


@pytest.mark.extended
def test_an_adb_server_that_restarts_during_a_test(lab: Lab) -> None:
    """The run is lost, but the data on the device are pulled, and the device is restored."""
    with quick_jvms(), virtual_phone() as device:
        doing = Doing(lab, device, "*#waits", record="both")
        doing.until(waiting(lab))
        for pid in processes("nodaemon", f"-L\0{device.client.socket_spec}"):
            os.kill(pid, signal.SIGKILL)
        again = subprocess.Popen(
            [adb_path(), "-L", device.client.socket_spec, "nodaemon", "server"],
            env={**os.environ, "ADB_MDNS": "0", "ADB_USB": "0"},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            assert eventually(lambda: _connected(device.client, device.serial))
            error = doing.failed()
            assert "lost during 'am instrument" in error.message
            assert left_on(device, lab) == ""
        finally:
            again.kill()
            again.wait()
    profile = partial(lab)
    (test,) = profile.tests
    assert "screen" in {one.component for one in profile.evidence}, "states are recorded up to the end"
    methods = {method.inclusive_j for thread in test.threads for method in thread.methods}
    assert test.status == "cut" and max(methods) > 0, "a second of work was pulled"


def _connected(client: ServerClient, serial: str) -> bool:
    try:
        connect(client, serial)
    except DeviceError:
        return False
    return True


@pytest.mark.extended
def test_a_slow_connection_gives_the_same_result(lab: Lab) -> None:
    with linked(lab.phone) as (device, link):
        link.delay_s, link.bytes_per_s = 0.005, 4_000_000.0
        done = Lab(device, lab.bundles, lab.folder).profile("*#passes", name="rec")
        assert left_on(device, lab) == ""
    assert done.outcome.failures == {} and done.outcome.troubles == ()
    assert done.test("passes").energy_j > 0
    assert open_recording(done.outcome.recording).manifest.state == "complete"


def test_a_connection_lost_while_a_bundle_is_pushed(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    with linked(lab.phone) as (device, link):
        link.cut_after("up", 100_000)
        error = Doing(lab, device, "*#passes").failed()
    assert re.search(r"lost during 'push to /data/local/tmp/navitas-.*bundle", error.message)
    assert not (lab.folder / "rec").exists()
    assert "package:" not in left_on(lab.phone, lab)
    lab.phone.shell("rm -f /data/local/tmp/navitas-*")


class Then(NoProgress):
    """Calls a function when a stage begins."""

    def __init__(self, stage: str, action: Callable[[], None]) -> None:
        self._stage = stage
        self._action = action

    def stage(self, text: str) -> None:
        if text == self._stage:
            self._action()


def test_a_connection_lost_while_events_are_pulled(lab: Lab) -> None:
    with linked(lab.phone) as (device, link):
        progress = Then("pulling", lambda: link.cut_after("down", 1_000_000))
        with pytest.raises(DeviceError) as caught:
            Lab(device, lab.bundles, lab.folder).profile("*#callsMuch", name="rec", progress=progress)
    assert device.serial in caught.value.message and caught.value.remedy
    found = partial(lab)
    assert [(test.method, test.status) for test in found.tests] == [("callsMuch", "passed")]
    lab.phone.uninstall(lab.bundles[0].manifest.package)
    lab.phone.shell("rm -rf /data/local/tmp/navitas")


@pytest.mark.extended
def test_a_connection_that_hangs_during_a_test_times_out(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("navitas.capture.collect.runs.run_recorder._RECONNECT_S", 0.1)
    monkeypatch.setattr("navitas.capture.collect.readings.logcat._SILENCE_AFTER_ERROR_S", 0.2)
    monkeypatch.setattr("navitas.capture.device.adb._PROBE_S", 0.2)
    with linked(lab.phone) as (device, link):
        hung_s: list[float] = []

        def since_then() -> float:
            """The watchdog's clock, stopped until then, because the JVM's start time depends on the machine."""
            return time.monotonic() - hung_s[0] if hung_s else 0.0

        monkeypatch.setattr("navitas.capture.collect.runs.instrument.Watchdog", functools.partial(Watchdog, clock=since_then))
        doing = Doing(lab, device, "*#waits", timeout_s=2.0)
        doing.until(waiting(lab))
        hung_s.append(time.monotonic())
        link.hangs.set()
        error = doing.failed()
    assert "sent nothing for" in error.message and "--timeout" in error.remedy
    assert [test.status for test in partial(lab).tests] == ["cut"]
    lab.phone.uninstall(lab.bundles[0].manifest.package)
    lab.phone.shell("rm -rf /data/local/tmp/navitas")


class NeverEnding(AdbDevice):
    """A phone whose tracer does not end. Everything else works."""

    def shell(self, command: str, *, timeout_s: float = 30.0) -> ShellResult:
        tracing = super().shell("ls /data/misc/perfetto-traces").text.strip()
        if tracing and command.startswith("pkill"):
            raise DeviceError(f"device {self.serial}: no answer to '{command}' in time", "restart it")
        return super().shell(command, timeout_s=timeout_s)


@pytest.mark.extended
def test_a_tracer_that_hangs_loses_only_its_trace(lab: Lab) -> None:
    device = NeverEnding(lab.phone.client, lab.phone.serial)
    done = Lab(device, lab.bundles, lab.folder).profile("*#callsMuch", name="hangs", trace="perfetto", repeat=2)
    assert done.outcome.failures == {} and done.outcome.troubles == ()
    assert open_recording(done.outcome.recording).manifest.state == "complete"
    reported = [warning.message for warning in done.profile.warnings if warning.code == "trace"]
    assert any("abandoned" in text for text in reported) and any("did not end before" in text for text in reported), reported
    remove_traces(lab.phone)
    assert lab.phone.shell("pidof perfetto; ls /data/misc/perfetto-traces").text == ""


@pytest.mark.extended
def test_a_device_without_free_space(lab: Lab) -> None:
    """No space for the bundle, its content or the events: each error has a remedy."""
    package = lab.bundles[0].manifest.package
    needed = lab.bundles[0].path.stat().st_size
    with quick_jvms(), virtual_phone() as device:
        data = Path(state_folder(device), "root/data")
        for size, reported in ((needed // 2, "No space left"), (needed + 100_000, "INSTALL_FAILED_INSUFFICIENT_STORAGE")):
            with small_disk(data, str(size)), pytest.raises(DeviceError, match=reported) as caught:
                skeleton(data)
                lab_on(device, lab).profile("*#passes", name="rec")
            assert "free space on the device" in caught.value.remedy
            assert not (lab.folder / "rec").exists()
        with small_disk(data, str(4 * needed + 8_000_000)):
            skeleton(data)
            done = lab_on(device, lab).profile("*#callsMuch", name="rec")
            assert left_on(device, lab) == ""
    assert done.outcome.failures == {}
    assert any(package in trouble and "No space left" in trouble for trouble in done.outcome.troubles)
    assert "events_missing" in done.warnings


def lab_on(device: AdbDevice, lab: Lab) -> Lab:
    return Lab(device, lab.bundles, lab.folder)


@pytest.mark.extended
def test_a_test_that_removes_the_apps_files_is_reported(lab: Lab) -> None:
    done = lab.profile("*#removesItsData", name="rec")
    assert done.outcome.failures == {}
    (trouble,) = done.outcome.troubles
    assert lab.bundles[0].manifest.package in trouble and "removed the app's files" in trouble
    assert "events_missing" in done.warnings
