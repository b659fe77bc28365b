"""The root of all errors that a user may see, and its subclasses."""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    """Exit codes of the command line. If several apply, `TROUBLE` comes before `TESTS_FAILED`, and that before `CHECK_FAILED`."""

    OK = 0
    CHECK_FAILED = 1
    USAGE = 2
    TESTS_FAILED = 3
    TROUBLE = 4
    INTERRUPTED = 130


class NavitasError(Exception):
    """An error that the user can understand and fix.

    `message` names the file, line or device and the cause. `remedy` says what to do.
    """

    exit_code: ExitCode = ExitCode.TROUBLE

    def __init__(self, message: str, remedy: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy


class UsageError(NavitasError):
    """The command line is invalid."""

    exit_code = ExitCode.USAGE


class BuildError(NavitasError):
    """Gradle, the JDK or the instrumenter failed."""


class DeviceError(NavitasError):
    """A device is missing, refused a command, or disconnected."""


class RecordingError(NavitasError):
    """A recording, method map or raw file cannot be read, or belongs to another build or run."""


class PowerProfileError(NavitasError):
    """A power profile is unreadable, is unsafe, or lacks required values."""


class HistoryError(NavitasError):
    """A history file cannot be used: it is damaged, changed by hand, in use, or of another version."""
