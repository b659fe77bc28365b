"""History files of version 1, which an earlier Navitas wrote: two sessions in turns, two of one revision, one of a recording."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from support.made_sessions import TEST, made_session

from navitas.base.errors import HistoryError
from navitas.insight.compare.subject import ALL_TESTS, Subject
from navitas.insight.history import schema
from navitas.insight.history.store import open_history

FIRST = Path(__file__).parents[3] / "fixtures" / "history-v1.sqlite"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return Path(shutil.copy(FIRST, tmp_path / "h"))


def test_all_energy_is_read_without_a_change_of_the_file(file: Path) -> None:
    with open_history(file) as history:
        sessions = history.sessions()
    assert file.read_bytes() == FIRST.read_bytes()
    assert [one.name for one in sessions] == ["files/rec", "session 1", "session 2", "session 3", "session 3"]
    assert [one.session for one in sessions] == ["", "", "", "in turns", "in turns"]
    assert not any(one.has("app") or one.has("base") for one in sessions)
    joules = sessions[1].joules({TEST})
    assert joules[Subject("test", TEST, "total")].tolist() == [2.0, 2.5]
    assert joules[Subject("all", ALL_TESTS, "total")].tolist() == [2.0, 2.5]
    assert joules[Subject("method", "a.Sorter.sort()V")].tolist() == [1.0, 1.5]
    assert Subject("test", TEST, "app") not in joules


def test_an_addition_converts_the_file_and_replaces_sessions_without_app_energy(file: Path) -> None:
    with open_history(file) as history:
        before = history.sessions()
    with open_history(file, write=True) as history:
        assert history.add([made_session([1.0], 5)]) == [True]
        assert len(history.without_app()) == 5
    with closing(sqlite3.connect(file)) as database:
        assert schema.version(database) == schema.VERSION
    with open_history(file) as history:
        assert history.sessions()[:5] == before
    again = made_session([1.0, 1.5], 1, revision="a" * 40, dirty=True, device=before[1].device, project=before[1].origin.project)
    with open_history(file, write=True) as history:
        assert history.add([again]) == [False]
        assert len(history.without_app()) == 4
        assert history.sessions()[1] == again
        with pytest.raises(HistoryError, match="with other figures"):
            history.add([made_session([1.0], 5, base_j=2)])


@pytest.mark.parametrize("kind", ["test", "component", "thread", "method"])
def test_a_file_that_was_edited_by_hand_is_not_converted(file: Path, kind: str) -> None:
    with closing(sqlite3.connect(file)) as database:
        database.execute("UPDATE figure SET energy_j = energy_j + 1 WHERE kind = ?", (kind,))
        database.commit()
    edited = file.read_bytes()
    for write in (False, True):
        with pytest.raises(HistoryError, match="was changed after it was added"), open_history(file, write=write):
            pass
    assert file.read_bytes() == edited
