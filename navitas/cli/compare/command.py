"""`navitas compare`: what changed in the energy of a program from one version to another."""

from __future__ import annotations

from pathlib import Path

import click

from navitas.cli.compare.energy_limit import Limit, check_limit, figure_option, limit_options, min_share_option
from navitas.cli.compare.input import check_output, read_session, session_paths
from navitas.cli.compare.page import write_comparison
from navitas.cli.compare.tables import changes_table
from navitas.cli.habits.commands import NavitasCommand
from navitas.cli.habits.files import STDOUT, check_distinct, json_option, write_json
from navitas.cli.habits.messages import warning
from navitas.cli.habits.option import option
from navitas.cli.habits.page_output import html_option
from navitas.cli.habits.paths import READ_FILE_ANY_NAME
from navitas.cli.habits.progress import ConsoleProgress
from navitas.cli.habits.shared_options import Finite
from navitas.cli.habits.standard_output import output_console
from navitas.insight.compare.comparison import LEAST_SHARE, MARGIN_PERCENT
from navitas.insight.compare.figures import FigureChoice
from navitas.insight.compare.versions import compare_versions


@click.command(
    "compare", cls=NavitasCommand, example="navitas compare before after\nnavitas compare before.json after.json --same-session"
)
@click.argument("before", type=READ_FILE_ANY_NAME, required=True)
@click.argument("after", type=READ_FILE_ANY_NAME, required=True)
@option(
    "--same-session",
    is_flag=True,
    from_project=False,
    help="Each session has runs of both versions, in mixed order. Without it, one session of each version shows no change.",
)
@option(
    "--margin",
    "margin_percent",
    type=Finite(min=0.01, max=1000),
    default=MARGIN_PERCENT,
    metavar="PERCENT",
    help="'same' means a smaller change than this.",
)
@min_share_option(100 * LEAST_SHARE)
@figure_option
@limit_options
@html_option
@json_option
def command(
    *,
    before: Path,
    after: Path,
    same_session: bool,
    margin_percent: float,
    least_percent: float,
    choice: FigureChoice,
    limit: Limit,
    html_file: Path | None,
    json_file: Path | None,
) -> int:
    """Compare the energy of two versions, BEFORE and AFTER.

    Each is a recording, a JSON report ('-': stdin), or a folder of several of them: one for each session.
    """
    check_distinct([file for file in (json_file, html_file) if file is not None])
    paths = [session_paths(side) for side in (before, after)]
    for name, file in (("--json", json_file), ("--html", html_file)):
        check_output(name, file, [before, after, *paths[0], *paths[1]])
    least_share = least_percent / 100
    with ConsoleProgress(only_live=True) as progress:
        compared = compare_versions(
            paths[0], paths[1], choice, same_session=same_session, margin_percent=margin_percent, least_share=least_share,
            read=lambda path: read_session(path, progress),
        )  # fmt: skip
    found = compared.comparison
    is_text = write_json(json_file, **compared.as_json())
    write_comparison(html_file, compared)
    if is_text and html_file != STDOUT:
        output_console().print(changes_table(found, choice.energy, len(compared.before), len(compared.after)))
    for text in found.warnings:
        warning(text)
    return check_limit(found, choice, limit)
