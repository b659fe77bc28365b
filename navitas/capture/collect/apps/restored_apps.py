"""Give a phone its apps back: install saved code again, uninstall added packages, and say what could not be done."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Collection, Iterable
from contextlib import suppress
from dataclasses import dataclass, field, replace

from navitas.android.ids import user_flag
from navitas.base.errors import DeviceError, NavitasError
from navitas.capture.collect.apps.packages import InstalledPackages, code_of, installed_packages, sha256_of
from navitas.capture.collect.progress import Progress
from navitas.capture.collect.state.saved_apps import AddedApp, AddedApps, SavedApp, SavedApps
from navitas.capture.device.base import Device

_RECONNECT_S = 5.0
_NO_CODE = ""


@dataclass(frozen=True, slots=True)
class AppNotice:
    """A state of an app, and what the user can do."""

    message: str
    remedy: str


def not_restored(device: Device, app: SavedApp, why: Exception | str) -> AppNotice:
    """Return why an app has not got its own code back, and the command that installs it."""
    reason = _reason(why)
    adb = f"adb -s {device.info.shell_serial}"
    remedy = f"{adb} install -r -t -d{user_flag(app.user)} {shlex.quote(str(app.file))}"
    if "VERSION_DOWNGRADE" in reason:
        remedy = _without_its_code(adb, app, remedy)
    else:
        remedy += f" (or: navitas doctor --device {device.info.shell_serial} --restore)"
    return AppNotice(f"{app.package} was installed before, and cannot be restored: {reason}", remedy)


def not_removed(device: Device, app: AddedApp, why: Exception) -> AppNotice:
    """Return why a package that a measurement installed is still there, and the command that uninstalls it."""
    serial, keep = device.info.shell_serial, " -k" if app.keeps_data else ""
    remedy = f"adb -s {serial} shell pm uninstall{keep}{user_flag(app.user)} {app.package}"
    return AppNotice(f"{app.package}, installed by a measurement, cannot be uninstalled: {_reason(why)}", remedy)


def _reason(why: Exception | str) -> str:
    return why.message if isinstance(why, NavitasError) else str(why)


def _without_its_code(adb: str, app: SavedApp, install: str) -> str:
    """Return commands that remove an app's code before they install the copy.

    An older version is refused for an app that is not debuggable. The phone compares nothing if no user has the code, so it is
    removed for all of them; those who had the app get it again. Android 15 and later may refuse the copy nevertheless.
    """
    others = [f"{adb} shell pm install-existing --user {user} {app.package}" for user in app.others if user != app.user]
    flag = "" if others else user_flag(app.user)
    return " && ".join((f"{adb} shell pm uninstall -k{flag} {app.package}", install, *others))


@dataclass(slots=True)
class LeftApps:
    """The apps that earlier measurements left replaced.

    `restored` packages have their own code again. `set_aside` are copies that are not needed, `failed` apps are still replaced.
    """

    restored: list[str] = field(default_factory=list)
    set_aside: list[AppNotice] = field(default_factory=list)
    failed: list[AppNotice] = field(default_factory=list)


def restore_apps(
    device: Device, apps: SavedApps, saved: Collection[SavedApp], progress: Progress, remove_added: Callable[[], list[AppNotice]]
) -> list[AppNotice]:
    """Remove added apps and restore others at the end of a measurement. Returns those for which this failed. Their copies stay.

    Apps are removed first: then they still have the profiled code.
    If it is interrupted, shows a warning for each app that is not restored.
    """
    failed: list[AppNotice] = []
    left = list(saved)
    try:
        if left:
            progress.stage(f"restoring {', '.join(app.package for app in left)}")
        if not device.wait_until_back(_RECONNECT_S):
            return [not_restored(device, app, f"device {device.info.serial} does not answer") for app in left]
        failed += remove_added()
        while left:
            try:
                code = _NO_CODE  # unknown code is the profiled one
                with suppress(DeviceError):
                    code = code_of(device, left[0].package, left[0].user)
                _restore(device, apps, left[0], code)
            except (NavitasError, OSError) as error:
                failed.append(not_restored(device, left[0], error))
            del left[0]
    except BaseException:
        for one in (*failed, *(not_restored(device, app, "interrupted") for app in left)):
            progress.warning(one.message, one.remedy)
        raise
    return failed


def restore_left_apps(device: Device, apps: SavedApps, installed: InstalledPackages) -> LeftApps:
    """Restore apps that an earlier measurement left replaced.

    An app that was uninstalled or replaced since then stays as it is, and so does one whose code is unknown. If only its data
    are there, it gets its code: the user may have removed that of the measurement (`pm uninstall -k`).
    Raises `DeviceError` if an entry of a copy is damaged.
    """
    left = LeftApps()
    for entry in apps.read().values():
        having, keeping = installed.users_with(entry.package), installed.users_keeping(entry.package)
        users, user = having or keeping, installed.present(entry.user)
        app = replace(entry, user=user if user in users else next(iter(users), user))
        try:
            if not having and (why := installed.why_unknown(entry.user)):
                raise DeviceError(why)
            code = code_of(device, app.package, app.user) if having else _NO_CODE
            if (having or keeping) and code in (sha256_of(app.file), _NO_CODE, *app.profiled):
                left.restored += [app.package] if _restore(device, apps, app, code) else []
            else:
                apps.set_aside(app)
                since = "it has been replaced since" if having else "it has been uninstalled since"
                message = f"{app.package} does not get its code of {app.when} back: {since}"
                left.set_aside.append(AppNotice(message, f"the copy stays: {app.file}"))
        except (NavitasError, OSError) as error:
            left.failed.append(not_restored(device, app, error))
    return left


def _restore(device: Device, apps: SavedApps, app: SavedApp, code: str) -> bool:
    """Install a copy unless the app has this code, then remove the copy. Returns whether it was installed."""
    is_other = code != sha256_of(app.file)
    if is_other:
        device.install([app.file], downgrade=True, user=app.user)
    apps.forget(app)
    return is_other


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
