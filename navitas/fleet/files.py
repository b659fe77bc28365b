"""Files of a fleet's folder: written completely or not at all, with a fingerprint of their inputs."""

from __future__ import annotations

import errno
import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path, PurePosixPath
from typing import BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq

from navitas.base.errors import NavitasError
from navitas.base.new_files import replacing, write_new
from navitas.base.regular_files import check_regular, read_regular
from navitas.fleet.remote_path import RemotePath

RESTORE = "Restore the file (files in work may be deleted), or ingest the sources into a new folder."
"""Remedy for a damaged file."""
_INPUTS, _NOTES = b"navitas.inputs", b"navitas.notes"
# Decodes in two thirds of the time of zstd with dictionaries of numbers, at 1.6 times the size.
_COMPRESSION, _ROW_GROUP = "lz4", 1 << 17
_BATCH = 1 << 16
"""Rows per read. Larger reads need buffers that the system allocates again each time."""


class FleetError(NavitasError):
    """A fleet's folder cannot be read or written, or is not a fleet."""


def one_line(error: Exception) -> str:
    """Return what an error of Arrow or DuckDB says. Some of them have several lines, or end with a line break."""
    return " ".join(str(error).split())


def check_inside(names: Iterable[str]) -> None:
    """Raise `ValueError` if a name of a file is not within the fleet's folder."""
    if outside := next((name for name in names if PurePosixPath(name).is_absolute() or ".." in PurePosixPath(name).parts), None):
        raise ValueError(f"{outside} is outside of the fleet")


def fingerprint(*files: Path) -> str:
    """A hash of the files' names and sizes. Parts never change, so this identifies the inputs."""
    digest = hashlib.blake2b(digest_size=12)
    for file in files:
        digest.update(f"{file.parent.name}/{file.name} {file.stat().st_size}\n".encode())
    return digest.hexdigest()


def read_table(file: Path, columns: list[str] | None = None) -> pa.Table:
    """Read a Parquet file. Raises `FleetError` if that fails."""
    try:
        with _readable(file) as source:
            # Without the checksums, most flipped bytes would be other values.
            whole = pq.ParquetFile(source, pre_buffer=isinstance(file, RemotePath), page_checksum_verification=True)
            batches = [*whole.iter_batches(_BATCH, columns=columns, use_threads=False)]
            return pa.Table.from_batches(batches) if batches else whole.read(columns, use_threads=False)
    except MemoryError:  # Also a subclass of ArrowException.
        raise
    except (OSError, pa.ArrowException) as error:
        raise FleetError(f"{file}: cannot be read: {one_line(error)}", RESTORE) from error


def read_metadata(file: Path) -> pq.FileMetaData:
    """A Parquet file's metadata. Raises `OSError` and `pa.ArrowException`."""
    with _readable(file) as source:
        return pq.read_metadata(source)


def read_small(file: Path, limit_bytes: int) -> bytes:
    """All bytes of a file. Raises `OSError`, also for a file larger than the limit."""
    if not isinstance(file, RemotePath):
        return read_regular(file, limit_bytes)
    if len(data := file.read_bytes(limit_bytes + 1)) > limit_bytes:
        raise OSError(errno.EFBIG, f"larger than {limit_bytes:,} bytes", str(file))
    return data


def _readable(file: Path) -> AbstractContextManager[Path | BinaryIO]:
    """What Arrow reads a file from. Raises `OSError` for anything but a regular file."""
    if isinstance(file, RemotePath):
        return file.reading()
    check_regular(file)
    return nullcontext(file)


def typed(file: Path, table: pa.Table, schema: pa.Schema) -> pa.Table:
    """Cast to the schema's columns. Raises `FleetError` if a type differs, or if a required column is missing or has nulls."""
    columns = []
    for field in schema:
        if table.column_names.count(field.name) > 1:
            raise FleetError(f"{file}: column {field.name} occurs twice", RESTORE)
        there = field.name in table.column_names
        try:
            column = table[field.name].cast(field.type) if there else pa.chunked_array([pa.nulls(table.num_rows, field.type)])
        except pa.ArrowException as error:
            raise FleetError(f"{file}: values of column {field.name} are not {field.type}: {one_line(error)}", RESTORE) from error
        if (column.null_count or _element_nulls(column)) and not field.nullable:
            raise FleetError(f"{file}: column {field.name} {'has nulls' if there else 'is missing'}", RESTORE)
        columns.append(column)
    return pa.table(columns, schema=schema)


def _element_nulls(column: pa.ChunkedArray) -> int:
    """The number of nulls in lists."""
    return sum(chunk.values.null_count for chunk in column.chunks) if pa.types.is_list(column.type) else 0


def write_table(file: Path, table: pa.Table, inputs: str = "", notes: Mapping[str, int] | None = None) -> None:
    """Write a Parquet file completely, with the fingerprint of its inputs and `notes` (counts). Raises FleetError."""
    if inputs:
        table = table.replace_schema_metadata({_INPUTS: inputs.encode(), _NOTES: json.dumps(dict(notes or {})).encode()})
    texts = [field.name for field in table.schema if pa.types.is_string(field.type)]
    with _unwritable(file), _replacing(file) as target:
        form = {"compression": _COMPRESSION, "use_dictionary": texts, "row_group_size": _ROW_GROUP}
        pq.write_table(table, target, write_page_checksum=True, **form)


@contextmanager
def _replacing(file: Path) -> Iterator[Path | pa.NativeFile]:
    """What Arrow writes a file to. The file is replaced at the end of the block."""
    if isinstance(file, RemotePath):
        sink = pa.BufferOutputStream()
        yield sink
        file.write_bytes(sink.getvalue().to_pybytes())
        return
    file.parent.mkdir(parents=True, exist_ok=True)
    with replacing(file) as name:
        yield name


def is_made_from(file: Path, inputs: str) -> bool:
    """Whether the result exists and was computed from these inputs."""
    return _metadata(file).get(_INPUTS) == inputs.encode()


def notes_of(file: Path) -> dict[str, int]:
    """The counts that were written with a result."""
    found: dict[str, int] = json.loads(_metadata(file).get(_NOTES, b"{}"))
    return found


def _metadata(file: Path) -> Mapping[bytes, bytes]:
    try:
        return read_metadata(file).metadata or {}
    except (OSError, pa.ArrowException):
        return {}


def write_whole(file: Path, data: bytes, *, private: bool = False) -> None:
    """Write a file completely. Only the owner can read a new `private` file. FleetError without space or permission."""
    with _unwritable(file):
        if isinstance(file, RemotePath):
            file.write_bytes(data)
            return
        file.parent.mkdir(parents=True, exist_ok=True)
        write_new(file, data, private=private)


@contextmanager
def _unwritable(file: Path) -> Iterator[None]:
    """Convert errors of writing the file to FleetError."""
    try:
        yield
    except (OSError, pa.ArrowException) as error:
        raise FleetError(f"{file}: cannot be written: {one_line(error)}", "Free some space, or allow writing there.") from error
