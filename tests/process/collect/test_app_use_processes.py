"""The tests of tests/unit/collect/test_app_use.py that start processes."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from fake_device import FakeDevice
from support.no_progress import NoProgress
from test_app_use import use

from navitas.collect import app_use
from navitas.collect.instrument import InstrumentResult


@dataclass
class Printed:
    """The output of a command."""

    output: bytes
    received_bytes: int = 0

    def lines(self) -> Iterator[bytes]:
        yield from self.output.splitlines()

    def close(self) -> None:
        """The command has ended."""


class HostShell(FakeDevice):
    """Runs streamed commands in this machine's shell."""

    @contextmanager
    def stream(self, command: str) -> Iterator[Printed]:
        yield Printed(subprocess.run(["sh", "-c", command], capture_output=True, check=False).stdout)


@pytest.mark.parametrize(
    ("command", "code", "printed"),
    [
        ("echo one", None, b"one\n\n"),
        ("printf one; exit 3 | false", "1", b"one\n"),
        ("(exit 251)", "251", b"\n"),
        ("exit 7", "unknown", b""),
        (r"printf 'navitas-exit:\377\n'; exit 7", "\ufffd", b""),
    ],
)
def test_a_command_that_fails_is_reported(tmp_path: Path, command: str, code: str | None, printed: bytes) -> None:
    done = InstrumentResult()
    app_use._run_command(HostShell(), use(command), done, tmp_path / "raw", NoProgress())
    assert done.warnings == ([f"'{command}' ended with exit code {code}: see instrument.txt of the run"] if code else [])
    assert (tmp_path / "raw").read_bytes() == printed
