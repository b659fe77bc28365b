"""Compile apps on a phone before they are measured, since what ART compiles changes what operations cost."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from typing import Literal

from navitas.device.base import Device
from navitas.errors import DeviceError

CompileMode = Literal["speed", "verify"]
"""ART's compiler filters: compile all methods, or none."""
_COMPILE_S = 600.0


def compile_apps(device: Device, packages: Iterable[str], mode: CompileMode) -> None:
    """Compile each app once, with a compiler filter. Source: `cmd package help` (Android 7 and later).

    Raises `DeviceError` if the phone does not say that it has done so.
    """
    for package in dict.fromkeys(packages):
        answer = device.shell(f"cmd package compile -m {mode} -f {shlex.quote(package)}", timeout_s=_COMPILE_S)
        if "Success" not in answer.text:
            said = " ".join((answer.stdout + answer.stderr).decode("utf-8", "replace").split())[-200:] or "nothing"
            where = f"device {device.info.serial}: {package} cannot be compiled with the filter {mode}"
            raise DeviceError(f"{where}: {said}", "Leave the compiler as it is (default).")
