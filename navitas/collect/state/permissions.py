"""The permission for fine power monitors (Android 17): granted to an app for a measurement, and revoked afterwards."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable

from navitas.collect.state.settings import PhoneSetting
from navitas.device.base import Device

FINE_MONITORS = "android.permission.ACCESS_FINE_POWER_MONITORS"
HAS_FINE_MONITORS = 37
"""The first API level with this permission."""
_PREFIX = "fine_monitors/"
_PACKAGE = re.compile(r"[A-Za-z][\w.]{0,254}", re.ASCII)
_GRANTED, _REVOKED = "granted", "revoked"
_ABSENT = "Unable to find package"
"""What `dumpsys package` prints for an app that is not installed."""
_FIRST_USER = "0"
"""The user whose permissions `pm grant` changes."""
_USER = re.compile(r"\s*User (\d{1,9}):")
_OF_OTHER_USER = re.compile(r"\buserId=(?!0\b)")


def is_granted(text: str) -> bool:
    """Return whether the output of `reading_command` says that the app has the permission, for the phone's first user."""
    user = _FIRST_USER
    for line in text.splitlines():
        if begins := _USER.match(line):
            user = begins[1]
        elif user == _FIRST_USER and f"{FINE_MONITORS}: granted=true" in line and not _OF_OTHER_USER.search(line):
            return True
    return False


def is_requested(text: str) -> bool:
    """Return whether the output of `reading_command` says that the app's manifest requests the permission."""
    return FINE_MONITORS in text


def reading_command(package: str) -> str:
    """Return the command that prints what the phone knows of the permission of an app, and whether it has the app.

    The lines of the permission come after that of a user, or before those of all.
    """
    patterns = " ".join(f"-e {pattern}" for pattern in (FINE_MONITORS.rpartition(".")[2], "'User [0-9]'", f"'{_ABSENT}'"))
    return f"dumpsys package {shlex.quote(package)} | grep {patterns}"


def _state(text: str) -> str | None:
    """Return `granted` or `revoked`; None if the output has nothing about the app."""
    if is_granted(text):
        return _GRANTED
    is_known = is_requested(text) or _ABSENT in text or any(map(_USER.match, text.splitlines()))
    return _REVOKED if is_known else None


def permission_setting(key: str) -> PhoneSetting | None:
    """Return the setting of an app's permission with this key; None if it is another setting's key."""
    package = key.removeprefix(_PREFIX)
    if package == key or not _PACKAGE.fullmatch(package):
        return None
    return PhoneSetting(
        key,
        f"permission {FINE_MONITORS} of {package}",
        _GRANTED,
        reading_command(package),
        _state,
        lambda value: f"pm {'grant' if value == _GRANTED else 'revoke'} {package} {FINE_MONITORS}",
    )


def fine_monitors(device: Device, packages: Iterable[str]) -> list[PhoneSetting]:
    """Return the settings that give the permission to those apps that request it. Empty before Android 17."""
    if device.info.sdk < HAS_FINE_MONITORS:
        return []
    names = [package for package in dict.fromkeys(packages) if _PACKAGE.fullmatch(package)]
    requested = [package for package in names if is_requested(device.shell(reading_command(package)).text)]
    return [found for package in requested if (found := permission_setting(f"{_PREFIX}{package}")) is not None]
