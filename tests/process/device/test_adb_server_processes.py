"""The tests of tests/unit/device/test_adb_server.py that start processes."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.fake_adb import free_port
from test_adb_server import script

from navitas.device.adb_server import list_devices
from navitas.errors import DeviceError


@pytest.mark.parametrize("text", ["echo 'cannot bind' >&2; exit 1", "exit 1", "exec sleep 60"])
def test_a_server_that_cannot_be_started_is_an_error(text: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    port = str(free_port())
    monkeypatch.setattr("navitas.device.adb_server._START_S", 1.0)
    monkeypatch.setenv("ADBUTILS_ADB_PATH", str(script(tmp_path / "adb", text)))
    monkeypatch.setenv("ANDROID_ADB_SERVER_PORT", port)
    with pytest.raises(DeviceError, match=f"no adb server runs on port {port}") as caught:
        list_devices()
    assert "cannot bind" in caught.value.message or "cannot bind" not in text
    assert "adb start-server" in caught.value.remedy
