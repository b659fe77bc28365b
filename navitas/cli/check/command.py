"""`navitas check`: judges a version by the budgets of its settings file."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import click

from navitas.base.errors import UsageError
from navitas.cli.check.tables import judgements_table
from navitas.cli.check.verdict_messages import report_verdicts
from navitas.cli.compare.energy_limit import fail_on_option
from navitas.cli.compare.input import check_output, read_session, session_paths
from navitas.cli.habits.commands import NavitasCommand, settings_of
from navitas.cli.habits.files import json_option, write_json
from navitas.cli.habits.option import option
from navitas.cli.habits.paths import READ_FILE_ANY_NAME
from navitas.cli.habits.progress import ConsoleProgress
from navitas.cli.habits.standard_output import output_console
from navitas.insight.check.budgets import Budgets, parse_budgets
from navitas.insight.check.judging import judge
from navitas.insight.compare.comparison import check_distinct


@click.command("check", cls=NavitasCommand, example="navitas check after --before before")
@click.argument("paths", type=READ_FILE_ANY_NAME, nargs=-1, required=True, metavar="PATH...")
@option(
    "--before",
    "before_paths",
    multiple=True,
    type=READ_FILE_ANY_NAME,
    from_project=False,
    metavar="PATH",
    help="Recordings or JSON reports of the version before; repeatable.",
)
@fail_on_option("above", "Fail if above, or also if unknown. [unknown]")
@json_option
@click.pass_context
def command(
    ctx: click.Context, *, paths: tuple[Path, ...], before_paths: tuple[Path, ...], fail_on: str | None, json_file: Path | None
) -> int:
    """Judge a version by budgets: [[check]] in navitas.toml, or [[tool.navitas.check]] in pyproject.toml.

    Each PATH is a recording, a JSON report ('-': stdin), or a folder of several of them: one for each session.
    """
    budgets = _budgets(ctx)
    sides = [[one for path in side for one in session_paths(path)] for side in (before_paths, paths)]
    check_output("--json", json_file, [*before_paths, *paths, *sides[0], *sides[1]])
    with ConsoleProgress(only_live=True) as progress:
        before, after = ([read_session(one, progress) for one in side] for side in sides)
    for side in (before, after):
        check_distinct(side)
    result = judge(before, after, budgets, day=datetime.now(UTC).date())
    if write_json(json_file, **result.as_json()):
        output_console().print(judgements_table(result))
    return report_verdicts(result, "above" if fail_on == "above" else "unknown")


def _budgets(ctx: click.Context) -> Budgets:
    """Return the budgets of the settings file. Raises `UsageError` if there are none."""
    settings = settings_of(ctx)
    found = Budgets(()) if settings is None else parse_budgets(settings.content, settings.location)
    if not found.budgets:
        where = "there is no navitas.toml here" if settings is None else f"{settings.path} has no [[check]]"
        raise UsageError(f"no budgets: {where}", "Write one: [[check]] and at-most-change = 5. See docs/check.md.")
    return found
