"""Where an ingest stores samples: a local folder, or an object store, to which each stored group is committed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from navitas.base.errors import NavitasError
from navitas.base.owned_folder import owned_folder
from navitas.fleet import layout
from navitas.fleet.files import FleetError
from navitas.fleet.remote_path import RemotePath
from navitas.fleet.snapshot import Snapshot, UnknownCommit
from navitas.fleet.store import exclusive_writer

_AT_ONCE = 8
"""Objects that are written at once: most of the time is the store's answer."""


@dataclass(frozen=True, slots=True)
class Destination:
    """A local folder to store in. `publish` is called when a group of sources is stored there.

    `snapshot`: what an object store already has, without what `publish` adds to it.
    """

    folder: Path
    snapshot: Snapshot | None = None
    publish: Callable[[], None] = lambda: None


@contextmanager
def destination(path: Path) -> Iterator[Destination]:
    """The destination for a fleet, which no other process changes meanwhile. Raises `NavitasError`.

    A local folder is created if needed, and removed at the end if it is empty.
    """
    if isinstance(path, RemotePath):
        snapshot = Snapshot.latest(path)
        snapshot.check_writable()
        with owned_folder("navitas-ingest-") as owned:
            folder = owned / "store"
            folder.mkdir()
            for name in layout.COMMITTED:
                with suppress(FileNotFoundError):
                    (folder / name).write_bytes(snapshot.file(name).read_bytes())
            committed = _committed(folder)
            # Errors name the objects: the copies are gone after that.
            objects = {str(folder / name): str(snapshot.file(name)) for name in committed} | {str(folder): str(path)}
            try:
                yield Destination(folder, snapshot, _Publisher(folder, snapshot, committed).publish)
            except FleetError as error:
                name, _, cause = error.message.partition(": ")
                if name not in objects:
                    raise
                raise FleetError(f"{objects[name]}: {cause}", error.remedy) from error
        return
    existed = path.exists()
    try:
        with exclusive_writer(path):
            yield Destination(path)
    finally:
        if not existed:
            with suppress(OSError):
                path.rmdir()


class _Publisher:
    """Adds what is new in a local folder to an object store."""

    def __init__(self, folder: Path, snapshot: Snapshot, committed: dict[str, bytes]) -> None:
        self._folder = folder
        self._snapshot = snapshot
        self._sent = committed

    def publish(self) -> None:
        """Write new parts and refused rows, then commit.

        Raises `UnknownCommit` if the store may have them, other kinds of `NavitasError` if the fleet has not changed.
        """
        parts = self._folder / layout.SAMPLES
        sizes = {file.relative_to(parts).as_posix(): file.stat().st_size for file in parts.rglob("*.parquet")}
        new = [f"{layout.SAMPLES}/{name}" for name in sizes.keys() - self._snapshot.parts.keys()]
        refused = [f"{layout.QUARANTINE}/{file.name}" for file in (self._folder / layout.QUARANTINE).glob("*.jsonl")]
        files = _committed(self._folder)
        changed = {name: data for name, data in files.items() if data != self._sent.get(name)}
        try:
            with ThreadPoolExecutor(_AT_ONCE) as writing:
                list(writing.map(self._copy, [*new, *refused]))
            self._snapshot = self._snapshot.commit(changed, {**self._snapshot.parts, **sizes})
        except UnknownCommit:
            raise
        except NavitasError:
            with suppress(NavitasError):  # What refuses to write may refuse to remove. No commit lists these parts.
                self._snapshot.remove(new)
            raise
        self._sent = files
        for name in refused:
            (self._folder / name).unlink()

    def _copy(self, name: str) -> None:
        (self._snapshot.root / name).write_bytes((self._folder / name).read_bytes())


def _committed(folder: Path) -> dict[str, bytes]:
    """The files that a commit lists, by name."""
    return {name: (folder / name).read_bytes() for name in layout.COMMITTED if (folder / name).exists()}
