"""A file of samples: its hash, and its decompressed lines."""

from __future__ import annotations

import hashlib
import io
import os
import re
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path, PurePath
from typing import BinaryIO

import pyarrow as pa

from navitas.base.line_blocks import LineBlock, LineCutter, Refusal, utf8_of
from navitas.base.packed_files import DamagedPacking, gunzip
from navitas.base.regular_files import open_regular
from navitas.fleet.files import FleetError
from navitas.fleet.ingest.checkin import CheckinReader
from navitas.fleet.ingest.column_map import ColumnMap
from navitas.fleet.ingest.parquet_rows import MAGIC, ParquetRows
from navitas.fleet.ingest.raw import Reader, RowBatch
from navitas.fleet.ingest.text_lines import CsvReader, JsonReader

_CHUNK = 1 << 18
BLOCK = 8 << 20
_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
_HEAD = 1 << 10
"""Bytes checked to recognize a binary file early."""
_JSON, _CSV = (".jsonl", ".json", ".ndjson"), (".csv",)
_FOR_PEOPLE = re.compile(rb"Battery History|Statistics since last charge")
_CHECKIN = re.compile(rb"\d{1,2},(\d+,[a-z],|h,|hsp,)")


@dataclass(slots=True)
class SourceFile:
    """A file to ingest: the hash of its content, and its bytes up to the size at the time of hashing.

    `client_column` is the index of the client among a line's comma-separated cells; −1 if lines have no cells.
    """

    path: Path
    size: int = 0
    digest: str = ""
    done: int = 0
    is_parquet: bool = False
    client_column: int = -1
    _key: bytes = b""
    _seen: tuple[int, int, int] = (0, 0, 0)

    def check_text(self) -> None:
        """Check the first bytes. Raises `FleetError` for an unreadable file, or one of another kind."""
        with self._opened() as stream:
            head = stream.read(_HEAD)
        self.is_parquet = head.startswith(MAGIC)
        if b"\0" in utf8_of(head)(head) and not head.startswith((_GZIP, _ZSTD, MAGIC)):
            raise FleetError(f"{self.path}: neither text, compressed text nor Parquet", "Name files of samples.")

    def open(self, key: bytes = b"") -> SourceFile:
        """Compute the hash of the content and `key` (128 bits of SHA-256). Raises `FleetError` if the file cannot be read."""
        self._key = key
        with self._opened() as stream:
            status = os.fstat(stream.fileno())
            self._seen = status.st_ino, status.st_size, status.st_mtime_ns
            self.digest, self.size = self._hashed(stream)
        return self

    def _hashed(self, stream: BinaryIO, size: int | None = None) -> tuple[str, int]:
        """The hash, and the number of bytes, of the content or of its beginning."""
        digest, done = hashlib.sha256(self._key), 0
        while data := stream.read(_CHUNK if size is None else min(_CHUNK, size - done)):
            digest.update(data)
            done += len(data)
        return digest.hexdigest()[:32], done

    def check_unchanged(self, stream: BinaryIO) -> None:
        """Raise `FleetError` if the content has changed since it was hashed. More content after it does not matter."""
        now = os.fstat(stream.fileno())
        if (now.st_ino, now.st_size, now.st_mtime_ns) == self._seen:
            return
        stream.seek(0)
        if self._hashed(stream, self.size)[0] != self.digest:
            raise FleetError(f"{self.path}: changed while it was read", "Ingest it again when nothing writes to it.")

    def blocks(self) -> Iterator[LineBlock]:
        """Yield the decompressed lines. A damaged end becomes a refusal.

        Raises `FleetError` if the content has changed since it was hashed.
        """
        cutter = LineCutter()
        held: list[bytes] = []
        length = 0
        reason = ""
        try:
            for data in self._plain():
                held.append(data)
                length += len(data)
                if length >= BLOCK:
                    yield cutter.cut(b"".join(held))
                    held, length = [], 0
        except _Broken as broken:
            reason = str(broken)
        last = cutter.cut(b"".join(held), end=True)
        if reason:
            last.refused.append(Refusal(cutter.number + 1, reason, b""))
        yield last

    def reads(self, client: str, columns: ColumnMap) -> Iterator[Callable[[], RowBatch]]:
        """Yield functions that return the batches of rows. They may run in any order. `client` is the phone of histories.

        Raises `FleetError` if the file is of no known form, lacks a column, or changes.
        """
        if self.is_parquet:
            yield from (partial(_same, rows) for rows in ParquetRows(self.path, columns).batches())
            return
        blocks = self.blocks()
        first = next(blocks)
        reader = reader_of(source_name(self.path), first, client, columns)
        for block in chain([first], blocks):
            read = partial(reader.read, block) if reader.reads_in_any_order else partial(_same, reader.read(block))
            self.client_column = reader.client_column
            yield read
        yield reader.end

    def _opened(self) -> BinaryIO:
        try:
            return open_regular(self.path)
        except OSError as error:
            remedy = "Check the name, and that you may read the file."
            raise FleetError(f"{self.path}: cannot be read: {error.strerror}", remedy) from error

    def _plain(self) -> Iterator[bytes]:
        with self._opened() as stream:
            packed = _SourceBytes(self, stream)
            head = stream.read(len(_ZSTD))
            stream.seek(0)
            unpack = _gunzip if head.startswith(_GZIP) else _unzstd if head.startswith(_ZSTD) else partial(_pieces, size=BLOCK)
            utf8 = None
            for data in filter(None, unpack(packed)):
                utf8 = utf8 or utf8_of(data)
                yield utf8(data)


