"""Special test runs on the virtual phone: the phone is as before, and only what they have started ends.

`make accuracy` compares what they measure with known values (tests/accuracy/live_calibrated_phone.py).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from navitas.base.errors import ExitCode
from navitas.capture.collect.readings import topology
from navitas.capture.collect.runs import special_runs
from navitas.capture.device.adb import AdbDevice
from navitas.capture.device.base import Device
from navitas.cli.main import run
from navitas.insight.calibrate.special_steps import read_steps
from navitas.power import catalog
from navitas.recording.manifest import Policy

pytestmark = pytest.mark.extended
BRIGHTNESS = "system screen_brightness"
STATE = "settings get system screen_brightness; settings get global wifi_on; dumpsys power | grep -m 1 mWakefulness="


def _warn(code: str, text: str, remedy: str) -> None:
    raise AssertionError(text)


def _state(device: Device) -> list[str]:
    return device.shell(STATE).text.split()


@pytest.fixture
def restored(phone: AdbDevice) -> Iterator[AdbDevice]:
    before = phone.shell(f"settings get {BRIGHTNESS}").text.strip()
    yield phone
    phone.shell(f"settings put {BRIGHTNESS} {before}")


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """The virtual phone changes its settings at once."""
    monkeypatch.setattr(special_runs, "_SETTLE_S", 0.0)
    monkeypatch.setattr(special_runs, "PULSES", special_runs.PULSES[::4])


def test_the_phone_is_as_before(restored: AdbDevice) -> None:
    restored.shell(f"settings put {BRIGHTNESS} 77")
    before, policies = _state(restored), topology.read_policies(restored)
    meter = special_runs.meter_of(restored)
    steps = special_runs.special_runs(restored, policies[:1], meter, _warn, step_s=0.1, stage=lambda _: None)
    assert _state(restored) == before
    assert restored.shell("pidof yes").text == ""
    assert meter == "rails" and len(read_steps(steps, meter)) == len(steps)


def test_a_profile_is_calibrated(tmp_path: Path) -> None:
    words = ["--device", "virtual", "--step", "0.3", "-o", str(tmp_path / "out.xml"), "--json", str(tmp_path / "report.json")]
    assert run(["power", "calibrate", str(catalog.find("google-pixel-6")), *words]) == ExitCode.OK
    document = json.loads((tmp_path / "report.json").read_text())
    assert document["errors"] and {each["component"] for each in document["components"]} == {"screen", "wifi", "bluetooth"}


def test_a_load_does_not_end_other_processes_of_its_name(phone: AdbDevice) -> None:
    load = next(iter(list(special_runs.cpu_loads([Policy(id=0, cpus=[0])], 0.2))[1:]))
    script = f"yes >/dev/null & until a=$(pidof yes); do sleep 0.05; done; {load.start}; {load.end.removesuffix('; wait')}; "
    mine, left = phone.shell(f"{script} echo $a; pidof yes; kill -9 $(pidof yes)").text.splitlines()[:2]
    assert mine and mine in left.split()
