"""The settings and permissions that a measurement changes: how each is read, set and restored (docs/cli.md)."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial

from navitas.android.ids import PACKAGE_NAME, user_flag
from navitas.capture.collect.state.condition import battery_values, parse_battery
from navitas.capture.device.base import Device

BATTERY = "battery"
"""Key of the setting that `dumpsys battery unplug` changes."""
ABSENT = "null"
"""What `settings get` prints for a missing key; deleting the key restores it."""
FINE_MONITORS = "android.permission.ACCESS_FINE_POWER_MONITORS"
HAS_FINE_MONITORS = 37
"""The first API level with this permission."""
_MONITORS_PREFIX = "fine_monitors/"
_GRANTED, _REVOKED = "granted", "revoked"
_ABSENT = "Unable to find package"
"""What `dumpsys package` prints for an app that is not installed."""
_USER = re.compile(r"\s*User (\d{1,9}):")
_USER_OF_LINE = re.compile(r"\buserId=(\d{1,9})\b")
_KEY = re.compile(r"([^@]*)(?:@(\d{1,6}))?")


@dataclass(frozen=True, slots=True)
class PhoneSetting:
    """One setting. `read` is the command that prints its state, and `parse` returns the value in its output (None: unknown);
    `put` returns the command that sets a value."""

    key: str
    name: str
    wanted: str
    read: str
    parse: Callable[[str], str | None]
    put: Callable[[str], str]


def same(value: str | None, wanted: str) -> bool:
    """Return whether a value is the wanted one; `0.0` equals `0`."""
    try:
        return value is not None and (value == wanted or float(value) == float(wanted))
    except ValueError:
        return False


def _one_line(text: str) -> str | None:
    lines = text.strip().splitlines()
    return lines[0] if len(lines) == 1 and re.fullmatch(r"[\w.:+-]{1,100}", lines[0]) else None


def _stored(namespace: str, key: str, name: str, wanted: str) -> PhoneSetting:
    def put(value: str) -> str:
        if value == ABSENT:
            return f"settings delete {namespace} {key}"
        return f"settings put {namespace} {key} {shlex.quote(value)}"

    return PhoneSetting(f"{namespace}/{key}", name, wanted, f"settings get {namespace} {key}", _one_line, put)


def _flag(text: str) -> str | None:
    return line if (line := _one_line(text)) in ("0", "1") else None


def _doze(kind: str) -> PhoneSetting:
    return PhoneSetting(
        f"doze/{kind}",
        f"{kind} doze",
        "0",
        f"cmd deviceidle enabled {kind}",
        _flag,
        lambda value: f"cmd deviceidle {'enable' if value == '1' else 'disable'} {kind}",
    )


def _wakefulness(text: str) -> str | None:
    """Return `Awake`, or `Asleep` for all other states: dozing and dreaming phones are put to sleep afterwards."""
    match = re.search(r"^[ \t]*mWakefulness=([A-Z][a-z]+)", text, re.MULTILINE)
    return None if match is None else "Awake" if match[1] == "Awake" else "Asleep"


def _battery(text: str) -> str | None:
    """Return `live` or `unplugged`; None if the battery is frozen in another state, which could not be restored."""
    if not battery_values(text):
        return None
    battery = parse_battery(text)
    if not battery.frozen:
        return "live"
    return None if battery.plugged else "unplugged"


def _radio(service: str, key: str, name: str) -> PhoneSetting:
    """A radio. Wi-Fi's flag is 2 or 3 in flight mode, so every value but 0 means on."""

    def parse(text: str) -> str | None:
        line = _one_line(text)
        return None if line is None or not line.isdecimal() else str(int(line != "0"))

    return PhoneSetting(
        f"radio/{service}",
        name,
        "0",
        f"settings get global {key}",
        parse,
        lambda value: f"svc {service} {'disable' if value == '0' else 'enable'}",
    )


