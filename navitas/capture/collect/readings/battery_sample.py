"""Take a sample of a phone's battery and running apps, as a row of the fleet's format (docs/fleet-reference.md, "Samples")."""

from __future__ import annotations

import hashlib
import re
import time
from collections import Counter
from pathlib import Path

from navitas.base.errors import DeviceError
from navitas.capture.collect.state.condition import battery_values, parse_battery
from navitas.capture.device.base import Device

_STATES = {"1": "unknown", "2": "charging", "3": "discharging", "4": "not charging", "5": "full"}
_PACKAGE = re.compile(r"^  Package \[([\w.]+)\]|^    versionName=(.*)$", re.MULTILINE)
_RESUMED = re.compile(r"ResumedActivity[:=] ?ActivityRecord\{\S+ u\d+ ([\w.]+)/")
_AWAKE = re.compile(r"^[ \t]*mWakefulness=(\w+)", re.MULTILINE)
_DEFAULT_NETWORK = re.compile(r"^Active default network: (\w+)", re.MULTILINE)
_TRANSPORTS = re.compile(r"Transports: ([A-Z_|]+)")
# For a network on top of others, such as a VPN, the underlying one.
_NETWORKS = {"WIFI": "wifi", "CELLULAR": "mobile"}
_CPU = re.compile(r"^cpu +([\d ]+)$", re.MULTILINE)
_IDLE = slice(3, 5)
_FIELDS = 8
"""user … steal. The first fields already include those after them (proc(5))."""
_HISTORY_LIMIT = 256 << 20
_BRIGHTEST = 255
"""The greatest value of Android's setting."""
USE_COMMAND = "dumpsys batterystats -c | grep -e ',i,uid,' -e ',l,m,' -e ',l,fg,'"
"""Prints the lines that are read. Both kinds of times advance on battery only."""
_UID_PACKAGE = re.compile(r"^\d+,0,i,uid,(\d{1,9}),([\w.]{1,255})\s*$", re.MULTILINE)
_MISC = re.compile(r"^\d+,0,l,m,(\d{1,12}),", re.MULTILINE)
_FOREGROUND = re.compile(r"^\d+,(\d{1,9}),l,fg,(\d{1,12}),", re.MULTILINE)


def take_sample(device: Device, client: str, *, counters: bool = True) -> dict[str, object]:
    """Return a row without the values that the phone does not report. `client` defaults to a hash of the serial number.

    `counters` adds totals since the last charge. They differ from those of the history, which has its own start.
    Raises `DeviceError` if the phone does not report its battery level.
    """
    # Read this first: the other commands use the phone's CPU.
    cpu = _cpu(device.shell("head -n 1 /proc/stat; sleep 1; head -n 1 /proc/stat").text)
    text = device.shell("dumpsys battery").text
    battery = parse_battery(text)
    if battery.level_percent is None:
        raise DeviceError(f"device {device.info.serial}: `dumpsys battery` reports no level", "Check what it prints.")
    versions = _versions(device.shell("dumpsys package packages | grep -e '^  Package ' -e '^    versionName='").text)
    resumed = _RESUMED.search(device.shell("dumpsys activity activities | grep -m 1 -E 'ResumedActivity[:=]'").text)
    awake = _AWAKE.search(device.shell("dumpsys power | grep -m 1 mWakefulness=").text)
    running = {name.partition(":")[0] for name in _processes(device.shell("ps -A -o PID,NAME").text)} & set(versions)
    uptime = re.match(r"\d{1,10}(?=\.)", device.shell("cat /proc/uptime").text)
    row: dict[str, object | None] = {
        "client": client or pseudonym(device),
        "time": _time(device.shell("date +%s").text),
        "level": round(battery.level_percent, 4),
        "state": _STATES.get(battery_values(text).get("status", ""), "unknown"),
        "voltage_mv": None if battery.voltage_v is None else round(battery.voltage_v * 1000),
        "temperature_c": battery.temperature_c,
        "screen": None if awake is None else awake[1] == "Awake",
        "network": _network(device.shell("dumpsys connectivity").text),
        **_settings(device.shell("settings get system screen_brightness; settings get global low_power").text),
        "cpu": cpu,
        **model_and_os(device),
        "uptime_s": int(uptime[0]) if uptime else None,
        "apps": [_named(app, versions) for app in sorted(running)],
        "foreground": _named(resumed[1], versions) if resumed else None,
        **(use_since_charge(device.shell(USE_COMMAND).text) if counters else {}),
    }
    return {name: value for name, value in row.items() if value is not None}


