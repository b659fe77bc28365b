"""The phone's user whose apps are measured: the one in the foreground, another user, or a work profile."""

from __future__ import annotations

import re

from navitas.device.base import Device
from navitas.errors import UsageError

_LISTED = re.compile(r"UserInfo\{([0-9]{1,6}):(.*):[0-9a-f]+\}")
_NUMBER = re.compile(r"[0-9]{1,6}")
_READY = "RUNNING_UNLOCKED"


def named_user(device: Device, wanted: int | None) -> tuple[int | None, tuple[int, ...]]:
    """Return the user that commands must name, the wanted one or the one in the foreground, and all users of the phone.

    On a phone with several users, commands must name the first one, too: without a user, `pm uninstall` means all of them.
    See `DeviceInfo`. Raises `UsageError` if the phone has no such user, or has not started and unlocked it.
    """
    lines = device.shell("am get-current-user").text.split()
    said = lines[-1] if lines else ""
    foreground = int(said) if _NUMBER.fullmatch(said) else 0
    found = map(_LISTED.search, device.shell("pm list users").text.splitlines())
    users = {int(user[1]): user[2] for user in found if user}
    if wanted is not None and wanted != foreground:
        _check(device, wanted, users)
    user = foreground if wanted is None else wanted
    return (user if user or foreground or len(users) > 1 else None), tuple(users)


def _check(device: Device, wanted: int, users: dict[int, str]) -> None:
    serial = device.info.serial
    if wanted not in users:
        known = ", ".join(f"{number} ({name})" for number, name in users.items()) or "unknown"
        raise UsageError(f"device {serial} has no user {wanted}; its users: {known}", "adb shell pm list users")
    state = device.shell(f"am get-started-user-state {wanted}").text.strip()
    if state != _READY:
        raise UsageError(
            f"user {wanted} ({users[wanted]}) of device {serial} is not ready: {state or 'its state is unknown'}",
            f"start it (adb shell am start-user {wanted}), and unlock it on the phone",
        )
