"""One output of a host process, up to the end of the process, even if a child keeps the pipe open."""

from __future__ import annotations

import asyncio
import fcntl
import os
import struct
import termios

from navitas.virtual_phone.shell.streams import PIECE_BYTES


class OutputPipe:
    """A source of the data that a process writes to `writing_end`.

    It ends when all writers have closed it, or when the data in the pipe at the end of the process has been read: a child that
    outlives the process does not keep it open.
    """

    def __init__(self) -> None:
        self._fd, self.writing_end = os.pipe()
        os.set_blocking(self._fd, False)
        self._loop = asyncio.get_running_loop()
        self._changed = asyncio.Event()
        self._left: int | None = None
        self._loop.add_reader(self._fd, self._changed.set)

    def started(self) -> None:
        """Close the phone's copy of the writing end: the process has it now."""
        os.close(self.writing_end)
        self.writing_end = -1

    def process_ended(self) -> None:
        """Limit reading to the data that is in the pipe now."""
        if self._fd >= 0 and self._left is None:
            (self._left,) = struct.unpack("i", fcntl.ioctl(self._fd, termios.FIONREAD, b"\0\0\0\0"))
            self._changed.set()

    async def read(self) -> bytes:
        """Return the next piece; empty at the end."""
        while self._fd >= 0 and self._left != 0:
            self._changed.clear()
            try:
                data = os.read(self._fd, PIECE_BYTES if self._left is None else min(PIECE_BYTES, self._left))
            except BlockingIOError:
                await self._changed.wait()
                continue
            if self._left is not None:
                self._left -= len(data)
            return data
        return b""

    def close(self) -> None:
        """Close the pipe."""
        if self.writing_end >= 0:
            self.started()
        if self._fd >= 0:
            self._loop.remove_reader(self._fd)
            os.close(self._fd)
            self._fd = -1
            self._changed.set()
