"""The open file descriptors of a shell, and redirections: `<`, `>`, `>>`, `2>&1`, `>&-`, `&>` and here documents."""

from __future__ import annotations

import re
from contextlib import ExitStack
from pathlib import PurePosixPath

from navitas.virtual_phone.shell.state import ShellState
from navitas.virtual_phone.shell.streams import Input, Write, discard, encode, file_writer
from navitas.virtual_phone.shell.syntax import Redirect

_DESCRIPTOR_FILES = {"/dev/stdin": 0, "/dev/stdout": 1, "/dev/stderr": 2}
_DESCRIPTOR_FILE = re.compile(r"/(?:dev|proc/self)/fd/(\d)")


class Streams:
    """A shell's open file descriptors. `exec` changes them in place; a command with redirections has a copy."""

    def __init__(self, stdin: Input, stdout: Write, stderr: Write) -> None:
        self._inputs: dict[int, Input] = {0: stdin}
        self._outputs: dict[int, Write] = {1: stdout, 2: stderr}

    @property
    def stdin(self) -> Input:
        return self._inputs.get(0) or Input.of_bytes()

    @property
    def stdout(self) -> Write:
        return self._outputs.get(1) or discard

    @property
    def stderr(self) -> Write:
        return self._outputs.get(2) or discard

    def copy(self, *, stdin: Input | None = None, stdout: Write | None = None) -> Streams:
        """Return the same descriptors with another input or output."""
        same = Streams(stdin or self.stdin, stdout or self.stdout, self.stderr)
        same._inputs = {**self._inputs, **({0: stdin} if stdin else {})}
        same._outputs = {**self._outputs, **({1: stdout} if stdout else {})}
        return same

    def open_input(self, fd: int, source: Input) -> None:
        """Make a descriptor read from `source`."""
        self._inputs[fd] = source

    def open_output(self, fd: int, write: Write) -> None:
        """Make a descriptor write with `write`."""
        self._outputs[fd] = write

    def close(self, fd: int) -> None:
        """Close a descriptor. Reads then return the end, and writes are dropped."""
        self._inputs.pop(fd, None)
        self._outputs.pop(fd, None)

    def duplicate(self, fd: int, source_fd: int) -> bool:
        """Make a descriptor a duplicate of another. Returns False if that one is closed."""
        source, write = self._inputs.get(source_fd), self._outputs.get(source_fd)
        if source is None and write is None:
            return False
        self.close(fd)
        if source is not None:
            self._inputs[fd] = source
        if write is not None:
            self._outputs[fd] = write
        return True


class RedirectError(Exception):
    """A redirection failed, so its command does not run."""


def redirect(redirection: Redirect, target: str, streams: Streams, shell: ShellState, stack: ExitStack) -> None:
    """Apply one redirection to the descriptors. `stack` closes the files that it opens. Raises `RedirectError`."""
    fd, op = redirection.fd, redirection.op
    if op == "<<":
        streams.open_input(fd, Input.of_bytes(encode(target)))
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
        if op == "<":
            source = Input.of_file(files.open_read(path, shell.who))
            stack.callback(source.close)
            streams.open_input(fd, source)
        elif path == "/dev/null":
            streams.open_output(fd, discard)
        else:
            file = stack.enter_context(files.open_write(path, shell.who, append=op == ">>"))
            streams.open_output(fd, file_writer(file))
    except OSError as error:
        raise RedirectError(f"{target}: {_verb(op)}: {error.strerror}") from None


def _duplicate(redirection: Redirect, target: str, streams: Streams) -> None:
    if target == "-":
        streams.close(redirection.fd)
    elif not re.fullmatch(r"\d", target) or not streams.duplicate(redirection.fd, int(target)):
        raise RedirectError(f"{redirection.op}{target} : bad file descriptor")
