"""The interface of report formats."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from gzip import GzipFile
from typing import IO, Any, Final

OPTIONS: Final = ("top", "tree", "views", "before", "page")
"""The command-line options that a format can support.

`views` is a `ViewRequest`, `before` an `EarlierRecording`, `page` a `PageRequest`, or None.
"""

COMPRESSED: Final = ".gz"
"""The end of the name of a file with a compressed text report."""
_GZIP_LEVEL = 6


@dataclass(frozen=True, slots=True)
class Format:
    """A report format. Its module defines it as `FORMAT` and is listed in `navitas.report.registry`.

    - `about`: a description for `--help`.
    - `write(profile, out)`: writes a `navitas.Profile` to a text stream, or to a binary stream if `binary` is set.
    - `needs`: packages that `write` imports and that Navitas doesn't depend on.
    - `install`: the argument of `pip install` if one of them is missing. Default: `needs`, in versions
      that Navitas supports.
    - `options`: command-line options (of `OPTIONS`) that `write` accepts as keyword arguments.
    - `shows_calls`: whether the report is empty for a recording without calls.
    - `call_steps`: whether it reads `Ledger.call_steps` of any recording (`AnalysisSettings.call_steps`).
    - `recorded`: whether it reads `Profile.recorded`, which is kept only then.
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
    call_steps: bool = False
    recorded: bool = False

    def __post_init__(self) -> None:
        """Check the fields. Raises `ValueError`."""
        if error := _field_error(self):
            raise ValueError(f"Format {self.name!r}: {error}")

    def fits(self, file: str) -> bool:
        """Whether a file name has its extension. Text can also be compressed: `report.json.gz`."""
        name, extension = file.lower(), self.extension.lower()
        return name.endswith(extension) or (not self.binary and name.endswith(extension + COMPRESSED))


def compressed(out: IO[bytes]) -> GzipFile:
    """Return a stream that compresses what it writes to another one. The same data gives the same bytes."""
    return GzipFile("", "wb", _GZIP_LEVEL, out, mtime=0)


def _field_error(given: Any) -> str:
    """Return the first error in the fields of a format, which can be from another package. Empty if there is none."""
    for name in ("name", "extension", "about", "install"):
        if not isinstance(getattr(given, name), str):
            return f"{name} is not a string"
    if not re.fullmatch(r"\..+", given.extension):
        return f"extension {given.extension!r} does not begin with a dot"
    if not callable(given.write):
        return "write is not a function"
    for name in ("needs", "options"):
        texts = getattr(given, name)
        if not (isinstance(texts, tuple | list) and all(isinstance(text, str) for text in texts)):
            return f"{name} is not a tuple of strings"
    if others := set(given.options) - set(OPTIONS):
        return f"options has {', '.join(map(repr, sorted(others)))}; known are {', '.join(OPTIONS)}"
    return ""
