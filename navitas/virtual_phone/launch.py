"""How to start a package's process on this machine."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from navitas.virtual_phone.identity import Identity


@dataclass(frozen=True, slots=True)
class Launch:
    """A process to start. `argv` receives the file for its stream. `warnings` name differences from the package's settings.

    A process that `hears_phone` reads requests of the phone from standard input.
    """

    argv: Callable[[str], Sequence[str]]
    name: str
    who: Identity
    cwd: Path
    env: Mapping[str, str]
    warnings: tuple[str, ...] = ()
    hears_phone: bool = False
