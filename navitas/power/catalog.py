"""The power profiles that come with Navitas, by name."""

from __future__ import annotations

from contextlib import suppress
from difflib import get_close_matches
from pathlib import Path

from navitas.errors import PowerProfileError, UsageError
from navitas.power.power_profile import PowerProfile, read_power_profile

DEFAULT = "google-pixel-6"
_LONGEST = 4096


class UnknownProfileError(UsageError, PowerProfileError):
    """Nothing has that name."""


def names() -> list[str]:
    """All packaged profiles, sorted."""
    return sorted(path.stem for path in _folder().glob("*.xml"))


def find(name_or_path: str | Path) -> Path:
    """The file of a packaged profile, or the path itself if there is something; raises UnknownProfileError if neither exists."""
    path, given = Path(name_or_path), str(name_or_path)[:_LONGEST]
    with suppress(OSError, ValueError):  # no name that a file can have
        if path.is_file():
            return path
        packaged = _folder() / f"{name_or_path}.xml"
        if path.name == str(name_or_path) and packaged.is_file():
            return packaged
        if path.exists() and not path.is_dir():  # a pipe or a device: reading it says so
            return path
    known = names()
    near = get_close_matches(given, known, n=3) or known
    raise UnknownProfileError(
        f"There is no power profile {given!r}, neither a file nor one of Navitas' own.",
        f"Name a power_profile.xml, or one of: {', '.join(near)}.",
    )


def load(name_or_path: str | Path = DEFAULT) -> PowerProfile:
    """Read a profile by name or path."""
    return read_power_profile(find(name_or_path))


def _folder() -> Path:
    """In the installed package, else at the top of the checkout."""
    package = Path(__file__).parents[1]
    return next((place for place in (package / "profiles", package.parent / "profiles") if place.is_dir()), package / "profiles")
