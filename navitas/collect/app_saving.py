"""Save what the phone has of the packages that a measurement installs, before it does so."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from navitas.bundle.reader import Bundle
from navitas.collect.packages import InstalledPackages, apk_hashes, apk_paths, code_of, packages_of, sha256_of
from navitas.collect.progress import Progress
from navitas.collect.state.saved_apps import AddedApp, AddedApps, SavedApp, SavedApps
from navitas.device.base import Device
from navitas.errors import DeviceError
from navitas.recording.codes import WarningCode

AppWarning = tuple[WarningCode, str, str]
"""A warning for the recordings: its code, message and remedy."""
_INSTALL = "afterwards, install your own build again"


@dataclass(frozen=True, slots=True)
class Keeping:
    """What a measurement keeps: copies of apps that it replaces, and the packages that it adds."""

    saved: list[SavedApp] = field(default_factory=list)
    added: list[AddedApp] = field(default_factory=list)


def save_apps(
    device: Device,
    bundles: Sequence[Bundle],
    installed: InstalledPackages,
    apps: SavedApps,
    added: AddedApps,
    *,
    progress: Progress,
    warn: Callable[[str, str], None],
) -> Keeping:
    """Copy the bundles' packages that users have, and note those that the measured user does not have.

    Warns of apps that are of several APKs or unreadable. Raises `OSError` if the state folder cannot be written to, with
    nothing left there.
    """
    packages, measured = packages_of(bundles), device.info.named_user
    _warn_of_unknown(packages, installed, warn)
    keeping, left, lasting = Keeping(), apps.read(), {(app.package, app.user) for app in added.read()}
    with ExitStack() as interrupted:  # nothing is replaced yet
        for package in packages:
            having = [user for user in installed.users_with(package) if (package, user) not in lasting]
            hashes = apk_hashes(bundles, package)
            if measured not in having:
                keeps_data = measured in installed.users_keeping(package)
                keeping.added.append(added.add(package, measured, hashes, keeps_data=keeps_data))
                if (package, measured) not in lasting:
                    interrupted.callback(added.forget, keeping.added[-1])
            if having:
                progress.stage(f"saving {package} as it is installed")
                try:
                    earlier = _still_left(device, apps, left.get(package), having)
                    app = earlier or apps.save(package, having, hashes, partial(_pull, device, package, having[0]))
                except DeviceError as error:
                    reason = f"it will keep the profiled code: {error.message}"
                    warn(f"{package} is installed and cannot be saved: {reason}", _INSTALL)
                    _note_new_code(apps, package, hashes)
                    continue
                if earlier is None:
                    interrupted.callback(apps.forget, app)
                else:
                    app = apps.write(replace(earlier, profiled=(*earlier.profiled, *hashes)))
                keeping.saved.append(app)
            else:  # a user whose packages are unknown may have it
                _note_new_code(apps, package, hashes)
        interrupted.pop_all()
    return keeping


def _still_left(device: Device, apps: SavedApps, left: SavedApp | None, having: Sequence[int | None]) -> SavedApp | None:
    """Return the first copy of an app that is still left replaced, for a user who has it. Sets aside the copy of another app."""
    if left is None:
        return None
    if code_of(device, left.package, having[0]) in (sha256_of(left.file), *left.profiled):
        return replace(left, user=left.user if left.user in having else having[0])
    apps.set_aside(left)
    return None


def _note_new_code(apps: SavedApps, package: str, hashes: Sequence[str]) -> None:
    """Note which APKs replace an app that is still left replaced, and that this measurement does not restore."""
    if left := apps.read().get(package):
        apps.write(replace(left, profiled=(*left.profiled, *hashes)))


def _pull(device: Device, package: str, user: int | None, file: Path) -> None:
    """Copy a package's APK from the device. Raises `DeviceError` if it has several, or cannot be read."""
    paths = apk_paths(device, package, user)
    if len(paths) != 1:
        raise DeviceError(f"device {device.info.serial}: it consists of {len(paths)} APKs")
    device.pull(paths[0], file)


def _warn_of_unknown(packages: list[str], installed: InstalledPackages, warn: Callable[[str, str], None]) -> None:
    """Warn of packages that no known user has, but others may."""
    absent = ", ".join(package for package in packages if not installed.users_with(package))
    if not absent:
        return
    for user, why in installed.unknown.items():
        warn(f"if user {user} has {absent}, it will keep the profiled code: {why}", _INSTALL)
    if installed.unlisted:
        warn(f"if another user has {absent}, it will keep the profiled code: {installed.unlisted}", _INSTALL)
