"""Sessions in a local SQLite file. A file that someone else made or changed is refused."""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
from collections import defaultdict
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NoReturn
from urllib.parse import quote

from navitas.compare.session import Origin, Session, TestRun
from navitas.errors import HistoryError, UsageError
from navitas.history import schema
from navitas.regular_files import check_regular

_WAIT_S = 5.0
_MAGIC = b"SQLite format 3\0"
_COLUMNS = (
    *("identity", "digest", "name", "created_utc", "device", "power_profile", "project", "revision", "dirty"),
    *("settings", "navitas_version", "conditions", "not_passed", "turns", "is_fit"),
)
_BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
_NO_ACCESS = (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM)
_Rows = list[tuple[str, int, str, str, float]]


class History:
    """An open history file."""

    def __init__(self, file: Path, database: sqlite3.Connection) -> None:
        self._file = file
        self._database = database

    def add(self, session: Session) -> bool:
        """Add a session. Returns False if the history has it. The file then stays as it is.

        Raises `UsageError` for a session without a time, and `HistoryError` if the history has it with other figures.
        """
        if not session.created_utc:
            raise UsageError(f"{session.name} has no time of its recording", "Add a recording or report of this Navitas.")
        identity, digest = _identity(session), _digest(session)
        with _transaction(self._database):
            known = self._database.execute("SELECT digest FROM session WHERE identity = ?", (identity,)).fetchone()
            if known is not None:
                if known[0] != digest:
                    raise HistoryError(
                        f"{session.name}: {self._file} has this session with other figures, so a report was edited, or made"
                        " with other options",
                        "Add the recording, or the report that `navitas profile` wrote. For other options, use another history.",
                    )
                return False
            self._insert(session, identity, digest)
        return True

    def _insert(self, session: Session, identity: str, digest: str) -> None:
        origin = session.origin
        of_session = (
            *(identity, digest, session.name[: schema.LONGEST], session.created_utc, session.device, session.power_profile),
            *(origin.project, origin.revision, origin.dirty, origin.settings, origin.navitas_version),
            *(
                json.dumps(session.conditions, sort_keys=True),
                json.dumps(sorted(session.not_passed)),
                session.session,
                session.is_fit,
            ),
        )
        marks = ", ".join("?" * len(_COLUMNS))
        number = self._database.execute(f"INSERT INTO session ({', '.join(_COLUMNS)}) VALUES ({marks})", of_session).lastrowid
        self._database.executemany("INSERT INTO repeat VALUES (?, ?)", [(number, repeat) for repeat in session.repeats])
        rows = _rows(session)
        names = {name for test, _, _, name, _ in rows for name in (test, name)}
        self._database.executemany("INSERT OR IGNORE INTO name (name) VALUES (?)", [(name,) for name in sorted(names)])
        self._database.executemany(
            "INSERT INTO figure SELECT ?, t.id, ?, ?, n.id, ? FROM name t, name n WHERE t.name = ? AND n.name = ?",
            [(number, repeat, kind, energy_j, test, name) for test, repeat, kind, name, energy_j in rows],
        )

    def sessions(self) -> list[Session]:
        """Return all sessions, in the order of their times.

        Raises `HistoryError` for a session that was changed after it was added.
        """
        with _transaction(self._database):
            listed = f"SELECT id, {', '.join(_COLUMNS)} FROM session ORDER BY created_utc, id"
            return [self._session(*row) for row in self._database.execute(listed).fetchall()]

    def _session(self, number: int, identity: str, digest: str, *values: object) -> Session:
        name, created_utc, device, power_profile, *of_origin, conditions, not_passed, turns, is_fit = values
        project, revision, dirty, settings, version = of_origin
        try:
            origin = Origin(str(project), str(revision), None if dirty is None else bool(dirty), str(settings), str(version))
            kept, failed = dict(json.loads(str(conditions))), frozenset(json.loads(str(not_passed)))
            found = self._database.execute("SELECT repeat FROM repeat WHERE session = ? ORDER BY repeat", (number,))
            repeats = tuple(int(repeat) for (repeat,) in found)
            known = (str(name), str(created_utc), str(device), str(power_profile), kept, repeats, self._tests(number), failed)
            session = Session(*known, str(turns), bool(is_fit), origin)
            unchanged = (identity, digest) == (_identity(session), _digest(session))
        except (TypeError, ValueError, AttributeError):
            unchanged = False
        if not unchanged:
            raise HistoryError(
                f"{self._file}: the session of {str(created_utc)[:40]} ({str(name)[:200]}) was changed after it was added",
                "Restore the file from a copy, or make a new one from the recordings: navitas history add RECORDING…",
            )
        return session

    def _tests(self, number: int) -> dict[str, dict[int, TestRun]]:
        query = (
            "SELECT t.name, repeat, kind, n.name, energy_j FROM figure"
            " JOIN name t ON t.id = test JOIN name n ON n.id = figure.name WHERE session = ?"
        )
        totals: dict[tuple[str, int], float] = {}
        parts: dict[tuple[str, int], dict[str, dict[str, float]]] = defaultdict(lambda: defaultdict(dict))
        for test, repeat, kind, name, energy_j in self._database.execute(query, (number,)):
            if kind == "test":
                totals[test, repeat] = float(energy_j)
            else:
                parts[test, repeat][kind][name] = float(energy_j)
        tests: dict[str, dict[int, TestRun]] = defaultdict(dict)
        for (test, repeat), energy_j in totals.items():
            of_run = parts[test, repeat]
            tests[test][repeat] = TestRun(energy_j, of_run["component"], of_run["thread"], of_run["method"])
        return dict(tests)


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
        check_regular(file)
        with file.open("rb") as start:
            magic = start.read(len(_MAGIC))
        if magic and magic != _MAGIC:
            _refuse(file, "is not an SQLite file")
    try:
        name = quote(os.fsencode(file.absolute()))
        mode = "rwc" if is_new else "rw" if write else "ro"
        with closing(sqlite3.connect(f"file:{name}?mode={mode}", uri=True, timeout=_WAIT_S, isolation_level=None)) as database:
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


