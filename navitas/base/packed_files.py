"""Recognizes packed files by how they begin, so that errors can say what unpacks them."""

from __future__ import annotations

from typing import NamedTuple


class Packing(NamedTuple):
    """A format of packed files, and the command that unpacks one."""

    name: str
    command: str


_PACKINGS = {
    b"\x1f\x8b": Packing("gzip", "gunzip"),
    b"PK\x03\x04": Packing("zip", "unzip"),
    b"\x28\xb5\x2f\xfd": Packing("Zstandard", "unzstd"),
    b"\xfd7zXZ\0": Packing("xz", "unxz"),
    b"BZh": Packing("bzip2", "bunzip2"),
    b"\x04\x22\x4d\x18": Packing("LZ4", "unlz4"),
    b"7z\xbc\xaf\x27\x1c": Packing("7-Zip", "7z x"),
}


def packing_of(head: bytes) -> Packing | None:
    """Return how a file is packed that begins with these bytes; None if it is not packed."""
    return next((packing for magic, packing in _PACKINGS.items() if head.startswith(magic)), None)
