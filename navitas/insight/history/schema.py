"""The tables of a history file."""

from __future__ import annotations

import sqlite3
from contextlib import closing

APPLICATION = 0x4E617669
"""SQLite's `application_id` of history files: "Navi"."""
VERSION = 2
"""SQLite's `user_version`: of the tables. Version 1 had other kinds of figures."""
LONGEST = 10_000
"""The most characters of a name."""

_KINDS = {1: "'test', 'component', 'thread', 'method'", 2: "'app', 'base', 'total', 'thread', 'method'"}
_TABLES = f"""
CREATE TABLE session (
    id INTEGER PRIMARY KEY,
    identity TEXT NOT NULL UNIQUE,
    digest TEXT NOT NULL,
    name TEXT NOT NULL CHECK (length(name) <= {LONGEST}),
    created_utc TEXT NOT NULL,
    device TEXT NOT NULL,
    power_profile TEXT NOT NULL,
    project TEXT NOT NULL,
    revision TEXT NOT NULL,
    dirty INTEGER CHECK (dirty IN (0, 1)),
    settings TEXT NOT NULL,
    navitas_version TEXT NOT NULL,
    conditions TEXT NOT NULL,
    not_passed TEXT NOT NULL,
    turns TEXT NOT NULL,
    is_fit INTEGER NOT NULL CHECK (is_fit IN (0, 1))
);
CREATE TABLE name (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE CHECK (length(name) <= {LONGEST}));
CREATE TABLE repeat (
    session INTEGER NOT NULL REFERENCES session (id),
    repeat INTEGER NOT NULL,
    PRIMARY KEY (session, repeat)
) WITHOUT ROWID;
CREATE TABLE figure (
    session INTEGER NOT NULL REFERENCES session (id),
    test INTEGER NOT NULL REFERENCES name (id),
    repeat INTEGER NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN (KINDS)),
    name INTEGER NOT NULL REFERENCES name (id),
    energy_j REAL NOT NULL CHECK (abs(energy_j) <= 1e9),
    PRIMARY KEY (session, test, repeat, kind, name)
) WITHOUT ROWID;
"""


def create(database: sqlite3.Connection, version: int = VERSION) -> None:
    """Create the tables in an empty database. The caller commits."""
    for statement in _TABLES.replace("KINDS", _KINDS[version]).split(";"):
        database.execute(statement)
    database.execute(f"PRAGMA application_id = {APPLICATION}")
    database.execute(f"PRAGMA user_version = {version}")


def remove(database: sqlite3.Connection) -> None:
    """Remove all tables. The caller commits."""
    for table in ("figure", "repeat", "name", "session"):
        database.execute(f"DROP TABLE {table}")


def version(database: sqlite3.Connection) -> int:
    """Return the version of a database's tables."""
    ((number,),) = database.execute("PRAGMA user_version")
    return int(number)


def content(database: sqlite3.Connection) -> set[tuple[str, str, str]]:
    """Return the tables, indexes, views and triggers of a database: kind, name, definition."""
    rows = database.execute("SELECT type, name, coalesce(sql, '') FROM sqlite_schema")
    return {(str(kind), str(name), str(sql)) for kind, name, sql in rows}


def expected(version: int) -> set[tuple[str, str, str]]:
    """Return the content of a new history of a version."""
    with closing(sqlite3.connect(":memory:")) as empty:
        create(empty, version)
        return content(empty)
