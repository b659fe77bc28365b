"""What recordings of schema version 1.0 say in words and later ones in fields; read here and nowhere else."""

from __future__ import annotations

import re

from navitas.recording.manifest import Manifest, Warning

_OF_RUN = re.compile(r"runs/(\d{1,9}): ")


def updated(manifest: Manifest) -> Manifest:
    """A manifest of version 1.0 as 1.1 writes it: warnings have the run that they are about, in place of a prefix."""
    if manifest.schema_minor > 0:
        return manifest
    return manifest.model_copy(update={"warnings": [_with_run(warning) for warning in manifest.warnings]})


def _with_run(warning: Warning) -> Warning:
    match = _OF_RUN.match(warning.message)
    if match is None or warning.run is not None:
        return warning
    return warning.model_copy(update={"message": warning.message[match.end() :], "run": int(match[1])})
