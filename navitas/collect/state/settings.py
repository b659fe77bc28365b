"""What is set on a phone for a measurement: how each setting is read, put, and put back (docs/cli.md)."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from navitas.collect.state.condition import battery_values, parse_battery

BATTERY = "battery"
"""Key of the setting that `dumpsys battery unplug` makes."""
ABSENT = "null"
"""What `settings get` prints for a key that is not there: it is put back by deleting it."""


@dataclass(frozen=True, slots=True)
class PhoneSetting:
    """One thing that is set. `read` prints its state and `parse` finds the value in that (None: it cannot be known here);
    `put` is the command that makes a value true."""

    key: str
    name: str
    wanted: str
    read: str
    parse: Callable[[str], str | None]
    put: Callable[[str], str]


def same(value: str | None, wanted: str) -> bool:
    """Whether a value that was read is the wanted one; `0.0` is `0`."""
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
    """`Awake`, or `Asleep` for all that is not: dozing and dreaming phones are put back to sleep."""
    match = re.search(r"^[ \t]*mWakefulness=([A-Z][a-z]+)", text, re.MULTILINE)
    return None if match is None else "Awake" if match[1] == "Awake" else "Asleep"


def _battery(text: str) -> str | None:
    """`live`, or `unplugged` by us or another; what somebody has frozen in another state could not be put back."""
    if not battery_values(text):
        return None
    battery = parse_battery(text)
    if not battery.frozen:
        return "live"
    return None if battery.plugged else "unplugged"


def _radio(service: str, key: str, name: str) -> PhoneSetting:
    """Wi-Fi's flag is 2 or 3 in flight mode; what is not off is on."""

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
        # WAKEUP, then MENU, which takes a keyguard away that has no lock; SLEEP.
        lambda value: "input keyevent 224; input keyevent 82" if value == "Awake" else "input keyevent 223",
    ),
    # "Stay awake" counts only while plugged in, which is just what the phone is told that it is not.
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
    """One command line that reads them all."""
    return "; ".join(f"echo '@{number}'; {setting.read} 2>&1" for number, setting in enumerate(settings))


def parse_reading(settings: Sequence[PhoneSetting], text: str) -> dict[str, str | None]:
    """The values by key, from the output of `reading_script`; None is what could not be read."""
    pieces = re.split(r"^@(\d+)\r?$", text, flags=re.MULTILINE)
    outputs = dict(zip(pieces[1::2], pieces[2::2], strict=False))
    return {setting.key: setting.parse(outputs.get(str(number), "")) for number, setting in enumerate(settings)}
