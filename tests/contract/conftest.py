"""The tested device: the virtual phone, or a physical one of the user's adb server with NAVITAS_TEST_SERIAL."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable

import adbutils
import pytest
from support.lab_fixtures import apps, shared_phone

from navitas.capture.device.adb import AdbDevice, select_device

__all__ = ["apps"]

SERIAL = os.environ.get("NAVITAS_TEST_SERIAL", "")

Adb = Callable[..., "subprocess.CompletedProcess[bytes]"]


@pytest.fixture(scope="session")
def device(pytestconfig: pytest.Config) -> AdbDevice:
    """One device for all contract tests of a test process."""
    return select_device(SERIAL) if SERIAL else shared_phone(pytestconfig)


@pytest.fixture(scope="session")
def virtual(device: AdbDevice) -> AdbDevice:
    """The device, for tests that need the virtual phone's package format or socket."""
    if SERIAL:
        pytest.skip("for the virtual phone: NAVITAS_TEST_SERIAL names another device")
    return device


@pytest.fixture(scope="session")
def adb(device: AdbDevice) -> Adb:
    """Runs the adb program against the device: `adb("shell", "ls")`."""

    def run(*arguments: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        command = [adbutils.adb_path(), "-L", device.client.socket_spec, "-s", device.serial, *arguments]
        return subprocess.run(command, input=stdin, capture_output=True, check=False)

    return run
