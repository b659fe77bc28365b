"""A fleet's folder: parts of samples by client bucket and month, the list of packages, and results of stages."""

from __future__ import annotations

import hashlib
import json
import os
import re
import secrets
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from navitas.errors import NavitasError
from navitas.fleet.schema import PACKAGES, PACKAGES_LIMIT, PPM, SAMPLES, State
from navitas.folder_lock import FolderLock

FORMAT = 1
BUCKETS = 64
# Decoded in two thirds of the time that zstd and dictionaries of numbers take, at 1.6 times the size.
_INPUTS, _NOTES = b"navitas.inputs", b"navitas.notes"
_COMPRESSION, _ROW_GROUP = "lz4", 1 << 17
_UNIT = re.compile(r"bucket=([0-9]{3,4})/month=([0-9]{4}-(?:0[1-9]|1[0-2]))", re.ASCII)
_LONGEST_SALT = 64
_BATCH = 1 << 16
"""Rows that are read at once: what is read whole passes through buffers so large that the system makes them anew each time."""
_LOOK_S = 0.2
_RANGES = {"time_s": (0, 1 << 40), "level_ppm": (0, PPM), "state": (min(State), max(State))}
_AGAIN = "Restore the file (what is in work may be deleted), or ingest the sources into a new folder."


class FleetError(NavitasError):
    """A fleet's folder cannot be read or written, or is none."""


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
        if (path / "fleet.json").exists():
            return cls.open(path)
        # A writer's lock, and what a writer that was killed has left of the settings, do not count.
        own = ("lock", ".fleet.json.")
        if path.exists() and (not path.is_dir() or any(not file.name.startswith(own) for file in path.iterdir())):
            raise FleetError(f"{path}: is no fleet, and not empty", "Name a new or empty folder.")
        path.mkdir(parents=True, exist_ok=True)
        settings = {"format": FORMAT, "buckets": buckets, "salt": secrets.token_hex(16) if salt is None else salt}
        write_whole(path / "fleet.json", json.dumps(settings, indent=2).encode() + b"\n")
        return cls.open(path)

    @classmethod
    def open(cls, path: Path) -> Store:
        """Open a fleet's folder. FleetError when it is none, or of a newer format."""
        file = path / "fleet.json"
        try:
            settings = json.loads(file.read_text("utf-8"))
            number, buckets, salt = int(settings["format"]), int(settings["buckets"]), str(settings["salt"])
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
        return self.path / "work"

    def parts(self) -> dict[Unit, list[Path]]:
        """All parts of samples by unit, both in order. FleetError where there is one of no bucket or month."""
        found: dict[Unit, list[Path]] = defaultdict(list)
        for file in sorted((self.path / "samples").glob("bucket=*/month=*/part-*.parquet")):
            named = _UNIT.fullmatch(file.parent.relative_to(self.path / "samples").as_posix())
            if named is None or int(named[1]) >= self.buckets:
                raise FleetError(
                    f"{file.parent}: is the folder of no bucket of clients (0 to {self.buckets - 1}) and month",
                    "Move it out of the fleet's folder.",
                )
            found[Unit(int(named[1]), named[2])].append(file)
        return dict(sorted(found.items()))

    def part(self, unit: Unit, name: str) -> Path:
        """Where a part of samples lies."""
        return self.path / "samples" / unit.folder / f"part-{name}.parquet"

    def packages(self) -> pa.Table:
        """Apps in their versions by number. FleetError when the list is damaged."""
        file = self.path / "packages.parquet"
        if not file.exists():
            return PACKAGES.empty_table()
        table = _typed(file, read_table(file), PACKAGES)
        number = table["id"].to_numpy()
        if len(number) and (number.min() < 0 or number.max() >= PACKAGES_LIMIT or len(set(number.tolist())) < len(number)):
            raise FleetError(f"{file}: numbers of packages are negative, too large, or there twice", _AGAIN)
        return table

    def write_packages(self, packages: pa.Table) -> None:
        """Replace the list; numbers that are in use must stay."""
        write_table(self.path / "packages.parquet", packages.cast(PACKAGES))

    def write_part(self, unit: Unit, name: str, samples: pa.Table) -> None:
        """Write a part, in order of client and time."""
        write_table(self.part(unit, name), samples.cast(SAMPLES))


@contextmanager
def only_writer(path: Path, waiting: Callable[[str], None] | None = None) -> Iterator[None]:
    """Hold a fleet's folder, made if need be, for this process alone.

    Where another one writes to it, `waiting` is called with its number, once, and its end awaited. FleetError without `waiting`.
    """
    lock = FolderLock(path / "lock")
    try:
        path.mkdir(parents=True, exist_ok=True)
        free = lock.acquire()
        if not free and waiting is not None:
            waiting(lock.holder())
            while not free:
                time.sleep(_LOOK_S)
                free = lock.acquire()
    except OSError as error:
        raise FleetError(
            f"{path}: cannot be written: {error.strerror}", "Make room, or name a folder that may be written to."
        ) from error
    if not free:
        raise FleetError(f"{path}: process {lock.holder() or '?'} is writing to it", "Try again when that has ended.")
    try:
        yield
    finally:
        lock.release()


