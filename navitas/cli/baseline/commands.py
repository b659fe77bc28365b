"""`navitas baseline add`, `show` and `prune`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from navitas.base.untrusted_text import printable
from navitas.cli.baseline.file import (
    BASELINE_FILE,
    FILE_HELP,
    add_to_baseline,
    read_baseline_sessions,
    remove_from_baseline,
)
from navitas.cli.compare.input import session_paths
from navitas.cli.habits.commands import NavitasCommand
from navitas.cli.habits.files import json_option, write_json
from navitas.cli.habits.messages import next_step
from navitas.cli.habits.option import option
from navitas.cli.habits.paths import READ_ANY_NAME, READ_FILE_ANY_NAME, WRITE_FILE_OR_FOLDER, FileOrFolder
from navitas.cli.habits.progress import ConsoleProgress
from navitas.cli.habits.standard_output import output_console
from navitas.insight.check.baseline import MOST_SESSIONS, group_of
from navitas.insight.compare.session import Session
from navitas.report.terminal.fitted_table import Column, FittedTable

_LONGEST = 300
_SHORT_HASH = 12


@click.command("add", cls=NavitasCommand, example="navitas baseline add navitas-recordings/app-20260101T000000/after")
@click.argument("paths", type=READ_FILE_ANY_NAME, nargs=-1, required=True, metavar="PATH...")
@option("--file", type=WRITE_FILE_OR_FOLDER, default=BASELINE_FILE, metavar="FILE", help=FILE_HELP)
@json_option
def add(*, paths: tuple[Path, ...], file: Path, json_file: Path | None) -> int:
    """Add sessions to a baseline: recordings, JSON reports ('-': stdin), or folders of them.

    Refused are sessions with uncommitted changes, of a busy device, or with failed tests.
    """
    listed = [path for folder in paths for path in session_paths(folder)]
    with ConsoleProgress(only_live=True) as progress:
        added = add_to_baseline(file, listed, progress)
    if write_json(json_file, file=str(file), added=sum(added), known=len(added) - sum(added)):
        already = f", {len(added) - sum(added):,} were already there" if not all(added) else ""
        output_console().print(f"{sum(added):,} added to {file}{already}", markup=False, highlight=False)
        next_step("navitas check")
    return 0


@click.command("show", cls=NavitasCommand, example="navitas baseline show")
@option("--file", type=READ_ANY_NAME, default=BASELINE_FILE, metavar="FILE", help=FILE_HELP)
@json_option
def show(*, file: Path, json_file: Path | None) -> int:
    """List the sessions of a baseline. Those with the same group can be compared with the same version."""
    sessions = _sessions(file)
    groups = _groups(sessions)
    rows = [_row(session, number) for number, members in enumerate(groups, 1) for session in members]
    if write_json(json_file, file=str(file), sessions=rows):
        output_console().print(sessions_table(printable(str(file), _LONGEST), rows))
    return 0


def sessions_table(title: str, rows: Sequence[Mapping[str, object]]) -> FittedTable:
    """The sessions of a baseline. All rows have the same keys."""
    table = FittedTable(title, [Column(name.capitalize(), text=True) for name in (rows[0] if rows else ())])
    for row in rows:
        table.add(*(printable(str(value), _LONGEST) for value in row.values()))
    return table


@click.command("prune", cls=NavitasCommand, example="navitas baseline prune --keep 10")
@option("--file", type=FileOrFolder("write", must_exist=True), default=BASELINE_FILE, metavar="FILE", help=FILE_HELP)
@option(
    "--keep",
    type=click.IntRange(1, 10_000),
    default=MOST_SESSIONS,
    metavar="N",
    help="How many of the newest sessions of each group stay.",
)
@json_option
def prune(*, file: Path, keep: int, json_file: Path | None) -> int:
    """Remove old sessions of a baseline: all but the newest of each group that `show` lists."""
    removed = [session for members in _groups(_sessions(file)) for session in members[:-keep]]
    if removed:
        remove_from_baseline(file, removed)
    if write_json(json_file, file=str(file), removed=[session.name for session in removed]):
        output_console().print(f"{len(removed):,} removed from {file}", markup=False, highlight=False)
    return 0


def _sessions(file: Path) -> list[Session]:
    with ConsoleProgress(only_live=True) as progress:
        return read_baseline_sessions(file, progress)


def _groups(sessions: Sequence[Session]) -> list[list[Session]]:
    """Return the sessions that belong together, in the order of their times."""
    groups: dict[tuple[str, ...], list[Session]] = defaultdict(list)
    for session in sorted(sessions, key=lambda session: session.created_utc):
        groups[group_of(session)].append(session)
    return list(groups.values())


def _row(session: Session, group: int) -> dict[str, object]:
    origin = session.origin
    return {
        "group": group,
        "time": session.created_utc,
        "revision": origin.revision[:_SHORT_HASH],
        "project": origin.project,
        "device": session.device,
        "tests": len(session.tests),
        "repeats": len(session.repeats),
        "name": session.name,
    }
