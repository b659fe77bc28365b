"""Run child processes that end with this process."""

from __future__ import annotations

import codecs
import os
import selectors
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from navitas.base.errors import BuildError

_GRACE_S = 5.0
_POLL_S = 1.0
Receiver = TypeVar("Receiver", bound=Callable[[str], None])
_NOT_STARTED = "setpriv: failed to execute "


def run_streaming(
    command: Sequence[str], *, cwd: Path, on_line: Callable[[str], None], env: Mapping[str, str] | None = None
) -> int:
    """Run a command to its end and return its exit code. Passes each line of its output (both streams merged) to `on_line`.

    Any exception, including Ctrl-C, first ends the command and its process group.
    Raises `BuildError` if the command cannot be started.
    """
    return run_received(command, cwd=cwd, make_receiver=lambda: on_line, env=env)[0]


def run_received(
    command: Sequence[str], *, cwd: Path, make_receiver: Callable[[], Receiver], env: Mapping[str, str] | None = None
) -> tuple[int, Receiver]:
    """Run a command as `run_streaming` does. Also returns what received its lines, which is made once the command runs."""
    try:
        process = subprocess.Popen(
            _terminated_with_parent(command),
            cwd=cwd,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    except OSError as error:
        raise _cannot_start(command, error.strerror or str(error)) from error
    try:
        receiver = make_receiver()
        for line in _lines(process):
            if line.startswith(_NOT_STARTED):
                raise _cannot_start(command, line.rpartition(": ")[2])
            receiver(line)
        return process.wait(), receiver
    except BaseException:
        end_group(process)
        raise
    finally:
        if process.stdout is not None:
            process.stdout.close()


def _cannot_start(command: Sequence[str], cause: str) -> BuildError:
    return BuildError(f"{command[0]} cannot be started: {cause}", "Check the path and its permissions.")


def _terminated_with_parent(command: Sequence[str]) -> Sequence[str]:
    """With util-linux, make the kernel terminate the command even if this process is killed."""
    setpriv = shutil.which("setpriv")
    return [setpriv, "--pdeathsig", "TERM", *command] if setpriv and shutil.which(command[0]) else command


def _lines(process: subprocess.Popen[bytes]) -> Iterator[str]:
    """Yield the process's lines until it closes its output, or until it has ended while a child keeps the output open."""
    assert process.stdout is not None
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    rest = ""
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        while True:
            # Use a time limit: a signal just before a blocking call is not handled until the call returns.
            if not selector.select(timeout=_POLL_S):
                if process.poll() is not None:
                    break
                continue
            piece = os.read(process.stdout.fileno(), 1 << 16)
            *lines, rest = (rest + decoder.decode(piece, final=not piece)).split("\n")
            yield from (line.rstrip("\r") for line in lines)
            if not piece:
                break
    if rest:
        yield rest.rstrip("\r")


def end_group(process: subprocess.Popen[bytes]) -> None:
    """End a process and its group, which it leads: terminate them, and kill them after five seconds."""
    _signal(process, signal.SIGTERM)
    try:
        process.wait(timeout=_GRACE_S)
    except subprocess.TimeoutExpired:
        pass
    finally:
        _signal(process, signal.SIGKILL)
        process.wait()


def _signal(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    try:
        os.killpg(process.pid, number)
    except (ProcessLookupError, PermissionError):
        return
