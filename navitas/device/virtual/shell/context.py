"""What one running command of the phone's shell sees."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, TypeAlias

from navitas.device.virtual.shell.streams import Input, Sink

if TYPE_CHECKING:
    from navitas.device.virtual.phone import Phone
    from navitas.device.virtual.shell.interpreter import Interpreter


def encode(text: str) -> bytes:
    """Bytes of a shell string, in which undecodable bytes were kept as surrogates."""
    return text.encode("utf-8", "surrogateescape")


def decode(data: bytes) -> str:
    """Shell string of any bytes."""
    return data.decode("utf-8", "surrogateescape")


class CommandError(Exception):
    """A command failed: `message` goes to standard error after the command's name."""

    def __init__(self, message: str, status: int = 1) -> None:
        super().__init__(message)
        self.message = message
        self.status = status


@dataclass(frozen=True, slots=True)
class Streams:
    """Standard streams."""

    stdin: Input
    stdout: Sink
    stderr: Sink


@dataclass(frozen=True, slots=True)
class Context:
    """One command's name, arguments, streams and surroundings."""

    name: str
    args: list[str]
    streams: Streams
    shell: Interpreter

    @property
    def phone(self) -> Phone:
        return self.shell.phone

    @property
    def stdin(self) -> Input:
        return self.streams.stdin

    async def out(self, text: str | bytes) -> None:
        """Write to standard output."""
        await self.streams.stdout.write(text if isinstance(text, bytes) else encode(text))

    async def err(self, text: str) -> None:
        """Write to standard error."""
        await self.streams.stderr.write(encode(text))

    def path(self, argument: str) -> str:
        """Absolute phone path of an argument."""
        if not argument:
            raise FileNotFoundError(2, "No such file or directory", "")
        return str(PurePosixPath(self.shell.cwd) / argument)

    def with_args(self, args: list[str]) -> Context:
        """The same surroundings for another command, such as the one after `timeout 5`."""
        return replace(self, name=args[0], args=args[1:])


CommandFunction: TypeAlias = Callable[[Context], Awaitable[int]]

COMMANDS: dict[str, CommandFunction] = {}
"""Everything that is a program on a phone."""

BUILTINS: dict[str, CommandFunction] = {}
"""What changes the shell itself; runs in the shell, never as its own process."""


def command(*names: str) -> Callable[[CommandFunction], CommandFunction]:
    """Register a program under its names."""

    def register(function: CommandFunction) -> CommandFunction:
        COMMANDS.update(dict.fromkeys(names, function))
        return function

    return register


def builtin(*names: str) -> Callable[[CommandFunction], CommandFunction]:
    """Register a shell builtin under its names."""

    def register(function: CommandFunction) -> CommandFunction:
        BUILTINS.update(dict.fromkeys(names, function))
        return function

    return register
