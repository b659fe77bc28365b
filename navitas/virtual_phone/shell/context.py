"""The context of one running command of the phone's shell."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass, replace
from functools import partial
from pathlib import PurePosixPath
from typing import Any, TypeAlias

from navitas.virtual_phone.phone import Phone
from navitas.virtual_phone.shell.compound import CompoundRunner
from navitas.virtual_phone.shell.descriptors import Streams
from navitas.virtual_phone.shell.streams import Input, encode

Runner: TypeAlias = Callable[[Awaitable[int]], Awaitable[int]]


class Shell(CompoundRunner):
    """The interface of a shell for its commands. `Interpreter` implements it."""

    @abstractmethod
    async def evaluate(self, text: str, streams: Streams) -> int:
        """Run a script in this shell. `exit`, `break` and `return` propagate."""

    @abstractmethod
    async def run_lines(self, lines: Input, streams: Streams, run: Runner | None = None) -> int:
        """Run each command as soon as it is complete, until `exit` or the end of the lines. Returns the exit status."""

    @abstractmethod
    async def run_command(self, context: Context) -> int:
        """Run a function, builtin or program by its name."""

    @abstractmethod
    def fresh(self) -> Shell:
        """Return a new shell that inherits only folder and environment."""

    @abstractmethod
    async def run_text(self, text: str, streams: Streams) -> int:
        """Run a whole script and the EXIT trap. Returns the exit status."""

    @abstractmethod
    async def as_process(self, args: tuple[str, ...], script: Coroutine[Any, Any, int]) -> int:
        """Await a script of this shell, which has a pid of its own."""


@dataclass(frozen=True, slots=True)
class Context:
    """A command's name, arguments, streams and shell."""

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
        await self.streams.stdout(text if isinstance(text, bytes) else encode(text))

    async def err(self, text: str) -> None:
        """Write to standard error."""
        await self.streams.stderr(encode(text))

    def open_input(self, argument: str) -> Input:
        """Open an argument for reading: a file, or standard input (`-`, `/dev/stdin`). Raises `OSError`."""
        if argument in ("-", "/dev/stdin", "/dev/fd/0"):
            return self.stdin
        return Input.of_file(self.phone.files.open_read(self.path(argument), self.shell.who))

    def path(self, argument: str) -> str:
        """Return the absolute phone path of an argument."""
        if not argument:
            raise FileNotFoundError(2, "No such file or directory", "")
        return str(PurePosixPath(self.shell.cwd) / argument)

    def with_args(self, args: list[str]) -> Context:
        """Return the same context for another command, such as the one after `timeout 5`."""
        return replace(self, name=args[0], args=args[1:])


CommandFunction: TypeAlias = Callable[[Context], Awaitable[int | None]]
"""Returns the exit status; None is success."""

COMMANDS: dict[str, CommandFunction] = {}
"""All programs of the phone."""

BUILTINS: dict[str, CommandFunction] = {}
"""Commands that change the shell itself. They run in the shell, never as a separate process."""


def command(*names: str) -> Callable[[CommandFunction], CommandFunction]:
    """Register a program under its names."""
    return partial(_register, COMMANDS, names)


def builtin(*names: str) -> Callable[[CommandFunction], CommandFunction]:
    """Register a shell builtin under its names."""
    return partial(_register, BUILTINS, names)


def _register(commands: dict[str, CommandFunction], names: tuple[str, ...], function: CommandFunction) -> CommandFunction:
    commands.update(dict.fromkeys(names, function))
    return function
