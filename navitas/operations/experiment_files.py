"""Read the JSON files of an experiment, which can come from elsewhere, so all is checked."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from navitas.errors import UsageError
from navitas.model_defects import first_defect
from navitas.regular_files import as_utf8, read_regular
from navitas.untrusted_text import printable_line

RUN_AGAIN = "Delete the folder of this case, and run the cases again."
_Document = TypeVar("_Document")


def read_checked(
    path: Path, validate: Callable[[bytes], _Document], limit_bytes: int, remedy: str = RUN_AGAIN, *, missing: str | None = None
) -> _Document:
    """Return what `validate` makes of a file's bytes. Raises `UsageError` with the file and its first defect.

    `missing` is the remedy if the file cannot be read (None: the same).
    """
    name = printable_line(str(path), 300)
    try:
        return validate(as_utf8(read_regular(path, limit_bytes)))
    except OSError as error:
        raise UsageError(f"{name}: cannot be read: {error.strerror}", missing or remedy) from error
    except ValidationError as error:
        place, message = first_defect(error)
        where = printable_line(place or "its start", 200)
        raise UsageError(f"{name}: damaged at {where}: {printable_line(message, 200)}", remedy) from None
