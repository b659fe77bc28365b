"""The phone's user whose apps are measured: the one in the foreground, another user, or a work profile."""

from __future__ import annotations

import re

from navitas.base.errors import UsageError
from navitas.capture.device.base import Device, ShellResult

_HEADER = "Users:"
# AOSP: PackageManagerShellCommand.runListUsers, UserInfo.toString.
_LISTED = re.compile(r"\tUserInfo\{([0-9]{1,6}):(.*):([0-9a-f]{1,8})\}(?: running)?")
# AOSP: UserInfo.FLAG_MANAGED_PROFILE, FLAG_PROFILE.
_PROFILE_FLAGS = 0x20 | 0x1000
_NUMBER = re.compile(r"[0-9]{1,6}")
_READY = "RUNNING_UNLOCKED"


def named_user(device: Device, wanted: int | None) -> tuple[int | None, tuple[int, ...]]:
    """Return the user that commands must name, the wanted one or the one in the foreground, and all users of the phone.

    On a phone with several users, commands must name the first one, too: without a user, `pm uninstall` means all of them. So
    they also name it if the phone's list is unreadable; then it is the only user of the result.
    See `DeviceInfo`. Raises `UsageError` if the phone has no such user, or has not started and unlocked it.
    """
    foreground = foreground_user(device) or 0
    users = _users(device.shell("pm list users"), foreground)
    if wanted is not None and wanted != foreground:
        _check(device, wanted, None if users is None else {number: found[2] for number, found in users.items()})
    user = foreground if wanted is None else wanted
    if users is None:
        return user, (user,)
    return (user if user or foreground or len(users) > 1 else None), tuple(users)


def foreground_user(device: Device) -> int | None:
    """Return the user in the foreground; None if the phone does not say."""
    said = device.shell("am get-current-user").text.split()[-1:]
    return int(said[0]) if said and _NUMBER.fullmatch(said[0]) else None


def is_profile(device: Device, user: int, foreground: int) -> bool:
    """Whether a user is a profile, such as for work, whose apps are on the screen of the user in the foreground."""
    users = _users(device.shell("pm list users"), foreground) or {}
    return user in users and bool(int(users[user][3], 16) & _PROFILE_FLAGS)


def _users(listed: ShellResult, foreground: int) -> dict[int, re.Match[str]] | None:
    """Return the lines of the phone's users by number; None if the list is unreadable.

    A user's name may contain line feeds, and so add lines. Each line must be one of Android's, and numbers are unique.
    """
    _, header, text = f"\n{listed.text}".partition(f"\n{_HEADER}\n")
    found = [_LISTED.fullmatch(line) for line in text.removesuffix("\n").split("\n")]
    users = {int(user[1]): user for user in found if user}
    is_consistent = bool(header) and len(users) == len(found) and foreground in users
    return users if listed.exit_code == 0 and is_consistent else None


def _check(device: Device, wanted: int, users: dict[int, str] | None) -> None:
    serial = device.info.serial
    if users is not None and wanted not in users:
        known = ", ".join(f"{number} ({name})" for number, name in users.items())
        raise UsageError(
            f"device {serial} has no user {wanted}; its users: {known}", "name one of them with --user, or leave it out"
        )
    state = device.shell(f"am get-started-user-state {wanted}").text.strip()
    if state != _READY:
        name = f" ({users[wanted]})" if users else ""
        raise UsageError(
            f"user {wanted}{name} of device {serial} is not ready: {state or 'its state is unknown'}",
            f"start it (adb shell am start-user {wanted}), and unlock it on the phone",
        )
