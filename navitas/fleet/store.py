"""A fleet's folder: parts of samples by client bucket and month, the list of packages, and results of stages."""

from __future__ import annotations

import json
import re
import secrets
import stat
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from navitas.fleet import layout
from navitas.fleet.files import AGAIN, FleetError, read_table, typed, write_table, write_whole
from navitas.fleet.schema import PACKAGES, PACKAGES_LIMIT, PPM, SAMPLES, State, before_arrays
from navitas.folder_lock import FolderLock
from navitas.new_files import is_leftover, remove_leftovers
from navitas.regular_files import read_regular

FORMAT = 1
BUCKETS = 64
_UNIT = re.compile(r"bucket=([0-9]{3,4})/month=([0-9]{4}-(?:0[1-9]|1[0-2]))", re.ASCII)
_LONGEST_SALT = 64
_LARGEST_SETTINGS = 1 << 16
_RANGES = {"time_s": (0, 1 << 40), "level_ppm": (0, PPM), "state": (min(State), max(State))}


class Unit(NamedTuple):
    """What is computed at once: the clients of a bucket in a month (`2026-03`)."""

    bucket: int
    month: str

    @property
    def folder(self) -> str:
        """Where in a table's folder."""
        return f"bucket={self.bucket:03d}/month={self.month}"


@dataclass(frozen=True, slots=True)
class Store:
    """A fleet's folder. Files appear whole: they are written under another name and renamed."""

    path: Path
    buckets: int
    salt: str

    @classmethod
    def create(cls, path: Path, *, buckets: int = BUCKETS, salt: str | None = None) -> Store:
        """Make the folder, or open it where it is one already. FleetError when it is something else."""
        if (path / layout.SETTINGS).exists():
            return cls.open(path)
        if path.exists() and not (path.is_dir() and all(map(_is_no_content, path.iterdir()))):
            raise FleetError(f"{path}: is no fleet, and not empty", "Name a new or empty folder.")
        path.mkdir(parents=True, exist_ok=True)
        settings = {"format": FORMAT, "buckets": buckets, "salt": secrets.token_hex(16) if salt is None else salt}
        write_whole(path / layout.SETTINGS, json.dumps(settings, indent=2).encode() + b"\n", private=True)
        return cls.open(path)

    @classmethod
    def open(cls, path: Path) -> Store:
        """Open a fleet's folder. FleetError when it is none, or of a newer format."""
        before_arrays()
        file = path / layout.SETTINGS
        try:
            settings = json.loads(read_regular(file, _LARGEST_SETTINGS))
            number, buckets, salt = int(settings["format"]), int(settings["buckets"]), str(settings["salt"])
        except PermissionError as error:
            raise FleetError(
                f"{file}: cannot be read: {error.strerror}", "Ask its owner: it holds what the clients' pseudonyms are made with."
            ) from error
        except (OSError, ValueError, OverflowError, KeyError, TypeError, RecursionError) as error:
            raise FleetError(
                f"{path}: is no fleet ({file.name} cannot be read: {error})", "Begin with `navitas fleet ingest`."
            ) from error
        if number > FORMAT:
            raise FleetError(f"{file}: is of format {number}, this version reads up to {FORMAT}", "Update navitas.")
        if not 1 <= buckets <= 4096:
            raise FleetError(f"{file}: {buckets} buckets are not between 1 and 4096", "Restore the file.")
        if len(salt.encode("utf-8", "replace")) > _LONGEST_SALT:
            raise FleetError(f"{file}: the salt is longer than {_LONGEST_SALT} bytes", "Restore the file.")
        return cls(path, buckets, salt)

    @property
    def work(self) -> Path:
        """Where stages keep their results; it may be deleted."""
        return self.path / layout.WORK

    def parts(self) -> dict[Unit, list[Path]]:
        """All parts of samples by unit, both in order. FleetError where there is one of no bucket or month."""
        found: dict[Unit, list[Path]] = defaultdict(list)
        for file in sorted((self.path / layout.SAMPLES).glob("bucket=*/month=*/part-*.parquet")):
            named = _UNIT.fullmatch(file.parent.relative_to(self.path / layout.SAMPLES).as_posix())
            if named is None or int(named[1]) >= self.buckets:
                raise FleetError(
                    f"{file.parent}: is the folder of no bucket of clients (0 to {self.buckets - 1}) and month",
                    "Move it out of the fleet's folder.",
                )
            found[Unit(int(named[1]), named[2])].append(file)
        return dict(sorted(found.items()))

    def part(self, unit: Unit, name: str) -> Path:
        """Where a part of samples lies."""
        return self.path / layout.SAMPLES / unit.folder / f"part-{name}.parquet"

    def packages(self) -> pa.Table:
        """Apps in their versions by number. FleetError when the list is damaged."""
        file = self.path / layout.PACKAGES
        if not file.exists():
            return PACKAGES.empty_table()
        table = typed(file, read_table(file), PACKAGES)
        number = table["id"].to_numpy()
        if len(number) and (number.min() < 0 or number.max() >= PACKAGES_LIMIT or len(set(number.tolist())) < len(number)):
            raise FleetError(f"{file}: numbers of packages are negative, too large, or there twice", AGAIN)
        return table

    def write_packages(self, packages: pa.Table) -> None:
        """Replace the list; numbers that are in use must stay."""
        write_table(self.path / layout.PACKAGES, packages.cast(PACKAGES))

    def write_part(self, unit: Unit, name: str, samples: pa.Table) -> None:
        """Write a part, in order of client and time."""
        write_table(self.part(unit, name), samples.cast(SAMPLES))


