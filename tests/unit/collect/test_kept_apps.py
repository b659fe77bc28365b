"""Apps that are on the phone before a measurement are there afterwards, as they were."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from fake_device import FakeDevice
from support.bundle_maker import ANDROID_FILES, ANDROID_MANIFEST, make
from support.no_progress import NoProgress

from navitas.bundle.reader import Bundle, open_bundle
from navitas.collect.kept_apps import kept_apps
from navitas.errors import DeviceError

APP, TESTS = ANDROID_MANIFEST["package"], ANDROID_MANIFEST["test_package"]
BASE = f"/data/app/{APP}/base.apk"


@dataclass
class Phone(FakeDevice):
    """Has the app. Refuses installations with `refusal`, and notes for whom they are."""

    refusal: str = ""
    users: list[int | None] = field(default_factory=list)

    def pull(self, remote: str, local: Path) -> None:
        super().pull(remote, local)
        local.write_bytes(b"the user's own")

    def install(self, paths: Sequence[Path], *, downgrade: bool = False, user: int | None = None) -> None:
        assert downgrade and [path.read_bytes() for path in paths] == [b"the user's own"]
        if self.refusal:
            raise DeviceError(f"device serial-1: {self.refusal}", "free space")
        self.commands.append(f"install {paths[0].name}")
        self.users.append(user)


class Stages(NoProgress):
    def __init__(self) -> None:
        self.texts: list[str] = []

    def stage(self, text: str) -> None:
        self.texts.append(text)


@pytest.fixture
def bundle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bundle:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return open_bundle(make(tmp_path / "a.zip", ANDROID_FILES | {"bundle.json": json.dumps(ANDROID_MANIFEST)}))


def phone(paths: str = f"package:{BASE}\n") -> Phone:
    return Phone({f"pm path {APP}": paths, f"pm path {TESTS}": ""})


def test_an_installed_app_is_restore(bundle: Bundle) -> None:
    device = phone()
    with kept_apps(device, [bundle, bundle], NoProgress()):
        assert device.commands.count(f"pull {BASE}") == 1
        assert "install" not in " ".join(device.commands)
    assert device.commands[-1] == f"install {APP}.apk"


def test_an_app_of_another_user_is_restored_for_that_user(bundle: Bundle) -> None:
    device = Phone({f"pm path --user 0 {APP}": f"package:{BASE}\n", f"pm path --user 0 {TESTS}": ""})
    device.info = replace(device.info, named_user=10, users=(0, 10))
    with kept_apps(device, [bundle], NoProgress()):
        pass
    assert device.commands[-1] == f"install {APP}.apk" and device.users == [0]


def test_a_copy_that_could_not_be_installed_is_never_overwritten(bundle: Bundle, tmp_path: Path) -> None:
    device = phone()
    device.refusal = "no space"
    for _ in range(2):
        with pytest.raises(DeviceError), kept_apps(device, [bundle], NoProgress()):
            pass
    assert len(list((tmp_path / "state/navitas/apps/serial_1").iterdir())) == 2


def test_an_app_that_was_not_there_is_not_restore(bundle: Bundle) -> None:
    device = phone("")
    with kept_apps(device, [bundle], NoProgress()):
        pass
    assert [command for command in device.commands if not command.startswith("pm path")] == []


def test_an_app_of_several_apks_is_named(bundle: Bundle) -> None:
    device, progress = phone(f"package:{BASE}\npackage:/data/app/split.apk\n"), Stages()
    with kept_apps(device, [bundle], progress):
        pass
    assert progress.texts[-1] == f"{APP} is installed and cannot be saved: it will keep the profiled code"
    assert not any(command.startswith(("pull", "install")) for command in device.commands)


def test_what_cannot_be_restore_stays_in_a_file_that_the_error_names(bundle: Bundle, tmp_path: Path) -> None:
    device = phone()
    device.refusal = "no space"
    why = "was installed before, and cannot be restored: device serial-1: no space"
    with pytest.raises(DeviceError, match=why) as caught, kept_apps(device, [bundle], NoProgress()):
        pass
    file = tmp_path / f"state/navitas/apps/serial_1/{APP}.apk"
    assert caught.value.remedy == f"adb -s serial-1 install -r -t -d {file}" and file.read_bytes() == b"the user's own"


def test_the_error_of_the_measurement_counts_more(bundle: Bundle) -> None:
    device = phone()
    device.refusal = "lost"
    with pytest.raises(DeviceError, match="a test hangs") as caught, kept_apps(device, [bundle], NoProgress()):
        raise DeviceError("a test hangs", "look for it")
    assert caught.value.remedy.startswith(f"look for it; restore {APP}: adb -s serial-1 install -r -t -d ")
    device.refusal = ""
    with pytest.raises(KeyboardInterrupt), kept_apps(device, [bundle], NoProgress()):
        raise KeyboardInterrupt
    assert device.commands[-1] == f"install {APP}.apk"
