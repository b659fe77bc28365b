"""Trace with `atrace`, which enables the kernel's tracing. A marker file on the phone shows that Navitas enabled it."""

from __future__ import annotations

import re
from pathlib import Path

from navitas.capture.collect.runs import runtime_config
from navitas.capture.collect.trace.tracer import TracerUnavailable, Warn, copy, start_error
from navitas.capture.device.base import Device

MARK = f"{runtime_config.FOLDER}/atrace"
_BUFFER_KB = 16 << 10  # of each core
_START_S = 30.0
_END_S = 120.0


class AtraceTrace:
    """A trace in the kernel's buffer, which keeps only the end of a long run."""

    file_name = "trace.txt"

    def __init__(self, device: Device) -> None:
        self._device = device

    def stop(self) -> None:
        """Do nothing: stopping also prints the trace, so `pull` does both."""

    def pull(self, local: Path) -> None:
        """Pull the trace. The marker file stays until the trace is complete, so that `end` can stop an interrupted trace."""
        copy(self._device, "atrace --async_stop", local)
        self._device.shell(f"rm -f {MARK}")


def begin(device: Device, _longest_s: float, _warn: Warn, _sampled: str = "") -> AtraceTrace:
    """Enable tracing until `end`, which samples no stacks. Raises `TracerUnavailable`."""
    listed = device.shell("atrace --list_categories").text
    categories = _categories(listed)
    if not can_trace(listed):
        raise TracerUnavailable("it cannot trace the scheduler" if listed.strip() else "not on this phone")
    start = f"atrace --async_start -c -b {_BUFFER_KB} {' '.join(categories)}"
    result = device.shell(f"mkdir -p {runtime_config.FOLDER} && touch {MARK} && {start}", timeout_s=_START_S)
    if result.exit_code:
        raise start_error(result)
    return AtraceTrace(device)


def can_trace(listed: str) -> bool:
    """Return whether atrace lists the category of the scheduler."""
    return "sched" in _categories(listed)


def _categories(listed: str) -> list[str]:
    return [name for name in ("sched", "freq", "idle") if re.search(rf"^\s*{name} - ", listed, re.MULTILINE)]


def end(device: Device) -> None:
    """Disable tracing if this profiling or a killed one enabled it."""
    device.shell(f"if [ -e {MARK} ]; then atrace --async_stop >/dev/null && rm -f {MARK}; fi", timeout_s=_END_S)
