"""Tables are read as they were written, and unreadable ones are reported."""

from __future__ import annotations

import os
from pathlib import Path

import pyarrow as pa
import pytest

from navitas.base.new_files import unfinished_path
from navitas.fleet import files
from navitas.fleet.files import FleetError, is_made_from, notes_of, read_table, write_table
from navitas.fleet.store import Store


@pytest.mark.parametrize("rows", [0, 1, 5])
def test_a_table_is_read_as_it_was_written(rows: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "_BATCH", 2)
    table = pa.table(
        {"number": pa.array(range(rows), pa.int32()), "text": pa.array(["a", None, "b", "", "c"][:rows], pa.string())}
    )
    file = tmp_path / "table.parquet"
    write_table(file, table, "these inputs", {"refused": 3})
    assert read_table(file).equals(table)
    assert read_table(file, ["text"]).equals(table.select(["text"]))
    assert is_made_from(file, "these inputs") and not is_made_from(file, "others")
    assert notes_of(file) == {"refused": 3}


def test_a_damaged_table_is_named(tmp_path: Path) -> None:
    file = tmp_path / "table.parquet"
    write_table(file, pa.table({"number": range(100_000)}))
    whole = file.read_bytes()
    file.write_bytes(whole[:1000] + bytes(5000) + whole[6000:])
    with pytest.raises(FleetError, match=r"table\.parquet: cannot be read"):
        read_table(file)


def test_the_error_for_a_damaged_footer_is_one_line(tmp_path: Path) -> None:
    write_table(file := tmp_path / "table.parquet", pa.table({"number": range(100)}))
    whole = file.read_bytes()
    file.write_bytes(whole[:4] + b"\xff" * (len(whole) - 12) + whole[-8:])
    with pytest.raises(FleetError, match="cannot be read: Couldn't deserialize") as caught:
        read_table(file)
    assert "\n" not in caught.value.message


def test_a_flipped_byte_is_never_another_value(tmp_path: Path) -> None:
    table = pa.table({"number": pa.array(range(1000), pa.int64()), "text": [f"text {i % 7}" for i in range(1000)]})
    write_table(file := tmp_path / "table.parquet", table)
    whole = file.read_bytes()
    for place in range(4, len(whole), 13):
        file.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        try:
            assert read_table(file).equals(table), place
        except FleetError as error:
            assert error.message.startswith(f"{file}: cannot be read")


def test_lack_of_memory_is_not_reported_as_damage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def too_much(*_: object, **options: object) -> None:
        raise pa.ArrowMemoryError("malloc of size 4096 failed")

    (tmp_path / "table.parquet").touch()
    monkeypatch.setattr(files.pq, "ParquetFile", too_much)
    with pytest.raises(MemoryError):
        read_table(tmp_path / "table.parquet")


def test_a_pipe_among_the_files_does_not_block(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "table.parquet")
    with pytest.raises(FleetError, match="a pipe, not a regular file"):
        read_table(tmp_path / "table.parquet")
    assert not is_made_from(tmp_path / "table.parquet", "inputs")


def test_leftovers_of_a_killed_writer_do_not_count_as_content(tmp_path: Path) -> None:
    unfinished_path(tmp_path / "fleet.json").write_text("half")
    (tmp_path / "lock").touch()
    Store.create(tmp_path)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "file").touch()
    with pytest.raises(FleetError, match="not a fleet, and not empty"):
        Store.create(tmp_path / "mine")
