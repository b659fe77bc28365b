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


def is_granted(text: str) -> bool:
    """Return whether the output of `reading_command` says that the app has the permission."""
    return bool(re.search(rf"{re.escape(FINE_MONITORS)}: granted=true", text))


def is_requested(text: str) -> bool:
    """Return whether the output of `reading_command` says that the app's manifest requests the permission."""
    return FINE_MONITORS in text


def reading_command(package: str) -> str:
    """Return the command that prints what the phone knows of the permission of an app."""
    return f"dumpsys package {shlex.quote(package)} | grep {FINE_MONITORS.rpartition('.')[2]}"


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
        lambda text: _GRANTED if is_granted(text) else _REVOKED,
        lambda value: f"pm {'grant' if value == _GRANTED else 'revoke'} {package} {FINE_MONITORS}",
    )


def fine_monitors(device: Device, packages: Iterable[str]) -> list[PhoneSetting]:
    """Return the settings that give the permission to those apps that request it. Empty before Android 17."""
    if device.info.sdk < HAS_FINE_MONITORS:
        return []
    names = [package for package in dict.fromkeys(packages) if _PACKAGE.fullmatch(package)]
    requested = [package for package in names if is_requested(device.shell(reading_command(package)).text)]
    return [found for package in requested if (found := permission_setting(f"{_PREFIX}{package}")) is not None]
