"""The processes of an app in use: how they are started, and which ones run."""

from __future__ import annotations

import re
import shlex
import time

from navitas.android.ids import UIDS_PER_USER
from navitas.base.errors import DeviceError
from navitas.capture.collect.apps import app_files
from navitas.capture.collect.apps.app_files import AppFolder
from navitas.capture.device.base import Device, ShellResult

# A virtual phone on a busy machine needs a minute to load the framework.
_START_S = 180.0
_EVENTS_S = 15.0
_BY_HAND_S = 120.0
_POLL_S = 0.3
_NO_ACTIVITY = "No activities found"
"""What `monkey` and `cmd package query-activities` print for an app without an activity for launchers."""
_COLUMNS = 3
_LONGEST_OUTPUT = 300


def start_app(device: Device, package: str) -> ShellResult:
    """Start the app's first activity for launchers."""
    name, user = shlex.quote(package), device.info.named_user
    if user is None:
        return device.shell(f"monkey -p {name} -c android.intent.category.LAUNCHER 1", timeout_s=_START_S)
    # monkey starts apps of the user in the foreground only. resolve-activity names Android's chooser if there are several.
    launcher = "-a android.intent.action.MAIN -c android.intent.category.LAUNCHER"
    found = device.shell(f"cmd package query-activities --brief --user {user} {launcher} {name}")
    component = next((word for word in found.text.split() if word.startswith(f"{package}/")), None)
    if component is None:
        return found
    return device.shell(f"am start -W --user {user} -n {shlex.quote(component)}", timeout_s=_START_S)


def has_no_activity(started: ShellResult) -> bool:
    """Whether the result of `start_app` means that the app has no activity for launchers."""
    return _NO_ACTIVITY in started.text


def first_process(
    device: Device, package: str, folder: AppFolder | None, started: ShellResult | None, *, by_hand: bool = False
) -> str | None:
    """Return the app's first process that writes events, or its main process if events come through the log (no `folder`).

    Wait for it for some seconds, or for two minutes if a person starts the app (`by_hand`). None if only other processes of the
    app run. Raises `DeviceError` if the app does not run, with what its start (`started`) printed, or if
    it writes no events.
    """
    deadline = time.monotonic() + (_BY_HAND_S if by_hand else _EVENTS_S)
    while True:
        found = _main_process(device, package) if folder is None else _writing_process(folder)
        if found is not None or time.monotonic() > deadline:
            break
        time.sleep(_POLL_S)
    if found is not None:
        return found
    if not processes(device, package):
        printed = b"" if started is None else started.stdout + started.stderr
        output = " ".join(printed.decode("utf-8", "replace").split())[-_LONGEST_OUTPUT:]  # the end names the cause
        why = f"; the command that starts it printed: {output}" if output else ""
        on_phone = device.info.kind == "phone"
        on_virtual = "check that the app has a launcher activity that the virtual phone can run: docs/virtual-phone.md"
        remedy = "start it on the phone to see why" if on_phone else on_virtual
        raise DeviceError(f"device {device.info.serial}: {package} does not run{why}", remedy)
    if folder is None:
        return None
    raise DeviceError(
        f"device {device.info.serial}: {package} runs, but records nothing: it is not an instrumented build",
        "give the bundle from its build with --bundle (see navitas plugin); Navitas then installs it",
    )


def processes(device: Device, package: str) -> dict[str, str]:
    """Return the names of the app's processes (PACKAGE and PACKAGE:NAME) that belong to the measured user, by id."""
    found = (line.split(None, 2) for line in device.shell("ps -A -o PID,UID,NAME").text.splitlines())
    rows = [(pid, uid, name.strip()) for pid, uid, name in (parts for parts in found if len(parts) == _COLUMNS)]
    own = [row for row in rows if row[1].isdecimal() and int(row[1]) // UIDS_PER_USER == device.info.user]
    return {pid: name for pid, _, name in own if name.partition(":")[0] == package}


def _main_process(device: Device, package: str) -> str | None:
    return next((pid for pid, name in processes(device, package).items() if name == package), None)


def _writing_process(folder: AppFolder) -> str | None:
    return next((re.sub(r"\D", "", name.removesuffix(".nvch")) for name in app_files.event_files(folder.files())), None)
