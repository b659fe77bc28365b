"""Writing a recording: raw files as they come, and a manifest that is loadable at any moment."""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Self

from navitas import __version__
from navitas.errors import RecordingError
from navitas.folder_lock import FolderLock
from navitas.new_files import is_leftover, remove_leftovers, write_new
from navitas.recording.codes import LossCode, WarningCode
from navitas.recording.manifest import (
    SCHEMA_MINOR,
    DeviceEntry,
    File,
    FileKind,
    Loss,
    Manifest,
    Map,
    PowerProfileEntry,
    Project,
    Provenance,
    Run,
    Source,
    State,
    Test,
    VoltageSource,
    Warning,
)
from navitas.recording.raw import read_json

MANIFEST_NAME = "manifest.json"
# A hundred thousand tests take 20 MiB.
MAX_MANIFEST_BYTES = 64 << 20
LOCK_NAME = ".lock"
RESERVE_NAME = ".reserve"
POWER_PROFILE_NAME = "power_profile.xml"

# Given up when the disk is full, so that the manifest can still say what has been recorded.
_RESERVE_BYTES = 256 << 10
_CHANGE_S = 5.0
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)

Setting = str | int | float | bool | None


class RecordingWriter:
    """Makes one recording. A context manager, used by one thread.

    The manifest exists (as `partial`) from `__enter__` on and is replaced by rename, so whatever ends the process leaves a
    recording that opens. Leaving the block by an exception, or without `finish`, keeps it `partial`.
    """

    def __init__(
        self,
        root: Path,
        *,
        project: Project,
        device: DeviceEntry,
        power_profile: bytes,
        power_profile_source: str,
        voltage_v: float,
        voltage_source: VoltageSource,
        settings: Mapping[str, Setting],
        components: Sequence[str] = (),
        provenance: Provenance | None = None,
        created_utc: datetime | None = None,
        lock: FolderLock | None = None,
    ) -> None:
        """`components` names those that data is recorded of; `lock` is that of `reserved`, where the caller holds it already."""
        self.root = root
        self._lock = lock or FolderLock(root / LOCK_NAME)
        self._profile_xml = power_profile
        self._pending: dict[str, tuple[FileKind, int | None]] = {}
        self._files: dict[str, File] = {}
        self._runs: dict[int, Run] = {}
        self._tests: dict[int, Test] = {}
        self._maps: dict[str, Map] = {}
        self._sources: dict[int, Source] = {}
        self._losses: list[Loss] = []
        self._warnings: list[Warning] = []
        self._finished = False
        profile = PowerProfileEntry(
            file=POWER_PROFILE_NAME,
            sha256=hashlib.sha256(power_profile).hexdigest(),
            source=power_profile_source,
            voltage_v=voltage_v,
            voltage_source=voltage_source,
        )
        created = (created_utc or datetime.now(UTC)).astimezone(UTC).isoformat(timespec="seconds")
        self._manifest = Manifest(
            schema_minor=SCHEMA_MINOR,
            navitas_version=__version__,
            created_utc=created,
            state="partial",
            project=project,
            device=device,
            provenance=provenance or Provenance(),
            maps=[],
            power_profile=profile,
            settings=dict(settings),
            components=list(components),
            sources=[],
            runs=[],
            tests=[],
            files=[],
        )

    def __enter__(self) -> Self:
        """Make the folder, replacing an older recording's files there.

        RecordingError when the folder holds anything else, or another profiling is writing there.
        """
        _take(self.root, self._lock)
        try:
            _clear(self.root)
            write_new(self.root / RESERVE_NAME, os.urandom(_RESERVE_BYTES))
            write_new(self.root / POWER_PROFILE_NAME, self._profile_xml)
            self.save()
        except BaseException as error:
            (self.root / RESERVE_NAME).unlink(missing_ok=True)
            self._lock.release()
            if isinstance(error, OSError):
                raise unwritable(self.root, error) from error
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Keep what was not finished as `partial`; RecordingError when the block ended since nothing could be written."""
        try:
            if not self._finished:
                self.finish("partial")
            if isinstance(error, OSError):
                raise unwritable(self.root, error) from error
        except OSError as full:
            raise unwritable(self.root, full) from full
        finally:
            (self.root / RESERVE_NAME).unlink(missing_ok=True)
            self._lock.release()

    def path(self, kind: FileKind, run: int | None, name: str) -> Path:
        """Where to write a raw file (its folder exists). It is listed at the end, if it is there by then."""
        folder = "maps" if kind == "map" else "" if run is None else f"runs/{run}"
        relative = f"{folder}/{name}" if folder else name
        path = self.root / relative
        path.parent.mkdir(parents=True, exist_ok=True)
        self._pending[relative] = (kind, run)
        return path

    def add_file(self, kind: FileKind, run: int | None, name: str, data: bytes) -> Path:
        """Write a whole raw file and list it."""
        path = self.path(kind, run, name)
        write_new(path, data)
        self._list(path.relative_to(self.root).as_posix(), kind, run)
        return path

    def replace_power_profile(self, xml: bytes, source: str) -> None:
        """Put another power profile in the place of the one that the recording began with."""
        write_new(self.root / POWER_PROFILE_NAME, xml)
        now = {"sha256": hashlib.sha256(xml).hexdigest(), "source": source}
        profile = self._manifest.power_profile.model_copy(update=now)
        self._manifest = self._manifest.model_copy(update={"power_profile": profile})
        self.save()

    def add_map(self, map_id: str, module: str, data: bytes, includes: Sequence[str] = ()) -> None:
        """Keep a method map (`map.json`) as `maps/<map_id>.json`; the same map again changes nothing. `includes` are maps whose
        ids mean the same in it."""
        if map_id in self._maps:
            return
        path = self.add_file("map", None, f"{map_id}.json", data)
        relative = path.relative_to(self.root).as_posix()
        self._maps[map_id] = Map(
            id=map_id, file=relative, sha256=self._files[relative].sha256, module=module, includes=list(includes)
        )
        self.save()

    def add_source(self, source: Source) -> None:
        """Name a counter that is sampled."""
        self._sources[source.id] = source

    def add_run(self, run: Run) -> None:
        """Add a run, or replace the one of the same id: add it as `interrupted` when it starts, again when it has ended."""
        self._runs[run.id] = run
        self.save()

    def add_test(self, test: Test) -> None:
        """Add a test, or replace the one of the same id: add it as `cut` when it starts, again when it has ended."""
        self._tests[test.id] = test

    def warn(self, code: WarningCode, message: str, remedy: str = "", *, run: int | None = None) -> None:
        """Keep a warning, with the run that it is about; the same one only once."""
        warning = Warning(code=code, message=message, remedy=remedy, run=run)
        if warning not in self._warnings:
            self._warnings.append(warning)

    def lose(self, what: LossCode, count: int, run: int | None = None) -> None:
        """Keep how much data is known to be missing."""
        if count > 0:
            self._losses.append(Loss(what=what, count=count, run=run))

    def finish(self, state: State = "complete") -> Manifest:
        """List every file that was announced by `path` and exists, then write the manifest for good."""
        self._finished = True
        return self.settle(state)

    def settle(self, state: State = "partial") -> Manifest:
        """List the announced files that exist by now and write the manifest: a run has ended, its files are whole."""
        for relative, (kind, run) in list(self._pending.items()):
            if (self.root / relative).is_file():
                self._list(relative, kind, run)
        return self.save(state)

    def save(self, state: State = "partial") -> Manifest:
        """Write the manifest as it is known now, by rename."""
        manifest = self._manifest.model_copy(
            update={
                "state": state,
                "maps": list(self._maps.values()),
                "sources": list(self._sources.values()),
                "runs": list(self._runs.values()),
                "tests": list(self._tests.values()),
                "files": list(self._files.values()),
                "losses": list(self._losses),
                "warnings": list(self._warnings),
            }
        )
        text = manifest.model_dump_json(by_alias=True, indent=1) + "\n"
        try:
            self._replace_manifest(text)
        except OSError as error:
            reserve = self.root / RESERVE_NAME
            if error.errno not in _FULL or not reserve.exists():
                raise
            reserve.unlink()
            self._replace_manifest(text)
        return manifest

    def _replace_manifest(self, text: str) -> None:
        write_new(self.root / MANIFEST_NAME, text)

    def _list(self, relative: str, kind: FileKind, run: int | None) -> None:
        path = self.root / relative
        with path.open("rb") as stream:
            sha256 = hashlib.file_digest(stream, "sha256").hexdigest()
        self._files[relative] = File(path=relative, kind=kind, bytes=path.stat().st_size, sha256=sha256, run=run)
        del self._pending[relative]


@contextmanager
def reserved(root: Path) -> Iterator[FolderLock]:
    """Hold a recording's folder, made if needed, for this process alone before anything is written there.

    A folder that is still empty at the end, and was not there before, is removed. RecordingError when another profiling is
    writing there, or the folder holds anything but a recording.
    """
    made = [folder for folder in (root, *root.parents) if not folder.exists()]
    lock = FolderLock(root / LOCK_NAME)
    try:
        _take(root, lock)
        _replaceable(root)
        yield lock
    finally:
        lock.release()
        with suppress(OSError):  # not empty
            for folder in made:
                folder.rmdir()


def _take(root: Path, lock: FolderLock) -> None:
    try:
        root.mkdir(parents=True, exist_ok=True)
        locked = lock.acquire()
    except OSError as error:
        raise unwritable(root, error) from error
    if not locked:
        number = lock.holder()
        who = f"another profiling (process {number})" if number else "another profiling"
        raise RecordingError(f"{root}: {who} is writing a recording here", "Wait for its end, or name another folder with -o.")


@contextmanager
def changing(root: Path) -> Iterator[None]:
    """Hold a recording that is there for this process alone while it is changed; what killed changes have left is removed.

    Another change is waited for, a profiling is not. RecordingError when it is written by another process.
    """
    lock = FolderLock(root / LOCK_NAME)
    try:
        free = lock.wait(limit_s=_CHANGE_S)
    except OSError as error:
        raise unwritable(root, error) from error
    if not free:
        message = f"{root}: another profiling (process {lock.holder() or '?'}) is writing a recording here"
        raise RecordingError(message, "Wait for its end, and try again.")
    try:
        remove_leftovers(root)
        yield
    finally:
        lock.release()


def unwritable(root: Path, error: OSError) -> RecordingError:
    """The error for a recording that cannot be written, or no further."""
    message = f"{root}: cannot write a recording here: {error.strerror or error}"
    if error.errno in _FULL:
        return RecordingError(message, "Free some space, or choose a folder on another disk with -o.")
    return RecordingError(message, "Choose another folder with -o.")


def check_place(root: Path) -> None:
    """See whether a recording could be written at `root`, leaving nothing there. Raises `RecordingError`."""
    try:
        place = root
        while not place.exists():
            place = place.parent
        with tempfile.TemporaryFile(dir=place) as probe:
            probe.write(b"navitas")
            probe.flush()
        if any(len(os.fsencode(part)) > os.pathconf(place, "PC_NAME_MAX") for part in root.parts):
            raise OSError(errno.ENAMETOOLONG, os.strerror(errno.ENAMETOOLONG))
    except OSError as error:
        raise unwritable(root, error) from error


def _replaceable(root: Path) -> bool:
    """Whether `root` holds an older recording; false when it is empty. RecordingError when it holds anything else."""
    if all(path.name in (LOCK_NAME, RESERVE_NAME) or is_leftover(path) for path in root.iterdir()):
        return False
    raw = None
    if (root / MANIFEST_NAME).is_file():  # a pipe would be waited for
        with suppress(RecordingError):
            raw = read_json(root / MANIFEST_NAME, "", MAX_MANIFEST_BYTES)
    if not isinstance(raw, dict) or "navitas_version" not in raw:
        raise RecordingError(
            f"{root}: the folder is not empty and holds no recording, so nothing is written there",
            "Choose a new or empty folder with -o, or empty this one.",
        )
    return True


def _clear(root: Path) -> None:
    """Make `root` ready: an older recording loses its own files. RecordingError as `_replaceable`."""
    is_recording = _replaceable(root)
    remove_leftovers(root)
    if not is_recording:
        return
    for folder in ("maps", "runs"):
        if (root / folder).is_symlink():  # what it leads to is no part of the recording: nothing is written there
            (root / folder).unlink()
        elif (root / folder).is_dir():
            shutil.rmtree(root / folder)
    for name in (POWER_PROFILE_NAME, f"{MANIFEST_NAME}.part", MANIFEST_NAME):
        (root / name).unlink(missing_ok=True)
