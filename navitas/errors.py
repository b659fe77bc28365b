"""The one root of all errors a user may meet, and its few kinds."""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    """Exit codes of the command line; `TROUBLE` outranks `TESTS_FAILED`, which outranks `CHECK_FAILED`."""

    OK = 0
    CHECK_FAILED = 1
    USAGE = 2
    TESTS_FAILED = 3
    TROUBLE = 4
    INTERRUPTED = 130


class NavitasError(Exception):
    """Something went wrong that the user can understand and fix.

    `message` names the file, line or device and the cause; `remedy` says what to do about it.
    """

    exit_code: ExitCode = ExitCode.TROUBLE

    def __init__(self, message: str, remedy: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy


class UsageError(NavitasError):
    """The command was called in a way that cannot work."""

    exit_code = ExitCode.USAGE


class BuildError(NavitasError):
    """Gradle, the JDK or the instrumenter could not do their part."""


class DeviceError(NavitasError):
    """A device is missing, refused a command, or went away."""


class RecordingError(NavitasError):
    """A recording, method map or raw file cannot be read or does not belong."""


class PowerProfileError(NavitasError):
    """A power profile is unreadable, unsafe or without the figures that are needed."""
