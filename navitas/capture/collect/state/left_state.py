"""Restore what killed or interrupted measurements left on a phone: settings, apps, files and traces."""

from __future__ import annotations

from collections.abc import Iterable

from navitas.android.ids import PACKAGE_NAME
from navitas.capture.collect.apps.app_files import PLACES, AppFolder
from navitas.capture.collect.apps.packages import packages_of_all_users
from navitas.capture.collect.apps.restored_apps import AppNotice, remove_added_apps, restore_left_apps
from navitas.capture.collect.doctor import Check, Status
from navitas.capture.collect.runs import runtime_config
from navitas.capture.collect.state.guard import restore_left
from navitas.capture.collect.state.journal import Journal
from navitas.capture.collect.state.saved_apps import SavedApps
from navitas.capture.collect.trace.run_trace import remove_traces
from navitas.capture.device.adb import STAGED
from navitas.capture.device.base import Device


def restore_left_state(device: Device, checks: list[Check]) -> None:
    """Add checks that say what was restored, also if something else could not be."""
    journal, apps = Journal(device.info), SavedApps(device.info)
    names: list[str] = []
    others: list[Check] = []
    is_complete = False
    try:
        with journal.held():
            names += restore_left(
                device, journal, lambda _code, message, remedy: others.append(Check("restored", "problem", message, remedy))
            )
            remove_traces(device)
            has_apps = apps.exist()
            with apps.held():
                if has_apps:
                    _restore_apps(device, apps, names, others)
                remove_left_files(device)
        is_complete = True
    except OSError as error:
        where = error.filename or journal.path
        others.append(Check("restored", "problem", f"{where}: {error.strerror}", "make that folder readable and writable"))
    finally:
        if names or is_complete:
            checks.append(Check("restored", "ok", ", ".join(names) or "nothing to restore"))
        checks.extend(others)


def _restore_apps(device: Device, apps: SavedApps, names: list[str], others: list[Check]) -> None:
    """Uninstall and restore apps that a measurement left. Adds to the names of what was restored, and to other checks."""

    def add(status: Status, notices: Iterable[AppNotice]) -> None:
        others.extend(Check("restored", status, notice.message, notice.remedy) for notice in notices)

    removed, failed = remove_added_apps(device, apps.added, apps.added.read(), packages_of_all_users(device))
    names += [f"{package} (uninstalled)" for package in removed]
    add("problem", failed)
    left = restore_left_apps(device, apps, packages_of_all_users(device))
    names += left.restored
    add("note", left.set_aside)
    add("problem", left.failed)


def remove_left_files(device: Device) -> None:
    """Remove staged APKs, the runtime's settings, and events in apps, when no measurement runs. Raises `DeviceError`."""
    for name in device.shell(f"ls {runtime_config.FOLDER} 2>/dev/null").text.split():
        package = name.removesuffix(runtime_config.SUFFIX)
        if package != name and PACKAGE_NAME.fullmatch(package):
            for place in PLACES:
                AppFolder(device, package, place).remove()
    device.shell(f"rm -rf {runtime_config.FOLDER} {STAGED}*")
