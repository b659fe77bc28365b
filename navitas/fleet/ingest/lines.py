"""A source's bytes → blocks of its lines, in bounded memory whatever the file holds."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from navitas.fleet.store import FleetError

LINE_LIMIT = 1 << 20
"""Longer lines are refused, and never held."""
_CHUNK = 1 << 20
BLOCK = 8 << 20
_GZIP = b"\x1f\x8b"
_BOM = b"\xef\xbb\xbf"
_SHOWN = 2000


@dataclass(frozen=True, slots=True)
class Refusal:
    """A row that is not taken, and why; `text` is its beginning."""

    row: int
    reason: str
    text: bytes


@dataclass(frozen=True, slots=True)
class Block:
    """Lines that follow one another, without empty ones, and their numbers from 1 on; refused are those that are too long."""

    numbers: list[int] = field(default_factory=list)
    lines: list[bytes] = field(default_factory=list)
    refused: list[Refusal] = field(default_factory=list)


@dataclass(slots=True)
class SourceFile:
    """A file to be ingested: its content's hash, and its bytes up to the size it had when that was made."""

    path: Path
    size: int = 0
    digest: str = ""
    done: int = 0

    def open(self) -> SourceFile:
        """Compute the hash (128 bits of SHA-256). FleetError when the file cannot be read."""
        digest = hashlib.sha256()
        self.size = 0
        with self._opened() as stream:
            while data := stream.read(_CHUNK):
                digest.update(data)
                self.size += len(data)
        self.digest = _text(digest)
        return self

    def blocks(self, size: int = BLOCK) -> Iterator[Block]:
        """The lines of the content, decompressed; what a broken end leaves is told as a refusal.

        FleetError when the content is no longer what the hash was made of.
        """
        cutter = _Cutter()
        held: list[bytes] = []
        length = 0
        reason = ""
        try:
            for data in self._plain():
                held.append(data)
                length += len(data)
                if length >= size:
                    yield cutter.cut(b"".join(held))
                    held, length = [], 0
        except _Broken as broken:
            reason = str(broken)
        last = cutter.cut(b"".join(held), end=True)
        if reason:
            last.refused.append(Refusal(cutter.number + 1, reason, b""))
        yield last

    def _opened(self) -> BinaryIO:
        try:
            if not self.path.is_file():
                raise FleetError(f"{self.path}: is no file", "Name files of samples.")
            return self.path.open("rb")
        except OSError as error:
            raise FleetError(f"{self.path}: cannot be read: {error.strerror}", "Name files that may be read.") from error

    def _plain(self) -> Iterator[bytes]:
        raw = self._raw()
        first = next(raw, b"")
        yield from _gunzip(first, raw) if first.startswith(_GZIP) else _chain(first, raw)

    def _raw(self) -> Iterator[bytes]:
        digest = hashlib.sha256()
        self.done = 0
        with self._opened() as stream:
            while data := stream.read(min(_CHUNK, self.size - self.done)):
                digest.update(data)
                self.done += len(data)
                yield data
        if _text(digest) != self.digest:
            raise FleetError(f"{self.path}: has changed while it was read", "Ingest it again when nothing writes to it.")


def _text(digest: hashlib._Hash) -> str:
    return digest.hexdigest()[:32]


class _Broken(Exception):
    """The content ends early."""


def _chain(first: bytes, rest: Iterator[bytes]) -> Iterator[bytes]:
    yield first
    yield from rest


def _gunzip(first: bytes, rest: Iterator[bytes]) -> Iterator[bytes]:
    """Gzip members one after another; all that can be decompressed comes before `_Broken`."""
    unpack = zlib.decompressobj(31)
    broken = ""
    for data in _chain(first, rest):
        left = b"" if broken else data
        while left:
            try:
                yield unpack.decompress(left, _CHUNK)
            except zlib.error:
                broken = "the compressed file is damaged here"
                break
            # Files on tapes and disks may be filled up with zeros.
            left = unpack.unused_data.lstrip(b"\0") if unpack.eof else unpack.unconsumed_tail
            if unpack.eof and left:
                unpack = zlib.decompressobj(31)
    if broken or not unpack.eof:
        raise _Broken(broken or "the compressed file ends early")


class _Cutter:
    """Cuts bytes into lines; of a line that has not ended it keeps no more than `LINE_LIMIT`."""

    def __init__(self) -> None:
        self.number = 0
        self._rest = b""
        self._too_long = False

    def cut(self, data: bytes, *, end: bool = False) -> Block:
        """The lines that end in `data`, at the `end` of the content also what is left."""
        lines = data.split(b"\n")
        lines[0] = self._rest + lines[0]
        self._rest = b"" if end else lines.pop()
        block = Block()
        if self._too_long and lines:  # the end of a line whose beginning was let go
            self._refuse(lines[0], self.number + 1, block)
            lines[0] = b""
            self._too_long = False
        if self.number == 0 and lines:
            lines[0] = lines[0].removeprefix(_BOM)
        if b"\r" in data:
            lines = [line.removesuffix(b"\r") for line in lines]
        for number, line in enumerate(lines, self.number + 1):
            if line and not line.isspace():
                if len(line) > LINE_LIMIT:
                    self._refuse(line, number, block)
                else:
                    block.numbers.append(number)
                    block.lines.append(line)
        self.number += len(lines)
        if len(self._rest) > LINE_LIMIT:
            self._rest, self._too_long = self._rest[:_SHOWN], True
        return block

    @staticmethod
    def _refuse(line: bytes, number: int, block: Block) -> None:
        block.refused.append(Refusal(number, "the line is longer than 1 MiB", line[:_SHOWN]))
