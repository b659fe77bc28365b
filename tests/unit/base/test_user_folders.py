"""Files that Navitas keeps between runs are in folders that no other user can have created."""

from __future__ import annotations

import grp
import os
import pwd
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.capture import Capture
from support.raising import raising

from navitas.base.errors import UsageError
from navitas.base.user_folders import cache_folder, make_folder, state_folder


@pytest.fixture
def shared(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder like /tmp, which is the temp folder of a user without a home folder."""

    tmp_path_factory.getbasetemp()  # not below this one
    with tempfile.TemporaryDirectory(dir="/tmp") as made:
        Path(made).chmod(0o1777)
        for name in ("XDG_CACHE_HOME", "XDG_STATE_HOME"):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setattr(Path, "home", raising(RuntimeError("no home")))
        monkeypatch.setattr(tempfile, "tempdir", made)
        yield Path(made)


def give_away(path: Path) -> None:
    if os.getuid() != 0:
        pytest.skip("only root can give a file to another user")
    os.chown(path, 65534, 65534, follow_symlinks=False)


def give_to_group(path: Path) -> None:
    if os.getuid() != 0:
        pytest.skip("only root can give a file to another group")
    os.chown(path, -1, 65534)


def test_without_a_home_the_folder_is_created_for_its_user_only(shared: Path) -> None:
    folder = shared / f"navitas-{os.getuid()}"
    assert cache_folder() == state_folder() == folder
    assert folder.stat().st_mode & 0o777 == 0o700
    assert cache_folder() == folder


@pytest.mark.parametrize("mode", [0o777, 0o770, 0o1777, 0o720])
@pytest.mark.parametrize("place", ["shared", "home"])
def test_a_folder_that_others_can_write_to_is_refused(
    shared: Path, tmp_path: Path, place: str, mode: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = shared / f"navitas-{os.getuid()}"
    if place == "home":
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
        folder = tmp_path / "navitas"
    folder.mkdir()
    if not mode & stat.S_IWOTH:
        give_to_group(folder)
    folder.chmod(mode)
    with pytest.raises(UsageError, match=f"{folder} can be written by other users") as caught:
        cache_folder()
    assert "chmod go-w" in caught.value.remedy


def test_a_group_with_only_this_user_counts_as_the_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the umask 002, which is common, new folders are group-writable and belong to such a group."""
    user = pwd.getpwuid(os.getuid())
    group = grp.getgrgid(user.pw_gid)
    if group.gr_name != user.pw_name or set(group.gr_mem) - {user.pw_name}:
        pytest.skip("the user has no group of their own")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    (tmp_path / "navitas").mkdir()
    (tmp_path / "navitas").chmod(0o775)
    assert cache_folder() == tmp_path / "navitas"


@pytest.mark.parametrize("exists", [True, False])
def test_another_users_link_is_refused(shared: Path, exists: bool) -> None:
    (shared / "own").mkdir(mode=0o700)
    link = shared / f"navitas-{os.getuid()}"
    link.symlink_to("own" if exists else "later")
    give_away(link)
    with pytest.raises(UsageError, match="belongs to another user"):
        cache_folder()
    assert not (shared / "later").exists()


def test_a_link_to_another_users_folder_is_refused(shared: Path) -> None:
    (shared / "theirs").mkdir()
    (shared / f"navitas-{os.getuid()}").symlink_to("theirs")
    give_away(shared / "theirs")
    with pytest.raises(UsageError, match=f"{shared}/theirs belongs to another user"):
        cache_folder()


def test_a_named_folder_in_a_world_writable_folder_is_checked(shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(shared / "a" / "b"))
    assert cache_folder() == shared / "a" / "b" / "navitas"
    assert (shared / "a").stat().st_mode & 0o777 == 0o700
    give_away(shared / "a")
    with pytest.raises(UsageError, match=f"{shared}/a belongs to another user"):
        cache_folder()


@pytest.mark.parametrize("given", ["home", "home/.cache", "home/.cache/navitas"])
@pytest.mark.parametrize("by", ["HOME", "XDG_CACHE_HOME"])
def test_a_folder_of_another_user_is_refused(
    tmp_path: Path, by: str, given: str, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    (tmp_path / "home/.cache/navitas").mkdir(parents=True)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setenv(by, str(tmp_path / ("home" if by == "HOME" else "home/.cache")))
    assert cache_folder() == tmp_path / "home/.cache/navitas"
    give_away(tmp_path / given)
    with pytest.raises(UsageError, match=f"{tmp_path / given} belongs to another user") as caught:
        cache_folder()
    assert "XDG_CACHE_HOME" in caught.value.remedy and "HOME" in caught.value.remedy


@pytest.mark.parametrize("open_to_all", ["home", "home/.cache"])
def test_a_folder_that_others_can_replace_is_refused(
    tmp_path: Path, open_to_all: str, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    (tmp_path / "home/.cache/navitas").mkdir(parents=True)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / open_to_all).chmod(0o777)
    with pytest.raises(UsageError, match=f"every user can replace files in {tmp_path / open_to_all}") as caught:
        cache_folder()
    assert f"chmod +t {tmp_path / open_to_all}" in caught.value.remedy and "XDG_CACHE_HOME" in caught.value.remedy
    (tmp_path / open_to_all).chmod(0o1777)
    assert cache_folder() == tmp_path / "home/.cache/navitas"


def test_environment_variables_name_the_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    for folder_of, variable, default in (
        (cache_folder, "XDG_CACHE_HOME", ".cache"),
        (state_folder, "XDG_STATE_HOME", ".local/state"),
    ):
        monkeypatch.setenv(variable, str(tmp_path / "named"))
        assert folder_of() == tmp_path / "named/navitas"
        for ignored in ("", "relative"):
            monkeypatch.setenv(variable, ignored)
            assert folder_of() == tmp_path / default / "navitas"
    assert not list(tmp_path.iterdir()), "looking up a folder creates none"


def test_a_folder_is_created_for_its_user_only(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        make_folder(tmp_path / "a/b")
        make_folder(tmp_path / "a/b")
    finally:
        os.umask(before)
    assert [(tmp_path / name).stat().st_mode & 0o777 for name in ("a", "a/b")] == [0o700, 0o700]
