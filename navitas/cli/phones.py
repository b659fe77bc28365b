"""Selects the device that a command measures on, and the bundles that it can run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext

from navitas.bundle.manifest import AndroidManifest
from navitas.bundle.reader import Bundle
from navitas.cli.messages import warning
from navitas.cli.options import VIRTUAL
from navitas.device.adb import AdbDevice, select_device
from navitas.device.base import Device
from navitas.errors import UsageError
from navitas.untrusted_text import printable
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


def runnable_on_phone(device: Device, bundles: Sequence[Bundle]) -> list[Bundle]:
    """Return the bundles that a real phone can run: Android apps. Prints a warning about the others, which are Java bytecode.

    Raises `UsageError` if there is none.
    """
    apps = [bundle for bundle in bundles if isinstance(bundle.manifest, AndroidManifest)]
    if not apps:
        raise UsageError(
            f"{device.info.serial} ({device.info.model}) cannot run a plain `java` project: its bytecode is not an Android app",
            "profile it on the virtual phone: leave --device out, or give --device virtual",
        )
    others = ", ".join(bundle.manifest.module for bundle in bundles if bundle not in apps)
    if others:
        what = f"left out, since a phone runs no plain `java` project: {printable(others)}"
        warning(f"{what} (profile it by --module on the virtual phone)")
    return apps