def _same(batch: RowBatch) -> RowBatch:
    return batch


def source_name(file: Path) -> str:
    """A file's name, for reports and as a client's name. Bytes that are not UTF-8 are escaped."""
    return os.fsencode(file.name).decode("utf-8", "backslashreplace")


class _Broken(Exception):
    """The content ends too early."""


class _SourceBytes(io.RawIOBase):
    """The bytes of an open file that were hashed. Raises `FleetError` at their end if they have changed since."""

    def __init__(self, source: SourceFile, stream: BinaryIO) -> None:
        self._source, self._stream = source, stream
        source.done = 0

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        data = self._stream.read(min(_CHUNK if size < 0 else size, self._source.size - self._source.done))
        self._source.done += len(data)
        if not data:
            self._source.check_unchanged(self._stream)
        return data


def _pieces(stream: _SourceBytes, size: int) -> Iterator[bytes]:
    return iter(lambda: stream.read(size), b"")


def _unzstd(stream: _SourceBytes) -> Iterator[bytes]:
    """Decompress Zstandard. `_Broken` is raised after all readable bytes."""
    try:
        yield from _pieces(pa.CompressedInputStream(pa.PythonFile(stream, "r"), "zstd"), _CHUNK)
    except (OSError, pa.ArrowException):
        deque(_pieces(stream, _CHUNK), 0)  # Reports a file that changes while it is read.
        raise _Broken("the compressed file is damaged here, or ends early") from None


def _gunzip(stream: _SourceBytes) -> Iterator[bytes]:
    """Decompress consecutive gzip members. `_Broken` is raised after all readable bytes."""
    try:
        yield from gunzip(_pieces(stream, _CHUNK))
    except DamagedPacking as error:
        deque(_pieces(stream, _CHUNK), 0)  # Reports a file that changes while it is read.
        raise _Broken(f"the compressed file {error}") from None


def reader_of(name: str, first: LineBlock, client: str, columns: ColumnMap | None = None) -> Reader:
    """The reader for a file by its name and first block. Raises `FleetError` if there is none.

    `client` is the phone of a batterystats history. `{name}` in it stands for the file name without extensions.
    """
    path, columns = PurePath(name), columns or ColumnMap()
    ending = path.with_suffix("").suffix if path.suffix in (".gz", ".zst") else path.suffix
    line = next(iter(first.lines), b"").lstrip()
    if ending in _JSON or line.startswith(b"{"):
        return JsonReader(name, columns)
    if any(_CHECKIN.match(one) for one in first.lines[:100]):
        if not client:
            raise FleetError(
                f"{name}: a batterystats history does not name its phone",
                "Name the phone with --client NAME; '{name}' stands for the file name.",
            )
        if columns != ColumnMap():
            raise FleetError(
                f"{name}: a batterystats history has no columns to map, and its levels are percent",
                "Ingest it without --map, --map-file and --scale.",
            )
        return CheckinReader(client.replace("{name}", path.name.partition(".")[0]))
    if ending in _CSV or any(header.encode() in line for header in ("client", *columns.columns)):
        return CsvReader(name=name, columns=columns)
    if not first.lines:
        return JsonReader(name, columns)
    if any(_FOR_PEOPLE.search(one) for one in first.lines[:100]):
        raise FleetError(
            f"{name}: this is the readable output of `dumpsys batterystats`, whose form differs between phones",
            "Use `dumpsys batterystats --checkin` (or -c), or `navitas fleet sample --battery-history`.",
        )
    raise FleetError(
        f"{name}: not JSON lines, CSV, Parquet, or a history of `dumpsys batterystats --checkin`",
        "See docs/fleet-reference.md for the formats.",
    )
