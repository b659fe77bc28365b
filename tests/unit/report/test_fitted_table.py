"""At every width the key column stays, and figures are whole."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.text import Text
from support.reports import lines_of

from navitas.report.terminal.fitted_table import Column, FittedTable, shortened

COLUMNS = [
    Column("Method", text=True),
    Column("Self"),
    Column("Share", drop=2),
    Column("Calls", drop=1),
    Column("Test", drop=3, text=True),
]
LONG = "org.example.sorting.QuickSortWithMedianOfThree.partition"


def table(*keys: str, test: str = "o.e.SortTest#sorts") -> FittedTable:
    made = FittedTable("Methods", COLUMNS)
    for key in keys:
        made.add(key, "12.3 mJ", "45.6 %", "1,234,567", test)
    return made


@pytest.mark.parametrize("width", range(20, 201, 5))
@pytest.mark.parametrize("key", ["a.B.c", LONG, "日本語のクラス名前です.日本語のメソッドの名前です", "x" * 10_000])
def test_the_key_and_the_first_figure_are_at_every_width(key: str, width: int) -> None:
    _, header, row, *_ = lines_of(table(key), width)
    assert max(map(cell_len, (header, row))) <= width
    assert header.startswith("Method") and "12.3 mJ" in row
    assert row.startswith(key[:2]) and (key in row or "…" in row)


@pytest.mark.parametrize("width", range(20, 201, 5))
def test_columns_go_by_their_rank(width: int) -> None:
    header = lines_of(table(LONG), width)[1]
    shown = [title for title in ("Calls", "Share", "Test") if title in header]
    assert shown == ["Calls", "Share", "Test"][: len(shown)]


@pytest.mark.parametrize("width", range(20, 201, 5))
def test_figures_are_whole_or_not_there(width: int) -> None:
    for line in lines_of(table("a.B.c", LONG), width)[2:4]:
        words = line.split()
        assert words[1:3] == ["12.3", "mJ"]
        assert set(words[3:]) <= {"45.6", "%", "1,234,567", "o.e.SortTest#sorts"} or "…" in words[-1]


def test_a_wide_terminal_shows_everything_whole() -> None:
    _, header, row = lines_of(table(LONG), 140)
    assert header.split() == ["Method", "Self", "Share", "Calls", "Test"]
    assert row.split() == [LONG, "12.3", "mJ", "45.6", "%", "1,234,567", "o.e.SortTest#sorts"]


def test_notes_are_below_and_wrap() -> None:
    made = table("a.B.c")
    made.notes += ["… 3 more methods (--top)", "word " * 30]
    found = lines_of(made, 50)
    assert found[4] == "… 3 more methods (--top)" and len(found) > 6 and max(map(len, found)) <= 50


def test_dropped_columns_are_named_below() -> None:
    assert lines_of(table("a.B.c"), 50)[3] == "Not shown at this width: Test (see --json)"
    assert len(lines_of(table("a.B.c"), 140)) == 3


def test_a_table_without_rows_is_its_title_and_notes() -> None:
    made = table()
    made.notes.append("no methods")
    assert lines_of(made, 60) == ["Methods", "no methods"]


@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_wrapped_text_is_whole_at_every_width(width: int) -> None:
    made = FittedTable("Checks", [Column("Check", text=True), Column("Status", text=True), Column("Found", wrap=True)])
    found = "/usr/lib/android-sdk/platform-tools/adb, version 1.0.41\nmake the folder readable"
    made.add("adb", "problem", found)
    _, header, *rows = lines_of(made, width)
    assert header.split() == ["Check", "Status", "Found"] and rows[0].split()[:2] == ["adb", "problem"]
    assert max(map(len, rows)) <= width and "…" not in "".join(rows)
    at = header.index("Found")
    assert "".join("".join(row[at:] for row in rows).split()) == "".join(found.split())


def test_the_key_takes_the_place_of_other_columns_on_request() -> None:
    columns = [Column("Serial", text=True), Column("Model", drop=1, text=True), Column("State", text=True)]
    serial = "adb-1A2B3C4D5E6F-aBcDeF._adb-tls-connect._tcp"
    for share, whole in ((0.4, False), (1.0, True)):
        made = FittedTable("", columns, key_share=share)
        made.add(serial, "Pixel 6 Pro", "device")
        assert (serial in lines_of(made, 60)[1]) == whole


def test_a_row_has_a_cell_for_each_column() -> None:
    with pytest.raises(ValueError, match="1 cells for 5 columns"):
        table().add("a.B.c")


@given(st.text(max_size=80), st.integers(1, 60))
def test_shortened_text_fits_and_keeps_its_ends(text: str, width: int) -> None:
    found = shortened(Text(text), width)
    assert cell_len(found.plain) <= width
    if cell_len(Text(text).plain) <= width:
        assert found.plain == Text(text).plain
    else:
        head, _, tail = found.plain.partition("…")
        assert Text(text).plain.startswith(head) and Text(text).plain.endswith(tail)


def test_a_shortened_text_keeps_its_styles() -> None:
    found = shortened(Text.assemble(("pool-thread", "bold"), (" ×3", "dim")), 9)
    assert found.plain == "pool… ×3" or found.plain.endswith("×3")
    assert {str(span.style) for span in found.spans} == {"bold", "dim"}
