"""Remove packages that a measurement installed, and that the user did not have."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace

from navitas.collect.app_notices import AppNotice, not_removed
from navitas.collect.installed_code import code_of
from navitas.collect.packages import InstalledPackages, installed_packages
from navitas.collect.state.added_apps import AddedApp, AddedApps
from navitas.device.base import Device
from navitas.errors import DeviceError, NavitasError


def remove_added_apps(
    device: Device, added: AddedApps, apps: Iterable[AddedApp], installed: InstalledPackages
) -> tuple[list[str], list[AppNotice]]:
    """Uninstall added packages that still have a profiled APK. Others are the user's: only their entries are removed.

    Returns the removed packages, and what says why others could not be removed.
    """
    removed: list[str] = []
    failed: list[AppNotice] = []
    for app in apps:
        now = replace(app, user=installed.present(app.user))
        try:
            if why := installed.why_unknown(app.user):
                raise DeviceError(why)
            is_there = app.package in installed.by_user.get(now.user, ())
            if is_there and code_of(device, now.package, now.user) in now.profiled:
                _uninstall(device, now)
                removed.append(app.package)
            added.forget(app)
        except (NavitasError, OSError) as error:
            failed.append(not_removed(device, now, error))
    return removed, failed


def remove_at_end(device: Device, added: AddedApps, apps: Collection[AddedApp]) -> list[AppNotice]:
    """Remove what is still there at the end of a measurement. A lost device's packages are left to the next start.

    Returns what says why packages could not be removed.
    """
    if not apps:
        return []
    measured = device.info.named_user
    try:
        known = InstalledPackages({measured: installed_packages(device, measured)}, {}, {})
    except DeviceError:
        return []
    return remove_added_apps(device, added, apps, known)[1]


def _uninstall(device: Device, app: AddedApp) -> None:
    device.uninstall(app.package, keep_data=app.keeps_data, user=app.user)
    if app.package in installed_packages(device, app.user):
        raise DeviceError(f"device {device.info.serial}: the package manager refuses it")
