"""Read the power profile from the phone: from its services, or from its framework's resources (docs/power.md)."""

from __future__ import annotations

import re
import shlex
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator

from navitas import binary_xml
from navitas.collect.profile_cache import Found
from navitas.device.base import Device
from navitas.errors import DeviceError, PowerProfileError
from navitas.owned_folder import owned_folder
from navitas.power.dump import from_dump
from navitas.power.power_profile import MAX_BYTES

IN_APP = "read inside the app"
DUMPSYS = "dumpsys batterystats --power-profile"
FRAMEWORK = "/system/framework/framework-res.apk"
_ENTRY = "res/xml/power_profile.xml"
_SHELL_S = 60.0
_MAX_APK_BYTES = 512 << 20
# Exceptions that zipfile raises for damaged files, in addition to its own.
_UNREADABLE = (zipfile.BadZipFile, zlib.error, struct.error, EOFError, RuntimeError, ValueError)


def candidates(device: Device) -> Iterator[tuple[str, Callable[[], Found | None]]]:
    """Yield the places that may hold the profile, best first, each with a function that reads it (None: not found)."""
    yield f"`{DUMPSYS}`", lambda: _dumped(device)
    yield f"{FRAMEWORK} and its overlays", lambda: _framework(device)


def first_usable(device: Device, usable: Callable[[Found], object]) -> tuple[Found | None, list[str]]:
    """Return the first profile that `usable` accepts, and why each earlier one was not.

    `usable` raises `PowerProfileError` for a profile that it rejects.
    """
    reasons = []
    for place, read in candidates(device):
        found = read()
        if found is None:
            reasons.append(f"{place}: not found")
            continue
        try:
            usable(found)
        except PowerProfileError as error:
            reasons.append(f"{place}: {error.message}")
            continue
        return found, reasons
    return None, reasons


def _dumped(device: Device) -> Found | None:
    xml = from_dump(device.shell("dumpsys batterystats --power-profile", timeout_s=_SHELL_S).text)
    return Found(xml, DUMPSYS) if xml else None


def _framework(device: Device) -> Found | None:
    """Return the file of the enabled overlay with the highest priority, or the framework's. An overlay replaces the file."""
    for path in [*_overlays(device), FRAMEWORK]:
        xml = _entry(device, path)
        if xml is not None:
            return Found(xml, path)
    return None


def _overlays(device: Device) -> list[str]:
    """Return the paths of the framework's enabled overlays, highest priority first (the command prints it last)."""
    listed = device.shell("cmd overlay list android", timeout_s=_SHELL_S).text
    packages = re.findall(r"^\[x\] ([\w.]+)\s*$", listed, re.MULTILINE)
    if not packages:
        return []
    names = " ".join(map(shlex.quote, reversed(packages)))
    paths = device.shell(f"for p in {names}; do pm path $p; done", timeout_s=_SHELL_S).text
    return re.findall(r"^package:(/[^\s\0]+\.apk)\s*$", paths, re.MULTILINE)


def _entry(device: Device, apk: str) -> bytes | None:
    """Return one entry of an APK, unpacked on the phone if it has `unzip`, otherwise from the pulled APK."""
    data = bytearray()
    for piece in device.exec_out(f"unzip -p {shlex.quote(apk)} {_ENTRY} 2>&1"):
        data += piece
        if len(data) > MAX_BYTES:
            return None
    if data.startswith(binary_xml.MAGIC) or data.lstrip().startswith(b"<"):
        return bytes(data)
    return _pulled(device, apk) if b"unzip:" in data and b"not found" in data else None


def _pulled(device: Device, apk: str) -> bytes | None:
    size = device.shell(f"stat -c %s {shlex.quote(apk)}").text.strip()
    if not size.isdecimal() or int(size) > _MAX_APK_BYTES:
        return None
    with owned_folder("navitas-apk-") as folder:
        local = folder / "package.apk"
        try:
            device.pull(apk, local)
            with zipfile.ZipFile(local) as archive, archive.open(_ENTRY) as entry:
                data = entry.read(MAX_BYTES + 1)
        except (DeviceError, KeyError, *_UNREADABLE):
            return None
    return data if len(data) <= MAX_BYTES else None
