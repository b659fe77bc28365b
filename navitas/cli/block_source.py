"""Where the source of a basic block is: its lines, and the code that the compiler inlined into it."""

from __future__ import annotations

from typing import Any

from navitas.census.document import CensusBlock
from navitas.untrusted_text import printable

_LONGEST = 300


def source_fields(block: CensusBlock | None) -> dict[str, Any]:
    """`lines` and `inlined`, for JSON."""
    return {"lines": None, "inlined": []} if block is None else block.model_dump(include={"lines", "inlined"})


def source_text(block: CensusBlock | None) -> str:
    """`12`, `12-14`, `12 (inlines _Collections.kt:1620-1622)`, or nothing."""
    if block is None:
        return ""
    inlined = ", ".join(f"{one.file}:{_line_range(one.lines)}" for one in block.inlined)
    lines = [_line_range(block.lines)] if block.lines else []
    return printable(" ".join([*lines, f"(inlines {inlined})"] if inlined else lines), _LONGEST)


def _line_range(lines: tuple[int, int]) -> str:
    return str(lines[0]) if lines[0] == lines[1] else f"{lines[0]}-{lines[1]}"
