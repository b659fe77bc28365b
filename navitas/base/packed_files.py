"""Recognizes packed files by how they begin, names what unpacks them, and unpacks gzip and Zstandard in bounded memory."""

from __future__ import annotations

import importlib
import zlib
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, NamedTuple

from navitas.base.extra_libraries import extra_library


class Packing(NamedTuple):
    """A format of packed files, the command that unpacks one, and the usual ends of their names."""

    name: str
    command: str
    suffixes: tuple[str, ...]


GZIP = Packing("gzip", "gunzip", (".gz",))
ZSTD = Packing("Zstandard", "unzstd", (".zst", ".zstd"))
_PACKINGS = {
    b"\x1f\x8b": GZIP,
    b"PK\x03\x04": Packing("zip", "unzip", (".zip",)),
    b"\x28\xb5\x2f\xfd": ZSTD,
    b"\xfd7zXZ\0": Packing("xz", "unxz", (".xz",)),
    b"BZh": Packing("bzip2", "bunzip2", (".bz2",)),
    b"\x04\x22\x4d\x18": Packing("LZ4", "unlz4", (".lz4",)),
    b"7z\xbc\xaf\x27\x1c": Packing("7-Zip", "7z x", (".7z",)),
}
_ZLIB_STEP, _ZSTD_STEP = 1 << 14, 1 << 10
"""Packed bytes at once. Each byte of zlib expands to at most 1 KiB, each of Zstandard to at most 32 KiB."""


class DamagedPacking(Exception):
    """Packed data is damaged or ends early: the message continues a sentence about it."""


def packing_of(head: bytes) -> Packing | None:
    """Return how a file is packed that begins with these bytes; None if it is not packed."""
    return next((packing for magic, packing in _PACKINGS.items() if head.startswith(magic)), None)


def gunzip(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the content of gzip members one after another. Raises `DamagedPacking` after all readable bytes.

    zlib checks a member's sum before it returns the last of its bytes. gzip.GzipFile returns them first.
    """
    return _unpacked(pieces, partial(zlib.decompressobj, 31), zlib.error, _ZLIB_STEP)


def inflate(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the content of zlib's own form. Raises `DamagedPacking` after all readable bytes."""
    return _unpacked(pieces, zlib.decompressobj, zlib.error, _ZLIB_STEP)


def unzstd(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the content of Zstandard frames. Raises `DamagedPacking` after all readable bytes.

    Raises `UsageError` with the command that installs the library, which Python has from 3.14 on.
    """
    try:
        library = importlib.import_module("compression.zstd")
        return _unpacked(pieces, library.ZstdDecompressor, library.ZstdError, _ZSTD_STEP)
    except ImportError:
        library = extra_library("zstandard", "unpacking Zstandard needs", "zstd")
        return _unpacked(pieces, lambda: library.ZstdDecompressor().decompressobj(), library.ZstdError, _ZSTD_STEP)


def _unpacked(pieces: Iterable[bytes], begin: Callable[[], Any], error: type[Exception], step: int) -> Iterator[bytes]:
    unpacker = begin()
    for data in pieces:
        for at in range(0, len(data), step):
            left = data[at : at + step]
            # Archives may be padded with zeros.
            while left := left.lstrip(b"\0") if unpacker.eof else left:
                if unpacker.eof:
                    unpacker = begin()
                try:
                    yield unpacker.decompress(left)
                except error:
                    raise DamagedPacking("is damaged here") from None
                left = unpacker.unused_data if unpacker.eof else b""
    if not unpacker.eof:
        raise DamagedPacking("ends early")
