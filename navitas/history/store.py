"""Sessions in a local SQLite file. A file that someone else made or changed is refused."""

from __future__ import annotations

import errno
import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NoReturn
from urllib.parse import quote

from pydantic import TypeAdapter

from navitas.compare.session import Session
from navitas.errors import HistoryError, UsageError
from navitas.history import schema
from navitas.history.stored_session import COLUMNS, MOST_REPEATS, FigureRow, StoredSession, Time, columns, digest, identity, rows
from navitas.regular_files import check_regular
from navitas.untrusted_text import printable

_WAIT_S = 60.0
_MOST_BYTES = 1 << 32
MOST_FIGURES = 50_000_000
_LONGEST_VALUE = 20_000_000
_MAGIC = b"SQLite format 3\0"
_BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
_NO_ACCESS = (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM)


class History:
    """An open history file."""

    def __init__(self, file: Path, database: sqlite3.Connection) -> None:
        self._file = file
        self._database = database

    def add(self, sessions: Sequence[Session]) -> list[bool]:
        """Add all sessions or none. Returns for each whether it is new.

        Raises `UsageError` for a session without a time, and `HistoryError` if the history has it with other figures.
        """
        for one in sessions:
            _check_time(one)
        with _transaction(self._database, write=True):
            return [self._add(one) for one in sessions]

    def _add(self, session: Session) -> bool:
        known = self._database.execute("SELECT digest FROM session WHERE identity = ?", (identity(session),)).fetchone()
        if known is not None and known[0] != digest(session):
            raise HistoryError(
                f"{session.name}: {self._file} has this session with other figures, so a report was edited, or made with other"
                " options",
                "Add the recording, or the report that `navitas profile` wrote. For other options, use another history.",
            )
        if known is None:
            self._insert(session)
        return known is None

    def _insert(self, session: Session) -> None:
        marks = ", ".join("?" * len(COLUMNS))
        insert = f"INSERT INTO session ({', '.join(COLUMNS)}) VALUES ({marks})"
        number = self._database.execute(insert, columns(session)).lastrowid
        self._database.executemany("INSERT INTO repeat VALUES (?, ?)", [(number, repeat) for repeat in session.repeats])
        figures = rows(session)
        names = {name for one in figures for name in (one.test, one.name)}
        self._database.executemany("INSERT OR IGNORE INTO name (name) VALUES (?)", [(name,) for name in sorted(names)])
        self._database.executemany(
            "INSERT INTO figure SELECT ?, t.id, ?, ?, n.id, ? FROM name t, name n WHERE t.name = ? AND n.name = ?",
            [(number, one.repeat, one.kind, one.energy_j, one.test, one.name) for one in figures],
        )

    def sessions(self) -> list[Session]:
        """Return all sessions, in the order of their times.

        Raises `HistoryError` for a session that was changed after it was added, or if there are too many figures.
        """
        with _transaction(self._database):
            ((figures,),) = self._database.execute("SELECT count(*) FROM figure")
            if figures > MOST_FIGURES:
                message = f"{self._file} has {figures:,} figures, and the most are {MOST_FIGURES:,}"
                raise HistoryError(message, "Make a history for each set of tests, or for the latest sessions only.")
            listed = f"SELECT id, {', '.join(COLUMNS)} FROM session ORDER BY created_utc, id LIMIT {MOST_FIGURES}"
            return [self._session(*row) for row in self._database.execute(listed).fetchall()]

    def _session(self, number: int, *values: object) -> Session:
        known = dict(zip(COLUMNS, values, strict=True))
        repeats = self._database.execute(
            f"SELECT repeat FROM repeat WHERE session = ? ORDER BY repeat LIMIT {MOST_REPEATS + 1}", (number,)
        )
        figures = self._database.execute(
            "SELECT t.name, repeat, kind, n.name, energy_j FROM figure"
            " JOIN name t ON t.id = test JOIN name n ON n.id = figure.name WHERE session = ?",
            (number,),
        )
        try:
            parts = {"repeats": [repeat for (repeat,) in repeats], "figures": [FigureRow(*one) for one in figures]}
            return StoredSession.model_validate(known | parts).session()
        except ValueError as error:
            raise HistoryError(
                f"{self._file}: the session of {printable(str(known['created_utc']), 40)} ({printable(str(known['name']), 200)})"
                " was changed after it was added",
                "Restore the file from a copy, or make a new one from the recordings: navitas history add RECORDING…",
            ) from error


