"""Bundles as zip files, checked completely before use."""

from __future__ import annotations

import json
import stat
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Literal

from pydantic import BaseModel, ConfigDict, Field

from navitas.base.regular_files import open_regular
from navitas.base.untrusted_text import printable
from navitas.base.zip_errors import UNREADABLE_ZIP
from navitas.capture.bundle.manifest import (
    AnyManifest,
    Inside,
    InvalidBundle,
    PackageName,
    check_version,
    inside,
    parse_manifest,
    quoted,
    validated,
)

MAX_MANIFEST_BYTES = 4 << 20
MAX_ENTRIES = 200_000
MAX_UNPACKED_BYTES = 4 << 30
_MANIFEST = "jvm.json"
_TESTS = "test/"


@dataclass(frozen=True, slots=True)
class Archive:
    """An open bundle whose entries and manifest have been checked."""

    zip: zipfile.ZipFile
    manifest: AnyManifest


@contextmanager
def open_archive(file: Path | BinaryIO) -> Iterator[Archive]:
    """Open and check a bundle.

    Raises `InvalidBundle` if the file is not a bundle, is cut short, has another schema version, or has entries that
    could leave the folder to which it is unpacked. Damage found during use also raises it. Passes on `OSError`.
    """
    with checked_zip(file) as archive:
        yield Archive(archive, parse_manifest(read_entry(archive, "bundle.json", MAX_MANIFEST_BYTES)))


@contextmanager
def checked_zip(file: Path | BinaryIO) -> Iterator[zipfile.ZipFile]:
    """Open a zip file and check that all its entries are safe to unpack. Raises `InvalidBundle`, as `open_archive`."""
    try:
        with open_regular(file) if isinstance(file, Path) else nullcontext(file) as stream, zipfile.ZipFile(stream) as archive:
            _check_entries(archive)
            yield archive
    except UNREADABLE_ZIP as error:
        raise InvalidBundle(f"not a readable zip file ({printable(str(error))})") from error


def _check_entries(archive: zipfile.ZipFile) -> None:
    entries = archive.infolist()
    if len(entries) > MAX_ENTRIES:
        raise InvalidBundle(f"it has {len(entries):,} entries, more than {MAX_ENTRIES:,}")
    seen: set[str] = set()
    for entry in entries:
        if (problem := _problem(entry, seen)) is not None:
            raise InvalidBundle(f"unsafe entry: {problem}")
        seen.add(entry.filename)
    total = sum(entry.file_size for entry in entries)
    if total > MAX_UNPACKED_BYTES:
        raise InvalidBundle(f"it would unpack to {total:,} bytes, more than {MAX_UNPACKED_BYTES:,}")


def _problem(entry: zipfile.ZipInfo, seen: set[str]) -> str | None:
    try:
        inside(entry.filename)
    except ValueError as error:
        return str(error)
    if entry.filename in seen:
        return f"{quoted(entry.filename)} is there twice"
    if stat.S_IFMT(entry.external_attr >> 16) not in (0, stat.S_IFREG, stat.S_IFDIR):
        return f"{quoted(entry.filename)} is neither a file nor a folder"
    if entry.flag_bits & 0x1:
        return f"{quoted(entry.filename)} is encrypted"
    if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        return f"{quoted(entry.filename)} is neither stored nor deflated"
    return None


def read_entry(archive: zipfile.ZipFile, name: str, limit_bytes: int) -> bytes:
    """Return the bytes of an entry. Raises `InvalidBundle` if it is missing or larger than the limit."""
    try:
        entry = archive.getinfo(name)
    except KeyError as error:
        raise InvalidBundle(f"{name} is missing") from error
    if entry.file_size > limit_bytes:
        raise InvalidBundle(f"{name} has {entry.file_size:,} bytes, more than {limit_bytes:,}")
    return archive.read(entry)


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


@contextmanager
def open_jvm(file: Path | BinaryIO) -> Iterator[tuple[zipfile.ZipFile, JvmManifest]]:
    """Open a `jvm.zip`, and check its entries and manifest. Raises `InvalidBundle`, also for damage found during use."""
    with checked_zip(file) as archive:
        try:
            document = json.loads(read_entry(archive, _MANIFEST, MAX_MANIFEST_BYTES))
            check_version(document, _MANIFEST)
            manifest = validated(document, JvmManifest, _MANIFEST)
        except (UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
            raise InvalidBundle(f"{_MANIFEST} is not JSON ({error})") from error
        yield archive, manifest
