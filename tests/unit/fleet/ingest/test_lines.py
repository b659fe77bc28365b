"""A file's bytes in blocks of lines."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from navitas.base import line_blocks as module
from navitas.base.line_blocks import LINE_LIMIT, LineCutter, utf8_of
from navitas.fleet.files import FleetError
from navitas.fleet.ingest import source as source_module
from navitas.fleet.ingest.source import SourceFile


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.binary(max_size=40) | st.text(" \t\r\n\v\f\x85x", max_size=30).map(str.encode)), st.integers(1, 50), st.booleans()
)
def test_all_lines_come_in_order_with_their_numbers(tmp_path: Path, pieces: list[bytes], size: int, packed: bool) -> None:
    content = b"\n".join(pieces)
    file = tmp_path / "a"
    file.write_bytes(gzip.compress(content, 1) if packed else content)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(source_module, "_CHUNK", 7)
        patch.setattr(module, "LINE_LIMIT", 20)
        patch.setattr(source_module, "BLOCK", size)
        looks_packed = content.startswith((b"\x1f\x8b", b"\x28\xb5\x2f\xfd"))
        blocks = list(SourceFile(file).open().blocks()) if packed or not looks_packed else []
    content = utf8_of(content)(content)
    found = {number: line for block in blocks for number, line in zip(block.numbers, block.lines, strict=True)}
    refused = {one.row for block in blocks for one in block.refused}
    if blocks:
        expected = {n: line.removesuffix(b"\r") for n, line in enumerate(content.split(b"\n"), 1)}
        expected[1] = expected[1].removeprefix(b"\xef\xbb\xbf")
        kept = {number: line for number, line in expected.items() if line and not line.isspace()}
        assert found == {number: line for number, line in kept.items() if number not in refused}
        assert {number for number, line in kept.items() if len(line) > 21} <= refused
        assert all(len(content.split(b"\n")[number - 1]) > 20 for number in refused)
    assert list(found) == sorted(found)


def test_blank_lines_have_numbers_and_no_line() -> None:
    """Also in blocks that have nothing else, which are not split into lines."""
    cutter = LineCutter()
    blocks = [cutter.cut(data) for data in (b"\n" * 1000, b" \t\r\n\none\n", b"\n \n")]
    assert [list(block.numbers) for block in blocks] == [[], [1003], []] and list(blocks[1].lines) == [b"one"]
    assert cutter.number == 1005
    assert [one.row for one in LineCutter().cut(b" " * (LINE_LIMIT + 1) + b"\n\n").refused] == [1], "too long, though blank"


@pytest.mark.parametrize("packed", [False, True])
def test_utf16_of_powershell_is_read(packed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source_module, "_CHUNK", 7)
    content = "one\r\ngrößer\r\n".encode("utf-16")
    (file := tmp_path / "a").write_bytes(gzip.compress(content) if packed else content)
    source = SourceFile(file)
    source.check_text()
    assert [line for block in source.open().blocks() for line in block.lines] == [b"one", "größer".encode()]


def test_a_file_that_changes_while_it_is_read_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.write_bytes(b"one\ntwo\n")
    source = SourceFile(file).open()
    file.write_bytes(b"one\ntwo\nthree\n")
    assert [line for block in source.blocks() for line in block.lines] == [b"one", b"two"]
    file.write_bytes(b"six\ntwo\nthree\n")
    with pytest.raises(FleetError, match="changed while it was read"):
        list(source.blocks())
