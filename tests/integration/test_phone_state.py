"""`navitas profile --prepare` on the virtual phone: the phone is restored at the end, or at the next start."""

from __future__ import annotations

import functools
import json
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from support.command_line import eventually
from support.interruptible import interruptible
from support.lab import Lab
from support.link import linked

from navitas.base.errors import DeviceError
from navitas.capture.collect import power
from navitas.capture.collect.apps import app_files
from navitas.capture.collect.apps.app_files import AppFolder
from navitas.capture.collect.runs.instrument import Watchdog
from navitas.capture.collect.state.guard import prepared
from navitas.capture.collect.state.journal import Journal
from navitas.capture.device.adb import AdbDevice
from navitas.power import catalog
from navitas.power.power_profile import read_power_profile
from navitas.recording.store import open_recording

LOOK = "settings list system; settings list global; dumpsys battery; cmd deviceidle enabled; dumpsys power | grep mWakefulness="


@pytest.fixture(autouse=True)
def journal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the journals."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setattr("navitas.capture.collect.state.guard._RECONNECT_S", 0.5)
    monkeypatch.setattr("navitas.capture.collect.runs.run_recorder._RECONNECT_S", 0.5)
    return tmp_path / "state/navitas/devices"


@pytest.fixture
def before(phone: AdbDevice) -> Iterator[str]:
    """The phone's state, with the screen off and unusual settings."""
    phone.shell(
        "input keyevent 223; settings put system screen_brightness 33; settings put global transition_animation_scale 0.5"
    )
    yield phone.shell(LOOK).text
    phone.shell("input keyevent 224; cmd thermalservice reset; dumpsys battery reset")


