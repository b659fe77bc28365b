"""Apps that were on the phone before a measurement replaces their code: they get it back, and others are gone afterwards."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from navitas.base.errors import DeviceError
from navitas.capture.bundle.reader import Bundle
from navitas.capture.collect.apps.packages import (
    InstalledPackages,
    apk_hashes,
    apk_paths,
    code_of,
    packages_of,
    packages_of_all_users,
    sha256_of,
)
from navitas.capture.collect.apps.restored_apps import (
    AppNotice,
    remove_added_apps,
    remove_at_end,
    restore_apps,
    restore_left_apps,
)
from navitas.capture.collect.progress import Progress
from navitas.capture.collect.state.saved_apps import AddedApp, SavedApp, SavedApps
from navitas.capture.device.base import Device
from navitas.recording.codes import WarningCode

AppWarning = tuple[WarningCode, str, str]
"""A warning for the recordings: its code, message and remedy."""
_INSTALL = "afterwards, install your own build again"


@contextmanager
def kept_apps(device: Device, bundles: Sequence[Bundle], progress: Progress) -> Iterator[list[AppWarning]]:
    """Copy the installed APKs of the bundles' packages from the phone, and install them again at the end of the block.

    Their data stay. Packages that were not there are uninstalled if the block leaves them. Before, what an earlier measurement
    left is restored or uninstalled. The copies and the names of the packages are in the user's state folder until then, so that
    the next start can do this if this one cannot: after SIGKILL, or when the phone is unplugged.
    Yields the warnings that were shown: about restored apps, and about those that keep the profiled code.
    Raises `DeviceError` if an app cannot be restored, if the state folder cannot be written to, or if another profiling
    measures apps on the phone.
    """
    if not packages_of(bundles):
        yield []
        return
    apps = SavedApps(device.info)
    with ExitStack() as stack:
        with _errors_of(apps):
            stack.enter_context(apps.held())
        warnings: list[AppWarning] = []

        def warn(message: str, remedy: str) -> None:
            warnings.append(("cleanup", message, remedy))
            progress.warning(message, remedy)

        installed = packages_of_all_users(device)
        removed, failed = remove_added_apps(device, apps.added, apps.added.read(), installed)
        if removed:
            installed = packages_of_all_users(device)
        left = restore_left_apps(device, apps, installed)
        for package in left.restored:
            warn(f"{package}, left replaced by an earlier measurement, was restored", "")
        for package in removed:
            warn(f"{package}, left installed by an earlier measurement, was uninstalled", "")
        for notice in (*left.set_aside, *left.failed, *failed):
            warn(notice.message, notice.remedy)
        if left.restored:
            installed = packages_of_all_users(device)
        with _errors_of(apps):
            keeping = save_apps(device, bundles, installed, apps, progress=progress, warn=warn)
        try:
            yield warnings
        except BaseException:  # it counts more than an app that cannot be restored
            for failure in _end(device, apps, keeping, progress):
                progress.warning(failure.message, failure.remedy)
            raise
        if lasting := _end(device, apps, keeping, progress):
            raise DeviceError("; ".join(one.message for one in lasting), "; ".join(one.remedy for one in lasting))


def _end(device: Device, apps: SavedApps, keeping: Keeping, progress: Progress) -> list[AppNotice]:
    """Remove the added apps that are still there, and restore the saved ones. Returns what is left."""
    return restore_apps(device, apps, keeping.saved, progress, lambda: remove_at_end(device, apps.added, keeping.added))


@contextmanager
def _errors_of(apps: SavedApps) -> Iterator[None]:
    """Raise `DeviceError` instead of `OSError`: nothing is replaced whose code could not come back."""
    try:
        yield
    except OSError as error:
        raise DeviceError(
            f"{error.filename or apps.folder}: {error.strerror}: installed apps cannot be saved before they are replaced",
            "free space on that disk and make the folder writable, or set XDG_STATE_HOME to another folder",
        ) from None


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
    keeping, left, lasting = Keeping(), apps.read(), {(app.package, app.user) for app in apps.added.read()}
    with ExitStack() as interrupted:  # nothing is replaced yet
        for package in packages:
            having = [user for user in installed.users_with(package) if (package, user) not in lasting]
            hashes = apk_hashes(bundles, package)
            if measured not in having:
                keeps_data = measured in installed.users_keeping(package)
                keeping.added.append(apps.added.add(package, measured, hashes, keeps_data=keeps_data))
                if (package, measured) not in lasting:
                    interrupted.callback(apps.added.forget, keeping.added[-1])
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
