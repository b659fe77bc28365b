"""The packaged power profiles, by name."""

from __future__ import annotations

from contextlib import suppress
from difflib import get_close_matches
from pathlib import Path

from navitas.base.errors import PowerProfileError, UsageError
from navitas.power.power_profile import PowerProfile, read_power_profile

DEFAULT = "google-pixel-6"
_MAX_NAME_CHARS = 4096


class UnknownProfileError(UsageError, PowerProfileError):
    """No file and no packaged profile has that name."""


def names() -> list[str]:
    """The names of all packaged profiles, sorted."""
    return sorted(path.stem for path in _folder().glob("*.xml"))


def find(name_or_path: str | Path) -> Path:
    """Return the file of a packaged profile, or the path itself if it exists.

    Raises UnknownProfileError if there is neither.
    """
    path, given = Path(name_or_path), str(name_or_path)[:_MAX_NAME_CHARS]
    with suppress(OSError, ValueError):  # the name is not valid for a file
        if path.is_file():
            return path
        packaged = _folder() / f"{name_or_path}.xml"
        if path.name == str(name_or_path) and packaged.is_file():
            return packaged
        if path.exists() and not path.is_dir():  # a pipe or a device: the reader reports it
            return path
    known = names()
    near = get_close_matches(given, known, n=3) or known
    raise UnknownProfileError(
        f"There is no power profile {given!r}: neither a file nor a packaged profile has this name.",
        f"Name a power_profile.xml, or one of: {', '.join(near)}.",
    )


def load(name_or_path: str | Path = DEFAULT) -> PowerProfile:
    return read_power_profile(find(name_or_path))


def _folder() -> Path:
    """The folder of the profiles: in the installed package, or at the top of the checkout."""
    package = Path(__file__).parents[1]
    return next((place for place in (package / "profiles", package.parent / "profiles") if place.is_dir()), package / "profiles")