def test_settings_are_restored_after_success_and_failure(
    lab: Lab, before: str, journal: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[str] = []

    def since_seen() -> float:
        """The watchdog's clock, stopped until then, because the JVM's start time depends on the machine."""
        return time.monotonic() if seen else 0.0

    monkeypatch.setattr("navitas.capture.collect.runs.instrument.Watchdog", functools.partial(Watchdog, clock=since_seen))
    waiting = lab.bundles[0].working_dir / "waiting"
    watcher = threading.Thread(target=lambda: eventually(waiting.exists) and seen.append(lab.phone.shell(LOOK).text))
    watcher.start()
    with pytest.raises(DeviceError, match="sent nothing for"):
        lab.profile("*#waits", name="failed", prepare=True, radios_off=True, timeout_s=1.0)
    watcher.join()
    assert "screen_brightness=128" in seen[0] and "UPDATES STOPPED" in seen[0] and "mWakefulness=Awake" in seen[0]
    assert "wifi_on=0" in seen[0] and "transition_animation_scale=0\n" in seen[0]
    assert lab.phone.shell(LOOK).text == before
    done = lab.profile("*#passes", name="fine", prepare=True, repeat=2)
    assert lab.phone.shell(LOOK).text == before
    assert not done.outcome.failures and "state" not in done.warnings
    assert not list(journal.glob("*"))


@pytest.mark.extended
def test_a_hot_phone_is_rejected_unless_forced(lab: Lab, before: str) -> None:
    lab.phone.shell("cmd thermalservice override-status 3")
    with pytest.raises(DeviceError, match=r"not fit.*severe") as error:
        lab.profile("*#passes", name="hot", prepare=True)
    assert "--force" in error.value.remedy and not (lab.folder / "hot").exists()
    assert lab.profile("*#passes", name="hot", prepare=True, force=True).outcome.failures == {}


@pytest.mark.extended
def test_the_next_start_restores_settings_after_a_disconnection(lab: Lab, before: str, journal: Path) -> None:
    with linked(lab.phone) as (device, link):
        profiling = Lab(device, lab.bundles, lab.folder)
        errors: list[BaseException] = []

        def run() -> None:
            try:
                profiling.profile("*#waits", name="cut", prepare=True)
            except DeviceError as error:
                errors.append(error)

        thread = threading.Thread(target=run)
        thread.start()
        assert eventually((lab.bundles[0].working_dir / "waiting").exists)
        link.cut()
        thread.join(120)
        serial = device.serial
    assert errors and lab.phone.shell(LOOK).text != before
    warnings = [warning.message for warning in open_recording(lab.folder / "cut").manifest.warnings]
    assert any("lost while its settings were changed" in text for text in warnings), warnings
    (file,) = journal.glob("*.json")
    assert json.loads(file.read_text())["serial"] == serial
    file.rename(journal / Journal(lab.phone.info).path.name)  # the same phone, by its cable
    _reset_app(lab)
    lab.profile("*#passes", name="next", prepare=True)
    assert lab.phone.shell(LOOK).text == before and not list(journal.glob("*"))


def test_the_next_start_restores_settings_after_a_kill(lab: Lab, before: str, journal: Path) -> None:
    """A process that prepares the phone is killed; the next one restores its changes."""
    child = os.fork()
    if child == 0:
        try:
            with prepared(lab.phone, lambda *_: None):
                signal.pause()
        finally:
            os._exit(1)
    assert eventually(lambda: "UPDATES STOPPED" in lab.phone.shell("dumpsys battery").text)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    assert lab.phone.shell(LOOK).text != before and list(journal.glob("*.json"))
    said: list[str] = []
    with prepared(lab.phone, lambda _code, message, _remedy: said.append(message)):
        pass
    assert lab.phone.shell(LOOK).text == before and not list(journal.glob("*"))
    assert any("left changed by an earlier measurement" in text for text in said)


@pytest.mark.extended
def test_interrupted(lab: Lab, before: str, journal: Path) -> None:
    waiting: Callable[[], bool] = (lab.bundles[0].working_dir / "waiting").exists
    interrupter = threading.Thread(target=lambda: eventually(waiting) and os.kill(os.getpid(), signal.SIGINT))
    interrupter.start()
    with interruptible(), pytest.raises(KeyboardInterrupt):
        lab.profile("*#waits", name="interrupted", prepare=True)
    interrupter.join()
    assert lab.phone.shell(LOOK).text == before and not list(journal.glob("*"))


def test_the_phones_power_profile_without_the_property(phone: AdbDevice, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a phone without the property, the profile is read from its services and cached."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    found = power.profile_of_phone(phone, [])
    assert "dumpsys" in found.source
    assert power.profile_of_phone(phone, []) == found and len(list(tmp_path.glob("navitas/power/*.xml"))) == 1


@pytest.mark.extended
def test_the_profile_read_by_the_app_takes_precedence(lab: Lab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The test writes the file that the listener leaves on a phone, because a JVM has no Android framework."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(power, "_PROFILE_PROPERTY", "ro.navitas.none")
    prepare = AppFolder.prepare

    def prepare_and_leave(app: AppFolder, config: str) -> str:
        refusal = prepare(app, config)
        app.device.push(
            catalog.find("google-pixel-6").read_bytes().replace(b">28.6<", b">29.6<"), "/data/local/tmp/navitas/profile.xml"
        )
        folder = f"{app_files.FOLDER}/{app_files.POWER_PROFILE}"
        assert app.device.shell(f"run-as {app.package} cp /data/local/tmp/navitas/profile.xml {folder}").exit_code == 0
        return refusal

    monkeypatch.setattr(AppFolder, "prepare", prepare_and_leave)
    done = lab.profile("*#passes", name="first")
    recording = open_recording(done.outcome.recording)
    assert recording.manifest.power_profile.source.endswith("read inside the app")
    assert read_power_profile(recording.path / recording.manifest.power_profile.file).items["cpu.idle"] == 29.6
    assert not recording.check() and "power_profile" in done.warnings
    again = lab.profile("*#passes", name="second")
    assert "power_profile" not in again.warnings, "known before the run"
    assert open_recording(again.outcome.recording).manifest.power_profile.source.endswith("read inside the app")
    lab.phone.shell("rm -f /data/local/tmp/navitas/profile.xml")


def _reset_app(lab: Lab) -> None:
    lab.phone.shell(f"am force-stop {lab.bundles[0].manifest.package}")
    (lab.bundles[0].working_dir / "waiting").unlink(missing_ok=True)
