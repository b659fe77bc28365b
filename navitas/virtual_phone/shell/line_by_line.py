"""A shell that reads its commands line by line, from a terminal or a pipe."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from navitas.virtual_phone.shell.context import Shell
from navitas.virtual_phone.shell.descriptors import Streams
from navitas.virtual_phone.shell.parser import parse
from navitas.virtual_phone.shell.streams import Input, decode
from navitas.virtual_phone.shell.syntax import ShellSyntaxError


async def run_lines(
    shell: Shell, lines: Input, streams: Streams, run: Callable[[Awaitable[int]], Awaitable[int]] | None = None
) -> int:
    """Run each command as soon as it is complete, until `exit` or the end of the lines. Returns the exit status.

    `run` runs one command, for example so that it can be interrupted.
    """
    return await shell.to_the_end(_each(shell, lines, streams, run), streams)


async def _each(shell: Shell, lines: Input, streams: Streams, run: Callable[[Awaitable[int]], Awaitable[int]] | None) -> int:
    text = ""
    while line := decode(await lines.readline()):
        text += line
        if not line.endswith("\n") or _is_complete(text):
            command = shell.evaluate(text, streams)
            text = ""
            shell.status = await (command if run is None else run(command))
    return shell.status


def _is_complete(text: str) -> bool:
    try:
        parse(text)
    except ShellSyntaxError as error:
        return not error.incomplete
    return True
