"""The code of an installed app, named by the SHA-256 of its APK."""

from __future__ import annotations

import hashlib
import re
import shlex
from pathlib import Path

from navitas.android_ids import user_flag
from navitas.device.base import Device
from navitas.errors import DeviceError
from navitas.owned_folder import owned_folder
from navitas.regular_files import open_regular

SEVERAL = "several"
"""The code of an app of several APKs (splits). It is neither a copy nor a profiled build."""
_PACKAGE = "package:"
_SHA256 = re.compile(r"\\?([0-9a-f]{64}) ")
_HASH_S = 60.0


def code_of(device: Device, package: str, user: int | None) -> str:
    """Return the SHA-256 of an installed app's APK, or `SEVERAL`. Raises `DeviceError` if it is unknown."""
    paths = apk_paths(device, package, user)
    return SEVERAL if len(paths) > 1 else _sha256_on(device, paths[0]) or _sha256_of_copy(device, paths[0])


def apk_paths(device: Device, package: str, user: int | None) -> list[str]:
    """Return the paths of an installed package's APKs on the device. Raises `DeviceError` if it does not say."""
    lines = device.shell(f"pm path{user_flag(user)} {shlex.quote(package)}").text.splitlines()
    paths = [line.removeprefix(_PACKAGE).strip() for line in lines if line.startswith(_PACKAGE)]
    if not paths:
        raise DeviceError(f"device {device.info.serial}: the phone does not say where the APK of {package} is")
    return paths


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file of this computer in hexadecimal digits. Raises `OSError`."""
    with open_regular(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _sha256_on(device: Device, path: str) -> str:
    """Return the SHA-256 of a file on the device; empty if the device cannot compute it."""
    found = _SHA256.match(device.shell(f"sha256sum {shlex.quote(path)}", timeout_s=_HASH_S).text)
    return found[1] if found else ""


def _sha256_of_copy(device: Device, path: str) -> str:
    with owned_folder("navitas-apk-") as folder:
        device.pull(path, folder / "base.apk")
        return sha256_of(folder / "base.apk")
