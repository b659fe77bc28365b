"""Warnings and losses about data that a newer Navitas wrote and this version does not know."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from navitas.recording.codes import LossCode
from navitas.recording.manifest import SCHEMA_MINOR, SCHEMA_VERSION, Manifest, SourceKind, known_words
from navitas.recording.parse.counters import Readings
from navitas.recording.parse.findings import UPDATE, Findings
from navitas.recording.store import LONGEST_NAME, Recording, Unknown

_UNKNOWN = "that this version of Navitas does not know ({names})"
_TEXTS: dict[LossCode, str] = {
    "unknown_fields": f"{{file}} has fields {_UNKNOWN}; they are kept and not used",
    "unknown_words": f"{{file}} has values {_UNKNOWN}; they are kept as they are",
    "unknown_sources": f"{{file}} names counters of kinds {_UNKNOWN}; they are kept and not used",
    "unknown_files": f"{{file}} names files of kinds {_UNKNOWN}; they are kept and not used",
}
_READ_BY_ID = frozenset((1, 3))
"""Sources that the runtime itself reads. The manifest need not name them."""


def report_newer(recording: Recording, findings: Findings) -> None:
    """Warn about a recording of a newer minor version, and about unknown parts of its manifest."""
    manifest = recording.manifest
    if manifest.schema_minor > SCHEMA_MINOR:
        made = f"Navitas {manifest.navitas_version}" if manifest.navitas_version else "a newer Navitas"
        message = (
            f"the recording is of version {SCHEMA_VERSION}.{manifest.schema_minor}, by {made}; "
            f"this version of Navitas knows {SCHEMA_VERSION}.{SCHEMA_MINOR}"
        )
        findings.warn("newer_recording", message, UPDATE)
    report_unknown(recording.unknown, "manifest.json", findings)


def report_unknown(unknown: Mapping[Unknown, int], file: str, findings: Findings) -> None:
    """Report the unknown parts of a JSON file, with one warning for each code."""
    for code, text in _TEXTS.items():
        counts = {part.name: count for part, count in unknown.items() if part.code == code}
        findings.add_losses_by_name(code, counts, text.replace("{file}", file), UPDATE, file=file)


def report_unknown_readings(manifest: Manifest, readings: Mapping[int, Readings], findings: Findings) -> None:
    """Report readings of counters that the manifest does not name, or whose kind is unknown."""
    kinds = {source.id: source.kind for source in manifest.sources}
    known = known_words(SourceKind)
    counts: Counter[str] = Counter()
    for source, found in sorted(readings.items()):
        kind = kinds.get(source)
        if kind is None and source not in _READ_BY_ID:
            counts[f"source {source}"] += len(found.t_ns)
        elif kind is not None and kind not in known:
            counts[kind[:LONGEST_NAME]] += len(found.t_ns)
    message = "{count} readings are of counters that this version of Navitas does not know ({names}); they are kept and not used"
    findings.add_losses_by_name("unknown_readings", counts, message, UPDATE)
