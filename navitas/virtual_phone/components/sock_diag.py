"""The host's TCP sockets through netlink (sock_diag(7)), which needs no privileges: counters of open and of closed sockets."""

from __future__ import annotations

import socket
import struct
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

_NETLINK_SOCK_DIAG = 4
_SOCK_DIAG_BY_FAMILY = 20
_NLM_REQUEST_DUMP = 0x301
_NLMSG_ERROR, _NLMSG_DONE = 2, 3
_IPPROTO_TCP = 6
_INET_DIAG_INFO = 2
LISTEN = 10
_TIME_WAIT, _CLOSE = 6, 7
# The states after the other end's FIN, which the kernel counts as a received byte; also the state of a closed socket.
_AFTER_FIN = (_CLOSE, 8, 9, 11)
# The states after the own FIN, which the kernel counts as a byte to send until it is sent.
_AFTER_OWN_FIN = (4, 9, 11)
_STATES = sum(1 << state for state in range(1, 12) if state not in (_TIME_WAIT, _CLOSE))
# SKNLGRP_INET_TCP_DESTROY and SKNLGRP_INET6_TCP_DESTROY, as a mask.
_DESTROY_GROUPS = 1 << 0 | 1 << 2
_NUMBERS = Path("/proc/net/sockstat"), Path("/proc/net/sockstat6")
_RECEIVE_BYTES = 1 << 20
_TIMEOUT_S = 1.0

_HEADER = struct.Struct("=IHHII")
_REQUEST = struct.Struct("=BBBxI48x")
_PORTS = struct.Struct(">HH")
_COOKIE = struct.Struct("=Q")
_INODE = struct.Struct("=I")
_ATTRIBUTE = struct.Struct("=HH")
_SOURCE_AT, _DESTINATION_AT, _COOKIE_AT, _INODE_AT, _MESSAGE_BYTES = 8, 24, 44, 68, 72
# Offsets in struct tcp_info (linux/tcp.h).
_ACKED_RECEIVED_AT, _SEGMENTS_AT, _UNSENT_AT, _DATA_SEGMENTS_AT, _SENT_AT = 120, 136, 144, 152, 200
_TWO_LONGS, _TWO_INTS = struct.Struct("=QQ"), struct.Struct("=II")
_MAPPED = bytes(10) + b"\xff\xff"

Endpoint = tuple[bytes, int]
"""An address (4 or 16 bytes) and a port."""


@dataclass(frozen=True, slots=True)
class TcpSocket:
    """A socket and its counters since its creation. `inode` is 0 if no process holds it (not accepted yet, or closed).

    A socket that was closed by a reset has one received byte too few, since it does not state how it was closed.
    """

    cookie: int
    inode: int
    state: int
    local: Endpoint
    remote: Endpoint
    sent_bytes: int
    received_bytes: int
    sent_segments: int
    received_segments: int
    sent_data_segments: int
    received_data_segments: int
    resent_bytes: int = 0
    """Part of the sent bytes: those that were sent again, so that the process wrote them once."""
    unsent_bytes: int = 0
    """Bytes that the process wrote and the kernel has not sent yet."""


