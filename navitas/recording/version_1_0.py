"""Convert manifests of schema version 1.0. Only this module knows that version."""

from __future__ import annotations

import re

from navitas.recording.manifest import Manifest, Warning

_OF_RUN = re.compile(r"runs/(\d{1,9}): ")


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
