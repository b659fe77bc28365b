"""A command on the device that uses an app, run to its end. It never outlives the connection."""

from __future__ import annotations

import shlex
from pathlib import Path

from navitas.collect.ctrl_c import until_ctrl_c
from navitas.collect.input_script import LINE_MARK
from navitas.collect.instrument import InstrumentResult
from navitas.collect.progress import Progress
from navitas.device.base import Device

_EXIT_MARK = "navitas-exit:"


def run_command(
    device: Device, command: str, done: InstrumentResult, stream: Path, progress: Progress, *, script: Path | None = None
) -> None:
    """Run a command line to its end, or until Ctrl-C, and keep its output. `script` is the file whose events it sends."""
    marks = {_EXIT_MARK: "", LINE_MARK: ""}
    has_ended = False
    with until_ctrl_c(), device.stream(_shell_script(command)) as running, stream.open("wb") as raw:
        for line in running.lines():
            if mark := next((one for one in marks if line.startswith(one.encode())), ""):
                marks[mark] = line.decode("utf-8", "replace").removeprefix(mark).strip()
                continue
            raw.write(line + b"\n")
            progress.detail(line.decode("utf-8", "replace"))
        has_ended = True
    code, number = marks[_EXIT_MARK], marks[LINE_MARK]
    if has_ended and code != "0":
        # Recordings keep this message, so it has no words of the command, which can be secrets.
        what = "the command" if script is None else f"{script}{f', line {number}' if number else ''}"
        done.warnings.append(f"{what} ended with exit code {code or 'unknown'}: see instrument.txt of the run")


def _shell_script(command: str) -> str:
    """Return a script that runs a command and prints its exit code, and that kills the command when the host closes the stream.

    adbd then sends SIGHUP, but only to this shell, which leads a process group (AOSP: shell_service.cpp); and `monkey` ignores
    the signal. The shell's trap kills the group, and needs a shell that waits. Output may not end with a newline. The command
    has a shell of its own, so that one with a syntax error has an exit code, and waits for what it has left in the background.
    """
    own = shlex.quote(f"{command}\nc=$?; wait; exit $c")
    return f"trap 'kill -9 -$$' HUP\nsh -c {own} 2>&1 &\nwait $!\necho \"\n{_EXIT_MARK}$?\""
