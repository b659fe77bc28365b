"""Files are written without following links of other users."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from support.raising import raising

from navitas.base.new_files import (
    named_stream,
    new_file,
    remove_abandoned,
    remove_leftovers,
    replacing,
    unfinished_path,
    write_new,
)


def test_a_link_is_replaced_and_its_target_stays(tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("mine")
    (tmp_path / "file").symlink_to("precious")
    write_new(tmp_path / "file", b"new")
    assert (tmp_path / "file").read_bytes() == b"new" and not (tmp_path / "file").is_symlink()
    assert (tmp_path / "precious").read_text() == "mine"
    write_new(tmp_path / "file", b"newer")
    assert (tmp_path / "file").read_bytes() == b"newer"


def test_an_unfinished_name_is_new_and_short(tmp_path: Path) -> None:
    target = tmp_path / ("n" * 255)
    one, two = unfinished_path(target), unfinished_path(target)
    assert one != two and one.parent == target.parent and len(one.name) < 255
    one.touch()
    one.replace(target)


@pytest.mark.parametrize("remove", [remove_leftovers, remove_abandoned])
def test_a_leftover_that_cannot_be_removed_does_not_keep_the_others(
    remove: Callable[[Path], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(3):
        path = tmp_path / f".{number:016x}.part"
        path.touch()
        os.utime(path, (0, 0))
    unlink, failures = Path.unlink, iter([PermissionError(1, "Operation not permitted")])

    def failing_once(path: Path, missing_ok: bool = False) -> None:
        for error in failures:
            raise error
        unlink(path, missing_ok)

    monkeypatch.setattr(Path, "unlink", failing_once)
    remove(tmp_path)
    assert len(list(tmp_path.iterdir())) == 1


def test_a_failure_leaves_the_old_content_and_no_partial_file(tmp_path: Path) -> None:
    target = tmp_path / "file"
    target.write_text("old")
    with pytest.raises(ZeroDivisionError), new_file(target) as out:
        out.write(b"half")
        raise ZeroDivisionError
    with pytest.raises(ZeroDivisionError), replacing(target) as made:
        made.write_text("half")
        raise ZeroDivisionError
    assert target.read_text() == "old" and [path.name for path in tmp_path.iterdir()] == ["file"]


def test_a_half_written_file_is_never_visible(tmp_path: Path) -> None:
    target = tmp_path / "file"
    with new_file(target, durable=True) as out:
        out.write(b"half")
        out.flush()
        assert not target.exists()
        out.write(b" and half")
    assert target.read_bytes() == b"half and half"
    with replacing(target) as made:
        made.write_text("new")
        assert target.read_bytes() == b"half and half"
    assert target.read_text() == "new" and [path.name for path in tmp_path.iterdir()] == ["file"]


def test_errors_name_the_target(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder/inside").touch()
    (tmp_path / "file").touch()
    for target in (tmp_path / "folder", tmp_path / "file/below", tmp_path / "missing/below"):
        with pytest.raises(OSError) as caught:
            write_new(target, "text")
        assert caught.value.filename == str(target) and caught.value.filename2 is None
        with pytest.raises(OSError) as caught, new_file(target, shown=Path("as named")):
            pass
        assert caught.value.filename == "as named"
    with pytest.raises(FileNotFoundError) as other, new_file(tmp_path / "new"):
        (tmp_path / "another").read_bytes()
    assert other.value.filename == str(tmp_path / "another"), "an error of another file names that file"
    with (
        pytest.raises(OSError, match="No space left") as full,
        named_stream(os.open("/dev/full", os.O_WRONLY), Path("mine")) as out,
    ):
        out.write(b"x")
    assert full.value.filename == "mine"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "folder"]


def test_text_is_utf_8_and_the_umask_applies(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write_new(tmp_path / "file", "µJ")
    finally:
        os.umask(before)
    assert (tmp_path / "file").read_bytes() == b"\xc2\xb5J"
    assert (tmp_path / "file").stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o444, 0o755])
def test_a_file_that_is_replaced_keeps_its_permissions(tmp_path: Path, mode: int) -> None:
    target = tmp_path / "file"
    for write in (write_new, _by_library):
        target.write_text("old")
        target.chmod(mode)
        write(target, "new")
        assert target.read_text() == "new" and target.stat().st_mode & 0o7777 == mode
        target.unlink()


def _by_library(target: Path, text: str) -> None:
    with replacing(target) as made:
        assert made.stat().st_mode & 0o077 == 0, "others never get more access than before"
        made.write_text(text)


def test_only_its_owner_can_read_a_private_file(tmp_path: Path) -> None:
    write_new(tmp_path / "file", "secret", private=True)
    assert (tmp_path / "file").stat().st_mode & 0o777 == 0o600


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a file to another user")
def test_a_file_that_root_replaces_keeps_its_owner(tmp_path: Path) -> None:
    (tmp_path / "file").touch(0o600)
    os.chown(tmp_path / "file", 65534, 65534)
    write_new(tmp_path / "file", "new")
    info = (tmp_path / "file").stat()
    assert (info.st_uid, info.st_gid, info.st_mode & 0o777) == (65534, 65534, 0o600)


def test_a_group_that_cannot_be_kept_loses_access(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "file").chmod(0o664)
    of_target = (tmp_path / "file").stat()
    fields = list(of_target)
    fields[5] += 1  # st_gid
    monkeypatch.setattr("navitas.base.new_files._replaced", lambda _: os.stat_result(fields))
    monkeypatch.setattr(os, "chown", raising(PermissionError()))
    write_new(tmp_path / "file", "new")
    assert (tmp_path / "file").stat().st_mode & 0o777 == 0o604


def test_leftovers_are_found_in_subfolders_but_not_behind_links(tmp_path: Path) -> None:
    (tmp_path / "own/inner").mkdir(parents=True)
    (tmp_path / "other").mkdir()
    (tmp_path / "own/link").symlink_to(tmp_path / "other")
    inside, outside = unfinished_path(tmp_path / "own/inner/x"), unfinished_path(tmp_path / "other/x")
    for left in (inside, outside):
        left.touch()
    remove_leftovers(tmp_path / "own")
    assert not inside.exists() and outside.exists()


def test_unfinished_files_in_shared_folders_stay_for_an_hour(tmp_path: Path) -> None:
    old, new = unfinished_path(tmp_path / "x"), unfinished_path(tmp_path / "x")
    for left in (old, new):
        left.touch()
    os.utime(old, (0, 0))
    remove_abandoned(tmp_path)
    assert not old.exists() and new.exists()
    remove_abandoned(tmp_path / "missing")
