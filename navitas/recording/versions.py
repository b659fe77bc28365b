"""Check the versions of JSON documents (docs/dev/formats.md, Versions)."""

from __future__ import annotations

from pathlib import Path

from navitas.errors import RecordingError
from navitas.recording.manifest import SCHEMA_VERSION

_LONGEST = 40


def check_major(document: object, path: Path, what: str) -> None:
    """Raise `RecordingError` if a document's version is newer or invalid. Manifests and method maps have the same version."""
    if not isinstance(document, dict) or "schema_version" not in document:
        return
    version = document["schema_version"]
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise RecordingError(
            f"{path}: schema_version {_cut(version)!a} is not a version", "Copy the recording again, or record again."
        )
    if version > SCHEMA_VERSION:
        raise RecordingError(
            f"{path}: schema_version {_cut(version)}, but this version of Navitas reads {what} up to {SCHEMA_VERSION}",
            "Update Navitas, or use the version that made the recording.",
        )


def _cut(version: object) -> str:
    """Return a version for a message. A damaged one may have thousands of digits."""
    text = str(version)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."
