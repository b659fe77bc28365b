"""What Navitas keeps between runs is in folders of its user, which no other user can have made."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from navitas.cli.main import run
from navitas.errors import UsageError
from navitas.user_folders import cache_folder, state_folder


@pytest.fixture
def shared(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder like /tmp, which is the temp folder of a user without a home."""

    def no_home() -> Path:
        raise RuntimeError("no home")

    with tempfile.TemporaryDirectory(dir="/tmp") as made:
        Path(made).chmod(0o1777)
        for name in ("XDG_CACHE_HOME", "XDG_STATE_HOME"):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setattr(Path, "home", no_home)
        monkeypatch.setattr(tempfile, "tempdir", made)
        yield Path(made)


def give_away(path: Path) -> None:
    if os.getuid() != 0:
        pytest.skip("only root can give a file to another user")
    os.chown(path, 65534, 65534, follow_symlinks=False)


def test_without_a_home_the_folder_is_made_for_its_user_alone(shared: Path) -> None:
    folder = shared / f"navitas-{os.getuid()}"
    assert cache_folder() == state_folder() == folder
    assert folder.stat().st_mode & 0o777 == 0o700
    assert cache_folder() == folder


def test_one_that_another_user_has_made_is_refused(shared: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = shared / f"navitas-{os.getuid()}"
    folder.mkdir()
    give_away(folder)
    for asked in (cache_folder, state_folder):
        with pytest.raises(UsageError, match=f"{folder} belongs to another user") as caught:
            asked()
        assert "_HOME" in caught.value.remedy
    assert run(["doctor", "--device", "virtual", "--restore"]) == 2
    assert f"{folder} belongs to another user" in capsys.readouterr().err


@pytest.mark.parametrize("mode", [0o777, 0o770, 0o1777, 0o720])
def test_one_that_others_can_write_to_is_refused(shared: Path, mode: int) -> None:
    folder = shared / f"navitas-{os.getuid()}"
    folder.mkdir()
    folder.chmod(mode)
    with pytest.raises(UsageError, match=f"{folder} can be written by other users"):
        cache_folder()


@pytest.mark.parametrize("exists", [True, False])
def test_another_user_s_link_is_refused_wherever_it_leads(shared: Path, exists: bool) -> None:
    (shared / "own").mkdir(mode=0o700)
    link = shared / f"navitas-{os.getuid()}"
    link.symlink_to("own" if exists else "later")
    give_away(link)
    with pytest.raises(UsageError, match="belongs to another user"):
        cache_folder()
    assert not (shared / "later").exists()


def test_an_own_link_to_another_user_s_folder_is_refused(shared: Path) -> None:
    (shared / "theirs").mkdir()
    (shared / f"navitas-{os.getuid()}").symlink_to("theirs")
    give_away(shared / "theirs")
    with pytest.raises(UsageError, match="leads to a folder of another user"):
        cache_folder()


def test_a_named_folder_below_one_of_all_users_is_checked_too(shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(shared / "a" / "b"))
    assert cache_folder() == shared / "a" / "b" / "navitas"
    assert (shared / "a").stat().st_mode & 0o777 == 0o700
    give_away(shared / "a")
    with pytest.raises(UsageError, match=f"{shared}/a belongs to another user"):
        cache_folder()


def test_elsewhere_the_user_s_word_is_enough(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder in a home that a container gives to another user number stays usable."""
    monkeypatch.setenv("XDG_CACHE_HOME", "/none/cache")
    assert cache_folder() == Path("/none/cache/navitas")
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache_folder() == tmp_path / ".cache/navitas"
