"""A history keeps sessions as they are, once each, and names what is wrong with its file."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.made_sessions import TEST, made_session

from navitas.base.errors import HistoryError, UsageError
from navitas.insight.compare.session import Origin, Session, TestRun
from navitas.insight.history.store import open_history

REVISION = "a" * 40


def add(file: Path, *sessions: Session) -> list[bool]:
    with open_history(file, write=True) as history:
        return history.add(sessions)


def read(file: Path) -> list[Session]:
    with open_history(file) as history:
        return history.sessions()


def change(file: Path, *statements: str) -> None:
    with closing(sqlite3.connect(file)) as database:
        for one in statements:
            database.execute(one)
        database.commit()


def test_sessions_come_back_as_they_were(tmp_path: Path) -> None:
    file = tmp_path / "h?i %2f# é.sqlite"
    sessions = [made_session([1.0, 1.5], second, revision=REVISION, dirty=True) for second in (2, 1)]
    assert add(file, *sessions) == [True, True]
    assert read(file) == sessions[::-1], "by time"
    assert [one.name for one in tmp_path.iterdir()] == [file.name], "no other file is left"


def test_a_session_is_added_once(tmp_path: Path) -> None:
    file, session = tmp_path / "h", made_session([1.0, 2.0])
    assert add(file, session) + add(file, replace(session, name="its report"), made_session([1], 5)) == [True, False, True]
    assert len(read(file)) == 2


def test_two_versions_of_the_same_second_are_two_sessions(tmp_path: Path) -> None:
    file = tmp_path / "h"
    assert all(add(file, made_session([1.0], revision=REVISION), made_session([1.1], revision="b" * 40)))


def test_a_report_that_was_edited_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "h"
    add(file, made_session([1.0, 2.0]))
    with pytest.raises(HistoryError, match=r"has this session with other figures, so a report was edited"):
        add(file, made_session([1.0, 1.9]))
    assert read(file) == [made_session([1.0, 2.0])]


def test_an_interrupted_addition_adds_nothing(tmp_path: Path) -> None:
    file = tmp_path / "h"
    add(file, made_session([1.0]))
    run = TestRun({"total": {"cpu": 1e12}}, {}, {})
    broken = replace(made_session([1.0], 1), tests={TEST: {0: run}})
    with pytest.raises(HistoryError):
        add(file, broken)
    assert len(read(file)) == 1


def test_a_session_without_a_time_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="has no time"):
        add(tmp_path / "h", replace(made_session([1.0]), created_utc=""))


def test_several_sessions_are_added_together_or_not_at_all(tmp_path: Path) -> None:
    file = tmp_path / "h"
    add(file, made_session([1.0, 2.0]))
    with pytest.raises(HistoryError, match="other figures"):
        add(file, made_session([1.0], 1), made_session([1.0, 1.9]))
    assert len(read(file)) == 1


def test_two_versions_in_turns_of_one_revision_are_two_sessions(tmp_path: Path) -> None:
    file = tmp_path / "h"
    sides = [replace(made_session([energy_j], revision=REVISION), session="in turns") for energy_j in (1.0, 1.1)]
    assert add(file, *sides) == [True, True]
    assert add(file, *sides) == [False, False]
    assert len(read(file)) == 2


def test_several_add_at_once(tmp_path: Path) -> None:
    file = tmp_path / "h"

    def add_many(start: int) -> None:
        for second in range(start, start + 15):
            add(file, made_session([1.0], second))

    with ThreadPoolExecutor(3) as pool:
        for done in [pool.submit(add_many, start) for start in (0, 15, 30)]:
            done.result()
    assert len(read(file)) == 45


def test_a_killed_addition_is_named_and_undone_by_the_next_one(tmp_path: Path) -> None:
    file, left = tmp_path / "h", tmp_path / "killed"
    left.mkdir()
    add(file, made_session([1.0]))
    with closing(sqlite3.connect(file, isolation_level=None)) as database:
        database.execute("PRAGMA cache_size = 1")
        database.execute("BEGIN IMMEDIATE")
        database.executemany("INSERT INTO name (name) VALUES (?)", [(f"{i}" * 20,) for i in range(3000)])
        for name in ("h", "h-journal"):
            (left / name).write_bytes((tmp_path / name).read_bytes())
    with pytest.raises(HistoryError, match="a process was killed while it added"):
        read(left / "h")
    add(left / "h", made_session([1.0], 1))
    assert len(read(left / "h")) == 2


def _forged(**changes: Any) -> Session:
    return replace(made_session([1.0, 2.0], revision=REVISION), **changes)


FULL = made_session([1.0, 2.0]).tests[TEST]


@pytest.mark.parametrize(
    "session",
    [
        _forged(origin=Origin("made", "--output=victim")),
        _forged(origin=Origin("made", REVISION + "\n")),
        _forged(repeats=()),
        _forged(repeats=(0, 1, 99)),
        _forged(tests={TEST: {0: FULL[0]}}),
        _forged(created_utc="yesterday"),
        _forged(created_utc="\x1b[31m2026-01-01T00:00:00+00:00"),
        _forged(conditions={"a": 1}),
        _forged(repeats=(-1, 1), tests={TEST: {-1: FULL[0], 1: FULL[1]}}),
    ],
)
def test_a_session_that_no_report_can_have_is_refused(tmp_path: Path, session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its digest is right: someone else wrote the file."""
    monkeypatch.setattr("navitas.insight.history.store.check_storable", lambda session: None)
    add(tmp_path / "h", session)
    with pytest.raises(HistoryError, match="was changed after it was added"):
        read(tmp_path / "h")


