"""Messages on standard error, and the preferences `--quiet`, `--verbose` and `--color`."""

from __future__ import annotations

import os
import shlex
import sys
from contextlib import suppress
from dataclasses import dataclass
from enum import IntEnum
from typing import IO, Literal

import click

from navitas.base.untrusted_text import printable, printable_line

_LONGEST_LINE = 10_000
_LONGEST_WORD = 1000
Color = Literal["auto", "always", "never"]


class Verbosity(IntEnum):
    """How many messages are printed. Results, warnings and errors are printed at every level."""

    QUIET = -1
    NORMAL = 0
    VERBOSE = 1


@dataclass(frozen=True, slots=True)
class Preferences:
    """The user's choices for this run of the command line."""

    verbosity: Verbosity = Verbosity.NORMAL
    color: Color = "auto"


class _State:
    """The preferences of the process. All threads share them, as they share standard error."""

    current = Preferences()


def preferences() -> Preferences:
    """Return the preferences of this run."""
    return _State.current


def prefer(chosen: Preferences) -> None:
    """Replace the preferences of this run."""
    _State.current = chosen


def is_quiet() -> bool:
    """Whether to hide progress, notes and next steps."""
    return _State.current.verbosity == Verbosity.QUIET


def is_verbose() -> bool:
    """Whether to print origins of values, paths and times."""
    return _State.current.verbosity == Verbosity.VERBOSE


def is_colored(stream: IO[str] | None) -> bool:
    """Whether to color text on a stream: by `--color`, else `NO_COLOR`, else `FORCE_COLOR`, else if it is a terminal."""
    if _State.current.color != "auto":
        return _State.current.color == "always"
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return stream is not None and stream.isatty() and os.environ.get("TERM") != "dumb"


def note(text: str) -> None:
    """Print a line that `--quiet` hides."""
    if not is_quiet():
        _print(text)


def shell_word(value: object) -> str:
    """Return a path or name as one word of a command that the user can paste into a shell."""
    return shlex.quote(printable(str(value), _LONGEST_WORD))


def next_step(text: str) -> None:
    """Print a suggestion for the next step, as the last line of a command. Names in it must be `shell_word`s."""
    note(f"next: {text}")


def detail(text: str) -> None:
    """Print a line only with `--verbose`."""
    if is_verbose():
        _print(text)


def location(text: str) -> None:
    """Print where a result is, also with `--quiet`."""
    _print(text)


def warning(text: str, remedy: str = "") -> None:
    """Print a warning and its remedy."""
    _print(f"warning: {text}", "yellow")
    if remedy:
        _print(f"         {remedy}")


def error(message: str, remedy: str = "") -> None:
    """Print an error and its remedy."""
    failure(f"error: {message}")
    if remedy:
        _print(f"       {remedy}")


def failed_check(message: str, remedy: str = "") -> None:
    """Print the result of a failed check, and a remedy."""
    _print(f"check failed: {message}", "yellow")
    if remedy:
        _print(f"       {remedy}")


def unknown_check(message: str, remedy: str) -> None:
    """Print what a check could not know, a remedy, and the result `unknown` on the last line."""
    warning(message, remedy)
    failed_check("unknown")


def failure(text: str) -> None:
    """Print a line about a failure."""
    _print(text, "red")


def _print(text: str, color: str | None = None) -> None:
    """Print lines without terminal control characters. Ignores errors, so that a closed stream doesn't stop the work."""
    with suppress(OSError):
        lines = "\n".join(printable_line(line, _LONGEST_LINE) for line in text.split("\n"))
        click.secho(lines, err=True, fg=color, color=is_colored(sys.stderr))
