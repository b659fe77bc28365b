"""The next process that writes to the same place removes unfinished files of a killed process."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from support.golden import GOLDEN
from support.raising import raising

from navitas.base.new_files import is_leftover
from navitas.capture.collect import phone_profile
from navitas.capture.collect.apps import map_cache
from navitas.capture.collect.phone_profile import Found
from navitas.fleet.files import FleetError
from navitas.fleet.schema import PACKAGES
from navitas.fleet.store import Store, exclusive_writer
from navitas.recording.late_maps import add_map

# Kills itself while it writes the given file, like a loss of power.
_KILLED = """
import os, sys
from pathlib import Path
from navitas.base.new_files import replacing
with replacing(Path(sys.argv[1])) as made:
    made.write_text("half")
    os.kill(os.getpid(), 9)
"""


def killed_while_writing(target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run([sys.executable, "-c", _KILLED, str(target)], check=False)


def leftovers(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if is_leftover(path)]


@pytest.mark.parametrize("name", ["packages.parquet", "fleet.json", "work/packages.parquet", "work/usage/bucket=000/x.parquet"])
def test_leftovers_of_a_fleet_are_removed(tmp_path: Path, name: str) -> None:
    store = Store.create(tmp_path / "fleet")
    killed_while_writing(store.path / name)
    assert len(leftovers(store.path)) == 1
    with exclusive_writer(store.path):
        pass
    assert leftovers(store.path) == []


def test_a_folder_that_is_not_a_fleet_stays_unchanged(tmp_path: Path) -> None:
    killed_while_writing(tmp_path / "file")
    with exclusive_writer(tmp_path):
        assert len(leftovers(tmp_path)) == 1


@pytest.mark.parametrize("name", ["manifest.json", "maps/x.json", "runs/0/logcat.txt"])
def test_leftovers_of_a_recording_are_removed(recording: Path, name: str) -> None:
    killed_while_writing(recording / name)
    assert len(leftovers(recording)) == 1
    add_map(recording, "1" * 16, ":", b"{}")
    assert leftovers(recording) == []


def _keep_profile() -> None:
    phone_profile.keep("fingerprint", Found(b"<x/>", "test"))


def _keep_map() -> None:
    map_cache._keep(map_cache.KnownMap("1" * 16, ":", "p", b"{}"))


@pytest.mark.parametrize(("keep", "name"), [(_keep_profile, "power"), (_keep_map, "maps")])
def test_old_leftovers_of_a_cache_are_removed(
    tmp_path: Path, keep: Callable[[], None], name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process may be writing there, so only old files are removed."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    folder = tmp_path / "navitas" / name
    keep()
    killed_while_writing(folder / "old")
    for left in leftovers(folder):
        os.utime(left, (0, 0))
    killed_while_writing(folder / "new")
    keep()
    assert len(leftovers(folder)) == 1


def test_only_its_owner_can_read_the_salt(tmp_path: Path) -> None:
    store = Store.create(tmp_path / "fleet")
    settings = store.path / "fleet.json"
    assert stat.S_IMODE(settings.stat().st_mode) == 0o600
    store.write_packages(PACKAGES.empty_table())
    assert stat.S_IMODE((store.path / "packages.parquet").stat().st_mode) != 0o600, "nothing else needs it"


def test_the_salt_of_an_older_store_becomes_private(tmp_path: Path) -> None:
    store = Store.create(tmp_path / "fleet")
    settings = store.path / "fleet.json"
    settings.chmod(0o664)
    assert Store.open(store.path) == store
    assert stat.S_IMODE(settings.stat().st_mode) == 0o664, "reading does not change the file"
    with exclusive_writer(store.path):
        assert stat.S_IMODE(settings.stat().st_mode) == 0o600
    assert Store.open(store.path) == store


def test_an_unreadable_salt_is_reported_as_another_users(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store.create(tmp_path / "fleet")

    monkeypatch.setattr("navitas.fleet.store_settings.read_small", raising(PermissionError(13, "Permission denied")))
    with pytest.raises(FleetError, match="Permission denied") as caught:
        Store.open(store.path)
    assert "owner" in caught.value.remedy
