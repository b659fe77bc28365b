"""The port of a report format: how a profile is written to a file."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

OPTIONS: Final = ("top", "tree")
"""The options of the command line that a format can take."""


@dataclass(frozen=True, slots=True)
class Format:
    """A report format. Its module has it as `FORMAT` and is listed in `navitas.report.registry`.

    `write(profile, out)` writes a `navitas.Profile` to a text stream, or to a binary one if `binary` is set. Optional fields:

    - `needs`: packages that `write` imports beyond those that Navitas depends on.
    - `install`: what to pass to `pip install` if one of them is missing; empty: `needs`.
    - `options`: options of the command line (of `OPTIONS`) that `write` takes as keyword arguments.
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

    def __post_init__(self) -> None:
        """Raises `ValueError` for a field that other code could not use."""
        if fault := _fault(self):
            raise ValueError(f"Format {self.name!r}: {fault}")


def _fault(given: Any) -> str:
    """What is wrong with the fields of a format, which another package may fill with anything; empty if nothing is."""
    for name in ("name", "extension", "about", "install"):
        if not isinstance(getattr(given, name), str):
            return f"{name} is no text"
    if not re.fullmatch(r"\..+", given.extension):
        return f"extension {given.extension!r} does not begin with a dot"
    if not callable(given.write):
        return "write is no function"
    for name in ("needs", "options"):
        texts = getattr(given, name)
        if not (isinstance(texts, tuple | list) and all(isinstance(text, str) for text in texts)):
            return f"{name} is no tuple of texts"
    if others := set(given.options) - set(OPTIONS):
        return f"options has {', '.join(map(repr, sorted(others)))}; known are {', '.join(OPTIONS)}"
    return ""
