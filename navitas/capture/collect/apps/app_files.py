"""The files of the runtime in an app: in the app's private folder, or in its media folder if `run-as` is refused."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from navitas.base.errors import DeviceError
from navitas.capture.device.base import Device
from navitas.power.power_profile import MAX_BYTES

FOLDER = "files/navitas"
POWER_PROFILE = "power_profile.xml"
SETTINGS = "navitas.properties"
_ATTEMPTS = 2
_SAMPLES_FILE = re.compile(r"samples-\d+\.jfr")
_EVENT_FILE = re.compile(r"events-\d+\.nvch")

Place = Literal["private", "media"]
PLACES: tuple[Place, ...] = ("private", "media")
"""The folders, the best one first."""


@dataclass(frozen=True, slots=True)
class AppFolder:
    """The folder of one app's runtime files.

    `private` is in the app's data, which the shell reaches with `run-as`, for debuggable apps only. `media` is the app's media
    folder, which the app and the shell may both use without a permission, as in androidx.benchmark's Outputs.kt.
    """

    device: Device
    package: str
    place: Place = "private"

    @property
    def path(self) -> str:
        """Its path as the app's process sees it."""
        if self.place == "media":
            return f"/storage/emulated/{self._user}/Android/media/{self.package}/navitas"
        return f"{f'/data/user/{self._user}' if self._user else '/data/data'}/{self.package}/{FOLDER}"

    @property
    def _user(self) -> int:
        return self.device.info.user

    @property
    def _run_as(self) -> str:
        return f"run-as {shlex.quote(self.package)}{self.device.info.user_flag} " if self.place == "private" else ""

    @property
    def _folder(self) -> str:
        return FOLDER if self.place == "private" else shlex.quote(self.path)

    def prepare(self, config: str) -> str:
        """Empty the folder, so that no earlier run's events are pulled, and write the runtime's settings into it.

        Returns an empty string on success, otherwise the reason, for example that the app is not debuggable.
        Raises `DeviceError` if the app is not installed.
        """
        run, folder = self._run_as, self._folder
        own = shlex.quote(f"cat > {folder}/{SETTINGS}")
        copied = f"cat {shlex.quote(config)} | {run}sh -c {own}"  # the app may have no access to the shell's folder
        result = self.device.shell(f"{run}rm -rf {folder} && {run}mkdir -p {folder} && {copied}")
        if result.exit_code == 0:
            return ""
        output = (result.stderr or result.stdout).decode("utf-8", "replace").strip()
        if "unknown package" in output or "is unknown" in output:
            raise DeviceError(f"device {self.device.info.serial}: {self.package} is not installed: {output}", "install it first")
        return output or f"exit code {result.exit_code}"

    def remove(self) -> None:
        """Remove the folder from the device, and an empty media folder around it."""
        around = f"; rmdir {shlex.quote(self.path.rpartition('/')[0])} 2>/dev/null" if self.place == "media" else ""
        self.device.shell(f"{self._run_as}rm -rf {self._folder}{around}")

    def files(self) -> list[str]:
        """Return the names of the files in the folder."""
        return self.device.shell(f"{self._run_as}ls {self._folder}").text.split()

    def power_profile(self) -> bytes:
        """Return the phone's power profile as the app read it (XML). Raises `DeviceError` if it is too large."""
        data = self.device.shell(f"{self._run_as}cat {self._folder}/{POWER_PROFILE}").stdout
        if len(data) > MAX_BYTES:
            serial, size = self.device.info.serial, f"{len(data):,}"
            raise DeviceError(f"device {serial}: {self.package} left a power profile of {size} bytes", "run it again")
        return data

    def beginning(self, name: str, limit: int) -> bytes:
        """Return the first bytes of a file that the app may still be writing."""
        data = bytearray()
        for piece in self.device.exec_out(f"{self._run_as}cat {self._folder}/{name}"):
            data += piece
            if len(data) >= limit:
                break
        return bytes(data[:limit])

    def pull(self, name: str, local: Path) -> int:
        """Copy one event file; retry if it arrives incomplete, and keep what has arrived. Returns the number of missing bytes."""
        size = self.device.shell(f"{self._run_as}stat -c %s {self._folder}/{name}").text.strip()
        local.write_bytes(b"")
        missing = 0
        for _ in range(_ATTEMPTS):
            with local.open("r+b") as file:  # overwrite in place: a shorter attempt keeps the bytes of an earlier one
                for piece in self.device.exec_out(f"{self._run_as}cat {self._folder}/{name}"):
                    file.write(piece)
            # adb's exec service ends in the same way at the end of a file and on a lost connection, so compare the size.
            missing = max(0, int(size) - local.stat().st_size) if size.isdecimal() else 0
            if not missing:
                break
        return missing


def event_files(names: Sequence[str]) -> list[str]:
    """Return the names of the runtime's event files, sorted."""
    return sorted(name for name in names if _EVENT_FILE.fullmatch(name))


def sample_files(names: Sequence[str]) -> list[str]:
    """Return the names of the files with stack samples, sorted."""
    return sorted(name for name in names if _SAMPLES_FILE.fullmatch(name))
