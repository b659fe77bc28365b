"""The user's home, and folders for files that Navitas keeps between runs, by the system's conventions (`platformdirs`)."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path

import platformdirs

from navitas.base.errors import UsageError
from navitas.base.trusted_paths import change_fault, is_world_writable, owner_fault, replace_fault, resolved_steps

_NAME = "navitas"


def cache_folder() -> Path:
    """Return the folder for data that can be created again: `$XDG_CACHE_HOME/navitas` on Linux. It need not exist.

    Raises `UsageError` as `_trusted` does.
    """
    return _trusted(_folder("XDG_CACHE_HOME", ".cache", platformdirs.user_cache_path), "XDG_CACHE_HOME")


def state_folder() -> Path:
    """Return the folder for data that must not be lost: `$XDG_STATE_HOME/navitas` on Linux. It need not exist.

    Raises `UsageError` as `_trusted` does.
    """
    return _trusted(_folder("XDG_STATE_HOME", ".local/state", platformdirs.user_state_path), "XDG_STATE_HOME")


def make_folder(folder: Path) -> None:
    """Create a folder and its missing parents, for this user only. Raises `OSError`."""
    for part in (*reversed(folder.parents), folder):
        if not part.is_dir():
            _make(part)


def _folder(variable: str, default: str, of_system: Callable[..., Path]) -> Path:
    named = os.environ.get(variable, "").strip()
    if not Path(named).is_absolute():
        try:
            home = Path.home()
        except RuntimeError:  # the user has no home folder
            return Path(tempfile.gettempdir()) / f"{_NAME}-{os.getuid()}"
        if named:  # the specification says to ignore relative paths, but platformdirs uses them
            return home / default / _NAME
    return of_system(_NAME, appauthor=False)


def _trusted(folder: Path, variable: str) -> Path:
    """Return the folder if it is trusted by the rules of `trusted_paths`.

    In a folder that every user can write to, such as /tmp, another user may create a missing folder first. A missing folder
    there is therefore created immediately, for this user only. Raises `UsageError` for a folder of another user, one that
    others can write to, or one that they can replace.
    """
    remedy = f"set {variable} or HOME to a folder that you own"
    try:
        for part in resolved_steps(folder):
            if fault := replace_fault(part):
                raise UsageError(f"{fault}: Navitas neither reads nor writes there", f"chmod +t {part.parent}, or {remedy}")
            if part != part.parent and is_world_writable(part.parent):
                _make(part)
            if fault := owner_fault(part):
                raise UsageError(f"{fault}: Navitas neither reads nor writes there", remedy)
        if fault := change_fault(folder):
            raise UsageError(f"{fault}: Navitas neither reads nor writes there", f"chmod go-w {folder}, or set {variable}")
    except OSError:  # missing or inaccessible: the caller's access to the folder will raise
        pass
    return folder


def _make(part: Path) -> None:
    try:
        part.mkdir(mode=0o700)
    except FileExistsError:
        return


def with_home(path: str | Path) -> Path:
    """Return the path with `~` or `~user` replaced, or unchanged if there is no such home."""
    try:
        return Path(path).expanduser()
    except RuntimeError:
        return Path(path)
