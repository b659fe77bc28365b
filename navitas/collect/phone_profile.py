"""The power profile that a phone itself holds: its services' own, or the one in its framework's resources (docs/power.md)."""

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
# What zipfile lets out for damaged files, beside its own error.
_UNREADABLE = (zipfile.BadZipFile, zlib.error, struct.error, EOFError, RuntimeError, ValueError)


def candidates(device: Device) -> Iterator[tuple[str, Callable[[], Found | None]]]:
    """Where the phone may hold it, best first, each with what reads it; None: it is not there."""
    yield f"`{DUMPSYS}`", lambda: _dumped(device)
    yield f"{FRAMEWORK} and its overlays", lambda: _framework(device)


def first_usable(device: Device, usable: Callable[[Found], object]) -> tuple[Found | None, list[str]]:
    """The first profile that `usable` takes (it raises `PowerProfileError` for others), and why each one before was not taken."""
    reasons = []
    for place, read in candidates(device):
        found = read()
        if found is None:
            reasons.append(f"{place}: none there")
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
    """The enabled overlay of highest priority that has the file, which it replaces whole; else the framework's own."""
    for path in [*_overlays(device), FRAMEWORK]:
        xml = _entry(device, path)
        if xml is not None:
            return Found(xml, path)
    return None


def _overlays(device: Device) -> list[str]:
    """Paths of the enabled overlays of the framework, of highest priority first (the list has it last)."""
    listed = device.shell("cmd overlay list android", timeout_s=_SHELL_S).text
    packages = re.findall(r"^\[x\] ([\w.]+)\s*$", listed, re.MULTILINE)
    if not packages:
        return []
    names = " ".join(map(shlex.quote, reversed(packages)))
    paths = device.shell(f"for p in {names}; do pm path $p; done", timeout_s=_SHELL_S).text
    return re.findall(r"^package:(/[^\s\0]+\.apk)\s*$", paths, re.MULTILINE)


def _entry(device: Device, apk: str) -> bytes | None:
    """One entry of an APK: unpacked on the phone where that has `unzip`, else from the whole APK."""
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
