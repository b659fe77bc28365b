"""Run a command line in a new shell of the phone, or a shell on a terminal (`adb shell` alone, or `adb shell -t`)."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Awaitable, Callable
from functools import cache

from navitas.virtual_phone.identity import SHELL, Identity
from navitas.virtual_phone.phone import Phone
from navitas.virtual_phone.shell import commands
from navitas.virtual_phone.shell.context import Shell
from navitas.virtual_phone.shell.descriptors import Streams
from navitas.virtual_phone.shell.interpreter import Interpreter
from navitas.virtual_phone.shell.streams import BrokenPipe, Pipe, Write

_load_commands = cache(commands.load)
_INTERRUPT, _END, _KILL_LINE = 0x03, 0x04, 0x15
_ERASE = (0x08, 0x7F)
_INTERRUPTED_STATUS = 130


def new_shell(phone: Phone, who: Identity) -> Interpreter:
    """Return a shell that knows all programs of the phone."""
    _load_commands()
    return Interpreter(phone, who)


async def run_shell(
    phone: Phone, command: str, who: Identity, streams: Streams, is_hung_up: Callable[[], bool] = lambda: False
) -> int:
    """Run a command line in a new shell until all users of its streams have ended. Returns its exit status.

    If this is cancelled because the host is gone (`is_hung_up`), adbd sends SIGHUP to the shell; its background jobs go on.
    """
    shell = new_shell(phone, who)
    job = phone.jobs.start(("sh", "-c", command), who, shell.run_text(command, streams), on_signal=shell.take_signal)
    shell.pid = shell.group = job.pid
    try:
        status = await job.wait()
        while shell.holding_streams:
            await shell.holding_streams.pop().wait()
    except asyncio.CancelledError:
        if is_hung_up():
            shell.hung_up.set()
            if process := phone.processes.get(job.pid):
                process.send_signal(signal.SIGHUP)
        raise
    finally:
        if not shell.hung_up.is_set():
            await phone.jobs.stop([job, *shell.holding_streams])
    return status


class Terminal:
    """A pseudo-terminal in line mode, and its shell."""

    def __init__(self, phone: Phone, write: Write) -> None:
        self._phone = phone
        self._write = write
        self._lines = Pipe()
        self._line = bytearray()
        self._running: asyncio.Task[int] | None = None
        self._shell: Shell | None = None

    async def typed(self, data: bytes) -> None:
        """Process typed keys."""
        for byte in data:
            await self._key(byte)

    def hang_up(self) -> None:
        """End the input."""
        self._lines.close()

    async def _key(self, byte: int) -> None:
        if byte == _INTERRUPT:
            self._line.clear()
            await self._write(b"^C\r\n")
            if self._running is not None:
                self._running.cancel()
            else:
                await self._prompt()
        elif byte == _END and not self._line:
            self.hang_up()
        elif byte in (*_ERASE, _KILL_LINE):
            count = len(self._line) if byte == _KILL_LINE else min(1, len(self._line))
            del self._line[len(self._line) - count :]
            await self._write(b"\b \b" * count)
        elif byte in b"\r\n":
            await self._write(b"\r\n")
            line, self._line = bytes(self._line) + b"\n", bytearray()
            try:
                await self._lines.write(line)
            except BrokenPipe:
                return
        else:
            self._line.append(byte)
            await self._write(bytes([byte]))

    async def run(self, command: str) -> int:
        """Run one command line on the terminal, or else the shell until `exit` or Ctrl-D. Returns the exit status."""

        def output(data: bytes) -> Awaitable[None]:
            return self._write(data.replace(b"\n", b"\r\n"))

        keys = self._lines.reader
        streams = Streams(keys, output, output)
        if command:
            return await self._interruptible(run_shell(self._phone, command, SHELL, streams))
        self._shell = new_shell(self._phone, SHELL)
        await self._prompt()
        status = await self._shell.run_lines(keys, streams, self._prompted)
        await self._write(b"\r\n")
        return status

    async def _prompted(self, command: Awaitable[int]) -> int:
        status = await self._interruptible(command)
        await self._prompt()
        return status

    async def _prompt(self) -> None:
        if self._shell is not None:
            await self._write(f"{self._phone.properties.get('ro.product.device')}:{self._shell.cwd} $ ".encode())

    async def _interruptible(self, command: Awaitable[int]) -> int:
        task = asyncio.ensure_future(command)
        self._running = task
        try:
            return await task
        except asyncio.CancelledError:
            own = asyncio.current_task()
            if not task.done():
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)
            if own is not None and own.cancelling():
                raise
            return _INTERRUPTED_STATUS
        finally:
            self._running = None
