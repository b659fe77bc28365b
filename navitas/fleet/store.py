"""A fleet's folder: parts of samples by bucket of clients and month, the list of packages, and results of stages."""

from __future__ import annotations

import re
import stat
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import chain, product
from pathlib import Path
from typing import NamedTuple, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from navitas.base.folder_lock import FolderLock
from navitas.base.new_files import is_leftover, remove_leftovers
from navitas.fleet import layout
from navitas.fleet.files import RESTORE, FleetError, one_line, read_metadata, read_table, typed, write_table
from navitas.fleet.period import ALL_TIME, Period
from navitas.fleet.remote_path import RemotePath
from navitas.fleet.schema import (
    PACKAGES,
    PACKAGES_LIMIT,
    PPM,
    SAMPLES,
    State,
    bucket_of,
    client_number,
    month_of,
    parse_pseudonym,
)
from navitas.fleet.snapshot import Snapshot, snapshot_of
from navitas.fleet.store_settings import SALT_VARIABLE, read_settings, write_settings

BUCKETS = 64
_UNIT = re.compile(r"bucket=([0-9]{3,4})/month=([0-9]{4}-(?:0[1-9]|1[0-2]))", re.ASCII)
_RANGES = {"level_ppm": (0, PPM), "state": (min(State), max(State))}
_TIME = "time_s"
_PLACE = "client", _TIME
_AT_ONCE = 16

T = TypeVar("T")
R = TypeVar("R")


class Unit(NamedTuple):
    """The unit of computation: the clients of a bucket in a month (`2026-03`)."""

    bucket: int
    month: str

    @property
    def folder(self) -> str:
        """The unit's folder within a table's folder."""
        return f"bucket={self.bucket:03d}/month={self.month}"


@dataclass(frozen=True, slots=True)
class Store:
    """A fleet's folder. Files are written under another name and renamed, so each is complete or absent.

    Results are restricted to `period`; samples are not.

    `snapshot` is what an object store has. Then `path` is its URL, or a local folder of what is to be added to it.
    """

    path: Path
    buckets: int
    salt: str | None
    period: Period = ALL_TIME
    snapshot: Snapshot | None = None

    @classmethod
    def create(cls, path: Path, *, buckets: int | None = None, salt: str | None = None) -> Store:
        """Create the folder, or open an existing fleet. Raises the errors of `existing`.

        The salt is `salt`, or a random one. If `NAVITAS_FLEET_SALT` has one, that is used, and not kept in the folder.
        """
        if (store := cls.existing(path, buckets)) is not None:
            return store
        path.mkdir(parents=True, exist_ok=True)
        write_settings(path / layout.SETTINGS, buckets or BUCKETS, salt)
        return cls.open(path)

    @classmethod
    def existing(cls, path: Path, buckets: int | None = None) -> Store | None:
        """The fleet at a path; None if a new one can be created there.

        Raises `FleetError` if the folder holds something else, or a fleet with another number of buckets.
        """
        if cls.named(path).file(layout.SETTINGS).exists():
            store = cls.open(path)
            if buckets not in (None, store.buckets):
                message = f"{path}: the fleet has {store.buckets} buckets, which cannot change"
                raise FleetError(message, "Leave out --buckets, or name a new fleet.")
            return store
        if isinstance(path, RemotePath):
            return None
        # A folder with a writer's lock, or leftovers of a killed writer, counts as empty.
        empty = path.is_dir() and all(file.name == layout.LOCK or is_leftover(file) for file in path.iterdir())
        if path.exists() and not empty:
            raise FleetError(f"{path}: not a fleet, and not empty", "Name a new or empty folder.")
        return None

    @classmethod
    def open(cls, path: Path) -> Store:
        """Open a fleet's folder. Raises `FleetError` if it is not a fleet, of a newer format, or if the salt is another one."""
        store = cls.named(path)
        settings = read_settings(store.file(layout.SETTINGS))
        return replace(store, buckets=settings.buckets, salt=settings.salt)

    def file(self, name: str) -> Path:
        """The file of the store that is called so. In an object store, it never changes."""
        return self.snapshot.file(name) if self.snapshot and isinstance(self.path, RemotePath) else self.path / name

    @classmethod
    def named(cls, path: Path) -> Store:
        """The store at a path, without its settings. It need not exist."""
        return cls(path, BUCKETS, None, snapshot=snapshot_of(path))

    @property
    def key(self) -> str:
        """The salt, which names of clients need. Raises `FleetError` if the folder does not have it, and it is not given."""
        if self.salt is None:
            remedy = f"Set {SALT_VARIABLE} to the salt of its first ingest, or give a pseudonym instead of a name."
            raise FleetError(f"{self.path}: the fleet does not keep its salt", remedy)
        return self.salt

    @property
    def work(self) -> Path:
        """The folder of stages' results. It may be deleted at any time."""
        folder = self.period.folder
        return self.path / layout.PERIODS / folder if folder else self.path / layout.WORK

    def parts(self) -> dict[Unit, list[Path]]:
        """All parts of samples by unit, both in order. Raises `FleetError` if a folder is not of a valid bucket and month."""
        found: dict[Unit, list[Path]] = defaultdict(list)
        folder = self.path / layout.SAMPLES
        files = {} if self.snapshot is None else dict[str, Path](self.snapshot.part_files())
        if not isinstance(folder, RemotePath):
            files |= {file.relative_to(folder).as_posix(): file for file in folder.glob("bucket=*/month=*/part-*.parquet")}
        for name, file in sorted(files.items()):
            named = _UNIT.fullmatch(name.rpartition("/")[0])
            if named is None or int(named[1]) >= self.buckets:
                raise FleetError(
                    f"{file.parent}: not the folder of a bucket (0 to {self.buckets - 1}) and a month",
                    "Move it out of the fleet's folder.",
                )
            found[Unit(int(named[1]), named[2])].append(file)
        return dict(sorted(found.items()))

    def each(self, work: Callable[[T], R], items: Sequence[T]) -> list[R]:
        """The results of work on each item, in order: at the same time for an object store, which takes long to answer."""
        if self.snapshot is None:
            return [*map(work, items)]
        with ThreadPoolExecutor(_AT_ONCE) as working:
            return [*working.map(work, items)]

    def part(self, unit: Unit, name: str) -> Path:
        """The file of a part of samples."""
        return self.path / layout.SAMPLES / unit.folder / f"part-{name}.parquet"

    def packages(self) -> pa.Table:
        """Packages (an app in a version) by number. Raises `FleetError` if the list is damaged."""
        file = self.file(layout.PACKAGES)
        if not file.exists():
            return PACKAGES.empty_table()
        table = typed(file, read_table(file), PACKAGES)
        number = table["id"].to_numpy()
        if len(number) and (number.min() < 0 or number.max() >= PACKAGES_LIMIT or len(set(number.tolist())) < len(number)):
            raise FleetError(f"{file}: package numbers are negative, too large, or duplicated", RESTORE)
        return table

    def write_packages(self, packages: pa.Table) -> None:
        """Replace the list. Numbers in use must not change."""
        write_table(self.path / layout.PACKAGES, packages.cast(PACKAGES))

    def write_part(self, unit: Unit, name: str, samples: pa.Table) -> None:
        """Write a part, in order of client and time."""
        write_table(self.part(unit, name), samples.cast(SAMPLES))


