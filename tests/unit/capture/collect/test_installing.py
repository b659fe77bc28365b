"""What is installed for a profiling: what stays where the phone is lost."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from fake_device import FakeDevice
from support.bundle_maker import ANDROID_FILES, ANDROID_MANIFEST, make
from support.no_progress import NoProgress

from navitas.base.errors import DeviceError
from navitas.capture.bundle.reader import Bundle, open_bundle
from navitas.capture.collect.apps.installing import installed
from navitas.capture.collect.apps.packages import installed_packages

APP, TESTS = ANDROID_MANIFEST["package"], ANDROID_MANIFEST["test_package"]


class Lost(FakeDevice):
    """Unplugged while it installs."""

    def install(self, paths: Sequence[Path], *, downgrade: bool = False, user: int | None = None) -> None:
        raise DeviceError("device serial-1 was lost during 'install'", "reconnect it")


@pytest.mark.parametrize(("present", "left"), [("", [TESTS, APP]), (f"package:{APP}\n", [TESTS])])
def test_the_error_names_what_a_lost_phone_may_keep(tmp_path: Path, present: str, left: list[str]) -> None:
    """Not the apps that were there before: these are the user's."""
    bundle = open_bundle(make(tmp_path / "a.zip", ANDROID_FILES | {"bundle.json": json.dumps(ANDROID_MANIFEST)}))
    with (
        pytest.raises(DeviceError) as caught,
        installed(Lost({"pm list packages": f"package:android\n{present}"}), [bundle], NoProgress()),
    ):
        pass
    commands = "; ".join(f"adb -s serial-1 uninstall {name}" for name in left)
    assert caught.value.remedy == f"reconnect it; the installed packages may still be there: {commands}"


class Picky(FakeDevice):
    """Refuses a package, and runs 64-bit ARM code only."""

    def install(self, paths: Sequence[Path], *, downgrade: bool = False, user: int | None = None) -> None:
        if any(path.name == "org.example.old.apk" for path in paths):
            raise DeviceError("device serial-1: org.example.old.apk cannot be installed: INSTALL_FAILED_OLDER_SDK", "use another")
        super().install(paths)


def test_a_module_that_cannot_be_installed_is_left_out_and_the_others_are_installed(tmp_path: Path) -> None:
    def module(name: str, abi: str | None = None) -> Bundle:
        package = f"org.example.{name}"
        apks = {"app": [{"file": "app.apk", "abi": abi}], "test": "test.apk"}
        manifest = ANDROID_MANIFEST | {"module": f":{name}", "package": package, "test_package": f"{package}.test", "apks": apks}
        return open_bundle(make(tmp_path / f"{name}.zip", ANDROID_FILES | {"bundle.json": json.dumps(manifest)}))

    device = Picky({"pm list packages": "package:android\n", "getprop ro.product.cpu.abilist": "arm64-v8a\n"}, answers=True)
    old, intel, fine = module("old"), module("intel", "x86"), module("fine")
    said: list[tuple[str, ...]] = []
    with installed(device, [old, intel, fine], NoProgress(), lambda *words: said.append(words)) as bundles:
        assert bundles == [fine]
    assert said == [
        ("not_installed", ":old is left out: device serial-1: org.example.old.apk cannot be installed: INSTALL_FAILED_OLDER_SDK",
         "use another"),
        ("not_installed", ":intel is left out: device serial-1 runs arm64-v8a; :intel is built for x86",
         "add the device's ABI to the build's splits, or use another device"),
    ]  # fmt: skip
    assert {f"uninstall {one.manifest.package}" for one in (old, intel, fine)} <= set(device.commands), "also what is half there"
    for alone in ([old], [old, intel]):
        with pytest.raises(DeviceError, match="OLDER_SDK"), installed(device, alone, NoProgress(), lambda *_: None):
            pass
    device.answers = False  # a lost device refuses no module
    with pytest.raises(DeviceError, match="OLDER_SDK"), installed(device, [fine, old], NoProgress(), lambda *_: None):
        pass


def test_data_without_their_app_stay(tmp_path: Path) -> None:
    bundle = open_bundle(make(tmp_path / "a.zip", ANDROID_FILES | {"bundle.json": json.dumps(ANDROID_MANIFEST)}))
    device = FakeDevice({"pm list packages": "package:android\n", "pm list packages -u": f"package:android\npackage:{APP}\n"})
    with installed(device, [bundle], NoProgress()):
        device.commands.clear()
    assert device.commands == [f"uninstall {TESTS}", f"uninstall -k {APP}"]


@pytest.mark.parametrize(
    ("listed", "code", "why"), [("Error: x\n", 255, "Error: x"), ("", 0, "it listed none"), ("package:a\n", 1, "package:a")]
)
def test_packages_that_cannot_be_listed_are_an_error(tmp_path: Path, listed: str, code: int, why: str) -> None:
    """Otherwise, the user's own app would be uninstalled with its data."""
    bundle = open_bundle(make(tmp_path / "a.zip", ANDROID_FILES | {"bundle.json": json.dumps(ANDROID_MANIFEST)}))
    device = FakeDevice({"pm list packages": listed}, codes={"pm list packages": code})
    message = f"^device serial-1: its packages cannot be listed: {why}$"
    with pytest.raises(DeviceError, match=message), installed(device, [bundle], NoProgress()):
        pass
    assert device.commands == ["pm list packages"]


def test_a_virtual_phone_may_have_no_package() -> None:
    device = FakeDevice().with_info(kind="virtual")
    assert installed_packages(device, 10) == set() and device.commands == ["pm list packages --user 10"]
