"""Phones on adb, which cannot run plain Java projects."""

from __future__ import annotations

from typing import NoReturn

from navitas.device.adb import select_device
from navitas.errors import UsageError


def refuse(serial: str) -> NoReturn:
    """Plain Java bytecode is not an Android app: only the virtual phone can run it.

    Raises `UsageError` for a real phone, `DeviceError` for a serial that is not there.
    """
    device = select_device(serial)
    raise UsageError(
        f"{device.info.serial} ({device.info.model}) cannot run a plain `java` project: its bytecode is not an Android app",
        "profile it on the virtual phone: leave --device out, or give --device virtual",
    )
