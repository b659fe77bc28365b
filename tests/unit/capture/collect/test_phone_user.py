"""The phone's user whose apps are measured."""

from __future__ import annotations

import pytest
from fake_device import FakeDevice

from navitas.base.errors import UsageError
from navitas.capture.device.phone_user import named_user

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


def test_commands_name_no_user_if_there_is_one() -> None:
    one = phone(listed="Users:\n\tUserInfo{0:Owner:c13} running\n")
    assert named_user(one, None) == named_user(one, 0) == (None, (0,))


UNREADABLE = {
    "nothing": "",
    "an error": "Error: unknown list type\n",
    "no users": "Users:\n",
    "another form": "Users:\n\tUserInfo{0:Owner:c13} running\n\tUser 10\n",
    "no tab": "Users:\nUserInfo{0:Owner:c13} running\nUserInfo{10:Work:1030}\n",
    "a number twice": "Users:\n\tUserInfo{0:Owner:c13} running\n\tUserInfo{10:a:30}\n\tUserInfo{10:b:30}\n",
    "a name of two lines": "Users:\n\tUserInfo{0:Owner:c13} running\n\tUserInfo{10:a\nb:30} running\n",
    "a name that looks like a user": "Users:\n\tUserInfo{0:Owner:c13} running\n\tUserInfo{10:\n\tUserInfo{11:b:30} running\n",
    "without the one in front": "Users:\n\tUserInfo{11:Owner:c13} running\n",
}


@pytest.mark.parametrize("listed", UNREADABLE.values(), ids=UNREADABLE)
@pytest.mark.parametrize("user", [0, 10])
def test_an_unreadable_list_may_hide_users_so_commands_name_the_measured_one(listed: str, user: int) -> None:
    assert named_user(phone(f"{user}\n", listed=listed), None) == (user, (user,))


def test_a_failed_list_is_unreadable_whatever_it_printed() -> None:
    device = phone(listed="Users:\n\tUserInfo{0:Owner:c13} running\n")
    device.codes["pm list users"] = 255
    assert named_user(device, None) == (0, (0,))


def test_without_a_list_the_state_shows_whether_a_user_exists() -> None:
    assert named_user(phone(listed=""), 10) == (10, (10,))
    with pytest.raises(UsageError, match=r"^user 10 of device serial-1 is not ready: User is not started: 10$"):
        named_user(phone(listed="", state="User is not started: 10\n"), 10)


def test_separators_that_are_no_line_feeds_belong_to_a_name() -> None:
    listed = "WARNING: linker\nUsers:\n\tUserInfo{0:Owner:c13} running\n\tUserInfo{10:a\x0b\u2028\x85b}:30}\n"
    assert named_user(phone(listed=listed), None) == (0, (0, 10))


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
