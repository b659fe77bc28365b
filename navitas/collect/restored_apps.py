"""Install the saved code of apps again, if they have other code."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace

from navitas.collect.app_notices import AppNotice, not_restored
from navitas.collect.installed_code import code_of, sha256_of
from navitas.collect.packages import InstalledPackages
from navitas.collect.progress import Progress
from navitas.collect.state.saved_app import SavedApp
from navitas.collect.state.saved_apps import SavedApps
from navitas.device.base import Device
from navitas.errors import DeviceError, NavitasError

_RECONNECT_S = 5.0
_NO_CODE = ""


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
                _restore(device, apps, left[0], _code_if_known(device, left[0]))
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
        app = replace(entry, user=_one_of(having or keeping, installed.present(entry.user)))
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


def _code_if_known(device: Device, app: SavedApp) -> str:
    """Return an app's code. At the end of a measurement, unknown code is the profiled one."""
    try:
        return code_of(device, app.package, app.user)
    except DeviceError:
        return _NO_CODE


def _one_of(users: Collection[int | None], wanted: int | None) -> int | None:
    return next(iter(users), wanted) if wanted not in users else wanted
