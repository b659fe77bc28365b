"""A device that answers shell commands from a list and keeps what it was told."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from navitas.device.base import DeviceInfo, ShellResult, ShellStream


@dataclass
class FakeDevice:
    """`texts`: standard output by the beginning of the command; `pulls`: what each `exec_out` gives in turn."""

    texts: dict[str, str] = field(default_factory=dict)
    pulls: list[bytes] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    info: DeviceInfo = field(default_factory=lambda: DeviceInfo("phone", "serial-1", "A phone", "f", 33))

    def shell(self, command: str, *, timeout_s: float = 30.0) -> ShellResult:
        self.asked.append(command)
        text = next((text for start, text in self.texts.items() if command.startswith(start)), "")
        return ShellResult(0, text.encode(), b"")

    def exec_out(self, command: str, *, timeout_s: float = 60.0) -> Iterator[bytes]:
        self.asked.append(command)
        yield self.pulls.pop(0)

    @contextmanager
    def stream(self, command: str) -> Iterator[ShellStream]:
        raise NotImplementedError
        yield

    def push(self, local: Path | bytes, remote: str, *, mode: int = 0o644) -> None:
        self.asked.append(f"push {remote}")

    def pull(self, remote: str, local: Path) -> None:
        self.asked.append(f"pull {remote}")

    def install(self, paths: Sequence[Path]) -> None:
        self.asked.append("install")

    def uninstall(self, package: str) -> None:
        self.asked.append(f"uninstall {package}")

    def wait_until_back(self, timeout_s: float) -> bool:
        return False
