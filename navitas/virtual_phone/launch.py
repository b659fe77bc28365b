"""How a package's process is started on this machine."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from navitas.virtual_phone.identity import Identity


@dataclass(frozen=True, slots=True)
class Launch:
    """A process to be: `argv` gets the file that its stream goes to. `warnings` say what is not as the package wants it."""

    argv: Callable[[str], Sequence[str]]
    name: str
    who: Identity
    cwd: Path
    env: Mapping[str, str]
    warnings: tuple[str, ...] = ()
