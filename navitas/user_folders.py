"""The user's own folders for what Navitas keeps between runs: those of the system's conventions, by `platformdirs`."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path

import platformdirs

from navitas.errors import UsageError
from navitas.trusted_paths import change_fault, is_for_all, owner_fault, replace_fault, resolved_steps

_NAME = "navitas"


def cache_folder() -> Path:
    """What can be made again: `$XDG_CACHE_HOME/navitas`, on Linux. It need not exist. Raises `UsageError` as `_own` does."""
    return _own(_folder("XDG_CACHE_HOME", ".cache", platformdirs.user_cache_path), "XDG_CACHE_HOME")


def state_folder() -> Path:
    """What must not be lost: `$XDG_STATE_HOME/navitas`, on Linux. It need not exist. Raises `UsageError` as `_own` does."""
    return _own(_folder("XDG_STATE_HOME", ".local/state", platformdirs.user_state_path), "XDG_STATE_HOME")


def make_folder(folder: Path) -> None:
    """Make a folder, and what is missing above it, for this user alone. Raises `OSError`."""
    for part in (*reversed(folder.parents), folder):
        if not part.is_dir():
            _make(part)


def _folder(variable: str, default: str, of_system: Callable[..., Path]) -> Path:
    named = os.environ.get(variable, "").strip()
    if not Path(named).is_absolute():
        try:
            home = Path.home()
        except RuntimeError:  # a user without a home
            return Path(tempfile.gettempdir()) / f"{_NAME}-{os.getuid()}"
        if named:  # the specification: relative paths are to be ignored; platformdirs takes them
            return home / default / _NAME
    return of_system(_NAME, appauthor=False)


def _own(folder: Path, variable: str) -> Path:
    """The folder, if no other user can have made it or can change it: the rule of `trusted_paths`.

    In a folder that every user can write to, such as /tmp, any user can be the first to make a folder. So what is missing
    there is made at once, for this user alone. Raises `UsageError` for a folder of another user, one that others can write to, or
    one that they can replace.
    """
    remedy = f"set {variable}, or HOME, to a folder of your own"
    try:
        for part in resolved_steps(folder):
            if fault := replace_fault(part):
                raise UsageError(f"{fault}: Navitas neither reads nor writes there", f"chmod +t {part.parent}, or {remedy}")
            if part != part.parent and is_for_all(part.parent):
                _make(part)
            if fault := owner_fault(part):
                raise UsageError(f"{fault}: Navitas neither reads nor writes there", remedy)
        if fault := change_fault(folder):
            raise UsageError(f"{fault}: Navitas neither reads nor writes there", f"chmod go-w {folder}, or set {variable}")
    except OSError:  # not there, or not to be entered: who uses the folder will see
        pass
    return folder


def _make(part: Path) -> None:
    try:
        part.mkdir(mode=0o700)
    except FileExistsError:
        return
