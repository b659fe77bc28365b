"""`navitas doctor` and `navitas power` with the virtual phone as a device of adb."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.capture import Capture

from navitas.capture.collect.state.journal import Journal
from navitas.capture.collect.trace.run_trace import RunTrace
from navitas.capture.device.adb import AdbDevice
from navitas.cli.main import run
from navitas.power.power_profile import read_power_profile


@pytest.fixture
def serial(phone: AdbDevice, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The virtual phone on the user's adb server."""
    monkeypatch.setenv("ADB_SERVER_SOCKET", phone.client.socket_spec)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return phone.serial


def test_the_doctor_finds_no_problem(serial: str, capsys: Capture) -> None:
    assert run(["doctor", "--json", "-"]) == 0, "the only device"
    found = json.loads(capsys.readouterr().out)
    assert (found["serial"], found["schema_version"]) == (serial, 1)
    assert (found["evidence"], found["evidence_untraced"]) == ("sched", "thread-freq")
    checks = {check["name"]: check for check in found["checks"]}
    assert "server" in checks["adb"]["found"]
    assert {name for name, check in checks.items() if check["status"] == "problem"} == set()
    assert checks["power profile"]["found"] == "google-pixel-6"
    assert run(["doctor", "org.navitas.none", "--device", serial]) == 4
    out = capsys.readouterr().out
    assert "org.navitas.none is not installed" in " ".join(out.split()) and "problem" in out


def test_the_doctor_restores_changed_settings(serial: str, phone: AdbDevice, capsys: Capture) -> None:
    before = phone.shell("settings get system screen_brightness").text.strip()
    journal = Journal(phone.info)
    with journal.held():
        journal.write({"system/screen_brightness": before, "global/window_animation_scale": "null"})
    phone.shell("settings put system screen_brightness 128; settings put global window_animation_scale 0")
    RunTrace(phone, "perfetto").start(None, lambda *_: None)
    assert run(["doctor", "--device", serial]) == 0
    assert "left changed by a measurement" in " ".join(capsys.readouterr().out.split())
    assert run(["doctor", "--device", serial, "--restore"]) == 0
    assert "restored" in capsys.readouterr().out
    found = phone.shell("settings get system screen_brightness; settings get global window_animation_scale").text
    assert found == f"{before}\nnull\n" and not journal.path.exists()
    assert phone.shell("pidof perfetto; ls /data/misc/perfetto-traces").text == "", "the trace, too"


def test_a_missing_device(serial: str, capsys: Capture) -> None:
    assert run(["doctor", "--device", "none", "--json", "-"]) == 4
    found = json.loads(capsys.readouterr().out)
    assert found["evidence"] is None and "none is not connected" in found["checks"][-1]["found"] and found["checks"][-1]["remedy"]


def test_the_phones_power_profile_is_extracted(serial: str, tmp_path: Path, capsys: Capture) -> None:
    file = tmp_path / "phone.xml"
    assert run(["power", "extract", "-o", str(file)]) == 0
    assert read_power_profile(file).items["battery.capacity"] == 4614
    assert "dumpsys batterystats --power-profile" in capsys.readouterr().err
    assert run(["power", "show", "--device", serial]) == 0
    assert "cluster 2: 2 cores" in capsys.readouterr().out
