"""What the user reads about an app that is not as it was before a measurement."""

from __future__ import annotations

import shlex
from dataclasses import dataclass

from navitas.android_ids import user_flag
from navitas.collect.state.added_apps import AddedApp
from navitas.collect.state.saved_app import SavedApp
from navitas.device.base import Device
from navitas.errors import NavitasError


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
