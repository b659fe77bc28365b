"""Check that files and folders are trusted: no other user created them or can change them."""

from __future__ import annotations

import errno
import grp
import os
import pwd
import stat
from collections.abc import Iterator
from pathlib import Path

_MAX_LINKS = 40  # path_resolution(7)


def resolved_steps(path: Path) -> Iterator[Path]:
    """Yield every folder and link that resolving a path visits, in order, including links behind links. Raises `OSError`."""
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
        if links > _MAX_LINKS:
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
        target = part.readlink()
        at = Path("/") if target.is_absolute() else at
        rest += reversed(target.parts[1:] if target.is_absolute() else target.parts)


def owner_fault(part: Path) -> str:
    """Return why a step of a path is not trusted: its owner is neither this user nor root. Raises `OSError`."""
    return "" if part.lstat().st_uid in (0, os.getuid()) else f"{part} belongs to another user"


def is_world_writable(folder: Path) -> bool:
    """Whether every user can create files in a folder, such as /tmp. Raises `OSError`."""
    return bool(folder.stat().st_mode & stat.S_IWOTH)


def replace_fault(part: Path) -> str:
    """Return why a step of a path is not trusted: every user can replace it. The sticky bit prevents this.

    Raises `OSError`.
    """
    mode = part.parent.stat().st_mode
    replaceable = mode & stat.S_IWOTH and not mode & stat.S_ISVTX
    return f"every user can replace files in {part.parent}, which has no sticky bit" if replaceable else ""


def change_fault(path: Path) -> str:
    """Return why the end of a path is not trusted: other users can write to it.

    A group whose only member is this user counts as this user. Raises `OSError`.
    """
    info = path.stat()
    by_group = info.st_mode & stat.S_IWGRP and not _is_private(info.st_gid)
    return f"{path} can be written by other users" if by_group or info.st_mode & stat.S_IWOTH else ""


def _is_private(group: int) -> bool:
    """Whether this user is the only member of a group. Many systems create such a group for each user, with write access."""
    try:
        user, named = pwd.getpwuid(os.getuid()), grp.getgrgid(group)
    except KeyError:
        return False
    return user.pw_gid == group and named.gr_name == user.pw_name and set(named.gr_mem) <= {user.pw_name}