def _settings(text: str) -> dict[str, object | None]:
    """Brightness (0 to 1) and battery saver, as far as the phone reports them."""
    lines = [line.strip() for line in text.splitlines()]
    brightness, saver = lines if len(lines) == len(("brightness", "saver")) else ("", "")
    level = int(brightness) if re.fullmatch(r"\d{1,3}", brightness) else None
    return {
        "brightness": None if level is None or level > _BRIGHTEST else round(level / _BRIGHTEST, 3),
        "saver": {"0": False, "null": False, "1": True}.get(saver),
    }


def pseudonym(device: Device) -> str:
    """Return a phone's default name in files of samples: a hash of its serial number."""
    return hashlib.blake2b(
        (device.info.identity or device.info.serial).encode(), digest_size=8, person=b"navitas fleet"
    ).hexdigest()


def model_and_os(device: Device) -> dict[str, object | None]:
    """Return the phone's model and its Android version."""
    version = device.shell("getprop ro.build.version.release").text.strip()
    return {"model": device.info.model or None, "os": version or None}


def pull_history(device: Device, file: Path) -> None:
    """Write the battery's history, in checkin format, to a file. This clears nothing on the phone.

    Raises `DeviceError` if the history is too long.
    """
    size = 0
    with file.open("wb") as out:
        for data in device.exec_out("dumpsys batterystats -c"):
            size += out.write(data)
            if size > _HISTORY_LIMIT:
                raise DeviceError(
                    f"device {device.info.serial}: its history is longer than 256 MiB", "Leave out --battery-history."
                )


def _time(text: str) -> int:
    """Return the phone's clock, which its history also uses, or this machine's if the phone's cannot be read."""
    return int(text) if re.fullmatch(r"\s*\d{9,11}\s*", text) else int(time.time())


def _cpu(text: str) -> float | None:
    """Return the busy share of all cores' time between two readings of /proc/stat."""
    readings = [[int(field) for field in line.split()[:_FIELDS]] for line in _CPU.findall(text)]
    if len(readings) != 2 or any(len(reading) < _FIELDS for reading in readings):
        return None
    ticks = [after - before for before, after in zip(*readings, strict=True)]
    whole = sum(ticks)
    return round(1 - sum(ticks[_IDLE]) / whole, 3) if whole > 0 and min(ticks) >= 0 else None


def _processes(text: str) -> list[str]:
    return [line.split()[1] for line in text.splitlines()[1:] if len(line.split()) == 2]


def _versions(text: str) -> dict[str, str]:
    """Return the versions of installed packages. For an updated system app, the first entry is the one in use."""
    found: dict[str, str] = {}
    app = ""
    for name, version in _PACKAGE.findall(text):
        if name:
            app = "" if name in found else name
            found.setdefault(name, "")
        elif app:
            found[app] = "" if version == "null" else version.strip()
    return found


def _named(app: str, versions: dict[str, str]) -> str:
    version = versions.get(app, "")
    return f"{app}@{version}" if version else app


def _network(text: str) -> str | None:
    """Return `wifi`, `mobile` or `none`; None for any other network, or if it is unknown (ConnectivityService.dump)."""
    chosen = _DEFAULT_NETWORK.search(text)
    if chosen is None:
        return None
    if chosen[1] == "none":
        return "none"
    for line in text.splitlines():
        if (
            line.lstrip().startswith("NetworkAgentInfo")
            and f"network{{{chosen[1]}}}" in line
            and (found := _TRANSPORTS.search(line))
        ):
            transports = found[1].split("|")
            return next((name for transport, name in _NETWORKS.items() if transport in transports), None)
    return None


def use_since_charge(text: str) -> dict[str, object | None]:
    """`screen_on_s` and `foreground_s` of a sample; None where the phone does not report them (BatteryStats.dumpCheckinLocked).

    Apps that share a uid have one common time, so they are left out.
    """
    screen = _MISC.search(text)
    packages = _UID_PACKAGE.findall(text)
    shared = Counter(uid for uid, _ in packages)
    of_uid = {uid: name for uid, name in packages if shared[uid] == 1}
    times = {of_uid[uid]: int(ms) for uid, ms in _FOREGROUND.findall(text) if uid in of_uid}
    return {
        "screen_on_s": None if screen is None else int(screen[1]) / 1000,
        "foreground_s": [f"{name}={ms / 1000}" for name, ms in sorted(times.items())] or None,
    }
