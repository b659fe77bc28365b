"""Paragraphs fit the terminal, and a figure stays on one line with its unit."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from support.reports import lines_of

from navitas.base.units import unbroken
from navitas.report.terminal.paragraph import Paragraph, with_unbroken_figures


@pytest.mark.parametrize("width", range(16, 80, 3))
@pytest.mark.parametrize("name", ["sorts", "日本語の名前" * 30, "x" * 300])
def test_a_figure_and_its_unit_stay_on_one_line(name: str, width: int) -> None:
    found = lines_of(Paragraph(f"{name}: inclusive {unbroken('± 71.0 mJ')}, 1 call ended", indent="  "), width)
    assert max(map(cell_len, found)) <= width
    assert any("± 71.0 mJ" in line for line in found)
    assert all(line.startswith("  ") for line in found[1:])
    assert "".join("".join(found).split()) == f"{name}:inclusive±71.0mJ,1callended"


def test_messages_keep_their_figures_whole() -> None:
    text = "ran for 177 ms and waited 3.01 s, 94 % of 1.2 J at 83.3 %/h in 5 tests and 3 short runs"
    kept = with_unbroken_figures(text)
    words = [word.replace("\xa0", " ") for word in kept.split(" ") if "\xa0" in word]
    assert words == ["177 ms", "3.01 s,", "94 %", "1.2 J", "83.3 %/h"]


@given(st.text(max_size=200), st.integers(12, 60))
def test_any_text_fits(text: str, width: int) -> None:
    assert all(cell_len(line) <= width for line in lines_of(Paragraph(text, indent="  "), width))
