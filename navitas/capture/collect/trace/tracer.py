"""What all tracers of a phone have: why one does not start, and the copy of its output."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar, Literal, Self

from navitas.capture.device.base import Device, ShellResult

Tracing = Literal["auto", "perfetto", "atrace", "none"]
Warn = Callable[[str, str], None]
"""Takes a message and its remedy."""

_PULL_S = 120.0
_END_S = 120.0
_PROCESS_ID = re.compile(r"^\d{2,10}\s*$", re.MULTILINE)
_LONGEST_REASON = 200


class TracerUnavailable(Exception):
    """This phone does not have the tracer, or the tracer does not start."""


def start_error(result: ShellResult) -> TracerUnavailable:
    """Return why a tracer did not start, from the last line of its output."""
    text = (result.stderr or result.stdout).decode("utf-8", "replace").strip()
    return TracerUnavailable(text.splitlines()[-1][:_LONGEST_REASON] if text else f"exit code {result.exit_code}")


class Recorder:
    """A program that records in the background of the phone, to files whose names identify them as Navitas'.

    `ours` is a pattern for `pkill -f` that finds it, and not `pkill` itself. `signal` is the option of `pkill` that makes it end
    (without one: SIGTERM), and `missing` what it has not written if it does not.
    """

    program: ClassVar[str]
    ours: ClassVar[str]
    signal: ClassVar[str] = ""
    missing: ClassVar[str]

    def __init__(self, device: Device, path: str, warn: Warn) -> None:
        self._device, self._path, self._warn = device, path, warn
        self._runs = True

    @classmethod
    def begin(cls, device: Device, command: str, path: str, warn: Warn) -> Self:
        """Start the program by a command that prints its process's id. Raises `TracerUnavailable`."""
        result = device.shell(command)
        if not _PROCESS_ID.search(result.text):
            raise start_error(result)
        return cls(device, path, warn)

    def stop(self) -> None:
        """End the program, and wait until its files are written. One that does not end is killed; what it has written is kept."""
        if self._runs and not self.end(self._device):
            self._warn(f"{self.program} did not end and was killed: {self.missing}", "")
        self._runs = False

    @classmethod
    def end(cls, device: Device) -> bool:
        """End all such programs of Navitas, also those of killed profilings, and wait until their files are complete.

        Returns False if one did not end and was killed.
        """
        wait = f"e=$(($(date +%s) + 90)); while pgrep -f {cls.ours} >/dev/null && [ $(date +%s) -lt $e ]; do sleep 0.03; done"
        command = f"pkill {cls.signal}-f {cls.ours} && {{ {wait}; pkill -9 -f {cls.ours}; }}"
        return device.shell(command, timeout_s=_END_S).exit_code != 0


def copy(device: Device, command: str, local: Path) -> None:
    """Write the output of a command to a file."""
    with local.open("wb") as file:
        for piece in device.exec_out(command, timeout_s=_PULL_S):
            file.write(piece)
