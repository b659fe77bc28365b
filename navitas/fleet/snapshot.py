"""A fleet in an object store: commits that list its objects. They need neither locks, nor renames, nor complete listings.

A commit is an object with the next number, created only if there is none, so one of several processes succeeds. Its objects are
written before it and never change. So a reader sees all of a commit, and a killed writer changes nothing.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from navitas.base.errors import NavitasError
from navitas.fleet import layout
from navitas.fleet.files import RESTORE, FleetError, check_inside
from navitas.fleet.remote_path import RemoteError, RemotePath

_KEPT = 20
"""Commits that may still be read. Older ones become empty objects, which keep their numbers taken."""
_EMPTY = b"{}"


class UnknownCommit(FleetError):
    """The store may or may not have a commit, so its objects stay."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The state of a fleet after a commit. Number 0: a folder that was copied to the store, or nothing.

    `parts` has the sizes of parts of samples by name, `objects` the name of the object for each other file. `token` is in the
    names of all objects that this process adds, so no two processes write the same one.
    """

    root: RemotePath
    number: int
    parts: Mapping[str, int]
    objects: Mapping[str, str]
    token: str = field(default_factory=lambda: secrets.token_hex(8), compare=False)

    @classmethod
    def latest(cls, root: RemotePath) -> Snapshot:
        """The latest commit. Raises `FleetError` if it is damaged."""
        numbers = [int(file.stem) for file in (root / layout.COMMITS).rglob("*.json") if file.stem.isdecimal()]
        number = max(numbers, default=0)
        while _commit_file(root, number + 1).exists():  # A store may list new objects late.
            number += 1
        if number == 0:
            folder = root / layout.SAMPLES
            copied = {file.relative_to(folder).as_posix(): file.stat().st_size for file in folder.rglob("*.parquet")}
            return cls(root, 0, copied, {})
        file = _commit_file(root, number)
        try:
            commit = json.loads(file.read_bytes())
            parts = {str(name): int(size) for name, size in commit["parts"].items()}
            objects = {str(name): str(key) for name, key in commit["objects"].items()}
            check_inside([*parts, *objects.values()])
            return cls(root, number, parts, objects)
        except (OSError, ValueError, OverflowError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise FleetError(f"{file}: cannot be read: {error}", RESTORE) from error

    def file(self, name: str) -> RemotePath:
        """The object of a file such as the list of packages."""
        return self.root / self.objects.get(name, name)

    def part_files(self) -> dict[str, RemotePath]:
        """The parts of samples by name."""
        files = {}
        for name, size in self.parts.items():
            files[name] = self.root / layout.SAMPLES / name
            files[name].size = size
        return files

    def check_writable(self) -> None:
        """Raise `FleetError` unless the store refuses to create an object twice, on which commits rely."""
        probe = self.root / layout.COMMITS / f"probe-{self.token}"
        try:
            if not probe.create(_EMPTY) or probe.create(_EMPTY):
                raise FleetError(
                    f"{self.root}: the object store replaces an object that is created twice, so two processes could not write",
                    "Use a store with conditional writes (If-None-Match), or ingest into a local folder and copy that.",
                )
        finally:
            probe.unlink()

    def commit(self, files: Mapping[str, bytes], parts: Mapping[str, int]) -> Snapshot:
        """Write the next commit: `files` replace those of this one. Raises `FleetError` if another process was faster,
        and `UnknownCommit` if the store does not say whether it has the commit.
        """
        number = self.number + 1
        added = {name: f"{layout.COMMITS}/{number:08d}-{self.token}-{name}" for name in files}
        for name, data in files.items():
            (self.root / added[name]).write_bytes(data)
        made = Snapshot(self.root, number, dict(parts), {**self.objects, **added}, self.token)
        text = json.dumps({"parts": made.parts, "objects": made.objects})
        if not _is_written(_commit_file(self.root, number), text.encode()):
            self.remove(added.values())
            raise FleetError(f"{self.root}: another process changed the fleet in the meantime", "Run the command again.")
        with suppress(NavitasError):  # The next commit can do it.
            made._forget_old()
        return made

    def remove(self, names: Iterable[str]) -> None:
        """Remove objects by their names in the folder."""
        for name in names:
            (self.root / name).unlink()

    def _forget_old(self) -> None:
        """Remove the files of a commit that no one reads any more."""
        old = self.number - _KEPT
        if old > 0:
            _commit_file(self.root, old).write_bytes(_EMPTY)
            kept = {*self.objects.values()}
            for file in (self.root / layout.COMMITS).rglob("*"):
                name = f"{layout.COMMITS}/{file.name}"
                if file.name.startswith(f"{old:08d}-") and name not in kept:
                    file.unlink()


def snapshot_of(path: Path) -> Snapshot | None:
    """The latest snapshot of a fleet in an object store; None for a local folder."""
    return Snapshot.latest(path) if isinstance(path, RemotePath) else None


def _is_written(file: RemotePath, commit: bytes) -> bool:
    """Create the object of a commit. Return whether it is this one: its answer may be lost, or it may have been sent twice."""
    try:
        return file.create(commit) or file.read_bytes() == commit
    except RemoteError as error:
        try:
            return file.read_bytes() == commit
        except FileNotFoundError:
            raise error from None
        except RemoteError:
            raise UnknownCommit(
                f"{error.message}; it may have the commit", f"{error.remedy} Then run the command again."
            ) from error


def _commit_file(root: RemotePath, number: int) -> RemotePath:
    return root / layout.COMMITS / f"{number:08d}.json"
