"""The interface of a device: a phone on adb, or the virtual phone behind the same protocol."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

from navitas.android.ids import user_flag

VIRTUAL = "virtual"
"""In place of a serial: a virtual phone, which is started on demand."""


@dataclass(frozen=True, slots=True)
class ShellResult:
    """A finished shell command: its exit code and the bytes of both streams (shell v2)."""

    exit_code: int
    stdout: bytes
    stderr: bytes

    @property
    def text(self) -> str:
        """Standard output as text, with replacement characters for undecodable bytes."""
        return self.stdout.decode("utf-8", "replace")


@dataclass(frozen=True, slots=True)
class DeviceInfo:
    """A device's identity. `kind` is `virtual` only for the virtual phone (property `ro.navitas.virtual` is 1).

    `serial` is its address on adb, which may change. `identity` is stable: the hardware serial number of a phone, or the name and
    power profile of a virtual phone; empty if unknown.
    """

    kind: Literal["virtual", "phone"]
    serial: str
    model: str
    fingerprint: str
    sdk: int
    identity: str = ""
    named_user: int | None = None
    """The phone's user whose apps are measured, as commands must name it; None for the only one."""
    users: tuple[int, ...] = ()
    """All users of the phone, as far as known."""

    @property
    def shell_serial(self) -> str:
        """The serial as a shell takes it, for commands in messages: it can have spaces."""
        return shlex.quote(self.serial)

    @property
    def may_have_others(self) -> bool:
        """Whether the phone's list of users is unreadable: the only known one is named, as if there were others."""
        return self.named_user is not None and len(self.users) < 2

    @property
    def user(self) -> int:
        """The number of the phone's user whose apps are measured."""
        return self.named_user or 0

    @property
    def user_flag(self) -> str:
        """`--user N` with a space before it, for commands; empty for the user to whom they apply anyway."""
        return user_flag(self.named_user)


class ShellStream(Protocol):
    """A running shell command whose standard output can be read as it arrives."""

    @property
    def received_bytes(self) -> int:
        """The number of bytes received on both outputs, with or without a line end: a sign of life."""
        ...

    def lines(self) -> Iterator[bytes]:
        """Yield complete lines without line ends, until the command ends or `close` is called.

        A line longer than 1 MiB may come in pieces.
        """
        ...

    def close(self) -> None:
        """End the command (idempotent, callable from another thread)."""
        ...


class Device(Protocol):
    """A device that Navitas can profile on. Every method raises `DeviceError` if the device is lost."""

    @property
    def info(self) -> DeviceInfo: ...

    def shell(self, command: str, *, timeout_s: float = 30.0) -> ShellResult:
        """Run a command line in the device's shell and wait until it ends."""
        ...

    def stream(self, command: str) -> AbstractContextManager[ShellStream]:
        """Start a command line whose output can be read while it runs."""
        ...

    def exec_out(self, command: str, *, timeout_s: float = 60.0) -> Iterator[bytes]:
        """Yield a command's raw standard output (adb's `exec:` service: no exit code). `timeout_s` limits silence."""
        ...

    def push(self, local: Path | bytes, remote: str, *, mode: int = 0o644) -> None:
        """Copy a file (or the given bytes) to the device."""
        ...

    def pull(self, remote: str, local: Path) -> None:
        """Copy a file from the device."""
        ...

    def install(self, paths: Sequence[Path], *, downgrade: bool = False, user: int | None = None) -> None:
        """Install packages for a user (None: the measured one). Replaces an installed package of the same name, with `downgrade`
        also a newer one."""
        ...

    def uninstall(self, package: str, *, keep_data: bool = False, user: int | None = None) -> None:
        """Remove a package, and its data unless `keep_data`, for a user (None: the measured one). Does nothing if it is not
        installed."""
        ...

    def wait_until_back(self, timeout_s: float) -> bool:
        """Wait until a lost device answers again. Returns False if it does not. Never raises."""
        ...
