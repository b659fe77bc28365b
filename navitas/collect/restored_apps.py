"""Install the saved code of apps again, if they have other code."""

from __future__ import annotations

import hashlib
import shlex
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace

from navitas.collect.packages import InstalledPackages, apk_paths, flag_of, is_back, sha256_on
from navitas.collect.progress import Progress
from navitas.collect.state.saved_apps import SavedApp, SavedApps
from navitas.device.base import Device
from navitas.errors import DeviceError, NavitasError
from navitas.regular_files import open_regular

WarnOfApp = Callable[[str, str], None]
"""Takes a warning's message and remedy."""
_SEVERAL = "several"


@dataclass(frozen=True, slots=True)
class NotRestored:
    """An app that has not got its own code back: the reason, and the command that restores it."""

    message: str
    remedy: str


def restore_apps(device: Device, apps: SavedApps, saved: Collection[SavedApp], progress: Progress) -> list[NotRestored]:
    """Restore apps at the end of a measurement, and return those for which this failed. Their copies stay.

    If it is interrupted, shows a warning for each app that is not restored.
    """
    failed: list[NotRestored] = []
    left = list(saved)
    try:
        if left:
            progress.stage(f"restoring {', '.join(app.package for app in left)}")
            is_back(device)
        while left:
            try:
                _restore(device, apps, left[0], _code(device, left[0]))
            except (NavitasError, OSError) as error:
                failed.append(_not_restored(device, left[0], error))
            del left[0]
    except BaseException:
        for one in (*failed, *(_not_restored(device, app, "interrupted") for app in left)):
            progress.warning(one.message, one.remedy)
        raise
    return failed


def restore_left_apps(device: Device, apps: SavedApps, installed: InstalledPackages, warn: WarnOfApp) -> list[str]:
    """Restore apps that an earlier measurement left replaced, and return their packages. Warns of those that cannot be restored.

    An app that was uninstalled or replaced since then stays as it is; a warning names its copy.
    Raises `DeviceError` if an entry of a copy is damaged.
    """
    restored: list[str] = []
    for app in apps.read().values():
        try:
            if app.user in installed.unknown:
                raise DeviceError(installed.unknown[app.user])
            users = installed.users_with(app.package)
            code = _code(device, app := replace(app, user=_one_of(users, app.user))) if users else None
            if code in (_own_code(app), "", *app.profiled):
                restored += [app.package] if _restore(device, apps, app, code) else []
            else:
                apps.set_aside(app)
                since = "it has been replaced since" if users else "it has been uninstalled since"
                warn(f"{app.package} does not get its code of {app.when} back: {since}", f"the copy stays: {app.file}")
        except (NavitasError, OSError) as error:
            failure = _not_restored(device, app, error)
            warn(failure.message, failure.remedy)
    return restored


def _restore(device: Device, apps: SavedApps, app: SavedApp, code: str | None) -> bool:
    """Install a copy unless the app has this code, then remove the copy. Returns whether it was installed."""
    is_other = code != _own_code(app)
    if is_other:
        device.install([app.file], downgrade=True, user=app.user)
    apps.forget(app)
    return is_other


def _code(device: Device, app: SavedApp) -> str:
    """Return the SHA-256 of the app's APK on the device, empty if unknown. Several APKs are neither the copy nor profiled."""
    paths = apk_paths(device, app.package, app.user)
    return _SEVERAL if len(paths) > 1 else sha256_on(device, paths[0]) if paths else ""


def _own_code(app: SavedApp) -> str:
    with open_regular(app.file) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _one_of(users: Collection[int | None], wanted: int | None) -> int | None:
    return wanted if wanted in users else next(iter(users))


def _not_restored(device: Device, app: SavedApp, why: Exception | str) -> NotRestored:
    reason = why.message if isinstance(why, NavitasError) else str(why)
    serial, flag = shlex.quote(device.info.serial), flag_of(app.user)
    remedy = f"adb -s {serial} install -r -t -d{flag} {shlex.quote(str(app.file))}"
    if "VERSION_DOWNGRADE" in reason:  # refused for an app that is not debuggable; without its code, the phone compares nothing
        remedy = f"adb -s {serial} shell pm uninstall -k{flag} {app.package} && {remedy}"
    else:
        remedy += f" (or: navitas doctor --device {serial} --restore)"
    return NotRestored(f"{app.package} was installed before, and cannot be restored: {reason}", remedy)
