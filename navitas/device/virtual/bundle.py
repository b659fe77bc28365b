"""Bundles as the phone takes them: checked before anything is unpacked (docs/formats.md, Bundle)."""

from __future__ import annotations

import json
import stat as st
import struct
import zipfile
import zlib
from pathlib import Path, PurePosixPath
from typing import Annotated, BinaryIO, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

MAX_ENTRIES = 200_000
MAX_UNPACKED_BYTES = 4 << 30
_MAX_MANIFEST_BYTES = 4 << 20


class InvalidBundle(Exception):
    """The file cannot be installed; the message says why."""


def _inside(name: str) -> str:
    if not name or "\\" in name or "\0" in name or name.startswith("/") or ".." in PurePosixPath(name).parts or ":" in name[:2]:
        raise ValueError(f"{name!r} leaves the bundle")
    return name


Inside = Annotated[str, AfterValidator(_inside)]


class BundleManifest(BaseModel):
    """`bundle.json`: what the phone needs of it."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    schema_version: Literal[1]
    package: str = Field(pattern=r"^[A-Za-z_]\w*(\.[A-Za-z_]\w*)*$", max_length=255)
    class_path: list[Inside]
    test_roots: list[Inside]
    working_dir: str = ""
    jvm_args: list[str] = []
    system_properties: dict[str, str] = {}
    environment: dict[str, str] = {}
    java_home: str | None = None


def read_manifest(text: bytes) -> BundleManifest:
    """Check `bundle.json`. Raises `InvalidBundle`."""
    try:
        return BundleManifest.model_validate(json.loads(text))
    except ValidationError as error:
        first = error.errors()[0]
        raise InvalidBundle(f"bundle.json: {'.'.join(map(str, first['loc'])) or 'document'}: {first['msg']}") from None
    except (ValueError, RecursionError):
        raise InvalidBundle("bundle.json is not JSON") from None


def unpack(file: BinaryIO, make_folder: Path) -> BundleManifest:
    """Check a bundle whole, then unpack it into a new folder. Raises `InvalidBundle`, or `OSError` when there is no room."""
    try:
        with zipfile.ZipFile(file) as archive:
            names = _check(archive)
            if "bundle.json" not in names:
                raise InvalidBundle("it holds no bundle.json")
            manifest = read_manifest(archive.read("bundle.json"))
            make_folder.mkdir(parents=True)
            archive.extractall(make_folder)
    except (zipfile.BadZipFile, zlib.error, struct.error, EOFError, RuntimeError, ValueError) as error:
        raise InvalidBundle(f"it is no readable zip: {error}") from None
    return manifest


def _check(archive: zipfile.ZipFile) -> set[str]:
    entries = archive.infolist()
    names = {entry.filename for entry in entries}
    if len(names) != len(entries) or len(entries) > MAX_ENTRIES:
        raise InvalidBundle("entries are there twice, or too many")
    for entry in entries:
        try:
            _inside(entry.filename)
        except ValueError as error:
            raise InvalidBundle(str(error)) from None
        if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise InvalidBundle(f"{entry.filename!r} is neither stored nor deflated")
        if st.S_IFMT(entry.external_attr >> 16) not in (0, st.S_IFREG, st.S_IFDIR) or entry.flag_bits & 1:
            raise InvalidBundle(f"{entry.filename!r} is no plain file")
        if entry.filename == "bundle.json" and entry.file_size > _MAX_MANIFEST_BYTES:
            raise InvalidBundle("bundle.json is too large")
    if sum(entry.file_size for entry in entries) > MAX_UNPACKED_BYTES:
        raise InvalidBundle(f"it would unpack to more than {MAX_UNPACKED_BYTES} bytes")
    return names