def test_the_size_of_a_file_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "h"
    add(file, made_session([1.0]))
    change(file, f"UPDATE session SET conditions = '{'[' * 200_000}'")
    with pytest.raises(HistoryError, match="was changed after it was added"):
        read(file)
    monkeypatch.setattr("navitas.insight.history.store.MOST_FIGURES", 2)
    with pytest.raises(HistoryError, match="figures, and the most are 2"):
        read(file)
    monkeypatch.setattr("navitas.insight.history.store._MOST_BYTES", 100)
    with pytest.raises(OSError, match="larger than"):
        read(file)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE figure SET energy_j = 0.5 WHERE kind = 'app' AND repeat = 0",
        "UPDATE figure SET energy_j = 'x' WHERE kind = 'method'",
        "DELETE FROM figure WHERE kind = 'method'",
        "DELETE FROM repeat",
        "UPDATE session SET created_utc = '2025-01-01T00:00:00+00:00'",
        "UPDATE session SET revision = 'b'",
        "UPDATE session SET settings = 'b'",
        "UPDATE session SET conditions = '[1]'",
        "UPDATE session SET not_passed = '{'",
        "UPDATE session SET dirty = 1",
        "UPDATE session SET is_fit = 0",
        "UPDATE name SET name = name || '2'",
    ],
)
def test_a_file_that_was_edited_by_hand_is_named(tmp_path: Path, statement: str) -> None:
    file = tmp_path / "h"
    add(file, made_session([1.0, 2.0], revision=REVISION))
    change(file, statement)
    with pytest.raises(HistoryError, match=f"{file}: the session of .* was changed after it was added"):
        read(file)


TRIGGER = "CREATE TRIGGER t AFTER INSERT ON session BEGIN DELETE FROM figure; END"


def _text(file: Path) -> None:
    file.write_text("joules")


def _history(*statements: str) -> Callable[[Path], None]:
    def make(file: Path) -> None:
        add(file, made_session([1.0]))
        change(file, *statements)

    return make


def _database(*statements: str) -> Callable[[Path], None]:
    return lambda file: change(file, *statements)


def _damaged(file: Path) -> None:
    add(file, *(made_session([1.0] * 50, second) for second in range(20)))
    data = bytearray(file.read_bytes())
    data[4096:-4096] = os.urandom(len(data) - 8192)
    file.write_bytes(data)


def _cut(file: Path) -> None:
    add(file, *(made_session([1.0] * 50, second) for second in range(20)))
    os.truncate(file, file.stat().st_size // 2)


@pytest.mark.parametrize(
    ("make", "problem"),
    [
        (_text, "is not an SQLite file"),
        (_database("CREATE TABLE session (id)"), "is an SQLite file, but no history of Navitas"),
        (_database("PRAGMA application_id = 77"), "is an SQLite file, but no history of Navitas"),  # before it has tables
        (_database("CREATE TABLE other (id)", "DROP TABLE other"), "is an SQLite file, but no history of Navitas"),
        (_history("PRAGMA user_version = 0"), "has version 0 of the history, which no Navitas wrote"),
        (_history("PRAGMA user_version = -5"), "has version -5 of the history, which no Navitas wrote"),
        (_history("PRAGMA user_version = 3"), "has version 3 of the history, and this Navitas knows version 2"),
        (_history(TRIGGER), "has other tables than Navitas makes, so it was changed"),
        (_damaged, "damaged"),
        (_cut, "damaged"),
    ],
)
@pytest.mark.parametrize("use", [read, lambda file: add(file, made_session([1.0], 99))])
def test_an_unusable_file_is_named(
    tmp_path: Path, make: Callable[[Path], None], problem: str, use: Callable[[Path], object]
) -> None:
    file = tmp_path / "h"
    make(file)
    before = file.read_bytes()
    with pytest.raises(HistoryError, match=problem) as error:
        use(file)
    assert str(file) in error.value.message
    assert file.read_bytes() == before


def test_a_file_in_use_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "h"
    add(file, made_session([1.0]))
    monkeypatch.setattr("navitas.insight.history.store._WAIT_S", 0.01)
    with closing(sqlite3.connect(file)) as other:
        other.execute("BEGIN EXCLUSIVE")
        for use in (read, lambda one: add(one, made_session([1.0], 1))):
            with pytest.raises(HistoryError, match="is in use by another process"):
                use(file)


def test_files_that_cannot_be_opened_are_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no history"):
        read(tmp_path / "missing")
    with pytest.raises(OSError, match="a folder"):
        add(tmp_path, made_session([1.0]))
    with pytest.raises(HistoryError, match="cannot be opened or written"):
        add(tmp_path / "no/folder", made_session([1.0]))


def test_an_empty_file_becomes_a_history(tmp_path: Path) -> None:
    (tmp_path / "h").touch()
    assert add(tmp_path / "h", made_session([1.0])) == [True]
