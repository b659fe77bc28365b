"""The port of a report format: how a profile is written to a file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from navitas.analyze.profile import Profile


@dataclass(frozen=True, slots=True)
class Format:
    """A report format. Its module has it as `FORMAT` and is listed in `navitas.report.registry`.

    `write(profile, out)` writes to a text stream, or to a binary one where `binary` is set. `needs` are packages that it imports
    beyond those that Navitas depends on.
    """

    name: str
    extension: str
    about: str
    write: Callable[[Profile, Any], None]
    binary: bool = False
    needs: tuple[str, ...] = ()
