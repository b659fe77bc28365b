"""Packets of the adb transport protocol (AOSP packages/modules/adb, protocol.txt and adb.h)."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from enum import IntEnum

_HEADER = struct.Struct("<6I")
HEADER_BYTES = _HEADER.size

VERSION_SKIP_CHECKSUM = 0x01000001
MAX_PAYLOAD = 1024 * 1024
MAX_BANNER = 4096


class Command(IntEnum):
    """The packet kinds of a plain connection (no authentication, no TLS)."""

    CNXN = 0x4E584E43
    OPEN = 0x4E45504F
    OKAY = 0x59414B4F
    CLSE = 0x45534C43
    WRTE = 0x45545257
    SYNC = 0x434E5953
    AUTH = 0x48545541
    STLS = 0x534C5453


class WireError(Exception):
    """The peer violated the protocol, so the connection must be dropped."""


@dataclass(frozen=True, slots=True)
class Header:
    """The fixed part of a packet, with a known command and a valid magic number."""

    command: Command
    arg0: int
    arg1: int
    length: int
    check: int


@dataclass(frozen=True, slots=True)
class Packet:
    """One packet. `arg0` and `arg1` are stream ids, except in CNXN (version, largest payload)."""

    command: Command
    arg0: int
    arg1: int
    payload: bytes = b""


def checksum(payload: bytes) -> int:
    """Return the sum of the payload's bytes modulo 2**32, which versions before 01000001 require."""
    return sum(payload) & 0xFFFFFFFF


def encode(packet: Packet, *, with_checksum: bool = True) -> bytes:
    """Return the bytes of a packet. The checksum field is 0 if both sides agreed to skip it."""
    check = checksum(packet.payload) if with_checksum else 0
    magic = packet.command ^ 0xFFFFFFFF
    return _HEADER.pack(packet.command, packet.arg0, packet.arg1, len(packet.payload), check, magic) + packet.payload


def decode_header(data: bytes, *, max_payload: int = MAX_PAYLOAD) -> Header:
    """Decode the first 24 bytes of a packet. Raises `WireError` for anything that a peer may not send."""
    command, arg0, arg1, length, check, magic = _HEADER.unpack(data)
    if magic != command ^ 0xFFFFFFFF:
        raise WireError(f"bad magic {magic:#010x} for command {command:#010x}")
    try:
        known = Command(command)
    except ValueError:
        raise WireError(f"unknown command {command:#010x}") from None
    if length > max_payload:
        raise WireError(f"{known.name} with {length} bytes; at most {max_payload} were agreed")
    return Header(known, arg0, arg1, length, check)


def decode_payload(header: Header, payload: bytes, *, verify: bool) -> Packet:
    """Join header and payload. With `verify`, raises `WireError` if the checksum differs."""
    if len(payload) != header.length:
        raise WireError(f"{header.command.name} cut short: {len(payload)} of {header.length} bytes")
    if verify and checksum(payload) != header.check:
        raise WireError(f"{header.command.name} with a wrong checksum")
    return Packet(header.command, header.arg0, header.arg1, payload)