@contextmanager
def open_history(file: Path, *, write: bool = False) -> Iterator[History]:
    """Open a history file. `write`: creates it if it is missing.

    Raises `HistoryError` that names the file if it is no history, is damaged or changed, is of a newer Navitas, is in use, or
    cannot be written; `OSError` if it cannot be read.
    """
    is_new = write and not os.path.lexists(file)
    if not write and not os.path.lexists(file):
        raise UsageError(f"there is no history {file}", "Make one: navitas history add RECORDING…")
    if not is_new:
        if check_regular(file).st_size > _MOST_BYTES:
            raise OSError(errno.EFBIG, f"larger than {_MOST_BYTES >> 30} GiB", str(file))
        with file.open("rb") as start:
            magic = start.read(len(_MAGIC))
        if magic and magic != _MAGIC:
            _refuse(file, "is not an SQLite file")
    try:
        name = quote(os.fsencode(file.absolute()))
        mode = "rwc" if is_new else "rw" if write else "ro"
        with closing(sqlite3.connect(f"file:{name}?mode={mode}", uri=True, timeout=_WAIT_S, isolation_level=None)) as database:
            database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST_VALUE)
            for pragma in ("trusted_schema = OFF", "cell_size_check = ON", "foreign_keys = ON"):
                database.execute(f"PRAGMA {pragma}")
            _check(file, database, write=write)
            yield History(file, database)
    except sqlite3.Error as error:
        _refuse_access(file, error)


def _check(file: Path, database: sqlite3.Connection, *, write: bool) -> None:
    with _transaction(database, write=write):
        if write and not schema.content(database):
            schema.create(database)
        ((application,),) = database.execute("PRAGMA application_id")
        ((version,),) = database.execute("PRAGMA user_version")
        if application != schema.APPLICATION:
            _refuse(file, "is an SQLite file, but no history of Navitas")
        if version > schema.VERSION:
            raise HistoryError(
                f"{file} has version {version} of the history, and this Navitas knows version {schema.VERSION}",
                "Use the newer Navitas that wrote it.",
            )
        if schema.content(database) != schema.expected():
            _refuse(file, "has other tables than Navitas makes, so it was changed")
        if (found := database.execute("PRAGMA quick_check(1)").fetchone()[0]) != "ok":
            _refuse(file, f"is damaged: {str(found).splitlines()[-1][:200]}")


@contextmanager
def _transaction(database: sqlite3.Connection, *, write: bool = False) -> Iterator[None]:
    """Commit what the block does, or undo it if the block fails."""
    database.execute("BEGIN IMMEDIATE" if write else "BEGIN")
    try:
        yield
    except BaseException:
        if database.in_transaction:
            database.execute("ROLLBACK")
        raise
    database.execute("COMMIT")


def _check_time(session: Session) -> None:
    try:
        TypeAdapter(Time).validate_python(session.created_utc)
    except ValueError as error:
        raise UsageError(
            f"{session.name} has no time of its recording in UTC", "Add a recording or report of this Navitas."
        ) from error


def _refuse(file: Path, problem: str) -> NoReturn:
    raise HistoryError(f"{file} {problem}", "Name a file that `navitas history add` made, or a new one.")


def _refuse_access(file: Path, error: sqlite3.Error) -> NoReturn:
    code = getattr(error, "sqlite_errorcode", 0)
    if code == sqlite3.SQLITE_READONLY_ROLLBACK:
        raise HistoryError(
            f"{file}: a process was killed while it added to this history, so {file.name}-journal must be applied first",
            "If both files are yours, add a session again, which restores the history: navitas history add --file FILE RECORDING",
        ) from error
    code &= 0xFF
    if code in _BUSY:
        raise HistoryError(f"{file} is in use by another process", "Wait until it has ended, and try again.") from error
    if code in _NO_ACCESS:
        message = f"{file} cannot be opened or written, or its folder cannot: {error}"
        raise HistoryError(message, "Check its permissions.") from error
    if code == sqlite3.SQLITE_FULL:
        raise HistoryError(f"{file}: the disk is full", "Free some space, and try again.") from error
    raise HistoryError(f"{file} is damaged: {error}", "Restore it from a copy, or add the recordings to a new file.") from error
