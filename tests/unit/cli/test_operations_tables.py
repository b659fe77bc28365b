"""The source of a block as text and in JSON."""

from __future__ import annotations

from navitas.cli.operations.tables import source_fields, source_text
from navitas.insight.operations.census.document import CensusBlock, InlinedCode


def _block(lines: tuple[int, int] | None, *inlined: tuple[str, tuple[int, int]]) -> CensusBlock:
    codes = [InlinedCode(file=file, lines=where) for file, where in inlined]
    return CensusBlock(pc=(0, 1), lines=lines, inlined=codes, next=[], handlers=[], operations=[])


def test_lines_of_the_call_come_before_the_inlined_code() -> None:
    assert source_text(_block((12, 12))) == "12"
    assert source_text(_block((12, 14))) == "12-14"
    called = _block((5, 5), ("_Collections.kt", (1620, 1622)), ("Sums.kt", (2, 2)))
    assert source_text(called) == "5 (inlines _Collections.kt:1620-1622, Sums.kt:2)"
    fields = [{"file": "_Collections.kt", "lines": (1620, 1622)}, {"file": "Sums.kt", "lines": (2, 2)}]
    assert source_fields(called) == {"lines": (5, 5), "inlined": fields}


def test_unknown_lines_are_left_out() -> None:
    assert source_text(None) == source_text(_block(None)) == ""
    assert source_text(_block(None, ("A.kt", (3, 3)))) == "(inlines A.kt:3)"
    assert source_fields(None) == source_fields(_block(None)) == {"lines": None, "inlined": []}


def test_names_of_files_cannot_steer_a_terminal() -> None:
    assert "\x1b" not in source_text(_block((1, 1), ("a\x1b[2J.kt", (1, 1))))
