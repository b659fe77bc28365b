"""A device that answers shell commands from a list and records them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self

from navitas.base.errors import DeviceError
from navitas.capture.device.base import DeviceInfo, ShellResult, ShellStream


@dataclass
class FakeDevice:
    """Answers from a list.

    `texts`: standard output by the beginning of the command, of which the longest counts; `codes`: exit codes, likewise;
    `pulls`: what each `exec_out` gives in turn; commands that begin with one of `hangs` never end, and the device answers
    others then where it `answers`.
    """

    texts: dict[str, str] = field(default_factory=dict)
    pulls: list[bytes] = field(default_factory=list)
    codes: dict[str, int] = field(default_factory=dict)
    hangs: list[str] = field(default_factory=list)
    answers: bool = False
    commands: list[str] = field(default_factory=list)
    info: DeviceInfo = field(default_factory=lambda: DeviceInfo("phone", "serial-1", "A phone", "f", 33))

    def with_info(self, **fields: Any) -> Self:
        """Return the same device, which reports these facts."""
        self.info = replace(self.info, **fields)
        return self

    def shell(self, command: str, *, timeout_s: float = 30.0) -> ShellResult:
        self._ask(command)
        start = max((start for start in self.texts if command.startswith(start)), key=len, default="")
        text = self.texts.get(start, "")
        return ShellResult(next((code for start, code in self.codes.items() if command.startswith(start)), 0), text.encode(), b"")

    def exec_out(self, command: str, *, timeout_s: float = 60.0) -> Iterator[bytes]:
        self._ask(command)
        yield self.pulls.pop(0)

    def _ask(self, command: str) -> None:
        self.commands.append(command)
        if command.startswith(tuple(self.hangs)):
            raise DeviceError(f"device serial-1: no answer to {command[:20]}", "reconnect it")

    @contextmanager
    def stream(self, command: str) -> Iterator[ShellStream]:
        raise NotImplementedError
        yield

    def push(self, local: Path | bytes, remote: str, *, mode: int = 0o644) -> None:
        self.commands.append(f"push {remote}")

    def pull(self, remote: str, local: Path) -> None:
        self.commands.append(f"pull {remote}")

    def install(self, paths: Sequence[Path], *, downgrade: bool = False, user: int | None = None) -> None:
        self.commands.append("install")

    def uninstall(self, package: str, *, keep_data: bool = False, user: int | None = None) -> None:
        self.commands.append(f"uninstall {'-k ' if keep_data else ''}{package}")

    def wait_until_back(self, timeout_s: float) -> bool:
        return self.answers
