"""Apps that were on the phone before a measurement replaces their code: they get it back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

from navitas.bundle.reader import Bundle
from navitas.collect.packages import InstalledPackages, apk_hashes, apk_paths, packages_of, packages_of_all_users
from navitas.collect.progress import Progress
from navitas.collect.restored_apps import WarnOfApp, restore_apps, restore_left_apps
from navitas.collect.state.saved_apps import SavedApp, SavedApps
from navitas.device.base import Device
from navitas.errors import DeviceError
from navitas.recording.codes import WarningCode

AppWarning = tuple[WarningCode, str, str]
"""A warning for the recordings: its code, message and remedy."""
_INSTALL = "afterwards, install your own build again"


@contextmanager
def kept_apps(device: Device, bundles: Sequence[Bundle], progress: Progress) -> Iterator[list[AppWarning]]:
    """Copy the installed APKs of the bundles' packages from the phone, and install them again at the end of the block.

    Their data stay. Before, apps that an earlier measurement left replaced are restored. The copies are in the user's state
    folder until then, so that the next start can restore them if this one cannot: after SIGKILL, or when the phone is unplugged.
    Yields the warnings that were shown: about restored apps, and about those that keep the profiled code.
    Raises `DeviceError` if an app cannot be restored, or if another profiling has replaced apps.
    """
    warnings: list[AppWarning] = []

    def warn(message: str, remedy: str) -> None:
        warnings.append(("cleanup", message, remedy))
        progress.warning(message, remedy)

    if not packages_of(bundles):
        yield warnings
        return
    apps, installed = SavedApps(device.info), packages_of_all_users(device)
    present = _present(bundles, installed, warn)
    with ExitStack() as stack:
        saved: list[SavedApp] = []
        if present or apps.exist():
            try:
                stack.enter_context(apps.held())
            except OSError as error:
                for package in present:
                    _warn_of_unsaved(package, error, warn)
            else:
                for package in restore_left_apps(device, apps, installed, warn):
                    warn(f"{package}, left replaced by an earlier measurement, was restored", "")
                saved = _save(device, bundles, present, apps, progress=progress, warn=warn)
        try:
            yield warnings
        except BaseException:  # it counts more than an app that cannot be restored
            for failure in restore_apps(device, apps, saved, progress):
                progress.warning(failure.message, failure.remedy)
            raise
        if failed := restore_apps(device, apps, saved, progress):
            raise DeviceError("; ".join(one.message for one in failed), "; ".join(one.remedy for one in failed))


def _present(bundles: Sequence[Bundle], installed: InstalledPackages, warn: WarnOfApp) -> dict[str, int | None]:
    """Return the bundles' packages that a user has, with that user. The code of an app is the same for all users."""
    users = {package: installed.users_with(package) for package in packages_of(bundles)}
    absent = ", ".join(package for package, having in users.items() if not having)
    for user, why in installed.unknown.items() if absent else ():
        warn(f"if user {user} has {absent}, it will keep the profiled code: {why}", _INSTALL)
    return {package: having[0] for package, having in users.items() if having}


def _save(
    device: Device,
    bundles: Sequence[Bundle],
    present: Mapping[str, int | None],
    apps: SavedApps,
    *,
    progress: Progress,
    warn: WarnOfApp,
) -> list[SavedApp]:
    """Copy the installed apps. An app that is still left replaced keeps its first copy."""
    left, saved = apps.read(), []
    with ExitStack() as interrupted:
        for package, user in present.items():
            progress.stage(f"saving {package} as it is installed")
            hashes = apk_hashes(bundles, package)
            try:
                if package in left:
                    app = apps.write(replace(left[package], profiled=(*left[package].profiled, *hashes)))
                else:
                    app = apps.save(package, user, hashes, partial(_pull, device, package, user))
                    interrupted.callback(apps.forget, app)  # nothing is replaced yet
                saved.append(app)
            except (DeviceError, OSError) as error:
                _warn_of_unsaved(package, error, warn)
        interrupted.pop_all()
    return saved


def _pull(device: Device, package: str, user: int | None, file: Path) -> None:
    """Copy a package's APK from the device. Raises `DeviceError` if it has several, or cannot be read."""
    paths = apk_paths(device, package, user)
    if len(paths) != 1:
        why = f"it consists of {len(paths)} APKs" if paths else "the phone does not say where its APK is"
        raise DeviceError(f"device {device.info.serial}: {why}")
    device.pull(paths[0], file)


def _warn_of_unsaved(package: str, why: DeviceError | OSError, warn: WarnOfApp) -> None:
    reason = why.message if isinstance(why, DeviceError) else str(why)
    warn(f"{package} is installed and cannot be saved: it will keep the profiled code: {reason}", _INSTALL)
