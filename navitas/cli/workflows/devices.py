"""The device to measure on. Slow to import, so measurements import it while Gradle builds."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext

from navitas.capture.device.adb import AdbDevice, select_device
from navitas.capture.device.base import VIRTUAL
from navitas.virtual_phone.start import virtual_phone


@contextmanager
def device_of(serial: str | None, phone: str = "default", user: int | None = None) -> Iterator[AdbDevice]:
    """Yield the device of `--device`: a new virtual phone, modeled on `phone`, or a device that adb lists.

    None selects the only device on adb. Its commands name `user`, or the one in the foreground, if the phone has several.
    Raises `DeviceError`, or `UsageError` if the user is not ready.
    """
    with virtual_phone(phone=phone) if serial == VIRTUAL else nullcontext(select_device(serial)) as device:
        device.measure_user(user)
        yield device