def _is_no_content(file: Path) -> bool:
    """A writer's lock, and what a writer that was killed has left of the settings."""
    return file.name == layout.LOCK or is_leftover(file)


@contextmanager
def only_writer(path: Path, waiting: Callable[[str], None] | None = None) -> Iterator[None]:
    """Hold a fleet's folder, made if need be, for this process alone.

    Where another one writes to it, `waiting` is called with its number, once, and its end awaited. FleetError without `waiting`.
    """
    lock = FolderLock(path / layout.LOCK)
    try:
        path.mkdir(parents=True, exist_ok=True)
        free = lock.acquire() if waiting is None else lock.wait(waiting)
    except OSError as error:
        raise FleetError(
            f"{path}: cannot be written: {error.strerror}", "Make room, or name a folder that may be written to."
        ) from error
    if not free:
        raise FleetError(f"{path}: process {lock.holder() or '?'} is writing to it", "Try again when that has ended.")
    try:
        if (path / layout.SETTINGS).is_file():
            _tidy(path)
        yield
    finally:
        lock.release()


def _tidy(path: Path) -> None:
    """Remove the files that killed writers have not finished, and keep the salt of a store that was made before from others."""
    remove_leftovers(path)
    settings = path / layout.SETTINGS
    with suppress(PermissionError):  # another user's
        if (mode := stat.S_IMODE(settings.stat().st_mode)) & (stat.S_IRWXG | stat.S_IRWXO):
            settings.chmod(mode & stat.S_IRWXU)


def read_samples(file: Path, columns: Sequence[str]) -> pa.Table:
    """Columns of a part of samples; what may be unknown may be missing. FleetError when it cannot be read, or is none."""
    table = typed(file, read_table(file, [*columns]), pa.schema([SAMPLES.field(name) for name in columns]))
    for name in _RANGES.keys() & set(columns):
        least, most = _RANGES[name]
        found = pc.min_max(table[name]).as_py()
        if table.num_rows and not least <= found["min"] <= found["max"] <= most:
            raise FleetError(f"{file}: is no part of samples: {name} is not within {least} to {most}", AGAIN)
    return table
