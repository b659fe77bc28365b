"""Check the versions of JSON documents, and convert manifests of version 1.0 (docs/dev/formats.md, Versions)."""

from __future__ import annotations

import re
from pathlib import Path

from navitas.errors import RecordingError
from navitas.recording.manifest import SCHEMA_VERSION, Manifest, Warning

_LONGEST = 40
_OF_RUN = re.compile(r"runs/(\d{1,9}): ")


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


def upgraded(manifest: Manifest) -> Manifest:
    """Convert a manifest of version 1.0 to 1.1: a warning's run moves from a prefix of the message to a field."""
    if manifest.schema_minor > 0:
        return manifest
    return manifest.model_copy(update={"warnings": [_with_run(warning) for warning in manifest.warnings]})


def _with_run(warning: Warning) -> Warning:
    match = _OF_RUN.match(warning.message)
    if match is None or warning.run is not None:
        return warning
    return warning.model_copy(update={"message": warning.message[match.end() :], "run": int(match[1])})
