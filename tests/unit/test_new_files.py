"""Files are made without writing through what others have put there."""

from __future__ import annotations

from pathlib import Path

from navitas.new_files import aside, write_new


def test_a_link_of_the_name_is_replaced_and_what_it_leads_to_stays(tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("mine")
    (tmp_path / "file").symlink_to("precious")
    write_new(tmp_path / "file", b"new")
    assert (tmp_path / "file").read_bytes() == b"new" and not (tmp_path / "file").is_symlink()
    assert (tmp_path / "precious").read_text() == "mine"
    write_new(tmp_path / "file", b"newer")
    assert (tmp_path / "file").read_bytes() == b"newer"


def test_a_name_aside_is_new_and_short_however_long_the_file_s(tmp_path: Path) -> None:
    target = tmp_path / ("n" * 255)
    one, two = aside(target), aside(target)
    assert one != two and one.parent == target.parent and len(one.name) < 255
    one.touch()
    one.replace(target)
