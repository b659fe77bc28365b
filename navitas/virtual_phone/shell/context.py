"""What one running command of the phone's shell sees."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import TypeAlias

from navitas.virtual_phone.phone import Phone
from navitas.virtual_phone.shell.compound import CompoundRunner
from navitas.virtual_phone.shell.descriptors import Streams
from navitas.virtual_phone.shell.streams import FileSource, Input, encode


class Shell(CompoundRunner):
    """A shell as its commands see it; `Interpreter` implements it."""

    @abstractmethod
    async def evaluate(self, text: str, streams: Streams) -> int:
        """Run a script in this shell, letting `exit`, `break` and `return` through."""

    @abstractmethod
    async def to_the_end(self, script: Awaitable[int], streams: Streams) -> int:
        """Wait for a script of this shell, then run the trap of its end and close what `exec` opened; the exit status."""

    @abstractmethod
    async def run_command(self, context: Context) -> int:
        """Run a function, builtin or program by its name."""

    @abstractmethod
    def fresh(self) -> Shell:
        """A new shell that inherits folder, environment and mask only."""

    @abstractmethod
    async def as_process(self, args: tuple[str, ...], text: str, streams: Streams) -> int:
        """Run a script in this shell, with a pid of its own."""

    @abstractmethod
    def set_pid(self, pid: int) -> None:
        """Tell the shell its pid."""


@dataclass(frozen=True, slots=True)
class Context:
    """One command's name, arguments, streams and surroundings."""

    name: str
    args: list[str]
    streams: Streams
    shell: Shell

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
