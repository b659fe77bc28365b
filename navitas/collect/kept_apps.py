"""Apps that were on the phone before a measurement replaces their code: they get it back."""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from navitas.bundle.manifest import AndroidManifest
from navitas.bundle.reader import Bundle
from navitas.collect.progress import Progress
from navitas.device.base import Device
from navitas.errors import DeviceError, NavitasError
from navitas.owned_folder import owned_folder
from navitas.user_folders import make_folder, state_folder

_RECONNECT_S = 1.0


@contextmanager
def kept_apps(device: Device, bundles: Sequence[Bundle], progress: Progress) -> Iterator[None]:
    """Copy the installed APKs of the bundles' packages from the phone, and install them again at the end of the block.

    Their data stay. An app that consists of several APKs keeps the profiled code, as does one whose APK cannot be read; the
    progress names it. Raises `DeviceError` if an app cannot be restored; its APK is then in the user's state folder.
    """
    apps = [bundle.manifest for bundle in bundles if isinstance(bundle.manifest, AndroidManifest)]
    names = dict.fromkeys(name for app in apps for name in (app.package, app.test_package))
    with owned_folder("navitas-kept-") as folder:
        saved: dict[str, Path] = {}
        for name in names:
            if (apk := _apk_of(device, name)) is not None:
                progress.stage(f"saving {name} as it is installed")
                saved |= _save(device, name, apk, folder) if apk else {}
                if name not in saved:
                    progress.stage(f"{name} is installed and cannot be saved: it will keep the profiled code")
        try:
            yield
        except BaseException as error:
            failed = _restore(device, saved, progress)
            if failed and isinstance(error, NavitasError):
                error.remedy += "; " + "; ".join(f"restore {name}: {command}" for name, (_, command) in failed.items())
            raise
        for name, (why, command) in _restore(device, saved, progress).items():
            raise DeviceError(f"{name} was installed before, and cannot be restored: {why}", command)


def _apk_of(device: Device, name: str) -> str | None:
    """Return the path of a package's APK on the phone; None if it is not installed, and empty if it has several APKs."""
    lines = device.shell(f"pm path{device.info.user_flag} {shlex.quote(name)}").text.splitlines()
    paths = [line.removeprefix("package:").strip() for line in lines if line.startswith("package:")]
    return None if not paths else paths[0] if len(paths) == 1 else ""


def _save(device: Device, name: str, apk: str, folder: Path) -> dict[str, Path]:
    file = folder / f"{name}.apk"
    with suppress(DeviceError):
        device.pull(apk, file)
        return {name: file}
    return {}


def _restore(device: Device, saved: dict[str, Path], progress: Progress) -> dict[str, tuple[str, str]]:
    """Install the saved APKs. Returns why that failed, and the command that does it later, by the app."""
    failed: dict[str, tuple[str, str]] = {}
    if saved:
        progress.stage(f"restoring {', '.join(saved)}")
        device.wait_until_back(_RECONNECT_S)
    for name, file in saved.items():
        try:
            device.install([file], downgrade=True)
        except DeviceError as error:
            copy = shlex.quote(str(_kept_copy(device, file)))
            failed[name] = (error.message, f"adb -s {device.info.serial} install -r -t -d {copy}")
    return failed


def _kept_copy(device: Device, file: Path) -> Path:
    """Move an APK to a folder that stays, and return its new path."""
    place = state_folder() / "apps" / "".join(char if char.isalnum() else "_" for char in device.info.serial)
    make_folder(place.parent)
    make_folder(place)
    return Path(shutil.move(file, place / file.name))
