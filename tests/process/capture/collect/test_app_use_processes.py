"""Commands that use an app, in this machine's shells: how they end, and that nothing goes on without the host."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from fake_device import FakeDevice
from support.command_line import eventually
from support.interruptible import interruptible
from support.no_progress import NoProgress

from navitas.capture.collect.runs.app_use import run_command
from navitas.capture.collect.runs.input_script import read_input_script
from navitas.capture.collect.runs.instrument import InstrumentResult

SHELLS = [name for name in ("mksh", "dash", "bash") if shutil.which(name)]


@dataclass
class Running:
    """A running command, of which adbd would send SIGHUP to the shell when the host closes the stream."""

    process: subprocess.Popen[bytes]
    interrupts: bool
    received_bytes: int = 0

    def lines(self) -> Iterator[bytes]:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            yield line.rstrip(b"\n")
            if self.interrupts:
                signal.raise_signal(signal.SIGINT)

    def close(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            self.process.send_signal(signal.SIGHUP)


@dataclass
class HostShell(FakeDevice):
    """Runs streamed commands in a shell of this machine, each in a session of its own, as adbd does."""

    shell_name: str = "sh"
    interrupts: bool = False
    groups: list[int] = field(default_factory=list)

    @contextmanager
    def stream(self, command: str) -> Iterator[Running]:
        with interruptible():  # a shell cannot trap a signal that is ignored at its start
            process = subprocess.Popen(
                [self.shell_name, "-c", command], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True
            )
        with process:
            self.groups.append(process.pid)
            running = Running(process, self.interrupts)
            try:
                yield running
            finally:
                running.close()


@pytest.mark.parametrize(
    ("command", "code", "printed"),
    [
        ("echo one", None, b"one\n\n"),
        ("printf one; exit 3 | false", "1", b"one\n"),
        ("(exit 251)", "251", b"\n"),
        ("exit 7", "7", b"\n"),
        ("echo one # and a comment", None, b"one\n\n"),
        ("kill -9 $$", "137", b"\n"),
        ("kill -9 -$PPID", "unknown", b""),
        (r"printf 'navitas-exit:\377\n'; kill -9 $PPID", "\ufffd", b""),
        ("(sleep 0.2; echo late) & (exit 3)", "3", b"late\n\n"),
    ],
)
def test_a_command_that_fails_is_reported(tmp_path: Path, command: str, code: str | None, printed: bytes) -> None:
    done = InstrumentResult()
    run_command(HostShell(), command, done, tmp_path / "raw", NoProgress())
    assert done.warnings == ([f"the command ended with exit code {code}: see instrument.txt of the run"] if code else [])
    assert (tmp_path / "raw").read_bytes() == printed


@pytest.mark.parametrize("command", ["no-such-command", "ls /no/such", "echo 'not closed"])
def test_what_a_command_says_of_its_failure_is_in_the_file(tmp_path: Path, command: str) -> None:
    done = InstrumentResult()
    run_command(HostShell(), command, done, tmp_path / "raw", NoProgress())
    assert re.search(r"ended with exit code [1-9]\d*: see instrument.txt", done.warnings[0])
    assert re.search("not found|No such file|[Uu]nterminated|unexpected", (tmp_path / "raw").read_text())


def test_the_line_of_a_script_that_fails_is_named(tmp_path: Path) -> None:
    script = tmp_path / "use.txt"
    script.write_text("# goes back\ntap 1 2\n\nsleep 0.01\nkeyevent BACK\ntap 3 4\n")
    (tmp_path / "input").write_text('#!/bin/sh\necho "$@"\n[ "$1" != keyevent ] || exit 9\n')
    (tmp_path / "input").chmod(0o755)
    done = InstrumentResult()
    command = f"PATH={tmp_path}:$PATH\n{read_input_script(script)}"
    run_command(HostShell(), command, done, tmp_path / "raw", NoProgress(), script=script)
    assert done.warnings == [f"{script}, line 5 ended with exit code 9: see instrument.txt of the run"]
    assert (tmp_path / "raw").read_text().split() == ["tap", "1", "2", "keyevent", "BACK"]


@pytest.mark.parametrize("shell", SHELLS)
def test_after_ctrl_c_nothing_of_the_command_goes_on(tmp_path: Path, shell: str) -> None:
    """As AOSP's `monkey`, the command ignores SIGHUP."""
    device = HostShell(shell_name=shell, interrupts=True)
    done = InstrumentResult()
    with interruptible():
        run_command(device, "sh -c 'trap \"\" HUP; echo begun; sleep 600'", done, tmp_path / "raw", NoProgress())
        assert done.warnings == []
        assert eventually(lambda: not is_running(device.groups[0])), "the whole group has ended"
        with pytest.raises(KeyboardInterrupt):  # again as before
            signal.raise_signal(signal.SIGINT)


class Interrupted(FakeDevice):
    """Gets Ctrl-C while a command starts."""

    @contextmanager
    def stream(self, command: str) -> Iterator[Running]:
        signal.raise_signal(signal.SIGINT)
        raise NotImplementedError
        yield


def test_ctrl_c_ends_the_use_also_while_the_command_starts(tmp_path: Path) -> None:
    done = InstrumentResult()
    with interruptible():
        run_command(Interrupted(), "sleep 600", done, tmp_path / "raw", NoProgress())
    assert done.warnings == []


def is_running(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True
