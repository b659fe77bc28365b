"""Open the bundles that `navitasBundle` made, and copy them with other inputs."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import zipfile
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast
from zipfile import ZipExtFile

from navitas.base.errors import BuildError
from navitas.capture.bundle.archive import MAX_MANIFEST_BYTES, Archive, open_archive, read_entry
from navitas.capture.bundle.manifest import AndroidManifest, AnyManifest, BundleManifest, InvalidBundle, quoted

MAX_MAP_BYTES = 256 << 20
_MANIFEST = "bundle.json"


@dataclass(frozen=True, slots=True)
class Bundle:
    """A checked bundle file, its manifest, the bytes of its method map, and the working folder of its tests."""

    path: Path
    manifest: AnyManifest
    map_bytes: bytes
    working_dir: Path

    def extract(self, name: str, path: Path) -> Path:
        """Copy an entry, such as an APK, into a file. Raises `BuildError`."""
        with self._entry(name) as source, path.open("wb") as target:
            shutil.copyfileobj(source, target, 1 << 20)
        return path

    def sha256(self, name: str) -> str:
        """Return the SHA-256 of an entry in hexadecimal digits. Raises `BuildError`."""
        with self._entry(name) as source:
            return hashlib.file_digest(source, "sha256").hexdigest()

    def copy_to(self, path: Path) -> Bundle:
        """Copy the bundle to another file and return that one."""
        return replace(self, path=Path(shutil.copyfile(self.path, path)))

    @contextmanager
    def _entry(self, name: str) -> Iterator[ZipExtFile]:
        try:
            with open_archive(self.path) as archive, archive.zip.open(name) as source:
                yield cast(ZipExtFile, source)
        except (InvalidBundle, OSError, KeyError) as error:
            raise BuildError(f"{self.path}: {name} cannot be read ({error})", "Build the project again.") from error


def open_bundles(paths: Sequence[Path]) -> list[Bundle]:
    """Open bundles to profile together. Raises `BuildError` as `open_bundle`, or if two have the same package."""
    bundles = [open_bundle(path) for path in paths]
    modules: dict[str, str] = {}
    for bundle in bundles:
        name, module = bundle.manifest.package, bundle.manifest.module
        if name in modules:
            if isinstance(bundle.manifest, AndroidManifest):
                raise BuildError(f"the modules {modules[name]} and {module} make the same app, {name}", "Choose one by --module.")
            raise BuildError(
                f"the modules {modules[name]} and {module} share the group and name {name}",
                "Give them different `group`s in their build files, or choose one of them.",
            )
        modules[name] = module
    return bundles


def open_bundle(path: Path) -> Bundle:
    """Read and check a bundle without unpacking it.

    Raises `BuildError` if `open_archive` rejects it, if its map belongs to other classes, or if a class path entry is missing.
    """
    try:
        with open_archive(path) as archive:
            map_bytes = read_entry(archive.zip, "map.json", MAX_MAP_BYTES)
            _check_map(map_bytes, archive.manifest)
            _check_entries(archive)
            return Bundle(path, archive.manifest, map_bytes, _working_dir(path, archive.manifest))
    except FileNotFoundError as error:
        raise BuildError(f"{path}: there is no such bundle", "Build the project first.") from error
    except InvalidBundle as error:
        raise BuildError(f"{path}: {error}", error.remedy) from error
    except OSError as error:
        raise BuildError(f"{path}: {error.strerror or error}", "Name the file that `navitasBundle` made.") from error


def _working_dir(path: Path, manifest: AnyManifest) -> Path:
    """Return the tests' working folder by its name, relative to the folder that Gradle uses: a link may have another parent."""
    folder = manifest.working_dir if isinstance(manifest, BundleManifest) else ""
    return Path(os.path.normpath(path.absolute().parent / folder))


def _check_map(raw: bytes, manifest: AnyManifest) -> None:
    try:
        document = json.loads(raw)
        map_id = document.get("map_id") if isinstance(document, dict) else None
    except (ValueError, RecursionError) as error:
        raise InvalidBundle(f"map.json is not JSON ({error})") from error
    if map_id != manifest.map_id:
        raise InvalidBundle(f"map.json is the map {quoted(map_id)}, but the classes belong to the map {manifest.map_id}")
    if not all(isinstance(document.get(part), list) for part in ("classes", "methods")):
        raise InvalidBundle("map.json has no classes or no methods")


def _check_entries(archive: Archive) -> None:
    names = sorted(archive.zip.namelist())
    manifest = archive.manifest
    if isinstance(manifest, AndroidManifest):
        missing = set(manifest.files()).difference(names)
        if missing:
            raise InvalidBundle(f"bundle.json names {quoted(min(missing))}, which is not in it")
        return
    probed = [manifest.probed_classes] if manifest.probed_classes else []
    for entry in {*manifest.class_path, *manifest.test_roots, *probed}.difference(names):
        folder = f"{entry.rstrip('/')}/"
        at = bisect_left(names, folder)
        if at == len(names) or not names[at].startswith(folder):
            raise InvalidBundle(f"bundle.json names {quoted(entry)}, which is not in it")


def with_inputs(bundle: Bundle, path: Path, inputs: Mapping[str, str], jvm_args: Sequence[str] = ()) -> Bundle:
    """Write a copy of a bundle to `path`, and open it.

    `inputs` become system properties of the tests of Java code, and arguments of the instrumentation of Android apps
    (`InstrumentationRegistry.getArguments()`). `jvm_args` are added for Java code. Raises `BuildError` for a damaged bundle, and
    for `jvm_args` of an Android app.
    """
    if isinstance(bundle.manifest, AndroidManifest) and jvm_args:
        raise BuildError(f"{bundle.path}: an Android app has no options of a JVM", "Leave the compiler as it is.")
    with open_archive(bundle.path) as archive, zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as copy:
        document = json.loads(read_entry(archive.zip, _MANIFEST, MAX_MANIFEST_BYTES))
        key = "runner_arguments" if isinstance(bundle.manifest, AndroidManifest) else "system_properties"
        document[key] = {**document.get(key, {}), **inputs}
        if jvm_args:
            document["jvm_args"] = [*document["jvm_args"], *jvm_args]
        if "working_dir" in document:  # relative to the folder of the bundle
            document["working_dir"] = str(bundle.working_dir)
        for entry in archive.zip.infolist():
            content = json.dumps(document).encode() if entry.filename == _MANIFEST else archive.zip.read(entry)
            copy.writestr(entry.filename, content)
    return open_bundle(path)
