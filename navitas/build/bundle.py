"""Bundles: what `navitasBundle` makes and a virtual phone installs (docs/formats.md, Bundle)."""

from __future__ import annotations

import json
import lzma
import re
import stat
import struct
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from navitas.errors import BuildError

MAX_MANIFEST_BYTES = 4 << 20
MAX_MAP_BYTES = 1 << 30
MAX_BUNDLE_BYTES = 8 << 30
_REMEDY = "Delete the file and build the project again."
# What zipfile lets out for damaged files, beside its own error.
_UNREADABLE = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, EOFError, RuntimeError, OSError, ValueError)
_DRIVE = re.compile(r"^[A-Za-z]:")


def _inside(name: str) -> str:
    """Return `name` if it is a relative path that stays inside the bundle, else raise `ValueError`."""
    parts = PurePosixPath(name).parts
    if not parts or "\0" in name or "\\" in name or name.startswith("/") or ".." in parts or _DRIVE.match(name):
        raise ValueError(f"{name!r} is not a path inside the bundle")
    return name


def _absolute(name: str) -> str:
    if not PurePosixPath(name).is_absolute() or "\0" in name:
        raise ValueError(f"{name!r} is not an absolute path")
    return name


Inside = Annotated[str, AfterValidator(_inside)]
Absolute = Annotated[str, AfterValidator(_absolute)]
PackageName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*$", max_length=255)]
Line = Annotated[str, StringConstraints(pattern=r"^[^\x00]*$")]
VariableName = Annotated[str, StringConstraints(pattern=r"^[^\x00=]+$")]


class BundleManifest(BaseModel):
    """`bundle.json`: what is inside, and how the project's `test` task would start its JVM."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    schema_version: Literal[1]
    package: PackageName
    module: str = Field(pattern=r"^:")
    project: str = Field(min_length=1)
    map_id: str = Field(pattern=r"^[0-9a-f]{16}$")
    class_path: list[Inside] = Field(min_length=1)
    test_roots: list[Inside] = Field(min_length=1)
    working_dir: Absolute
    jvm_args: list[Line]
    system_properties: dict[VariableName, Line]
    environment: dict[VariableName, Line]
    java_home: Absolute | None
    warnings: list[str]


@dataclass(frozen=True, slots=True)
class Bundle:
    """A checked bundle file, its manifest, and the bytes of its method map."""

    path: Path
    manifest: BundleManifest
    map_bytes: bytes


def open_bundle(path: Path) -> Bundle:
    """Read and check a bundle without unpacking it.

    Raises `BuildError` for a file that is no bundle, was cut short, has another schema version, a map that does not
    belong, or entries that could leave the folder it is unpacked to.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            _check_entries(archive, path)
            manifest = _manifest(_read(archive, "bundle.json", MAX_MANIFEST_BYTES, path), path)
            map_bytes = _read(archive, "map.json", MAX_MAP_BYTES, path)
            names = set(archive.namelist())
    except FileNotFoundError as error:
        raise BuildError(f"{path}: there is no such bundle", "Build the project first.") from error
    except _UNREADABLE as error:
        raise _broken(path, f"not a readable zip file ({error})") from error
    _check_map(map_bytes, manifest, path)
    for entry in (*manifest.class_path, *manifest.test_roots):
        if entry not in names and not any(name.startswith(f"{entry.rstrip('/')}/") for name in names):
            raise _broken(path, f"bundle.json names {entry!r}, which is not in it")
    return Bundle(path, manifest, map_bytes)


def _broken(path: Path, cause: str) -> BuildError:
    return BuildError(f"{path}: {cause}", _REMEDY)


def _check_entries(archive: zipfile.ZipFile, path: Path) -> None:
    seen: set[str] = set()
    total = 0
    for info in archive.infolist():
        try:
            _inside(info.filename)
        except ValueError as error:
            raise _broken(path, f"unsafe entry: {error}") from error
        kind = stat.S_IFMT(info.external_attr >> 16)
        if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
            raise _broken(path, f"unsafe entry: {info.filename!r} is neither a file nor a folder")
        if info.flag_bits & 0x1:
            raise _broken(path, f"entry {info.filename!r} is encrypted")
        if info.filename in seen:
            raise _broken(path, f"entry {info.filename!r} is there twice")
        seen.add(info.filename)
        total += info.file_size
    if total > MAX_BUNDLE_BYTES:
        raise _broken(path, f"it would unpack to {total:,} bytes, more than {MAX_BUNDLE_BYTES:,}")


def _read(archive: zipfile.ZipFile, name: str, limit: int, path: Path) -> bytes:
    try:
        info = archive.getinfo(name)
    except KeyError as error:
        raise _broken(path, f"{name} is missing") from error
    if info.file_size > limit:
        raise _broken(path, f"{name} has {info.file_size:,} bytes, more than {limit:,}")
    return archive.read(info)


def _manifest(raw: bytes, path: Path) -> BundleManifest:
    try:
        document = json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise _broken(path, f"bundle.json is not JSON ({error})") from error
    version = document.get("schema_version") if isinstance(document, dict) else None
    if isinstance(version, int) and version > 1:
        raise BuildError(f"{path}: bundle of schema version {version}; this Navitas reads version 1", "Use a newer Navitas.")
    try:
        return BundleManifest.model_validate(document)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"]) or "document"
        raise _broken(path, f"bundle.json: {place}: {first['msg']}") from error


def _check_map(raw: bytes, manifest: BundleManifest, path: Path) -> None:
    try:
        document = json.loads(raw)
        map_id = document.get("map_id") if isinstance(document, dict) else None
    except (ValueError, RecursionError) as error:
        raise _broken(path, f"map.json is not JSON ({error})") from error
    if map_id != manifest.map_id:
        raise _broken(path, f"map.json is the map {map_id}, but the classes belong to the map {manifest.map_id}")
