"""The permission for fine power monitors (Android 17): granted to an app for a measurement, and revoked afterwards."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable
from functools import partial

from navitas.android_ids import PACKAGE_NAME, user_flag
from navitas.collect.state.settings import PhoneSetting
from navitas.device.base import Device

FINE_MONITORS = "android.permission.ACCESS_FINE_POWER_MONITORS"
HAS_FINE_MONITORS = 37
"""The first API level with this permission."""
_PREFIX = "fine_monitors/"
_GRANTED, _REVOKED = "granted", "revoked"
_ABSENT = "Unable to find package"
"""What `dumpsys package` prints for an app that is not installed."""
_USER = re.compile(r"\s*User (\d{1,9}):")
_USER_OF_LINE = re.compile(r"\buserId=(\d{1,9})\b")
_KEY = re.compile(r"([^@]*)(?:@(\d{1,6}))?")


def is_granted(text: str, user: int = 0) -> bool:
    """Return whether the output of `reading_command` says that the app has the permission, for one of the phone's users.

    Lines before those of the users are of all of them, unless one names a user who differs.
    """
    of_lines, of_all, of_user = user, False, None
    for line in text.splitlines():
        if begins := _USER.match(line):
            of_lines = int(begins[1])
        elif f"{FINE_MONITORS}: granted=" in line:
            granted = "granted=true" in line
            if named := _USER_OF_LINE.search(line):
                of_user = granted if int(named[1]) == user else of_user
            elif of_lines == user:
                of_all = of_all or granted
    return of_all if of_user is None else of_user


def is_requested(text: str) -> bool:
    """Return whether the output of `reading_command` says that the app's manifest requests the permission."""
    return FINE_MONITORS in text


def reading_command(package: str) -> str:
    """Return the command that prints what the phone knows of the permission of an app, and whether it has the app.

    The lines of the permission come after that of a user, or before those of all.
    """
    patterns = " ".join(f"-e {pattern}" for pattern in (FINE_MONITORS.rpartition(".")[2], "'User [0-9]'", f"'{_ABSENT}'"))
    return f"dumpsys package {shlex.quote(package)} | grep {patterns}"


def _state(user: int, text: str) -> str | None:
    """Return `granted` or `revoked`; None if the output has nothing about the app."""
    if is_granted(text, user):
        return _GRANTED
    is_known = is_requested(text) or _ABSENT in text or any(map(_USER.match, text.splitlines()))
    return _REVOKED if is_known else None


def permission_setting(key: str) -> PhoneSetting | None:
    """Return the setting of an app's permission with this key; None if it is another setting's key."""
    parts = _KEY.fullmatch(key.removeprefix(_PREFIX))
    if not key.startswith(_PREFIX) or parts is None or not PACKAGE_NAME.fullmatch(parts[1]):
        return None
    package, user = parts[1], parts[2]
    flag = user_flag(None if user is None else int(user))
    return PhoneSetting(
        key,
        f"permission {FINE_MONITORS} of {package}",
        _GRANTED,
        reading_command(package),
        partial(_state, int(user or 0)),
        lambda value: f"pm {'grant' if value == _GRANTED else 'revoke'}{flag} {package} {FINE_MONITORS}",
    )


def fine_monitors(device: Device, packages: Iterable[str]) -> list[PhoneSetting]:
    """Return the settings that give the permission to those apps that request it. Empty before Android 17."""
    if device.info.sdk < HAS_FINE_MONITORS:
        return []
    names = [package for package in dict.fromkeys(packages) if PACKAGE_NAME.fullmatch(package)]
    requested = [package for package in names if is_requested(device.shell(reading_command(package)).text)]
    of_user = "" if device.info.named_user is None else f"@{device.info.named_user}"
    return [found for package in requested if (found := permission_setting(f"{_PREFIX}{package}{of_user}")) is not None]
