"""Sessions in a local SQLite file. A file that someone else made or changed is refused."""

from __future__ import annotations

import errno
import os
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NoReturn, TypeVar
from urllib.parse import quote

from pydantic import TypeAdapter

from navitas.base.errors import HistoryError, UsageError
from navitas.base.regular_files import check_regular
from navitas.base.untrusted_text import printable
from navitas.insight.compare.session import Session
from navitas.insight.history import schema
from navitas.insight.history.stored_session import COLUMNS, MOST_REPEATS, FirstStoredSession, StoredSession, Time, too_long

T = TypeVar("T")
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

        A session that the history has without app energy is replaced. Raises `UsageError` for a session that cannot be kept, and
        `HistoryError` if the history has it with other figures.
        """
        for one in sessions:
            check_storable(one)
        with _transaction(self._database, write=True):
            return [self._add(StoredSession.of(one)) for one in sessions]

    def _add(self, session: StoredSession) -> bool:
        select = "SELECT id, digest FROM session WHERE identity = ?"
        number, digest = self._database.execute(select, (session.identity,)).fetchone() or (None, None)
        if number is not None and digest != session.digest:
            select = "SELECT EXISTS (SELECT 1 FROM figure WHERE session = ? AND kind = 'app')"
            if self._database.execute(select, (number,)).fetchone() == (1,):
                raise HistoryError(
                    f"{session.name}: {self._file} has this session with other figures, so a report was edited, or made with"
                    " other options",
                    "Add the recording, or the report that `navitas profile` wrote. For other options, use another history.",
                )
            self._delete(number)
        if digest != session.digest:
            self._insert(session)
        return number is None

    def remove(self, sessions: Sequence[Session]) -> None:
        """Remove sessions; those that the history does not have are ignored."""
        with _transaction(self._database, write=True):
            for session in sessions:
                identity = StoredSession.of(session).identity
                for (number,) in self._database.execute("SELECT id FROM session WHERE identity = ?", (identity,)).fetchall():
                    self._delete(number)

    def _delete(self, number: int) -> None:
        for table, column in (("figure", "session"), ("repeat", "session"), ("session", "id")):
            self._database.execute(f"DELETE FROM {table} WHERE {column} = ?", (number,))

    def _insert(self, session: StoredSession) -> None:
        marks = ", ".join("?" * len(COLUMNS))
        insert = f"INSERT INTO session ({', '.join(COLUMNS)}) VALUES ({marks})"
        number = self._database.execute(insert, session.values()).lastrowid
        self._database.executemany("INSERT INTO repeat VALUES (?, ?)", [(number, repeat) for repeat in session.repeats])
        figures = session.figures
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
            return self._read(lambda row: StoredSession.model_validate(row).session())

    def without_app(self) -> list[Session]:
        """Return the sessions without app energy, which an older version added."""
        with _transaction(self._database):
            where = "NOT EXISTS (SELECT 1 FROM figure WHERE figure.session = session.id AND kind = 'app')"
            found = self._read(lambda row: StoredSession.model_validate(row).session(), where)
        return [one for one in found if not one.has("app")]

    def upgrade(self) -> None:
        """Give a file of version 1 the tables of this version."""
        with _transaction(self._database, write=True):
            if schema.version(self._database) < schema.VERSION:
                sessions = self._read(lambda row: FirstStoredSession.model_validate(row).now())
                schema.remove(self._database)
                schema.create(self._database)
                for one in sessions:
                    self._insert(one)

    def _read(self, parse: Callable[[dict[str, object]], T], where: str = "TRUE") -> list[T]:
        ((figures,),) = self._database.execute("SELECT count(*) FROM figure")
        if figures > MOST_FIGURES:
            message = f"{self._file} has {figures:,} figures, and the most are {MOST_FIGURES:,}"
            raise HistoryError(message, "Make a history for each set of tests, or for the latest sessions only.")
        listed = f"SELECT id, {', '.join(COLUMNS)} FROM session WHERE {where} ORDER BY created_utc, id LIMIT {MOST_FIGURES}"
        return [self._session(parse, *row) for row in self._database.execute(listed).fetchall()]

    def _session(self, parse: Callable[[dict[str, object]], T], number: int, *values: object) -> T:
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
            return parse(known | {"repeats": [repeat for (repeat,) in repeats], "figures": figures.fetchall()})
        except ValueError as error:
            raise HistoryError(
                f"{self._file}: the session of {printable(str(known['created_utc']), 40)} ({printable(str(known['name']), 200)})"
                " was changed after it was added",
                "Restore the file from a copy, or make a new one from the recordings: navitas history add RECORDING…",
            ) from error


@contextmanager
def open_history(file: Path, *, write: bool = False) -> Iterator[History]:
    """Open a history file. `write`: creates it if it is missing, and upgrades a file of an older version. Otherwise, a copy is.

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
            if _check(file, database, write=write) == schema.VERSION:
                yield History(file, database)
                return
            with closing(database if write else _in_memory(database)) as older:
                history = History(file, older)
                history.upgrade()
                yield history
    except sqlite3.Error as error:
        _refuse_access(file, error)


def _in_memory(database: sqlite3.Connection) -> sqlite3.Connection:
    copy = sqlite3.connect(":memory:", isolation_level=None)
    database.backup(copy)
    return copy


def _check(file: Path, database: sqlite3.Connection, *, write: bool) -> int:
    """Return the version of the tables, which a new file gets. A file with pages but no tables is another program's."""
    ((pages,),) = database.execute("PRAGMA page_count")  # Before the transaction, which adds the first page.
    with _transaction(database, write=write):
        if write and not pages and not schema.content(database):
            schema.create(database)
        ((application,),) = database.execute("PRAGMA application_id")
        version = schema.version(database)
        if application != schema.APPLICATION:
            _refuse(file, "is an SQLite file, but no history of Navitas")
        if version > schema.VERSION:
            raise HistoryError(
                f"{file} has version {version} of the history, and this Navitas knows version {schema.VERSION}",
                "Use the newer Navitas that wrote it.",
            )
        if version < 1:
            _refuse(file, f"has version {version} of the history, which no Navitas wrote")
        if schema.content(database) != schema.expected(version):
            _refuse(file, "has other tables than Navitas makes, so it was changed")
        if (found := database.execute("PRAGMA quick_check(1)").fetchone()[0]) != "ok":
            _refuse(file, f"is damaged: {str(found).splitlines()[-1][:200]}")
    return version


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


def check_storable(session: Session) -> None:
    """Raise `UsageError` for a session without a time in UTC, or with a name that no history or baseline can be read with."""
    try:
        TypeAdapter(Time).validate_python(session.created_utc)
    except ValueError as error:
        raise UsageError(
            f"{session.name} has no time of its recording in UTC", "Add a recording or report of this Navitas."
        ) from error
    if (name := too_long(session)) is not None:
        message = f"{session.name} has a name of {len(name):,} characters, and {schema.LONGEST:,} can be kept: {printable(name)}"
        raise UsageError(message, "Shorten it, such as the arguments in the name of a parameterised test, and measure again.")


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
