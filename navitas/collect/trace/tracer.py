"""What all tracers of a phone have in common."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Literal, Protocol

from navitas.device.base import Device, ShellResult

Tracing = Literal["auto", "perfetto", "atrace", "none"]
Warn = Callable[[str, str], None]
"""Takes what is the matter, and its remedy."""

_PULL_S = 120.0
_LONGEST_REASON = 200


class Tracer(Protocol):
    """A trace that is being recorded. All raise `DeviceError` when the device does not answer."""

    file_name: str

    def stop(self) -> None:
        """End recording (idempotent)."""
        ...

    def pull(self, local: Path) -> None:
        """Bring the trace here, after its end; raises `DeviceError` also when it did not come whole."""
        ...


class NotThereError(Exception):
    """A tracer that this phone has not, or that does not start."""


def refusal(said: ShellResult) -> NotThereError:
    """Why a tracer did not start, by its last words."""
    text = (said.stderr or said.stdout).decode("utf-8", "replace").strip()
    return NotThereError(text.splitlines()[-1][:_LONGEST_REASON] if text else f"exit code {said.exit_code}")


def copy(device: Device, command: str, local: Path) -> None:
    """Keep what a command prints."""
    with local.open("wb") as file:
        for piece in device.exec_out(command, timeout_s=_PULL_S):
            file.write(piece)