@contextmanager
def exclusive_writer(path: Path, waiting: Callable[[str], None] | None = None) -> Iterator[None]:
    """Lock a fleet's folder for this process; create it if needed.

    If another process holds the lock, call `waiting` once with its number and wait. Without `waiting`, raise FleetError. A fleet
    in an object store has no lock: its commits exclude each other, and each process computes the same results.
    """
    if isinstance(path, RemotePath):
        yield
        return
    lock = FolderLock(path / layout.LOCK)
    try:
        path.mkdir(parents=True, exist_ok=True)
        free = lock.acquire() if waiting is None else lock.wait(waiting)
    except OSError as error:
        raise FleetError(
            f"{path}: cannot be written: {error.strerror}", "Free some space, or name a folder that you may write to."
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
    """Remove unfinished files of killed writers, and make the salt of an older store private."""
    remove_leftovers(path)
    settings = path / layout.SETTINGS
    with suppress(PermissionError):  # The file belongs to another user.
        if (mode := stat.S_IMODE(settings.stat().st_mode)) & (stat.S_IRWXG | stat.S_IRWXO):
            settings.chmod(mode & stat.S_IRWXU)


def read_samples(file: Path, columns: Sequence[str], buckets: int) -> pa.Table:
    """Read columns of a part of samples, with `client` and `time_s`. Optional columns may be missing.

    Raises `FleetError` if the file is not a valid part of the bucket and month of its folder.
    """
    table = typed(file, read_table(file, [*columns]), pa.schema([SAMPLES.field(name) for name in columns]))
    for name in _RANGES.keys() & set(columns):
        least, most = _RANGES[name]
        found = pc.min_max(table[name]).as_py()
        if table.num_rows and not least <= found["min"] <= found["max"] <= most:
            raise FleetError(f"{file}: not a part of samples: {name} is not within {least} to {most}", RESTORE)
    if table.num_rows:
        _check_place(file, buckets, *([*pc.min_max(table[name]).as_py().values()] for name in _PLACE))
    return table


def check_places(store: Store) -> None:
    """Raise `FleetError` if a part is in the folder of another bucket or month."""

    def check(file: Path) -> None:
        _check_place(file, store.buckets, *([*chain.from_iterable(_of_groups(file, name))] for name in _PLACE))

    store.each(check, [file for files in store.parts().values() for file in files])


def _check_place(file: Path, buckets: int, clients: list[int], times: list[int]) -> None:
    """Check the least and greatest client and time of a part. These suffice: a part is misplaced with all its clients."""
    months = np.datetime_as_string(month_of(np.array(times, np.int64)))
    units = product(bucket_of(np.array(clients, np.int64), buckets).tolist(), months.tolist())
    folders = {Unit(bucket, month).folder for bucket, month in units}
    if folders - {f"{file.parent.parent.name}/{file.parent.name}"}:
        raise FleetError(f"{file}: not a part of samples: some are of another bucket or month than its folder", RESTORE)


def first_and_last_s(store: Store, period: Period) -> tuple[int, int] | None:
    """The Unix times of the first and the last sample in a period; None without samples in it."""
    found = [*_spans(store, period)]
    return (min(first for first, _ in found), max(last for _, last in found)) if found else None


def has_samples(store: Store, period: Period) -> bool:
    """Whether any sample is in the period."""
    return next(_spans(store, period), None) is not None


def is_state_known(store: Store) -> bool:
    """Whether any sample has a known state of the battery."""
    return any(
        last != State.UNKNOWN for files in store.parts().values() for file in files for _, last in _of_groups(file, "state")
    )


def day(time_s: int) -> str:
    """The UTC day of a time."""
    return datetime.fromtimestamp(time_s, UTC).date().isoformat()


def _spans(store: Store, period: Period) -> Iterator[tuple[int, int]]:
    """The first and last time in the period, by part that has any."""
    for unit, files in store.parts().items():
        for file in files if period.has_month(unit.month) else ():
            for first, last in _of_groups(file, _TIME):
                if period.since_s <= first and last < period.until_s:
                    yield first, last
                elif first < period.until_s and period.since_s <= last:
                    time_s = read_table(file, [_TIME])[_TIME].to_numpy()
                    inside = time_s[(time_s >= period.since_s) & (time_s < period.until_s)]
                    if len(inside):
                        yield int(inside.min()), int(inside.max())


def _of_groups(file: Path, name: str) -> Iterator[tuple[int, int]]:
    """The least and greatest value of a column in each row group, from the file's statistics."""
    try:
        metadata = read_metadata(file)
        column = metadata.schema.to_arrow_schema().get_field_index(name)
        numbers = range(metadata.num_row_groups)
        groups = [metadata.row_group(number).column(column).statistics if column >= 0 else None for number in numbers]
    except (OSError, pa.ArrowException) as error:
        raise FleetError(f"{file}: cannot be read: {one_line(error)}", RESTORE) from error
    for one in groups:
        if one is None or not one.has_min_max or not isinstance(one.min, int):
            if len(values := typed(file, read_table(file, [name]), pa.schema([SAMPLES.field(name)]))[name].to_numpy()):
                yield int(values.min()), int(values.max())
            return
        yield int(one.min), int(one.max)


def find_client(store: Store, text: str, known: Collection[int]) -> int:
    """The number of a client, by its name at the source or by its pseudonym. Raises FleetError."""
    if (number := next((one for one in client_numbers(store, text) if one in known), None)) is not None:
        return number
    raise unknown_client(store, text)


def client_numbers(store: Store, text: str) -> Iterator[int]:
    """Yield a client's number by its pseudonym, then by its name: a name may look like a pseudonym."""
    if (given := parse_pseudonym(text)) is not None:
        yield given
    yield client_number(text, store.key)


def unknown_client(store: Store, text: str, more: str = "") -> FleetError:
    """The error that a store has no such client. `more` is added to the remedy."""
    remedy = "Give the name that it was ingested by, or its pseudonym from `navitas fleet jscore`."
    return FleetError(f"{store.path}: no client is called {text}", f"{remedy} {more}".rstrip())


def find_app(store: Store, text: str, known: dict[int, str]) -> int:
    """The number of an app. Raises FleetError."""
    for number, name in known.items():
        if name == text:
            return number
    raise FleetError(f"{store.path}: no sample has the app {text}", "Give its package name, such as org.example.mail.")
