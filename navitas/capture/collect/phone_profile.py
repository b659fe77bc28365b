"""Read the power profile from the phone: from its services, or from its framework's resources (docs/power.md).

Profiles are cached by build fingerprint: they change only with the phone's software.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
import shlex
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from navitas.android import binary_xml
from navitas.base.errors import DeviceError, PowerProfileError
from navitas.base.new_files import remove_abandoned, write_new
from navitas.base.owned_folder import owned_folder
from navitas.base.regular_files import read_regular
from navitas.base.user_folders import cache_folder, make_folder
from navitas.base.zip_errors import UNREADABLE_ZIP
from navitas.capture.device.base import Device
from navitas.power.dump import from_dump
from navitas.power.model import PowerModel
from navitas.power.power_profile import MAX_BYTES

IN_APP = "read inside the app"
DUMPSYS = "dumpsys batterystats --power-profile"
FRAMEWORK = "/system/framework/framework-res.apk"
_ENTRY = "res/xml/power_profile.xml"
_SHELL_S = 60.0
_MAX_APK_BYTES = 512 << 20


def candidates(device: Device) -> Iterator[tuple[str, Callable[[], Found | None]]]:
    """Yield the places that may hold the profile, best first, each with a function that reads it (None: not found)."""
    yield f"`{DUMPSYS}`", lambda: _dumped(device)
    yield f"{FRAMEWORK} and its overlays", lambda: _framework(device)


def first_usable(device: Device, model_of: Callable[[Found], PowerModel]) -> tuple[Found | None, list[str]]:
    """Return the first profile with a model, and why each earlier one has none.

    `model_of` raises `PowerProfileError` for a profile that it rejects.
    """
    reasons = []
    for place, read in candidates(device):
        found = read()
        if found is None:
            reasons.append(f"{place}: not found")
            continue
        try:
            return replace(found, model=model_of(found)), reasons
        except PowerProfileError as error:
            reasons.append(f"{place}: {error.message}")
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
        except (DeviceError, OSError, KeyError, *UNREADABLE_ZIP):
            return None
    return data if len(data) <= MAX_BYTES else None


@dataclass(frozen=True, slots=True)
class Found:
    """A phone's power profile (XML, text or compiled) and where it comes from. `model`: None if it was not checked again."""

    xml: bytes
    source: str
    model: PowerModel | None = field(default=None, compare=False)


def cached(fingerprint: str) -> Found | None:
    """Return the cached profile of a build; None if there is none, or if it is damaged."""
    xml_path, about_path = _paths(fingerprint)
    try:
        about = json.loads(read_regular(about_path, MAX_BYTES))
        xml = read_regular(xml_path, MAX_BYTES)
        whole = about["fingerprint"] == fingerprint and about["sha256"] == hashlib.sha256(xml).hexdigest()
        return Found(xml, str(about["source"])) if whole else None
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None


def keep(fingerprint: str, found: Found) -> None:
    """Cache a build's profile; do nothing if the cache is not writable."""
    if not fingerprint:
        return
    xml_path, about_path = _paths(fingerprint)
    about = {"fingerprint": fingerprint, "source": found.source, "sha256": hashlib.sha256(found.xml).hexdigest()}
    with contextlib.suppress(OSError):
        make_folder(xml_path.parent)
        remove_abandoned(xml_path.parent)
        for path, data in ((xml_path, found.xml), (about_path, json.dumps(about, indent=1).encode())):
            write_new(path, data)


def _paths(fingerprint: str) -> tuple[Path, Path]:
    stem = cache_folder() / "power" / hashlib.sha256(fingerprint.encode("utf-8", "replace")).hexdigest()[:16]
    return stem.with_suffix(".xml"), stem.with_suffix(".json")
