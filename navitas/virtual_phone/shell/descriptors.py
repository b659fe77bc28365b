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
        self._ends: dict[int, Input | Write] = {0: stdin, 1: stdout, 2: stderr}

    @property
    def stdin(self) -> Input:
        end = self._ends.get(0)
        return end if isinstance(end, Input) else Input.of_bytes()

    @property
    def stdout(self) -> Write:
        return self._output(1)

    @property
    def stderr(self) -> Write:
        return self._output(2)

    def _output(self, fd: int) -> Write:
        end = self._ends.get(fd)
        return discard if end is None or isinstance(end, Input) else end

    def copy(self, *, stdin: Input | None = None, stdout: Write | None = None) -> Streams:
        """Return the same descriptors with another input or output."""
        same = Streams(self.stdin, self.stdout, self.stderr)
        same._ends = {**self._ends, **({0: stdin} if stdin else {}), **({1: stdout} if stdout else {})}
        return same

    def open(self, fd: int, end: Input | Write) -> None:
        """Make a descriptor read from an input, or write to an output."""
        self._ends[fd] = end

    def close(self, fd: int) -> None:
        """Close a descriptor. Reads then return the end, and writes are dropped."""
        self._ends.pop(fd, None)

    def duplicate(self, fd: int, source_fd: int) -> bool:
        """Make a descriptor a duplicate of another. Returns False if that one is closed."""
        if source_fd not in self._ends:
            return False
        self._ends[fd] = self._ends[source_fd]
        return True


class RedirectError(Exception):
    """A redirection failed, so its command does not run."""


def redirect(redirection: Redirect, target: str, streams: Streams, shell: ShellState, stack: ExitStack) -> None:
    """Apply one redirection to the descriptors. `stack` closes the files that it opens. Raises `RedirectError`."""
    fd, op = redirection.fd, redirection.op
    if op == "<<":
        streams.open(fd, Input.of_bytes(encode(target)))
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
            streams.open(fd, source)
        elif path == "/dev/null":
            streams.open(fd, discard)
        else:
            file = stack.enter_context(files.open_write(path, shell.who, append=op == ">>"))
            streams.open(fd, file_writer(file))
    except OSError as error:
        raise RedirectError(f"{target}: {_verb(op)}: {error.strerror}") from None


def _duplicate(redirection: Redirect, target: str, streams: Streams) -> None:
    if target == "-":
        streams.close(redirection.fd)
    elif not re.fullmatch(r"\d", target) or not streams.duplicate(redirection.fd, int(target)):
        raise RedirectError(f"{redirection.op}{target} : bad file descriptor")
