"""The phone's users: the first one, secondary users and work profiles, as Android's UserManager lists them."""

from __future__ import annotations

from dataclasses import dataclass

from navitas.virtual_phone.identity import FIRST_USER

_FIRST_ADDED = 10
_MOST_USERS = 32
# Flags of android.content.pm.UserInfo: initialized, and the kind of user.
_OWNER, _PROFILE, _SECONDARY = 0xC13, 0x1030, 0x410


@dataclass(slots=True)
class PhoneUser:
    """One user. Apps run only for users that are started."""

    id: int
    name: str
    flags: int
    is_running: bool = False

    def __str__(self) -> str:
        return f"UserInfo{{{self.id}:{self.name}:{self.flags:x}}}{' running' if self.is_running else ''}"


class Users:
    """All users of one phone."""

    def __init__(self) -> None:
        self._users = {FIRST_USER: PhoneUser(FIRST_USER, "Owner", _OWNER, True)}

    def get(self, user: int) -> PhoneUser | None:
        """Return the user with this number."""
        return self._users.get(user)

    def all(self) -> list[PhoneUser]:
        """Return all users, by number."""
        return [self._users[number] for number in sorted(self._users)]

    def create(self, name: str, *, is_profile: bool) -> PhoneUser | None:
        """Add a user that is not started; None if the phone has no room for another one."""
        if len(self._users) >= _MOST_USERS:
            return None
        number = max(_FIRST_ADDED, max(self._users) + 1)
        self._users[number] = PhoneUser(number, name, _PROFILE if is_profile else _SECONDARY)
        return self._users[number]

    def remove(self, user: int) -> bool:
        """Remove a user; False for the first one, and for a number without a user."""
        return user != FIRST_USER and self._users.pop(user, None) is not None
