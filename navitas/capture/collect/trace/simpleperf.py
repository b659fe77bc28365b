"""Sample the stacks of an app with `simpleperf`, where traces cannot: a process on the phone, which also unwinds, and its files.

Source: AOSP, system/extras/simpleperf (cmd_record.cpp, cmd_report_sample.cpp). Times are CLOCK_MONOTONIC, its default.
"""

from __future__ import annotations

import re
import secrets
import shlex
from pathlib import Path

from navitas.capture.collect.runs import runtime_config
from navitas.capture.collect.trace.tracer import TracerUnavailable, Warn, copy, start_error
from navitas.capture.device.base import Device

_PREFIX = f"{runtime_config.FOLDER}/stacks-"
_OURS = f"'{runtime_config.FOLDER}/[s]tacks-'"
"""A pattern for `pkill -f`; the brackets keep it from matching its own command line."""
_HZ = 1000
_BEGINS_S = 0.5
"""By then, it has ended if perf events are refused or the app may not be sampled. It waits for an app that does not run yet."""
_END_S = 120.0


class SimpleperfRecord:
    """A recording by `simpleperf record`."""

    file_name = "samples.simpleperf"

    def __init__(self, device: Device, path: str, warn: Warn) -> None:
        self._device, self._path, self._warn = device, path, warn
        self._runs = True

    def stop(self) -> None:
        """End the recording, and wait until it is written."""
        if self._runs and not end(self._device):
            self._warn("simpleperf did not end and was killed: stack samples are missing", "")
        self._runs = False

    def pull(self, local: Path) -> None:
        """Make the report on the phone, which has the symbols, and pull it."""
        data, report = f"{self._path}.data", f"{self._path}.simpleperf"
        made = self._device.shell(f"simpleperf report-sample --protobuf --show-callchain -i {data} -o {report}", timeout_s=_END_S)
        if made.exit_code:
            log = self._device.shell(f"cat {self._path}.log")
            self._warn(f"no stack samples: simpleperf: {start_error(log if log.stdout else made)}", "navitas doctor PACKAGE")
        else:
            copy(self._device, f"cat {report}", local)


def begin(device: Device, app: str, longest_s: float, warn: Warn) -> SimpleperfRecord:
    """Start to sample an app, which may start later. Raises `TracerUnavailable`."""
    if not device.shell("which simpleperf").text.strip():
        raise TracerUnavailable("not on this phone")
    path = f"{_PREFIX}{secrets.token_hex(6)}"
    result = device.shell(
        f"mkdir -p {runtime_config.FOLDER}; simpleperf record --app {shlex.quote(app)} -e cpu-clock -f {_HZ} -g"
        f" --duration {longest_s:.0f} -o {path}.data > {path}.log 2>&1 < /dev/null & p=$!; sleep {_BEGINS_S};"
        f" if kill -0 $p 2>/dev/null; then echo $p; else cat {path}.log >&2; fi"
    )
    if not re.search(r"^\d{2,10}\s*$", result.text, re.MULTILINE):  # its process's id
        raise start_error(result)
    return SimpleperfRecord(device, path, warn)


def end(device: Device) -> bool:
    """End every recording of Navitas, and wait until it is complete. Returns False if one did not end and was killed."""
    wait = f"n=0; while pgrep -f {_OURS} >/dev/null && [ $n -lt 1000 ]; do n=$((n+1)); sleep 0.03; done"
    return device.shell(f"pkill -INT -f {_OURS} && {{ {wait}; pkill -9 -f {_OURS}; }}", timeout_s=_END_S).exit_code != 0


def remove(device: Device) -> None:
    """Remove all files of such recordings, in a separate call, because its command line matches `_OURS`."""
    device.shell(f"rm -f {_PREFIX}*")
