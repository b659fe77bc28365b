"""An app in use: the bound of its run, and whose app a command can use."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from fake_device import FakeDevice
from support.no_progress import NoProgress

from navitas.collect import app_use
from navitas.collect.app_use import Use
from navitas.collect.options import ProfileOptions
from navitas.device.base import DeviceInfo
from navitas.errors import UsageError


def use(command: str = "") -> Use:
    return Use("a.b", command, lambda: None, lambda _: set())


def test_only_a_use_of_a_known_length_bounds_its_run() -> None:
    assert app_use._plan(replace(use(), bound_s=7200.0)).bound_s == 7200.0
    assert app_use._plan(use()).bound_s is None
    assert app_use._plan(replace(use("monkey 1000"), bound_s=60.0)).bound_s is None


def test_a_command_for_the_user_in_front_is_refused_for_another_one(tmp_path: Path) -> None:
    """Nothing is installed or changed before."""
    device = FakeDevice({"am get-current-user": "0\n"})
    device.info = DeviceInfo("phone", "x", "", "", 30, named_user=10)
    monkey = replace(use("monkey 1000"), needs_front=True)
    with pytest.raises(UsageError, match="--monkey uses apps of the user in the foreground, user 0, and user 10 is measured"):
        app_use.record(device, monkey, ProfileOptions(), tmp_path / "rec", NoProgress())
    assert device.commands == ["am get-current-user"]


@pytest.mark.parametrize(("user", "front"), [(None, "10"), (0, "0"), (10, "10")])
def test_it_is_accepted_for_the_user_in_front(user: int | None, front: str) -> None:
    device = FakeDevice({"am get-current-user": f"{front}\n"})
    device.info = DeviceInfo("phone", "x", "", "", 30, named_user=user)
    app_use._check_front(device)
