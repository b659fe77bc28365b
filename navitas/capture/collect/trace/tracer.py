"""What all tracers of a phone have: why one does not start, and the copy of its output."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Literal

from navitas.capture.device.base import Device, ShellResult

Tracing = Literal["auto", "perfetto", "atrace", "none"]
Warn = Callable[[str, str], None]
"""Takes a message and its remedy."""

_PULL_S = 120.0
_LONGEST_REASON = 200


class TracerUnavailable(Exception):
    """This phone does not have the tracer, or the tracer does not start."""


def start_error(result: ShellResult) -> TracerUnavailable:
    """Return why a tracer did not start, from the last line of its output."""
    text = (result.stderr or result.stdout).decode("utf-8", "replace").strip()
    return TracerUnavailable(text.splitlines()[-1][:_LONGEST_REASON] if text else f"exit code {result.exit_code}")


def copy(device: Device, command: str, local: Path) -> None:
    """Write the output of a command to a file."""
    with local.open("wb") as file:
        for piece in device.exec_out(command, timeout_s=_PULL_S):
            file.write(piece)
