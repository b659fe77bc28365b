"""Records the states of the device during runs: settings of the screen, and the history that batterystats keeps anyway.

Nothing on the device changes. In particular, statistics are never reset, and the full history of wake locks stays as it is: a
phone does not report whether it is on, so it could not be restored.
"""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Protocol

from navitas.base.errors import DeviceError
from navitas.capture.device.base import Device
from navitas.recording.codes import WarningCode

_SETTINGS = ("screen_brightness", "screen_brightness_mode")
_UID = re.compile(r"^package:(\S+) uid:(\d{1,9})", re.MULTILINE)
_VALUE = re.compile(r"[\w.-]{1,100}")
_NEXT = re.compile(rb"^ *NEXT: (\d{1,15})\s*$", re.MULTILINE)
_HISTORY = re.compile(rb"^\d{1,2},h,", re.MULTILINE)
_WHOLE = "dumpsys batterystats -c --history"
# The phone filters the lines: -c includes the whole history.
_CONTROLLER_LINES = "dumpsys batterystats -c --charged | grep -E ',l,g(wf|m)cd,'"
_CONTROLLER = re.compile(r"\d{1,2},0,l,(gwfcd|gmcd),([\w.,-]{1,200})")
_RADIOS = 4
# Later than any history: the reply is only where the history ends.
_NEVER = 10**14
_LIMIT = 64 << 20
_TAIL = 1 << 12
_REMEDY = "Try it: adb shell dumpsys batterystats -c --history. Without states, reports lack the screen, or assume that it is on."


class Warn(Protocol):
    """Adds a warning to the recording."""

    def __call__(self, code: WarningCode, message: str, remedy: str = "", *, run: int | None = None) -> None: ...


class DeviceHistory:
    """Writes `batterystats.txt` of each run: settings at its start and end, and the history (docs/dev/formats.md)."""

    def __init__(self, device: Device, warn: Warn) -> None:
        self._device = device
        self._warn = warn
        self._next: int | None = None
        self._uids: dict[str, str] = {}

    def begin(self, file: Path, package: str) -> None:
        """Write what is known at the start of a run. Raises `OSError` if the file cannot be written."""
        try:
            if package not in self._uids:
                command = f"pm list packages -U{self._device.info.user_flag} {shlex.quote(package)}"
                self._uids |= _UID.findall(self._device.shell(command).text)
            if self._next is None:
                self._next = _end_of(self._device.shell(_from(_NEVER)).stdout)
            head = [f"# uid {self._uids[package]}"] if package in self._uids else []
            file.write_text("\n".join([*head, *self._controllers("start"), self._settings("start")]) + "\n")
        except DeviceError as error:
            self._fail(error, None)

    def end(self, file: Path, run: int) -> None:
        """Append the settings, and the history since the last event before the run. Raises `OSError` as `begin`.

        Can be called again after an interruption.
        """
        start, begin = file.read_bytes() if file.is_file() else b"", self._next
        try:
            head = start + "".join(f"{line}\n" for line in (*self._controllers("end"), self._settings("end"))).encode()
            file.write_bytes(head)
            found = self._next is not None and self._append(file, len(head), _from(max(self._next - 1, 0)))
            # The whole history: of a phone without --history-start, or whose history was reset during the run.
            if not found and not self._append(file, len(head), _WHOLE):
                said = file.read_bytes()[len(head) :][:200].decode("utf-8", "replace").strip()
                message = f"device {self._device.info.serial}: batterystats gives no history; it says: {said or 'nothing'}"
                self._warn("device_states", message, _REMEDY, run=run)
        except DeviceError as error:
            self._fail(error, run)
        except KeyboardInterrupt:
            file.write_bytes(start)
            self._next = begin
            raise

    def _append(self, file: Path, at: int, command: str) -> bool:
        """Write the output of a command at a place of the file. Return whether it is the history of the run."""
        has_history, tail, size = False, b"", 0
        with file.open("r+b") as out:
            out.seek(at)
            out.truncate()
            for data in self._device.exec_out(command):
                size += out.write(data)
                tail += data
                has_history = has_history or _HISTORY.search(tail) is not None
                tail = tail[-_TAIL:]
                if size > _LIMIT:
                    message = (
                        f"device {self._device.info.serial}: its history is longer than {_LIMIT >> 20} MiB; the rest is left out"
                    )
                    self._warn("device_states", message, "States after that are unknown.")
                    break
        begin, self._next = self._next, _end_of(tail)
        is_older = begin is not None and self._next is not None and self._next < begin
        return has_history and not is_older

    def _controllers(self, when: str) -> list[str]:
        """Return a line for each radio whose controller reports its times."""
        lines = self._device.shell(_CONTROLLER_LINES).text.splitlines()[:_RADIOS]
        found = [match for line in lines if (match := _CONTROLLER.fullmatch(line.strip()))]
        return [f"# {match[1]}_{when} {match[2].replace(',', ' ')}" for match in found]

    def _settings(self, when: str) -> str:
        texts = {name: self._device.shell(f"settings get system {name}").text.strip() for name in _SETTINGS}
        known = [f"{name}={text}" for name, text in texts.items() if _VALUE.fullmatch(text)]
        return " ".join([f"# {when}", *known])

    def _fail(self, error: DeviceError, run: int | None) -> None:
        self._next = None
        self._warn("device_states", f"the device's states are not recorded: {error.message}", error.remedy or _REMEDY, run=run)


def _from(start: int) -> str:
    return f"dumpsys batterystats -c --history-start {start}"


def _end_of(reply: bytes) -> int | None:
    """Return where the history continues after a reply; None if the phone does not say."""
    found = _NEXT.findall(reply[-_TAIL:])
    return int(found[-1]) if found else None
