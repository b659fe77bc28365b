"""Child processes that never outlive the work they were started for."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from navitas.errors import BuildError

_GRACE_S = 5.0


def run_streaming(
    command: Sequence[str], *, cwd: Path, on_line: Callable[[str], None], env: Mapping[str, str] | None = None
) -> int:
    """Run a command to its end, handing over each line it prints (both streams in one), and return its exit code.

    Any exception, Ctrl-C among them, ends the command and all processes of its group before it is raised on.
    Raises `BuildError` when the command cannot be started.
    """
    try:
        process = subprocess.Popen(
            command,
            cwd=cwd,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
            start_new_session=True,
        )
    except OSError as error:
        raise BuildError(f"{command[0]} cannot be started: {error.strerror}", "Check the path and its permissions.") from error
    try:
        assert process.stdout is not None
        for line in process.stdout:
            on_line(line.rstrip("\r\n"))
        return process.wait()
    except BaseException:
        end_group(process)
        raise
    finally:
        if process.stdout is not None:
            process.stdout.close()


def end_group(process: subprocess.Popen[str]) -> None:
    """End a process that leads its own group, and the group: asked first, killed after five seconds."""
    _signal(process, signal.SIGTERM)
    try:
        process.wait(timeout=_GRACE_S)
    except subprocess.TimeoutExpired:
        pass
    finally:
        _signal(process, signal.SIGKILL)
        process.wait()


def _signal(process: subprocess.Popen[str], number: signal.Signals) -> None:
    try:
        os.killpg(process.pid, number)
    except (ProcessLookupError, PermissionError):
        return
