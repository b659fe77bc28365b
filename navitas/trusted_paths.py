"""Whose files and folders are trusted: those that no other user has made or can change."""

from __future__ import annotations

import errno
import grp
import os
import pwd
import stat
from collections.abc import Iterator
from pathlib import Path

_MOST_LINKS = 40  # path_resolution(7)


def resolved_steps(path: Path) -> Iterator[Path]:
    """Every folder and link that resolving a path visits, in order; also links behind links. Raises `OSError`."""
    at, rest, links = Path("/"), list(reversed(path.absolute().parts[1:])), 0
    yield at
    while rest:
        name = rest.pop()
        if name == "..":
            at = at.parent
            continue
        yield (part := at / name)
        if not part.is_symlink():
            at = part
            continue
        links += 1
        if links > _MOST_LINKS:
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
        target = part.readlink()
        at = Path("/") if target.is_absolute() else at
        rest += reversed(target.parts[1:] if target.is_absolute() else target.parts)


def owner_fault(part: Path) -> str:
    """Why a part of a way is not trusted: it belongs to neither this user nor root. Raises `OSError`."""
    return "" if part.lstat().st_uid in (0, os.getuid()) else f"{part} belongs to another user"


def is_for_all(folder: Path) -> bool:
    """Whether every user can make files in a folder, such as /tmp. Raises `OSError`."""
    return bool(folder.stat().st_mode & stat.S_IWOTH)


def replace_fault(part: Path) -> str:
    """Why a part of a way is not trusted: every user can put something else in its place. Only the sticky bit keeps them from it.

    Raises `OSError`.
    """
    mode = part.parent.stat().st_mode
    replaceable = mode & stat.S_IWOTH and not mode & stat.S_ISVTX
    return f"every user can replace what is in {part.parent}, which has no sticky bit" if replaceable else ""


def change_fault(path: Path) -> str:
    """Why the end of a way is not trusted: others can write to it. A group whose only member is the user counts as the user.

    Raises `OSError`.
    """
    info = path.stat()
    by_group = info.st_mode & stat.S_IWGRP and not _is_private(info.st_gid)
    return f"{path} can be written by other users" if by_group or info.st_mode & stat.S_IWOTH else ""


def _is_private(group: int) -> bool:
    """Whether a group is the user's own: many systems give each user one, and let it write to what the user makes."""
    try:
        user, named = pwd.getpwuid(os.getuid()), grp.getgrgid(group)
    except KeyError:
        return False
    return user.pw_gid == group and named.gr_name == user.pw_name and set(named.gr_mem) <= {user.pw_name}
