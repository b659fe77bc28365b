"""A virtual phone as a device on a private adb server."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, suppress
from pathlib import Path

from navitas.capture.bundle.archive import open_archive
from navitas.capture.bundle.manifest import BundleManifest, InvalidBundle
from navitas.capture.device.adb import AdbDevice
from navitas.capture.device.adb_server import adb_path, connect
from navitas.capture.device.server import private_adb_server
from navitas.capture.device.server_client import ServerClient
from navitas.virtual_phone.host_java import LIST_NAME, JdkList


def adb_server(socket: Path) -> AbstractContextManager[ServerClient]:
    """Run an adb server on a socket, with its keys and log in the same folder. Raises `DeviceError` if it does not start."""
    return private_adb_server(adb_path(), socket, socket.parent)


def connected(client: ServerClient, address: str, state: Path) -> VirtualDevice:
    """Connect an adb server to the phone with this state folder. Raises `DeviceError`."""
    connect(client, address)
    return VirtualDevice(client, address, JdkList(state / LIST_NAME))


class VirtualDevice(AdbDevice):
    """A virtual phone of this process. The user installs its bundles, so each may use the JDK that it names."""

    def __init__(self, client: ServerClient, serial: str, jdks: JdkList) -> None:
        super().__init__(client, serial)
        self._jdks = jdks

    def install(self, paths: Sequence[Path], *, downgrade: bool = False, user: int | None = None) -> None:
        for path in paths:
            if home := _jdk_of(path):
                self._jdks.allow(home)
        super().install(paths, downgrade=downgrade, user=user)


def _jdk_of(path: Path) -> str | None:
    """Return the JDK that a bundle names; None for other files. The phone refuses a damaged bundle."""
    with suppress(InvalidBundle, OSError), open_archive(path) as archive:
        return archive.manifest.java_home if isinstance(archive.manifest, BundleManifest) else None
    return None
