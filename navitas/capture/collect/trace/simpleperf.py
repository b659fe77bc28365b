"""Sample the stacks of an app with `simpleperf`, where traces cannot: a process on the phone, which also unwinds, and its files.

Source: AOSP, system/extras/simpleperf (cmd_record.cpp, cmd_report_sample.cpp). Times are CLOCK_MONOTONIC, its default.
"""

from __future__ import annotations

import secrets
import shlex
from pathlib import Path

from navitas.capture.collect.runs import runtime_config
from navitas.capture.collect.trace.tracer import Recorder, TracerUnavailable, Warn, copy, start_error
from navitas.capture.device.base import Device

_PREFIX = f"{runtime_config.FOLDER}/stacks-"
_HZ = 1000
_BEGINS_S = 0.5
"""By then, it has ended if perf events are refused or the app may not be sampled. It waits for an app that does not run yet."""
_END_S = 120.0


class SimpleperfRecord(Recorder):
    """A recording by `simpleperf record`."""

    file_name = "samples.simpleperf"
    program, ours, missing = "simpleperf", f"'{runtime_config.FOLDER}/[s]tacks-'", "stack samples are missing"
    signal = "-INT "

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
    command = (
        f"mkdir -p {runtime_config.FOLDER}; simpleperf record --app {shlex.quote(app)} -e cpu-clock -f {_HZ} -g"
        f" --duration {longest_s:.0f} -o {path}.data > {path}.log 2>&1 < /dev/null & p=$!; sleep {_BEGINS_S};"
        f" if kill -0 $p 2>/dev/null; then echo $p; else cat {path}.log >&2; fi"
    )
    return SimpleperfRecord.begin(device, command, path, warn)


def remove(device: Device) -> None:
    """Remove all files of such recordings, in a separate call, because its command line matches `ours`."""
    device.shell(f"rm -f {_PREFIX}*")
