"""The phone's user whose apps are measured."""

from __future__ import annotations

import pytest
from fake_device import FakeDevice

from navitas.device.phone_user import named_user
from navitas.errors import UsageError

LISTED = "Users:\n\tUserInfo{0:Owner:c13} running\n\tUserInfo{10:Work: home:1030} running\n"


def phone(foreground: str = "0\n", state: str = "RUNNING_UNLOCKED\n", listed: str = LISTED) -> FakeDevice:
    answers = {"am get-current-user": foreground, "pm list users": listed, "am get-started-user-state": state}
    return FakeDevice(answers)


@pytest.mark.parametrize(
    ("foreground", "wanted", "named"),
    [
        *(("0\n", None, 0), ("0\n", 0, 0), ("0\n", 10, 10), ("10\n", None, 10), ("10\n", 0, 0)),
        *(("", None, 0), ("x" * 99, None, 0), ("WARNING: linker\n10\n", None, 10), ("\u0663", None, 0)),
    ],
)
def test_commands_name_a_user_if_there_are_several(foreground: str, wanted: int | None, named: int) -> None:
    """Without a user, `pm uninstall` would remove the apps of all of them."""
    assert named_user(phone(foreground), wanted) == (named, (0, 10))


@pytest.mark.parametrize(("listed", "users"), [("Users:\n\tUserInfo{0:Owner:c13} running\n", (0,)), ("", ()), ("Error\n", ())])
def test_commands_name_no_user_if_there_is_one(listed: str, users: tuple[int, ...]) -> None:
    assert named_user(phone(listed=listed), None) == (None, users)
    assert named_user(phone(listed=listed), 0) == (None, users)


def test_a_user_that_does_not_exist_is_an_error_with_those_that_do() -> None:
    with pytest.raises(UsageError, match=r"no user 11; its users: 0 \(Owner\), 10 \(Work: home\)"):
        named_user(phone(), 11)


@pytest.mark.parametrize(
    ("state", "said"), [("RUNNING_LOCKED", "RUNNING_LOCKED"), ("User is not started: 10", "not started"), ("", "unknown")]
)
def test_a_user_that_is_locked_or_not_started_is_an_error(state: str, said: str) -> None:
    with pytest.raises(UsageError, match=rf"user 10 \(Work: home\) of device .* is not ready: .*{said}") as caught:
        named_user(phone(state=state), 10)
    assert "adb shell am start-user 10" in caught.value.remedy
