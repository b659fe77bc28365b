"""Redirections: `<`, `>`, `>>`, `<>`, `>|`, `2>&1`, `>&-`, `&>`, here documents and here strings."""

from __future__ import annotations

import re
from contextlib import ExitStack
from pathlib import PurePosixPath

from navitas.virtual_phone.shell.descriptors import Streams
from navitas.virtual_phone.shell.state import ShellState
from navitas.virtual_phone.shell.streams import DISCARD, BytesSource, FileSink, FileSource, Input, encode
from navitas.virtual_phone.shell.syntax import Redirect

_DESCRIPTOR_FILES = {"/dev/stdin": 0, "/dev/stdout": 1, "/dev/stderr": 2}
_DESCRIPTOR_FILE = re.compile(r"/(?:dev|proc/self)/fd/(\d)")


class RedirectError(Exception):
    """A redirection failed, so its command does not run."""


def redirect(redirection: Redirect, target: str, streams: Streams, shell: ShellState, stack: ExitStack) -> None:
    """Apply one redirection to the descriptors. `stack` closes the files that it opens. Raises `RedirectError`."""
    fd, op = redirection.fd, redirection.op
    if op in ("<<", "<<<"):
        streams.open_input(fd, Input(BytesSource(encode(target + ("\n" if op == "<<<" else "")))))
    elif op in (">&", "<&"):
        _duplicate(redirection, target, streams)
    elif (same := _descriptor_of(target)) is not None:
        if not streams.duplicate(fd, same):
            raise RedirectError(f"{target}: {_verb(op)}: No such file or directory")
    else:
        _open(redirection, target, streams, shell, stack)
        if op == "&>":
            streams.duplicate(2, 1)


def _descriptor_of(target: str) -> int | None:
    match = _DESCRIPTOR_FILE.fullmatch(target)
    return int(match.group(1)) if match else _DESCRIPTOR_FILES.get(target)


def _verb(op: str) -> str:
    return "open" if op == "<" else "create"


def _open(redirection: Redirect, target: str, streams: Streams, shell: ShellState, stack: ExitStack) -> None:
    path = str(PurePosixPath(shell.cwd) / target) if target else ""
    fd, op = redirection.fd, redirection.op
    files = shell.phone.files
    try:
        if op == ">" and "C" in shell.options and path != "/dev/null" and shell.exists(path):
            raise FileExistsError(17, "File exists", path)
        if path == "/dev/null" and op != "<":
            streams.open_output(fd, DISCARD)
        elif op != "<":
            sink = FileSink(files.open_write(path, shell.who, append=op in (">>", "<>"), mode=0o666 & ~shell.umask))
            stack.callback(sink.close)
            streams.open_output(fd, sink)
        if op in ("<", "<>"):
            source = Input(FileSource(files.open_read(path, shell.who)))
            stack.callback(source.close)
            streams.open_input(fd, source)
    except OSError as error:
        raise RedirectError(f"{target}: {_verb(op)}: {error.strerror}") from None


def _duplicate(redirection: Redirect, target: str, streams: Streams) -> None:
    if target == "-":
        streams.close(redirection.fd)
    elif not re.fullmatch(r"\d", target) or not streams.duplicate(redirection.fd, int(target)):
        raise RedirectError(f"{redirection.op}{target} : bad file descriptor")
