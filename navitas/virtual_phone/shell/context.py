"""What one running command of the phone's shell sees."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, TypeAlias

from navitas.virtual_phone.shell.streams import DISCARD, BytesSource, FileSource, Input, Sink

if TYPE_CHECKING:
    from navitas.virtual_phone.phone import Phone
    from navitas.virtual_phone.shell.interpreter import Interpreter


def encode(text: str) -> bytes:
    """Bytes of a shell string, in which undecodable bytes were kept as surrogates."""
    return text.encode("utf-8", "surrogateescape")


def decode(data: bytes) -> str:
    """Shell string of any bytes."""
    return data.decode("utf-8", "surrogateescape")


class CommandError(Exception):
    """A command failed: `message` goes to standard error after its name. A `fatal` error of a builtin ends the shell."""

    def __init__(self, message: str, status: int = 1, *, fatal: bool = False) -> None:
        super().__init__(message)
        self.message = message
        self.status = status
        self.fatal = fatal


class Streams:
    """A shell's open file descriptors. `exec` changes them in place; a command with redirections has a copy."""

    def __init__(self, stdin: Input, stdout: Sink, stderr: Sink) -> None:
        self._inputs: dict[int, Input] = {0: stdin}
        self._outputs: dict[int, Sink] = {1: stdout, 2: stderr}

    @property
    def stdin(self) -> Input:
        return self._inputs.get(0) or Input(BytesSource())

    @property
    def stdout(self) -> Sink:
        return self._outputs.get(1) or DISCARD

    @property
    def stderr(self) -> Sink:
        return self._outputs.get(2) or DISCARD

    def input(self, fd: int) -> Input | None:
        """What a descriptor reads from."""
        return self._inputs.get(fd)

    def copy(self, *, stdin: Input | None = None, stdout: Sink | None = None) -> Streams:
        """The same descriptors, with another input or output."""
        same = Streams(stdin or self.stdin, stdout or self.stdout, self.stderr)
        same._inputs = {**self._inputs, **({0: stdin} if stdin else {})}
        same._outputs = {**self._outputs, **({1: stdout} if stdout else {})}
        return same

    def open_input(self, fd: int, source: Input) -> None:
        """Let a descriptor read from `source`."""
        self._inputs[fd] = source

    def open_output(self, fd: int, sink: Sink) -> None:
        """Let a descriptor write to `sink`."""
        self._outputs[fd] = sink

    def close(self, fd: int) -> None:
        """Close a descriptor; reading finds an end, what is written is lost."""
        self._inputs.pop(fd, None)
        self._outputs.pop(fd, None)

    def duplicate(self, fd: int, source_fd: int) -> bool:
        """Make a descriptor the same as another; false when that one is closed."""
        source, sink = self._inputs.get(source_fd), self._outputs.get(source_fd)
        if source is None and sink is None:
            return False
        self.close(fd)
        if source is not None:
            self._inputs[fd] = source
        if sink is not None:
            self._outputs[fd] = sink
        return True


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

    def open_input(self, argument: str) -> Input:
        """What an argument names to read from: a file, or standard input (`-`, `/dev/stdin`). Raises `OSError`."""
        if argument in ("-", "/dev/stdin", "/dev/fd/0"):
            return self.stdin
        return Input(FileSource(self.phone.files.open_read(self.path(argument), self.shell.who)))

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
