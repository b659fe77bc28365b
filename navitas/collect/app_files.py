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
    """The folder as the app's process names it."""
    return f"/data/data/{package}/{FOLDER}"


def prepare(device: Device, package: str, config: str) -> str:
    """Empty the folder, so that no earlier run's events are pulled, and put the runtime's settings there.

    Returns why that cannot be, as for an app that is not debuggable; empty when all is ready. `DeviceError` when the app is not
    installed.
    """
    run_as = f"run-as {shlex.quote(package)}"
    own = shlex.quote(f"cat > {FOLDER}/{SETTINGS}")
    copied = f"cat {shlex.quote(config)} | {run_as} sh -c {own}"  # the app may not be let into the shell's own folder
    result = device.shell(f"{run_as} rm -rf {FOLDER} && {run_as} mkdir -p {FOLDER} && {copied}")
    if result.exit_code == 0:
        return ""
    said = (result.stderr or result.stdout).decode("utf-8", "replace").strip()
    if "unknown package" in said or "is unknown" in said:
        raise DeviceError(f"device {device.info.serial}: {package} is not installed: {said}", "install it first")
    return said or f"exit code {result.exit_code}"


def remove(device: Device, package: str) -> None:
    """Remove the folder from the device."""
    device.shell(f"run-as {shlex.quote(package)} rm -rf {FOLDER}")


def files(device: Device, package: str) -> list[str]:
    """Names of the files in the folder."""
    return device.shell(f"run-as {shlex.quote(package)} ls {FOLDER}").text.split()


def event_files(names: Sequence[str]) -> list[str]:
    """Those names that are event files of the runtime."""
    return sorted(name for name in names if _EVENT_FILE.fullmatch(name))


def power_profile(device: Device, package: str) -> bytes:
    """The phone's power profile as the app has read it (XML). Raises `DeviceError` when it is too large for one."""
    data = device.shell(f"run-as {shlex.quote(package)} cat {FOLDER}/{POWER_PROFILE}").stdout
    if len(data) > MAX_BYTES:
        raise DeviceError(f"device {device.info.serial}: {package} left a power profile of {len(data):,} bytes", "run it again")
    return data


def beginning(device: Device, package: str, name: str, limit: int) -> bytes:
    """The first bytes of a file in the folder that is still written."""
    data = bytearray()
    for piece in device.exec_out(f"run-as {shlex.quote(package)} cat {FOLDER}/{name}"):
        data += piece
        if len(data) >= limit:
            break
    return bytes(data[:limit])


def pull(device: Device, package: str, name: str, local: Path) -> int:
    """Copy one event file, again when it did not arrive whole; what has arrived is kept. Returns how many bytes are missing."""
    size = device.shell(f"run-as {shlex.quote(package)} stat -c %s {FOLDER}/{name}").text.strip()
    local.write_bytes(b"")
    missing = 0
    for _ in range(_ATTEMPTS):
        with local.open("r+b") as file:  # the same bytes again: what an earlier attempt brought stays where this one ends sooner
            for piece in device.exec_out(f"run-as {shlex.quote(package)} cat {FOLDER}/{name}"):
                file.write(piece)
        # adb's exec service ends alike whether the file has ended or the connection: only its size tells.
        missing = max(0, int(size) - local.stat().st_size) if size.isdecimal() else 0
        if not missing:
            break
    return missing
