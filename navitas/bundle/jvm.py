"""`jvm.zip`: the classes of an Android app and its tests before dexing, which a virtual phone runs (docs/dev/formats.md)."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Literal

from pydantic import BaseModel, ConfigDict, Field

from navitas.bundle.archive import checked_zip, read_entry
from navitas.bundle.manifest import Inside, InvalidBundle, PackageName, check_version, validated

_MANIFEST = "jvm.json"
_MAX_MANIFEST_BYTES = 4 << 20
_TESTS = "test/"


class JvmManifest(BaseModel):
    """`jvm.json`: the entries of the class path in order, the app's before its tests'."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    schema_version: Literal[1]
    package: PackageName
    test_package: PackageName
    class_path: list[Inside] = Field(min_length=1)

    @property
    def test_roots(self) -> list[str]:
        """The tests' own entries: those that are in the test APK and are searched for tests."""
        return [entry for entry in self.class_path if entry.startswith(_TESTS)]


@dataclass(frozen=True, slots=True)
class JvmArchive:
    """An open `jvm.zip` whose entries and manifest have been checked."""

    zip: zipfile.ZipFile
    manifest: JvmManifest


@contextmanager
def open_jvm(file: Path | BinaryIO) -> Iterator[JvmArchive]:
    """Open and check a `jvm.zip`. Raises `InvalidBundle`, also for damage found during use."""
    with checked_zip(file) as archive:
        try:
            document = json.loads(read_entry(archive, _MANIFEST, _MAX_MANIFEST_BYTES))
            check_version(document, _MANIFEST)
            manifest = validated(document, JvmManifest, _MANIFEST)
        except (UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
            raise InvalidBundle(f"{_MANIFEST} is not JSON ({error})") from error
        yield JvmArchive(archive, manifest)
