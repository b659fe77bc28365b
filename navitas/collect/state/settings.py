"""The settings that a measurement changes: how each is read, set and restored (docs/cli.md)."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from navitas.collect.state.condition import battery_values, parse_battery

BATTERY = "battery"
"""Key of the setting that `dumpsys battery unplug` changes."""
ABSENT = "null"
"""What `settings get` prints for a missing key; deleting the key restores it."""


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
