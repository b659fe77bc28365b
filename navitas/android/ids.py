"""Ids of Android: the uids of a phone's users, and the names of packages."""

from __future__ import annotations

import re

UIDS_PER_USER = 100_000
"""Each user of a phone has so many uids (AOSP: UserHandle.PER_USER_RANGE)."""
PACKAGE_NAME = re.compile(r"[A-Za-z][\w.]{0,254}", re.ASCII)
"""A package, as commands take it. Not every match can be installed."""


def user_flag(user: int | None) -> str:
    """Return the option that names a user in a command, with a space before it; empty if it needs none."""
    return "" if user is None else f" --user {user}"
