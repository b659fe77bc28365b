"""What a profiling must not leave behind: processes, ports, sockets, threads and files here, and changes on the phone."""

from __future__ import annotations

import contextlib
import gc
import os
import re
import threading
from collections.abc import Iterator
from pathlib import Path

from navitas.capture.device.adb import AdbDevice
from support.command_line import eventually, processes_with
from support.phone_data import state_folder
from support.sockets import listening

SETTINGS = (
    "settings list system; settings list global; dumpsys battery; cmd deviceidle enabled; dumpsys power | grep mWakefulness="
)
"""Prints all that a measurement may set."""
_APPS = "ps -A -o PID,NAME | grep -v ' sh$'; pm list packages; pm list instrumentation"
_DRAINED = re.compile(r"^  (Charge counter|level|voltage|temperature): .*\n", re.MULTILINE)


class Surroundings:
    """The state of the phone, and of this machine for this process and processes with the mark in their environment.

    `folders` belong to the test only; they contain temporary files and journals.
    """

    def __init__(self, phone: AdbDevice, mark: str, *folders: Path) -> None:
        self._phone = phone
        self._mark = mark
        self._folders = folders
        self._data = Path(state_folder(phone), "root/data")
        self._before = self._look()

    def check(self) -> None:
        """Assert that the state at the start is restored soon."""
        found: dict[str, object] = {}

        def same() -> bool:
            found.clear()
            found.update(self._look())
            return found == self._before

        assert eventually(same), {key: (self._before[key], found[key]) for key in found if found[key] != self._before[key]}

    def _look(self) -> dict[str, object]:
        gc.collect()  # files that were mapped
        running = processes_with(self._mark)
        sockets = set(_sockets(os.getpid()))
        return {
            "processes": running,
            "listening": listening({**running, os.getpid(): "this process"}),
            "sockets": len(sockets),
            "threads": {one.name for one in threading.enumerate() if one.name.startswith("navitas-")},
            "files": {str(path) for folder in self._folders for path in folder.rglob("*") if path.is_file()},
            "phone's files": {str(path) for path in self._data.rglob("*") if path.is_file()},
            "phone's settings": _DRAINED.sub("", self._phone.shell(SETTINGS).text),
            "phone's apps": self._phone.shell(_APPS).text,
        }


def _sockets(pid: int) -> Iterator[str]:
    """Return the inodes of a process's sockets."""
    with contextlib.suppress(OSError):
        for link in Path(f"/proc/{pid}/fd").iterdir():
            with contextlib.suppress(OSError):
                if (name := str(link.readlink())).startswith("socket:["):
                    yield name[8:-1]
