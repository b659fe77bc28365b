"""An app in use: what is said of one that does not start, and of a command that fails."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Literal

import pytest
from fake_device import FakeDevice
from support.no_progress import NoProgress

from navitas.collect import app_use
from navitas.collect.app_use import Use
from navitas.collect.instrument import InstrumentResult
from navitas.device.base import DeviceInfo
from navitas.errors import DeviceError


def use(command: str = "") -> Use:
    return Use("a.b", command, lambda: None, lambda _: set())


def test_only_a_use_of_a_known_length_bounds_its_run() -> None:
    assert app_use._plan(replace(use(), bound_s=7200.0)).bound_s == 7200.0
    assert app_use._plan(use()).bound_s is None
    assert app_use._plan(replace(use("monkey 1000"), bound_s=60.0)).bound_s is None


def test_why_an_app_did_not_start_is_in_the_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app_use, "_EVENTS_S", 0.0)
    device = FakeDevice({"monkey": "// CRASH: a.b (pid 7)\n// Short Msg: java.lang.IllegalStateException\n", "ps": "PID NAME\n"})
    with pytest.raises(
        DeviceError, match=r"a\.b does not run; .*the command that starts it printed: // CRASH: a\.b \(pid 7\) // Short Msg: java"
    ):
        app_use._record_use(device, use(), InstrumentResult(), tmp_path / "raw", NoProgress())


@pytest.mark.parametrize("kind", ["phone", "virtual"])
def test_the_remedy_for_an_app_that_does_not_run_fits_the_device(
    kind: Literal["phone", "virtual"], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(app_use, "_EVENTS_S", 0.0)
    device = FakeDevice({"monkey": "", "ps": "PID NAME\n"})
    device.info = DeviceInfo(kind, "x", "", "", 30)
    with pytest.raises(DeviceError) as error:
        app_use._record_use(device, use(), InstrumentResult(), tmp_path / "raw", NoProgress())
    assert ("start it on the phone" in error.value.remedy) == (kind == "phone")
    assert ("docs/virtual-phone.md" in error.value.remedy) == (kind == "virtual")
