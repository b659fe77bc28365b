"""Run the installed `navitas` command as a separate process, and check that it leaves nothing behind."""

from __future__ import annotations

import contextlib
import os
import queue
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from support.interruptible import interruptible

NAVITAS = Path(sys.executable).with_name("navitas")
MARK = "NAVITAS_TEST_MARK"
# Gradle's daemon may continue, because it serves later builds.
_MAY_STAY = (b"GradleDaemon",)
_STATE_DIR = re.compile(r"--state-dir (\S+)")
_WAIT_S = 120.0
_END_S = 600.0


@dataclass(frozen=True, slots=True)
class Ended:
    """The result of a command: exit code (negative: the signal that ended it) and both outputs."""

    code: int
    out: str
    err: str

    def check_error(self, code: int, *words: str) -> None:
        """Assert a clear error: the exit code, `error:`, a remedy on the next line, each of the words, and no traceback."""
        assert self.code == code, self.err
        assert "Traceback" not in self.out + self.err
        start = self.err.find("error: ")
        assert start >= 0, self.err
        said = self.err[start:]
        assert "\n       " in said, f"no remedy in {said!r}"
        for word in words:
            assert word in said, said


@dataclass
class Command:
    """A running `navitas`. An environment variable identifies its processes, because they inherit it."""

    process: subprocess.Popen[str]
    mark: str
    _lines: queue.Queue[str | None] = field(default_factory=queue.Queue)
    _err: list[str] = field(default_factory=list)
    _out: list[str] = field(default_factory=list)
    _phones: set[Path] = field(default_factory=set)

    def __post_init__(self) -> None:
        self._readers = [threading.Thread(target=read, daemon=True) for read in (self._read_err, self._read_out)]
        for reader in self._readers:
            reader.start()

    def _read_err(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self._err.append(line)
            self._note_phones()
            self._lines.put(line)
        self._lines.put(None)

    def _note_phones(self) -> None:
        """Remember the folders of this command's virtual phones, from their command lines."""
        for line in processes_with(self.mark).values():
            self._phones.update(Path(found) for found in _STATE_DIR.findall(line))

    def _read_out(self) -> None:
        assert self.process.stdout is not None
        self._out.extend(self.process.stdout)

    def wait_for_line(self, text: str) -> None:
        """Wait until a line of standard error contains the text."""
        while (line := self._lines.get(timeout=_WAIT_S)) is not None:
            if text in line:
                return
        raise AssertionError(f"{text!r} was never said: {''.join(self._err)}")

    def wait_until(self, condition: Callable[[], bool]) -> None:
        """Wait until a condition is true while the command runs."""
        assert eventually(lambda: condition() or self.process.poll() is not None), "".join(self._err)
        assert condition(), "".join(self._err)

    def interrupt(self, number: signal.Signals = signal.SIGINT) -> Ended:
        """Send a signal to the command only, and wait for its end."""
        self._note_phones()
        self.process.send_signal(number)
        return self.end()

    def end(self) -> Ended:
        """Wait for the end of the command."""
        try:
            code = self.process.wait(_END_S)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"the command goes on: {''.join(self._err)}") from None
        for reader in self._readers:
            reader.join(_WAIT_S)
        return Ended(code, "".join(self._out), "".join(self._err))

    def check_nothing_left(self) -> None:
        """Assert that no process of the command is running and that its phone's files are gone."""
        assert eventually(lambda: not processes_with(self.mark)), processes_with(self.mark)
        assert eventually(lambda: not any(folder.exists() for folder in self._phones)), self._phones

    def close(self) -> None:
        """End the command and its remaining processes after a failed test."""
        self._note_phones()
        self.process.kill()
        self.process.wait(_WAIT_S)
        for pid in processes_with(self.mark):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        for folder in self._phones:
            shutil.rmtree(folder, ignore_errors=True)


Start = Callable[..., Command]
"""A fixture that starts `navitas`, or that runs it to its end: `Run`."""
Run = Callable[..., Ended]


def start(
    arguments: Iterable[object], *, cwd: Path, env: Mapping[str, str] | None = None, program: str | Path = NAVITAS
) -> Command:
    """Start `navitas ARGUMENTS`, or another program that may start it, in a folder."""
    mark = uuid.uuid4().hex
    with interruptible():
        process = subprocess.Popen(
            [str(program), *map(str, arguments)],
            cwd=cwd,
            env={**os.environ, **(env or {}), MARK: mark},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
    return Command(process, mark)


def processes_with(mark: str) -> dict[int, str]:
    """Return the command lines of running processes that inherited the mark, except those that may continue."""
    wanted = f"{MARK}={mark}".encode()
    found = {}
    for process in Path("/proc").glob("[0-9]*"):
        try:
            environment = (process / "environ").read_bytes().split(b"\0")
            line = (process / "cmdline").read_bytes()
        except OSError:
            continue
        if wanted in environment and line and not any(name in line for name in _MAY_STAY):
            found[int(process.name)] = line.replace(b"\0", b" ").decode("utf-8", "replace").strip()
    return found


def eventually(condition: Callable[[], bool]) -> bool:
    """Wait up to two minutes until a condition is true."""
    end = time.monotonic() + _WAIT_S
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.05)
    return condition()
