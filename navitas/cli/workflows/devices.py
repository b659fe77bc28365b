"""The device to measure on."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING

from navitas.capture.device.base import VIRTUAL
from navitas.virtual_phone.start import virtual_phone

if TYPE_CHECKING:
    from navitas.capture.device.adb import AdbDevice


@contextmanager
def device_of(serial: str | None, phone: str = "default", user: int | None = None) -> Iterator[AdbDevice]:
    """Yield the device of `--device`: a new virtual phone, modeled on `phone`, or a device that adb lists.

    None selects the only device on adb. Its commands name `user`, or the one in the foreground, if the phone has several.
    Raises `DeviceError`, or `UsageError` if the user is not ready.
    """
    with virtual_phone(phone=phone) if serial == VIRTUAL else _listed(serial) as device:
        device.measure_user(user)
        yield device


def _listed(serial: str | None) -> AbstractContextManager[AdbDevice]:
    from navitas.capture.device.adb import select_device  # noqa: PLC0415  # Slow, and a virtual phone starts before.

    return nullcontext(select_device(serial))