class SockDiag:
    """A connection to the kernel. Raises `OSError` if the host has no sock_diag (macOS, some sandboxes)."""

    def __init__(self) -> None:
        family = getattr(socket, "AF_NETLINK", None)
        if family is None:
            raise OSError("this system has no netlink")
        self._family = family
        self._dumps = self._new_dumps()
        self._closed = socket.socket(family, socket.SOCK_RAW, _NETLINK_SOCK_DIAG)
        try:
            self._closed.bind((0, _DESTROY_GROUPS))
            self._closed.setblocking(False)
            with suppress(OSError):
                self._closed.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _RECEIVE_BYTES)
            self.open()
        except OSError:
            self.close()
            raise

    def close(self) -> None:
        """Close both sockets."""
        self._dumps.close()
        self._closed.close()

    def number(self) -> bytes:
        """Return the number of sockets in use, as text that changes with it; empty if it is not known."""
        try:
            lines = [line.split() for path in _NUMBERS for line in path.read_bytes().splitlines() if line.startswith(b"TCP")]
        except OSError:
            return b""
        # Those that wait for the end of their time are not sockets any more, and memory does not count sockets.
        return b" ".join(word for line in lines for name, word in pairwise(line) if name not in (b"tw", b"mem"))

    def open(self) -> list[TcpSocket]:
        """Return all sockets of this network namespace, including those that listen. Raises `OSError`."""
        try:
            return self._dump_all()
        except OSError:  # On a busy host, the kernel may be late. A new socket receives no part of the previous answer.
            self._dumps.close()
            self._dumps = self._new_dumps()
            return self._dump_all()

    def _new_dumps(self) -> socket.socket:
        made = socket.socket(self._family, socket.SOCK_RAW, _NETLINK_SOCK_DIAG)
        try:
            made.bind((0, 0))
            made.settimeout(_TIMEOUT_S)
        except OSError:
            made.close()
            raise
        return made

    def _dump_all(self) -> list[TcpSocket]:
        return [found for family in (socket.AF_INET, socket.AF_INET6) for found in self._dump(family)]

    def closed(self) -> list[TcpSocket]:
        """Return the last counters of the sockets that were closed since the last call."""
        found: list[TcpSocket] = []
        while True:
            try:
                data = self._closed.recv(_RECEIVE_BYTES)
            except BlockingIOError:
                return found
            except OSError:  # ENOBUFS: messages were dropped
                continue
            found += (_parse(body) for _, body in _messages(data) if len(body) >= _MESSAGE_BYTES)

    def _dump(self, family: int) -> Iterator[TcpSocket]:
        request = _REQUEST.pack(family, _IPPROTO_TCP, 1 << (_INET_DIAG_INFO - 1), _STATES)
        self._dumps.send(_HEADER.pack(_HEADER.size + len(request), _SOCK_DIAG_BY_FAMILY, _NLM_REQUEST_DUMP, 0, 0) + request)
        while True:
            for kind, body in _messages(self._dumps.recv(_RECEIVE_BYTES)):
                if kind == _NLMSG_DONE:
                    return
                if kind == _NLMSG_ERROR:
                    raise OSError(-struct.unpack_from("=i", body)[0], "the kernel refuses sock_diag")
                if len(body) >= _MESSAGE_BYTES:
                    yield _parse(body)


def _messages(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the type and the body of each netlink message."""
    at = 0
    while at + _HEADER.size <= len(data):
        length, kind, *_ = _HEADER.unpack_from(data, at)
        if length < _HEADER.size:
            return
        yield kind, data[at + _HEADER.size : at + length]
        at += (length + 3) & ~3


def _parse(body: bytes) -> TcpSocket:
    """Parse a struct inet_diag_msg with its attributes."""
    local_port, remote_port = _PORTS.unpack_from(body, 4)
    info = _attribute(body, _INET_DIAG_INFO)
    acked, received = _read(_TWO_LONGS, info, _ACKED_RECEIVED_AT)
    segments_out, segments_in = _read(_TWO_INTS, info, _SEGMENTS_AT)
    data_in, data_out = _read(_TWO_INTS, info, _DATA_SEGMENTS_AT)
    unsent, _ = _read(_TWO_INTS, info, _UNSENT_AT)
    # Before Linux 4.19 there is no count of sent bytes. Acknowledged bytes include the SYN.
    has_sent = len(info) >= _SENT_AT + _TWO_LONGS.size
    sent, resent = _read(_TWO_LONGS, info, _SENT_AT) if has_sent else (max(acked - 1, 0), 0)
    return TcpSocket(
        _COOKIE.unpack_from(body, _COOKIE_AT)[0],
        _INODE.unpack_from(body, _INODE_AT)[0],
        body[1],
        (_address(body[0], body[_SOURCE_AT : _SOURCE_AT + 16]), local_port),
        (_address(body[0], body[_DESTINATION_AT : _DESTINATION_AT + 16]), remote_port),
        sent,
        max(received - (body[1] in _AFTER_FIN), 0),
        segments_out,
        segments_in,
        data_out,
        data_in,
        resent,
        max(unsent - (body[1] in _AFTER_OWN_FIN), 0),
    )


def _read(form: struct.Struct, info: bytes, at: int) -> tuple[int, int]:
    first, second = form.unpack_from(info, at) if len(info) >= at + form.size else (0, 0)
    return first, second


def _address(family: int, field: bytes) -> bytes:
    """Return the address; an IPv4 address in an IPv6 socket is the IPv4 address."""
    if family == socket.AF_INET:
        return field[:4]
    return field[12:] if field[:12] == _MAPPED else field


def _attribute(body: bytes, wanted: int) -> bytes:
    at = _MESSAGE_BYTES
    while at + _ATTRIBUTE.size <= len(body):
        length, kind = _ATTRIBUTE.unpack_from(body, at)
        if length < _ATTRIBUTE.size:
            break
        if kind == wanted:
            return body[at + _ATTRIBUTE.size : at + length]
        at += (length + 3) & ~3
    return b""
