"""`navitas history add`: adds sessions to a history."""

from __future__ import annotations

from pathlib import Path

import click

from navitas.cli.commands import NavitasCommand
from navitas.cli.compare_input import read_session, session_paths
from navitas.cli.history_file import DEFAULT_FILE, add_sessions
from navitas.cli.json_output import check_json, json_option, write_json
from navitas.cli.messages import next_step, shell_word
from navitas.cli.option import option
from navitas.cli.paths import READ_FILE_ANY_NAME, WRITE_ANY_NAME
from navitas.cli.progress import ConsoleProgress
from navitas.cli.standard_output import output_console


@click.command("add", cls=NavitasCommand, example="navitas history add navitas-recordings\nnavitas history add report.json")
@click.argument("paths", type=READ_FILE_ANY_NAME, nargs=-1, required=True, metavar="PATH...")
@option(
    "--file",
    type=WRITE_ANY_NAME,
    default=DEFAULT_FILE,
    show_default=True,
    metavar="FILE",
    help="The history; created if it is missing.",
)
@json_option
def command(*, paths: tuple[Path, ...], file: Path, json_file: Path | None) -> int:
    """Add sessions to a history: recordings, JSON reports ('-': stdin), or folders of them.

    A session that the history has is not added again.
    """
    is_text = check_json(json_file)
    found = [one for path in paths for one in session_paths(path)]
    with ConsoleProgress(only_live=True) as progress:
        sessions = [read_session(one, progress) for one in found]
    added = add_sessions(file, sessions)
    known = [one.name for one, is_new in zip(sessions, added, strict=True) if not is_new]
    write_json(json_file, file=str(file), added=sum(added), known=known)
    if is_text:
        already = f", {len(known):,} were already there" if known else ""
        output_console().print(f"{sum(added):,} added to {file}{already}", markup=False, highlight=False)
        next_step(f"navitas history show {shell_word(file)}")
    return 0
