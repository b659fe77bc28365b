"""Apps that were on the phone before a measurement replaces their code: they get it back, and others are gone afterwards."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager

from navitas.bundle.reader import Bundle
from navitas.collect.app_saving import AppWarning, Keeping, save_apps
from navitas.collect.packages import packages_of, packages_of_all_users
from navitas.collect.progress import Progress
from navitas.collect.restored_apps import AppNotice, remove_added_apps, remove_at_end, restore_apps, restore_left_apps
from navitas.collect.state.saved_apps import AddedApps, SavedApps
from navitas.device.base import Device
from navitas.errors import DeviceError


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
    added = AddedApps(device.info, apps.folder)
    with _held(apps):
        warnings: list[AppWarning] = []

        def warn(message: str, remedy: str) -> None:
            warnings.append(("cleanup", message, remedy))
            progress.warning(message, remedy)

        installed = packages_of_all_users(device)
        removed, failed = remove_added_apps(device, added, added.read(), installed)
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
            keeping = save_apps(device, bundles, installed, apps, added, progress=progress, warn=warn)
        try:
            yield warnings
        except BaseException:  # it counts more than an app that cannot be restored
            for failure in _end(device, apps, added, keeping, progress):
                progress.warning(failure.message, failure.remedy)
            raise
        if lasting := _end(device, apps, added, keeping, progress):
            raise DeviceError("; ".join(one.message for one in lasting), "; ".join(one.remedy for one in lasting))


def _end(device: Device, apps: SavedApps, added: AddedApps, keeping: Keeping, progress: Progress) -> list[AppNotice]:
    """Remove the added apps that are still there, and restore the saved ones. Returns what is left."""
    return restore_apps(device, apps, keeping.saved, progress, lambda: remove_at_end(device, added, keeping.added))


@contextmanager
def _held(apps: SavedApps) -> Iterator[None]:
    with ExitStack() as stack:
        with _errors_of(apps):
            stack.enter_context(apps.held())
        yield


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
