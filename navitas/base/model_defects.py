"""What is wrong with a JSON document that its pydantic model refuses."""

from __future__ import annotations

from pydantic import ValidationError


def first_defect(error: ValidationError) -> tuple[str, str]:
    """Return the place of the first defect, such as `runs.0.file`, and its message. The place is empty for the whole document."""
    first = error.errors(include_url=False, include_input=False)[0]
    return ".".join(map(str, first["loc"])), first["msg"]
