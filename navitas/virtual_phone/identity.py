"""The user of a command: the adb shell, or an app with `run-as`."""

from __future__ import annotations

from dataclasses import dataclass

from navitas.android.ids import UIDS_PER_USER

SHELL_UID = 2000
FIRST_APP_UID = 10000
FIRST_USER = 0


@dataclass(frozen=True, slots=True)
class Identity:
    """A user of the phone. `package` is set for an app."""

    uid: int
    name: str
    package: str | None = None

    @property
    def user(self) -> int:
        """The number of the phone's user."""
        return self.uid // UIDS_PER_USER


SHELL = Identity(SHELL_UID, "shell")


def app_user_name(uid: int) -> str:
    """Return Android's name of an app's uid: `u0_a123` for 10123, `u10_a123` for 1010123."""
    return f"u{uid // UIDS_PER_USER}_a{uid % UIDS_PER_USER - FIRST_APP_UID}"


def user_name(uid: int) -> str:
    """Return the name of any uid that owns files of this phone."""
    if uid >= FIRST_APP_UID:
        return app_user_name(uid)
    return {0: "root", 1000: "system", SHELL_UID: "shell"}.get(uid, str(uid))
