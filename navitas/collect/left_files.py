"""Remove the files that a killed measurement left on a phone: staged APKs, the runtime's settings, and events in apps."""

from __future__ import annotations

from navitas.android_ids import PACKAGE_NAME
from navitas.collect import runtime_config
from navitas.collect.app_files import PLACES, AppFolder
from navitas.device.adb import STAGED
from navitas.device.base import Device


def remove_left_files(device: Device) -> None:
    """Remove them, when no measurement runs. Apps that are still installed record no more. Raises `DeviceError`."""
    for name in device.shell(f"ls {runtime_config.FOLDER} 2>/dev/null").text.split():
        package = name.removesuffix(runtime_config.SUFFIX)
        if package != name and PACKAGE_NAME.fullmatch(package):
            for place in PLACES:
                AppFolder(device, package, place).remove()
    device.shell(f"rm -rf {runtime_config.FOLDER} {STAGED}*")
