"""Names of the files and folders of a recording."""

from __future__ import annotations

from pathlib import Path

MANIFEST_NAME = "manifest.json"
LOCK_NAME = ".lock"
RESERVE_NAME = ".reserve"
POWER_PROFILE_NAME = "power_profile.xml"
NAMES = ".mapping.txt"
"""The end of the name of a build's mapping.txt, next to its method map."""
MAX_MANIFEST_BYTES = 64 << 20
"""A hundred thousand tests take 20 MiB."""
_RAW = (POWER_PROFILE_NAME, "maps", "runs")
_FILES = (MANIFEST_NAME, LOCK_NAME, RESERVE_NAME, *_RAW)


def is_file_of(recording: Path, path: Path) -> bool:
    """Whether a resolved path is a file, or is in a folder, that belongs to a recording. Other files may be next to these."""
    return any(path.is_relative_to((recording / name).resolve()) for name in _FILES)


def recording_of(path: Path) -> Path | None:
    """Return the recording on the disk to which a resolved path belongs as a file; None if there is none."""
    found = (folder for folder in path.parents if (folder / MANIFEST_NAME).is_file() and is_file_of(folder, path))
    return next((folder for folder in found if any((folder / name).exists() for name in _RAW)), None)
