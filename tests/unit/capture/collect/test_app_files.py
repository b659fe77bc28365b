"""The folder of an app's runtime files, in the app's own data and in its media folder."""

from __future__ import annotations

from pathlib import Path

import pytest
from fake_device import FakeDevice

from navitas.capture.collect.apps.app_files import AppFolder, event_files
from navitas.capture.device.base import DeviceInfo

MEDIA = "/storage/emulated/10/Android/media/a.b"


@pytest.fixture
def device() -> FakeDevice:
    found = {f"stat -c %s {MEDIA}": "3\n", f"ls {MEDIA}": "events-7.nvch\nnavitas.properties\n"}
    made = FakeDevice(found, [b"abc", b"abcdef"])
    made.info = DeviceInfo("phone", "x", "", "", 30, named_user=10)
    return made


def test_the_media_folder_needs_no_rights_of_the_app(device: FakeDevice, tmp_path: Path) -> None:
    folder = AppFolder(device, "a.b", "media")
    assert folder.path == f"{MEDIA}/navitas"
    assert folder.prepare("/data/local/tmp/navitas/a.b.properties") == ""
    assert event_files(folder.files()) == ["events-7.nvch"]
    assert folder.pull("events-7.nvch", tmp_path / "events") == 0
    assert folder.beginning("events-7.nvch", 4) == b"abcd"
    folder.remove()
    assert not any("run-as" in command for command in device.commands)
    assert device.commands[0] == (
        f"rm -rf {MEDIA}/navitas && mkdir -p {MEDIA}/navitas"
        f" && cat /data/local/tmp/navitas/a.b.properties | sh -c 'cat > {MEDIA}/navitas/navitas.properties'"
    )
    assert device.commands[-1] == f"rm -rf {MEDIA}/navitas; rmdir {MEDIA} 2>/dev/null"


def test_the_private_folder_is_reached_with_the_rights_of_the_users_app(device: FakeDevice) -> None:
    folder = AppFolder(device, "a.b")
    assert folder.path == "/data/user/10/a.b/files/navitas"
    folder.remove()
    assert device.commands == ["run-as a.b --user 10 rm -rf files/navitas"]
