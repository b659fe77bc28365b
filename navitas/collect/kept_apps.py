"""Apps that were on the phone before a measurement replaces their code: they get it back."""

from __future__ import annotations

import itertools
import shlex
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
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
        saved: dict[str, _Saved] = {}
        for name in names:
            if (found := _apk_of(device, name)) is not None:
                apk, user = found
                progress.stage(f"saving {name} as it is installed")
                if apk and (file := _save(device, name, apk, folder)) is not None:
                    saved[name] = _Saved(file, user)
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


@dataclass(frozen=True, slots=True)
class _Saved:
    """A copy of an installed APK, and a user who has the app; None on a phone with one user."""

    file: Path
    user: int | None


def _apk_of(device: Device, name: str) -> tuple[str, int | None] | None:
    """Return the path of a package's APK on the phone, empty if it has several, and a user who has it; None if no user has it.

    The code of an app is the same for all users, so any of them counts.
    """
    several = device.info.named_user is not None
    for user in device.info.users if several else (None,):
        user_flag = "" if user is None else f" --user {user}"
        lines = device.shell(f"pm path{user_flag} {shlex.quote(name)}").text.splitlines()
        paths = [line.removeprefix("package:").strip() for line in lines if line.startswith("package:")]
        if paths:
            return (paths[0] if len(paths) == 1 else ""), user
    return None


def _save(device: Device, name: str, apk: str, folder: Path) -> Path | None:
    file = folder / f"{name}.apk"
    with suppress(DeviceError):
        device.pull(apk, file)
        return file
    return None


def _restore(device: Device, saved: dict[str, _Saved], progress: Progress) -> dict[str, tuple[str, str]]:
    """Install the saved APKs. Returns why that failed, and the command that does it later, by the app."""
    failed: dict[str, tuple[str, str]] = {}
    if saved:
        progress.stage(f"restoring {', '.join(saved)}")
        device.wait_until_back(_RECONNECT_S)
    for name, one in saved.items():
        try:
            device.install([one.file], downgrade=True, user=one.user)
        except DeviceError as error:
            copy = shlex.quote(str(_kept_copy(device, one.file)))
            flag = "" if one.user is None else f" --user {one.user}"
            failed[name] = (error.message, f"adb -s {shlex.quote(device.info.serial)} install -r -t -d{flag} {copy}")
    return failed


def _kept_copy(device: Device, file: Path) -> Path:
    """Move an APK to a folder that stays, and return its new path."""
    place = state_folder() / "apps" / "".join(char if char.isalnum() else "_" for char in device.info.serial)
    make_folder(place.parent)
    make_folder(place)
    names = (f"{file.stem}{number or ''}{file.suffix}" for number in itertools.count())
    free = next(place / name for name in names if not (place / name).exists())  # an earlier copy can be the only one
    return Path(shutil.move(file, free))
