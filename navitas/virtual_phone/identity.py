"""Who a command runs as: the adb shell, or an app under `run-as`."""

from __future__ import annotations

from dataclasses import dataclass

SHELL_UID = 2000
FIRST_APP_UID = 10000


@dataclass(frozen=True, slots=True)
class Identity:
    """A user of the phone; `package` is set for an app."""

    uid: int
    name: str
    package: str | None = None


SHELL = Identity(SHELL_UID, "shell")


def app_user_name(uid: int) -> str:
    """Android's name of an app's uid: 10123 is `u0_a123`."""
    return f"u0_a{uid - FIRST_APP_UID}"


def user_name(uid: int) -> str:
    """Name of any uid that files of this phone may have."""
    if uid >= FIRST_APP_UID:
        return app_user_name(uid)
    return {0: "root", 1000: "system", SHELL_UID: "shell"}.get(uid, str(uid))
