"""Redirections: `<`, `>`, `>>`, `2>&1`, `>&-`."""

from __future__ import annotations

import io
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import PurePosixPath

from navitas.device.virtual.shell.context import Streams
from navitas.device.virtual.shell.state import ShellState
from navitas.device.virtual.shell.streams import BytesSource, FileSink, FileSource, Input, Sink
from navitas.device.virtual.shell.syntax import Redirect


class RedirectError(Exception):
    """A redirection is impossible: its command does not run."""


def redirected(redirect: Redirect, target: str, streams: Streams, shell: ShellState, stack: AsyncExitStack) -> Streams:
    """The streams after one redirection; files it opens are closed by `stack`. Raises `RedirectError`."""
    if redirect.op in (">&", "<&"):
        return _duplicated(redirect.fd, target, streams)
    if redirect.fd > 2:
        raise RedirectError(f"{redirect.fd}: bad file descriptor")
    path = str(PurePosixPath(shell.cwd) / target) if target else ""
    files = shell.phone.files
    try:
        if redirect.op == "<":
            source = Input(FileSource(files.open_read(path, shell.who)))
            stack.callback(source.close)
            return replace(streams, stdin=source)
        sink = FileSink(files.open_write(path, shell.who, append=redirect.op == ">>"), is_null=path == "/dev/null")
    except OSError as error:
        raise RedirectError(f"can't {'open' if redirect.op == '<' else 'create'} {target}: {error.strerror}") from None
    stack.callback(sink.close)
    return _with_output(streams, redirect.fd, sink)


def _duplicated(fd: int, target: str, streams: Streams) -> Streams:
    if target == "-":
        if fd == 0:
            return replace(streams, stdin=Input(BytesSource()))
        return _with_output(streams, fd, FileSink(io.BytesIO(), is_null=True))
    outputs = {"1": streams.stdout, "2": streams.stderr}
    if fd == 0 and target == "0":
        return streams
    if fd not in (1, 2) or target not in outputs:
        raise RedirectError(f"{target}: bad file descriptor")
    return _with_output(streams, fd, outputs[target])


def _with_output(streams: Streams, fd: int, sink: Sink) -> Streams:
    if fd == 0:
        raise RedirectError("0: bad file descriptor")
    return replace(streams, stdout=sink) if fd == 1 else replace(streams, stderr=sink)