def _refuse(file: Path, problem: str) -> NoReturn:
    raise HistoryError(f"{file} {problem}", "Name a file that `navitas history add` made, or a new one.")


def _refuse_access(file: Path, error: sqlite3.Error) -> NoReturn:
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code in _BUSY:
        raise HistoryError(f"{file} is in use by another process", "Wait until it has ended, and try again.") from error
    if code in _NO_ACCESS:
        message = f"{file} cannot be opened or written, or its folder cannot: {error}"
        raise HistoryError(message, "Check its permissions.") from error
    if code == sqlite3.SQLITE_FULL:
        raise HistoryError(f"{file}: the disk is full", "Free some space, and try again.") from error
    raise HistoryError(f"{file} is damaged: {error}", "Restore it from a copy, or add the recordings to a new file.") from error


def _identity(session: Session) -> str:
    """Two recordings of the same second, device and project differ in their revision: they were measured in turns."""
    origin = session.origin
    return _sha256([session.created_utc, session.device, origin.project, origin.revision, origin.dirty])


def _digest(session: Session) -> str:
    origin = session.origin
    known = (session.power_profile, origin.settings, origin.navitas_version, session.conditions, sorted(session.not_passed))
    of_session = (session.session, session.is_fit)
    return _sha256([*known, *of_session, session.repeats, sorted(_rows(session))])


def _rows(session: Session) -> _Rows:
    rows: _Rows = []
    for test, runs in session.tests.items():
        for repeat, run in runs.items():
            rows.append((test, repeat, "test", test, float(run.energy_j)))
            for kind, energies in (("component", run.components), ("thread", run.threads), ("method", run.methods)):
                rows += [(test, repeat, kind, name, float(energy_j)) for name, energy_j in energies.items()]
    return rows


def _sha256(content: object) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
