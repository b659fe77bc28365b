"""The user's own folders for what Navitas keeps between runs (XDG Base Directory Specification)."""

from __future__ import annotations

import os
import stat
import tempfile
from pathlib import Path

from navitas.errors import UsageError

_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH


def cache_folder() -> Path:
    """What can be made again: `$XDG_CACHE_HOME/navitas`. It need not exist. Raises `UsageError` as `_own` does."""
    return _own(_folder("XDG_CACHE_HOME", ".cache"), "XDG_CACHE_HOME")


def state_folder() -> Path:
    """What must not be lost: `$XDG_STATE_HOME/navitas`. It need not exist. Raises `UsageError` as `_own` does."""
    return _own(_folder("XDG_STATE_HOME", ".local/state"), "XDG_STATE_HOME")


def _folder(variable: str, default: str) -> Path:
    named = os.environ.get(variable, "")
    if named.startswith("/"):  # the specification: relative paths are to be ignored
        return Path(named) / "navitas"
    try:
        return Path.home() / default / "navitas"
    except RuntimeError:  # a user without a home
        return Path(tempfile.gettempdir()) / f"navitas-{os.getuid()}"


def _own(folder: Path, variable: str) -> Path:
    """The folder, if no other user can have made it or can change it.

    Below a folder that every user can write to, such as /tmp, the first to come makes a folder, whoever that is. So there each
    part of the path must belong to this user or to root, and the last one is made at once, for this user alone. Raises
    `UsageError` for a folder of another user, or one that others can write to.
    """
    remedy = f"remove it, or set {variable} to a folder of your own"
    is_shared = False
    for part in (*reversed(folder.parents), folder):
        try:
            if is_shared:
                _make(part)
                if part.lstat().st_uid not in (0, os.getuid()):  # before its target: that of another's link may come later
                    raise UsageError(f"{part} belongs to another user: Navitas neither reads nor writes there", remedy)
            info = part.stat()
        except OSError:  # not there, or not to be entered: who uses the folder will see
            return folder
        if is_shared and info.st_uid not in (0, os.getuid()):
            raise UsageError(f"{part} leads to a folder of another user: Navitas neither reads nor writes there", remedy)
        if is_shared and part == folder and info.st_mode & _OTHERS_WRITE:
            raise UsageError(f"{part} can be written by other users: Navitas neither reads nor writes there", remedy)
        is_shared = is_shared or bool(info.st_mode & stat.S_IWOTH)
    return folder


def _make(part: Path) -> None:
    try:
        part.mkdir(mode=0o700)
    except FileExistsError:
        return