def fingerprint(*files: Path) -> str:
    """What tells whether inputs have changed: their names and sizes, for parts never change."""
    digest = hashlib.blake2b(digest_size=12)
    for file in files:
        digest.update(f"{file.parent.name}/{file.name} {file.stat().st_size}\n".encode())
    return digest.hexdigest()


def read_table(file: Path, columns: list[str] | None = None) -> pa.Table:
    """A Parquet file. FleetError when it cannot be read."""
    try:
        whole = pq.ParquetFile(file)
        batches = [*whole.iter_batches(_BATCH, columns=columns, use_threads=False)]
        return pa.Table.from_batches(batches) if batches else whole.read(columns, use_threads=False)
    except MemoryError:  # one of Arrow's errors too
        raise
    except (OSError, pa.ArrowException) as error:
        raise FleetError(f"{file}: cannot be read: {error}", _AGAIN) from error


def read_samples(file: Path, columns: Sequence[str]) -> pa.Table:
    """Columns of a part of samples; what may be unknown may be missing. FleetError when it cannot be read, or is none."""
    table = _typed(file, read_table(file, [*columns]), pa.schema([SAMPLES.field(name) for name in columns]))
    for name in _RANGES.keys() & set(columns):
        least, most = _RANGES[name]
        found = pc.min_max(table[name]).as_py()
        if table.num_rows and not least <= found["min"] <= found["max"] <= most:
            raise FleetError(f"{file}: is no part of samples: {name} is not within {least} to {most}", _AGAIN)
    return table


def _typed(file: Path, table: pa.Table, schema: pa.Schema) -> pa.Table:
    """The schema's columns. FleetError where one has another type, or nulls or nothing that may not be unknown."""
    columns = []
    for field in schema:
        if table.column_names.count(field.name) > 1:
            raise FleetError(f"{file}: column {field.name} is there twice", _AGAIN)
        there = field.name in table.column_names
        try:
            column = table[field.name].cast(field.type) if there else pa.chunked_array([pa.nulls(table.num_rows, field.type)])
        except pa.ArrowException as error:
            raise FleetError(f"{file}: column {field.name} holds other values than {field.type}: {error}", _AGAIN) from error
        if (column.null_count or _element_nulls(column)) and not field.nullable:
            raise FleetError(f"{file}: column {field.name} {'has nulls' if there else 'is missing'}", _AGAIN)
        columns.append(column)
    return pa.table(columns, schema=schema)


def _element_nulls(column: pa.ChunkedArray) -> int:
    """Nulls in lists."""
    return sum(chunk.values.null_count for chunk in column.chunks) if pa.types.is_list(column.type) else 0


def write_table(file: Path, table: pa.Table, inputs: str = "", notes: Mapping[str, int] | None = None) -> None:
    """Write a Parquet file whole, with what it was made of and counts to tell. FleetError when it cannot be written."""
    if inputs:
        table = table.replace_schema_metadata({_INPUTS: inputs.encode(), _NOTES: json.dumps(dict(notes or {})).encode()})
    with _whole(file) as name:
        texts = [field.name for field in table.schema if pa.types.is_string(field.type)]
        pq.write_table(table, name, compression=_COMPRESSION, use_dictionary=texts, row_group_size=_ROW_GROUP)


def is_of(file: Path, inputs: str) -> bool:
    """Whether a result is there and was made of these inputs."""
    return _metadata(file).get(_INPUTS) == inputs.encode()


def notes_of(file: Path) -> dict[str, int]:
    """The counts that were written with a result."""
    found: dict[str, int] = json.loads(_metadata(file).get(_NOTES, b"{}"))
    return found


def _metadata(file: Path) -> Mapping[bytes, bytes]:
    try:
        return pq.read_schema(file).metadata or {}
    except (OSError, pa.ArrowException):
        return {}


def write_whole(file: Path, data: bytes) -> None:
    """Write a file whole. FleetError when there is no room or no permission."""
    with _whole(file) as name:
        name.write_bytes(data)


class _whole:  # noqa: N801
    """Names a file to be written; it takes its place when all went well."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._made = file.with_name(f".{file.name}.{os.getpid()}")

    def __enter__(self) -> Path:
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise self._refusal(error) from error
        return self._made

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if error is None:
            try:
                self._made.replace(self._file)
            except OSError as refused:
                self._made.unlink(missing_ok=True)
                raise self._refusal(refused) from refused
            return
        self._made.unlink(missing_ok=True)
        if isinstance(error, OSError | pa.ArrowException):
            raise self._refusal(error) from error

    def _refusal(self, error: Exception) -> FleetError:
        return FleetError(f"{self._file}: cannot be written: {error}", "Make room, or allow writing there.")
