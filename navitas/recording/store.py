"""Open recordings: the folder, its manifest, checked and of any known version, and the raw files that it lists."""

from __future__ import annotations

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from pydantic import BaseModel, ValidationError

from navitas.base.errors import RecordingError
from navitas.base.model_defects import first_defect
from navitas.base.regular_files import open_regular
from navitas.base.unknown_parts import UnknownPart, find_unknown
from navitas.recording.codes import LossCode
from navitas.recording.layout import MANIFEST_NAME, MAX_MANIFEST_BYTES, POWER_PROFILE_NAME
from navitas.recording.manifest import SCHEMA_VERSION, FileKind, Known, Manifest, Warning
from navitas.recording.raw import read_json

__all__ = ["MANIFEST_NAME", "POWER_PROFILE_NAME", "Recording", "open_recording"]
LONGEST_NAME = 100
_LONGEST = 40
_OF_RUN = re.compile(r"runs/(\d{1,9}): ")


@dataclass(frozen=True, slots=True)
class Recording:
    """An opened recording: its folder and its manifest. This class never writes to the folder.

    `unknown` counts each field and value of the manifest that this version of Navitas does not know.
    """

    path: Path
    manifest: Manifest
    unknown: Mapping[Unknown, int] = field(default_factory=dict)
    _names: defaultdict[tuple[str, int | None], list[str]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_names", defaultdict(list))
        for file in self.manifest.files:
            for run in {None, file.run}:
                self._names[file.kind, run].append(file.path)

    def file(self, name: str) -> Path:
        """Return the path of a file that the manifest lists.

        Raises `RecordingError` if the path leaves the recording's folder, directly or by a link.
        """
        path = _inside(self.path, name)
        try:
            inside = path.resolve().is_relative_to(self.path.resolve())
            regular = path.is_file() or not path.exists()
        except (OSError, RuntimeError, ValueError):  # a link to itself, or an impossible file name
            inside = regular = False
        if not inside or not regular:
            raise RecordingError(
                f"{self.path / MANIFEST_NAME}: {name!a} is a link that leaves the recording, or not a regular file",
                "Do not trust this recording; record again.",
            )
        return path

    def files(self, kind: FileKind, run: int | None = None) -> tuple[Path, ...]:
        """Return the existing raw files of a kind (and of a run), in the manifest's order."""
        names = self._names.get((kind, run), [])
        return tuple(path for path in map(self.file, dict.fromkeys(names)) if path.is_file())

    def check(self) -> tuple[Warning, ...]:
        """Compare every file's SHA-256 with the manifest. Returns a warning for each file that is missing or changed."""
        profile = self.manifest.power_profile
        wanted = {f.path: f.sha256 for f in self.manifest.files}
        wanted.update({m.file: m.sha256 for m in self.manifest.maps})
        wanted[profile.file] = profile.sha256
        return tuple(warning for name, sha256 in wanted.items() if (warning := self._check(name, sha256)) is not None)

    def _check(self, name: str, sha256: str) -> Warning | None:
        path = self.file(name)
        try:
            with open_regular(path) as stream:
                actual = hashlib.file_digest(stream, "sha256").hexdigest()
        except OSError as error:
            reason = error.strerror or str(error)
            return Warning(code="file_missing", message=f"{path}: {reason}", remedy="Its data is missing from every figure.")
        if actual == sha256:
            return None
        message = f"{path}: its SHA-256 is not the one in {MANIFEST_NAME}"
        return Warning(code="file_changed", message=message, remedy="Copy the recording again, or record again.")


def open_recording(path: Path) -> Recording:
    """Open a recording's folder. Partial recordings open too.

    Raises `RecordingError` if the folder or its manifest is missing, unreadable, of a newer schema, or lists files outside
    the folder.
    """
    manifest_path = path / MANIFEST_NAME
    if not path.exists():
        raise RecordingError(f"{path}: there is no such recording", "Check the path. `navitas profile` makes recordings.")
    if path.is_file():
        remedy = f"Give {path.parent}" if path.name == MANIFEST_NAME else "For a bug report or a dump: navitas vitals FILE"
        raise RecordingError(f"{path}: a recording is a folder, and this is a file", f"{remedy}.")
    if not manifest_path.is_file():
        raise RecordingError(f"{path}: not a recording ({MANIFEST_NAME} is missing)", "Give the folder that holds it.")
    raw = read_json(manifest_path, "", MAX_MANIFEST_BYTES)
    check_major(raw, manifest_path, "recordings")
    try:
        manifest = upgraded(Manifest.model_validate(raw))
    except ValidationError as error:
        place, defect = first_defect(error)
        message = f"{manifest_path}: {place or 'manifest'}: {defect} ({error.error_count()} problems in total)"
        raise RecordingError(message, "Copy the recording again, or record again.") from error
    if fault := _repeated(manifest):
        raise RecordingError(f"{manifest_path}: {fault}", "Copy the recording again, or record again.")
    for name in [m.file for m in manifest.maps] + [manifest.power_profile.file] + [f.path for f in manifest.files]:
        _inside(path, name)
    return Recording(path, manifest, unknown_parts(raw, Manifest))


def _repeated(manifest: Manifest) -> str:
    """Return what the manifest contains twice although it must be unique; empty if nothing is."""
    device = manifest.device
    ids = {
        "runs": [run.id for run in manifest.runs],
        "tests": [test.id for test in manifest.tests],
        "sources": [source.id for source in manifest.sources],
        "policies": [policy.id for policy in device.policies],
    }
    for what, given in ids.items():
        if len(set(given)) < len(given):
            return f"two {what} have the same id"
    of_policies = [cpu for policy in device.policies for cpu in policy.cpus]
    for place, cpus in (("device.cpus", device.cpus), ("device.policies", of_policies)):
        if len(set(cpus)) < len(cpus):
            return f"{place} names a CPU twice"
    return ""


def _inside(root: Path, name: str) -> Path:
    """Join a manifest's relative name to the folder. Refuses names that leave the folder on any operating system."""
    parts = PurePosixPath(name).parts
    if (
        not parts
        or name.startswith("/")
        or ".." in parts
        or any(char in "\\:\0" or "\ud800" <= char <= "\udfff" for char in name)
    ):
        raise RecordingError(
            f"{root / MANIFEST_NAME}: the file name {name!a} leaves the recording", "Do not trust this recording; record again."
        )
    return root.joinpath(*parts)


class Unknown(NamedTuple):
    """An item that is kept and not used. The name is the place of an unknown field, or an unknown value."""

    code: LossCode
    name: str


def unknown_parts(document: dict[str, Any], model: type[BaseModel]) -> Counter[Unknown]:
    """Count each unknown field and value in a JSON object that the model has accepted."""
    return Counter(map(_by_code, find_unknown(document, model)))


def _by_code(part: UnknownPart) -> Unknown:
    if not isinstance(part.known, Known):
        return Unknown("unknown_fields", part.place[:LONGEST_NAME])
    prefix = f"{part.place}=" if part.known.code == "unknown_words" else ""
    return Unknown(part.known.code, f"{prefix}{part.word}"[:LONGEST_NAME])


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
