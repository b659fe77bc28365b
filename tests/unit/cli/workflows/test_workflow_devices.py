"""The device of a command, and the user whose apps it measures."""

from __future__ import annotations

import pytest

from navitas.capture.device import adb
from navitas.capture.device.adb import AdbDevice
from navitas.capture.device.base import DeviceInfo, ShellResult
from navitas.cli.workflows.devices import device_of


class TwoUsers(AdbDevice):
    """A phone with a second user in front."""

    def __init__(self) -> None:
        self._serial = "serial-1"
        self._info = DeviceInfo("phone", "serial-1", "A phone", "f", 33)

    def shell(self, command: str, *, timeout_s: float = 30.0) -> ShellResult:
        listed = "Users:\n\tUserInfo{0:Owner:c13} running\n\tUserInfo{10:Work:30} running\n"
        answers = {"am get-current-user": "10\n", "pm list users": listed, "am get-started-user-state 0": "RUNNING_UNLOCKED\n"}
        return ShellResult(0, answers[command].encode(), b"")


@pytest.mark.parametrize(("user", "flag"), [(None, " --user 10"), (0, " --user 0"), (10, " --user 10")])
def test_every_command_names_a_user_on_a_phone_with_several(monkeypatch: pytest.MonkeyPatch, user: int | None, flag: str) -> None:
    monkeypatch.setattr(adb, "select_device", lambda _: TwoUsers())
    with device_of("serial-1", user=user) as device:
        assert device.info.user_flag == flag and device.info.users == (0, 10)
