"""The app's own files on the device, reached with `run-as` (debuggable apps only)."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from pathlib import Path

from navitas.device.base import Device
from navitas.errors import DeviceError
from navitas.power.power_profile import MAX_BYTES

FOLDER = "files/navitas"
POWER_PROFILE = "power_profile.xml"
SETTINGS = "navitas.properties"
_ATTEMPTS = 2
_EVENT_FILE = re.compile(r"events-\d+\.nvch")


def absolute(package: str) -> str:
    """Return the folder's path as the app's process sees it."""
    return f"/data/data/{package}/{FOLDER}"


def prepare(device: Device, package: str, config: str) -> str:
    """Empty the folder, so that no earlier run's events are pulled, and write the runtime's settings into it.

    Returns an empty string on success, otherwise the reason, for example that the app is not debuggable.
    Raises `DeviceError` if the app is not installed.
    """
    run_as = f"run-as {shlex.quote(package)}"
    own = shlex.quote(f"cat > {FOLDER}/{SETTINGS}")
    copied = f"cat {shlex.quote(config)} | {run_as} sh -c {own}"  # the app may have no access to the shell's folder
    result = device.shell(f"{run_as} rm -rf {FOLDER} && {run_as} mkdir -p {FOLDER} && {copied}")
    if result.exit_code == 0:
        return ""
    output = (result.stderr or result.stdout).decode("utf-8", "replace").strip()
    if "unknown package" in output or "is unknown" in output:
        raise DeviceError(f"device {device.info.serial}: {package} is not installed: {output}", "install it first")
    return output or f"exit code {result.exit_code}"


def remove(device: Device, package: str) -> None:
    """Remove the folder from the device."""
    device.shell(f"run-as {shlex.quote(package)} rm -rf {FOLDER}")


def files(device: Device, package: str) -> list[str]:
    """Return the names of the files in the folder."""
    return device.shell(f"run-as {shlex.quote(package)} ls {FOLDER}").text.split()


def event_files(names: Sequence[str]) -> list[str]:
    """Return the names of the runtime's event files, sorted."""
    return sorted(name for name in names if _EVENT_FILE.fullmatch(name))


def power_profile(device: Device, package: str) -> bytes:
    """Return the phone's power profile as the app read it (XML). Raises `DeviceError` if it is too large."""
    data = device.shell(f"run-as {shlex.quote(package)} cat {FOLDER}/{POWER_PROFILE}").stdout
    if len(data) > MAX_BYTES:
        raise DeviceError(f"device {device.info.serial}: {package} left a power profile of {len(data):,} bytes", "run it again")
    return data


def beginning(device: Device, package: str, name: str, limit: int) -> bytes:
    """Return the first bytes of a file that the app may still be writing."""
    data = bytearray()
    for piece in device.exec_out(f"run-as {shlex.quote(package)} cat {FOLDER}/{name}"):
        data += piece
        if len(data) >= limit:
            break
    return bytes(data[:limit])


def pull(device: Device, package: str, name: str, local: Path) -> int:
    """Copy one event file; retry if it arrives incomplete, and keep what has arrived. Returns the number of missing bytes."""
    size = device.shell(f"run-as {shlex.quote(package)} stat -c %s {FOLDER}/{name}").text.strip()
    local.write_bytes(b"")
    missing = 0
    for _ in range(_ATTEMPTS):
        with local.open("r+b") as file:  # overwrite in place: a shorter attempt keeps the bytes of an earlier one
            for piece in device.exec_out(f"run-as {shlex.quote(package)} cat {FOLDER}/{name}"):
                file.write(piece)
        # adb's exec service ends in the same way at the end of a file and on a lost connection, so compare the size.
        missing = max(0, int(size) - local.stat().st_size) if size.isdecimal() else 0
        if not missing:
            break
    return missing