SETTINGS: tuple[PhoneSetting, ...] = (
    PhoneSetting(
        "screen",
        "screen",
        "Awake",
        "dumpsys power | grep -m 1 mWakefulness=",
        _wakefulness,
        # WAKEUP, then MENU, which dismisses a keyguard without a lock; SLEEP.
        lambda value: "input keyevent 224; input keyevent 82" if value == "Awake" else "input keyevent 223",
    ),
    # "Stay awake" has an effect only while the phone is plugged in, which `dumpsys battery unplug` denies.
    _stored("system", "screen_off_timeout", "screen timeout", "1800000"),
    _stored("system", "screen_brightness_mode", "brightness mode", "0"),
    _stored("system", "screen_brightness", "brightness", "128"),
    _stored("global", "window_animation_scale", "window animations", "0"),
    _stored("global", "transition_animation_scale", "transition animations", "0"),
    _stored("global", "animator_duration_scale", "animator durations", "0"),
    _doze("deep"),
    _doze("light"),
    PhoneSetting(
        BATTERY,
        "battery's charging state",
        "unplugged",
        "dumpsys battery",
        _battery,
        lambda value: f"dumpsys battery {'unplug' if value == 'unplugged' else 'reset'}",
    ),
)
RADIOS: tuple[PhoneSetting, ...] = (
    _radio("wifi", "wifi_on", "Wi-Fi"),
    _radio("data", "mobile_data", "mobile data"),
    _radio("bluetooth", "bluetooth_on", "Bluetooth"),
)
BY_KEY = {setting.key: setting for setting in (*SETTINGS, *RADIOS)}


def reading_script(settings: Sequence[PhoneSetting]) -> str:
    """Return one command line that reads all settings."""
    return "; ".join(f"echo '@{number}'; {setting.read} 2>&1" for number, setting in enumerate(settings))


def parse_reading(settings: Sequence[PhoneSetting], text: str) -> dict[str, str | None]:
    """Return the values by key, from the output of `reading_script`; None is an unreadable value."""
    pieces = re.split(r"^@(\d+)\r?$", text, flags=re.MULTILINE)
    outputs = dict(zip(pieces[1::2], pieces[2::2], strict=False))
    return {setting.key: setting.parse(outputs.get(str(number), "")) for number, setting in enumerate(settings)}


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


def _monitors_state(user: int, text: str) -> str | None:
    """Return `granted` or `revoked`; None if the output has nothing about the app."""
    if is_granted(text, user):
        return _GRANTED
    is_known = is_requested(text) or _ABSENT in text or any(map(_USER.match, text.splitlines()))
    return _REVOKED if is_known else None


def permission_setting(key: str) -> PhoneSetting | None:
    """Return the setting of an app's permission with this key; None if it is another setting's key."""
    parts = _KEY.fullmatch(key.removeprefix(_MONITORS_PREFIX))
    if not key.startswith(_MONITORS_PREFIX) or parts is None or not PACKAGE_NAME.fullmatch(parts[1]):
        return None
    package, user = parts[1], parts[2]
    flag = user_flag(None if user is None else int(user))
    return PhoneSetting(
        key,
        f"permission {FINE_MONITORS} of {package}",
        _GRANTED,
        reading_command(package),
        partial(_monitors_state, int(user or 0)),
        lambda value: f"pm {'grant' if value == _GRANTED else 'revoke'}{flag} {package} {FINE_MONITORS}",
    )


def fine_monitors(device: Device, packages: Iterable[str]) -> list[PhoneSetting]:
    """Return the settings that give the permission to those apps that request it. Empty before Android 17."""
    if device.info.sdk < HAS_FINE_MONITORS:
        return []
    names = [package for package in dict.fromkeys(packages) if PACKAGE_NAME.fullmatch(package)]
    requested = [package for package in names if is_requested(device.shell(reading_command(package)).text)]
    of_user = "" if device.info.named_user is None else f"@{device.info.named_user}"
    return [found for package in requested if (found := permission_setting(f"{_MONITORS_PREFIX}{package}{of_user}")) is not None]
