"""Write a recording: raw files as they arrive, and a manifest that is valid at any moment."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Self

from navitas import __version__
from navitas.base.folder_lock import FolderLock
from navitas.base.new_files import write_new
from navitas.recording.codes import LossCode, WarningCode
from navitas.recording.layout import LOCK_NAME, MANIFEST_NAME, NAMES, POWER_PROFILE_NAME, RESERVE_NAME
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
from navitas.recording.recording_folder import FULL, acquire, clear, write_error

# Deleted when the disk is full, to make room for the last manifest.
_RESERVE_BYTES = 256 << 10

Setting = str | int | float | bool | None
DEFAULT_VOLTAGE_V = 3.85


@dataclass(frozen=True, slots=True)
class Supply:
    """A power profile's XML and name, and the voltage that converts its mA to mW, with its source.

    `replaceable`: it is the phone's profile, read from outside of the app. A profile that the app reads takes precedence.
    """

    profile_xml: bytes
    profile_source: str
    voltage_v: float
    voltage_source: VoltageSource
    replaceable: bool = False


class RecordingWriter:
    """Writes one recording. Use it as a context manager, in one thread.

    The manifest exists from `__enter__` on, with state `partial`, and is replaced by rename. The recording therefore opens
    even if the process is killed. It stays `partial` after an exception, or without a call of `finish`.
    """

    def __init__(
        self,
        root: Path,
        *,
        project: Project,
        device: DeviceEntry,
        supply: Supply,
        settings: Mapping[str, Setting],
        components: Sequence[str] = (),
        provenance: Provenance | None = None,
        created_utc: datetime | None = None,
        lock: FolderLock | None = None,
    ) -> None:
        """`components` names the components with recorded data. `lock` is the lock from `reserve_folder`, if it is held."""
        self.root = root
        self._lock = lock or FolderLock(root / LOCK_NAME)
        self._profile_xml = supply.profile_xml
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
            sha256=hashlib.sha256(supply.profile_xml).hexdigest(),
            source=supply.profile_source,
            voltage_v=supply.voltage_v,
            voltage_source=supply.voltage_source,
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
        """Create the folder, or replace the files of an older recording there.

        Raises `RecordingError` if the folder contains anything else, or another profiling is writing there.
        """
        acquire(self.root, self._lock)
        try:
            clear(self.root)
            write_new(self.root / RESERVE_NAME, os.urandom(_RESERVE_BYTES))
            write_new(self.root / POWER_PROFILE_NAME, self._profile_xml)
            self.save()
        except BaseException as error:
            (self.root / RESERVE_NAME).unlink(missing_ok=True)
            self._lock.release()
            if isinstance(error, OSError):
                raise write_error(self.root, error) from error
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Save an unfinished recording as `partial`. Raises `RecordingError` if the folder could not be written."""
        try:
            if not self._finished:
                self.finish("partial")
            if isinstance(error, OSError):
                raise write_error(self.root, error) from error
        except OSError as full:
            raise write_error(self.root, full) from full
        finally:
            (self.root / RESERVE_NAME).unlink(missing_ok=True)
            self._lock.release()

    def path(self, kind: FileKind, run: int | None, name: str) -> Path:
        """Return where to write a raw file, in an existing folder. The manifest lists the file if it exists at the end."""
        folder = "maps" if kind == "map" else "" if run is None else f"runs/{run}"
        relative = f"{folder}/{name}" if folder else name
        path = self.root / relative
        path.parent.mkdir(parents=True, exist_ok=True)
        self._pending[relative] = (kind, run)
        return path

    def add_file(self, kind: FileKind, run: int | None, name: str, data: bytes) -> Path:
        """Write a complete raw file and list it."""
        path = self.path(kind, run, name)
        write_new(path, data)
        self._list(path.relative_to(self.root).as_posix(), kind, run)
        return path

    def replace_power_profile(self, xml: bytes, source: str) -> None:
        """Replace the power profile."""
        write_new(self.root / POWER_PROFILE_NAME, xml)
        now = {"sha256": hashlib.sha256(xml).hexdigest(), "source": source}
        profile = self._manifest.power_profile.model_copy(update=now)
        self._manifest = self._manifest.model_copy(update={"power_profile": profile})
        self.save()

    def add_map(self, map_id: str, module: str, data: bytes, includes: Sequence[str] = ()) -> None:
        """Save a method map (`map.json`) as `maps/<map_id>.json`. Does nothing if the recording has it.

        `includes` are ids of maps whose method ids have the same meaning in this map.
        """
        if map_id in self._maps:
            return
        path = self.add_file("map", None, f"{map_id}.json", data)
        relative = path.relative_to(self.root).as_posix()
        self._maps[map_id] = Map(
            id=map_id, file=relative, sha256=self._files[relative].sha256, module=module, includes=list(includes)
        )
        self.save()

    def add_names(self, map_id: str, mapping: bytes) -> None:
        """Save a build's mapping.txt, for the names of its samples. Does nothing if it is empty, or if the recording has it."""
        if mapping and f"maps/{map_id}{NAMES}" not in self._files:
            self.add_file("map", None, f"{map_id}{NAMES}", mapping)

    def add_source(self, source: Source) -> None:
        """Add a sampled counter."""
        self._sources[source.id] = source

    def add_run(self, run: Run) -> None:
        """Add a run, or replace the run with the same id. Add it as `interrupted` when it starts, and again when it ends."""
        self._runs[run.id] = run
        self.save()

    def bind_run(self, run: int, map_id: str, module: str) -> None:
        """Set the method map and the module of an added run."""
        self.add_run(self._runs[run].model_copy(update={"map_id": map_id, "module": module}))

    def add_test(self, test: Test) -> None:
        """Add a test, or replace the test with the same id. Add it as `cut` when it starts, and again when it ends."""
        self._tests[test.id] = test

    def warn(self, code: WarningCode, message: str, remedy: str = "", *, run: int | None = None) -> None:
        """Add a warning about a run. Identical warnings are added once."""
        warning = Warning(code=code, message=message, remedy=remedy, run=run)
        if warning not in self._warnings:
            self._warnings.append(warning)

    def add_loss(self, what: LossCode, count: int, run: int | None = None) -> None:
        """Add an amount of data that is known to be missing."""
        if count > 0:
            self._losses.append(Loss(what=what, count=count, run=run))

    def finish(self, state: State = "complete") -> Manifest:
        """List every file from `path` that exists, and write the final manifest."""
        self._finished = True
        return self.checkpoint(state)

    def checkpoint(self, state: State = "partial") -> Manifest:
        """List the files that exist and write the manifest. Call it when a run has ended and its files are complete."""
        for relative, (kind, run) in list(self._pending.items()):
            if (self.root / relative).is_file():
                self._list(relative, kind, run)
        return self.save(state)

    def save(self, state: State = "partial") -> Manifest:
        """Write the current manifest, by rename."""
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
            write_new(self.root / MANIFEST_NAME, text)
        except OSError as error:
            reserve = self.root / RESERVE_NAME
            if error.errno not in FULL or not reserve.exists():
                raise
            reserve.unlink()
            write_new(self.root / MANIFEST_NAME, text)
        return manifest

    def _list(self, relative: str, kind: FileKind, run: int | None) -> None:
        path = self.root / relative
        with path.open("rb") as stream:
            sha256 = hashlib.file_digest(stream, "sha256").hexdigest()
        self._files[relative] = File(path=relative, kind=kind, bytes=path.stat().st_size, sha256=sha256, run=run)
        del self._pending[relative]
