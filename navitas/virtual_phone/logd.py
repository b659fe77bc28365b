"""The log daemon: ring buffers of entries, which apps' `android.util.Log` sends over a loopback UDP socket.

A datagram is little-endian `16 bytes of token · u8 priority (2…7) · u32 pid · u32 tid · i64 realtime_ns · u8 buffer (0 main) ·
tag NUL message`. Buffer 255 is a report of a component's use, with its kind as the tag. Any user of the machine can send to the
port. The token, in a file of the phone's user, identifies its apps.
"""

from __future__ import annotations

import asyncio
import hmac
import logging
import os
import secrets
import socket
import struct
import time
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path

_log = logging.getLogger(__name__)

_HEADER = struct.Struct("<BIIqB")
_TOKEN_BYTES = 16
_ENTRY_OVERHEAD = 28
_RECEIVE_BYTES = 4 * 1024 * 1024
_REPORT = 255

BUFFERS = ("main", "radio", "events", "system", "crash", "stats", "security", "kernel")
"""Names by number, as in Android's log_id_t."""

MAX_PAYLOAD = 4068
"""Priority byte, tag, NUL, message and NUL; the rest is cut (LOGGER_ENTRY_MAX_PAYLOAD)."""
DEFAULT_BYTES = 256 * 1024
MIN_BYTES, MAX_BYTES = 64 * 1024, 256 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Entry:
    """One log entry. `sequence` orders all entries of the phone."""

    sequence: int
    buffer: str
    priority: int
    pid: int
    tid: int
    uid: int
    realtime_ns: int
    tag: str
    message: str

    @property
    def size(self) -> int:
        """Bytes in its ring."""
        return _ENTRY_OVERHEAD + 3 + len(self.tag.encode("utf-8", "replace")) + len(self.message.encode("utf-8", "replace"))


class _Ring:
    def __init__(self) -> None:
        self.limit = DEFAULT_BYTES
        self.used = 0
        self.entries: deque[Entry] = deque()

    def add(self, entry: Entry) -> None:
        self.entries.append(entry)
        self.used += entry.size
        self.trim()

    def trim(self) -> None:
        while self.used > self.limit and self.entries:
            self.used -= self.entries.popleft().size

    def clear(self) -> None:
        self.entries.clear()
        self.used = 0


class LogDaemon:
    """Ring buffers. A full one drops its oldest entries, as on a phone."""

    def __init__(self, uid_of: Callable[[int], int], on_report: Callable[[int, str, str], None] = lambda *_: None) -> None:
        """`on_report` receives the pid, the tag and the message of each report of a component's use."""
        self._uid_of = uid_of
        self._on_report = on_report
        self.received_bytes: Counter[int] = Counter()
        """Bytes of the datagrams of each process."""
        self._rings = {name: _Ring() for name in BUFFERS}
        self.last_sequence = 0
        """The sequence number of the newest entry."""
        self._changed = asyncio.Event()
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.port = 0
        self.token = secrets.token_bytes(_TOKEN_BYTES)
        self.refused = 0
        """Datagrams without the token."""

    def start(self, address: Path) -> None:
        """Listen on a free loopback port. Writes port and token (hexadecimal) for apps to the file `address`."""
        self._socket.setblocking(False)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _RECEIVE_BYTES)
        self._socket.bind(("127.0.0.1", 0))
        self.port = self._socket.getsockname()[1]
        handle = os.open(address, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        with os.fdopen(handle, "w", encoding="ascii") as out:
            out.write(f"{self.port} {self.token.hex()}\n")
        asyncio.get_running_loop().add_reader(self._socket, self.drain)

    def stop(self) -> None:
        """Stop listening."""
        if self.port:
            asyncio.get_running_loop().remove_reader(self._socket)
        self._socket.close()

    def drain(self) -> None:
        """Process all datagrams that have arrived, so that a reader misses no entry logged before it began."""
        while True:
            try:
                data = self._socket.recv(65536)
            except OSError:
                return
            if hmac.compare_digest(data[:_TOKEN_BYTES], self.token):
                self.take(data[_TOKEN_BYTES:])
                continue
            if self.refused == 0:
                _log.warning("refused a log entry without this phone's token")
            self.refused += 1

    def take(self, data: bytes) -> None:
        """Process one datagram without its token. Ignores invalid ones."""
        if len(data) < _HEADER.size:
            return
        priority, pid, tid, realtime_ns, buffer = _HEADER.unpack_from(data)
        self.received_bytes[pid] += _TOKEN_BYTES + len(data)
        tag, _, message = data[_HEADER.size : _HEADER.size + MAX_PAYLOAD - 2].partition(b"\0")
        text = (tag.decode("utf-8", "replace"), message.decode("utf-8", "replace"))
        if buffer == _REPORT:
            self._on_report(pid, *text)
            return
        if not 2 <= priority <= 7 or buffer >= len(BUFFERS) or realtime_ns < 0:
            return
        self._add(BUFFERS[buffer], priority, (pid, tid), realtime_ns, text)

    def write(self, priority: int, tag: str, message: str, *, pid: int, buffer: str = "main") -> None:
        """Log from within the phone."""
        room = MAX_PAYLOAD - 3 - len(tag.encode("utf-8", "replace"))
        cut = message.encode("utf-8", "replace")[: max(0, room)].decode("utf-8", "ignore")
        self._add(buffer, priority, (pid, pid), time.time_ns(), (tag, cut))

    def _add(self, buffer: str, priority: int, ids: tuple[int, int], realtime_ns: int, text: tuple[str, str]) -> None:
        self.last_sequence += 1
        uid = self._uid_of(ids[0])
        self._rings[buffer].add(Entry(self.last_sequence, buffer, priority, *ids, uid, realtime_ns, *text))
        self._changed.set()

    def entries(self, buffers: tuple[str, ...], after: int = 0) -> list[Entry]:
        """Return the entries of some buffers in order of arrival, after sequence number `after`."""
        found: list[Entry] = []
        for name in buffers:
            found += takewhile(lambda entry: entry.sequence > after, reversed(self._rings[name].entries))
        return sorted(found, key=lambda entry: entry.sequence)

    async def follow(self, buffers: tuple[str, ...], after: int) -> AsyncIterator[list[Entry]]:
        """Yield new entries after `after` as they come, in batches. Skips entries that the rings dropped meanwhile."""
        while True:
            newest = self.last_sequence
            if found := self.entries(buffers, after):
                yield found
            after = newest
            if self.last_sequence == after:
                self._changed.clear()
                await self._changed.wait()

    def clear(self, buffers: tuple[str, ...]) -> None:
        """Remove all entries (`logcat -c`)."""
        for name in buffers:
            self._rings[name].clear()

    def resize(self, buffers: tuple[str, ...], size: int) -> None:
        """Change the rings' sizes (`logcat -G`)."""
        for name in buffers:
            self._rings[name].limit = size
            self._rings[name].trim()
