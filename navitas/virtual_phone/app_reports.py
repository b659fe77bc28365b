"""What apps' processes report to the phone and request from it, by datagrams to the log's port.

A request has a number and is answered by a file below the phone's root, since an app's JVM opens files itself.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path
from urllib.parse import unquote

from navitas.base.errors import NavitasError
from navitas.virtual_phone import power_monitors
from navitas.virtual_phone.components.device_state import WIFI_SCAN, parse_report
from navitas.virtual_phone.components.devices import replace_file
from navitas.virtual_phone.components.network import SERVER
from navitas.virtual_phone.process_table import ProcessTable
from navitas.virtual_phone.system_state import RADIOS, SystemState

_log = logging.getLogger(__name__)

ANSWER = "answer"
"""The file in `/proc/PID` with the last answer: the number of the request, then the answer's lines."""
_NICE = "nice"
_LEAST_NICE, _MOST_NICE = -20, 19
_LONGEST_NUMBER = 18


class InvalidReport(Exception):
    """Not what an app's process sends."""


class AppReports:
    """Takes reports, and answers requests."""

    def __init__(
        self,
        root: Path,
        system: SystemState,
        processes: ProcessTable,
        *,
        uses_server: Callable[[int, int], None],
        read_monitors: Callable[[int], str] | None,
    ) -> None:
        """`uses_server` takes a process's report that it uses the server at a port of this computer; `read_monitors` returns the
        power monitors for a uid, if the release has them."""
        self._proc = root / "proc"
        self._system = system
        self._processes = processes
        self._reports: dict[str, Callable[[int, str], object]] = {
            WIFI_SCAN: lambda pid, text: system.devices.start_wifi_scan(),
            SERVER: lambda pid, text: uses_server(pid, _number(text)),
            _NICE: self._set_nice,
        }
        self._requests: dict[str, Callable[[int, str], str]] = {"setting": self._put_setting, "radio": self._switch_radio}
        if read_monitors is not None:
            self._requests[power_monitors.REPORT] = lambda pid, text: read_monitors(processes.uid_of(pid))

    def take(self, pid: int, kind: str, text: str) -> None:
        """Take a report or a request of a process. The log names invalid ones."""
        if self._processes.get(pid) is None:
            return  # it has just ended
        try:
            if kind in self._requests:
                word, _, rest = text.partition(" ")
                number = _number(word)
                answer = self._requests[kind](pid, rest)
                replace_file(self._proc / str(pid) / ANSWER, f"{number}\n{answer}".encode())
            elif kind in self._reports:
                self._reports[kind](pid, text)
            else:
                self._use(pid, kind, text)
        except InvalidReport:
            _log.warning("ignored an invalid report of process %d: %s %s", pid, kind[:40], text[:80])
        except (OSError, NavitasError) as error:
            _log.error("process %d gets no answer to %s: %s", pid, kind, error)

    def _use(self, pid: int, kind: str, text: str) -> None:
        """Start or stop a use of a component."""
        report = parse_report(pid, self._processes.uid_of(pid), kind, text)
        if report is None:
            raise InvalidReport
        starts, use = report
        if starts:
            self._system.devices.start(use)
        else:
            self._system.devices.stop(pid, use.kind, use.key)

    def _set_nice(self, pid: int, text: str) -> None:
        """Take `TID NICE`."""
        tid, _, nice = text.partition(" ")
        sign, digits = (-1, nice[1:]) if nice.startswith("-") else (1, nice)
        self._processes.set_nice(pid, _number(tid), min(max(sign * _number(digits), _LEAST_NICE), _MOST_NICE))

    def _put_setting(self, pid: int, text: str) -> str:
        """Change a setting: `NAMESPACE NAME [VALUE]`, percent-encoded; without a value, delete it."""
        namespace, *rest = text.split(" ")
        if namespace not in self._system.settings or len(rest) not in (1, 2) or not rest[0]:
            raise InvalidReport
        name, *value = map(unquote, rest)
        self._system.put_setting(namespace, name, value[0] if value else None)
        return ""

    def _switch_radio(self, pid: int, text: str) -> str:
        """Switch a radio: `RADIO 1` or `RADIO 0`."""
        radio, _, on = text.partition(" ")
        if radio not in RADIOS or on not in ("0", "1"):
            raise InvalidReport
        self._system.switch_radio(radio, on == "1")
        return ""


def _number(text: str) -> int:
    if not text.isascii() or not text.isdecimal() or len(text) > _LONGEST_NUMBER:
        raise InvalidReport
    return int(text)
