"""The port of a report format: how a profile is written to a file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Format:
    """A report format. Its module has it as `FORMAT` and is listed in `navitas.report.registry`.

    `write(profile, out)` writes a `navitas.Profile` to a text stream, or to a binary one if `binary` is set. Optional fields:

    - `needs`: packages that `write` imports beyond those that Navitas depends on.
    - `install`: what to pass to `pip install` if one of them is missing; empty: `needs`.
    - `options`: options of the command line (`top`, `tree`) that `write` takes as keyword arguments.
    - `shows_calls`: the report is empty for a recording without calls.
    """

    name: str
    extension: str
    about: str
    write: Callable[..., None]
    binary: bool = False
    needs: tuple[str, ...] = ()
    install: str = ""
    options: tuple[str, ...] = ()
    shows_calls: bool = False
