"""`navitas compare`: what changed in the energy of a program from one version to another."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from navitas.cli.commands import NavitasCommand
from navitas.cli.compare_input import check_output, read_session, session_paths
from navitas.cli.compare_tables import changes_table
from navitas.cli.json_output import check_json, json_option, write_json
from navitas.cli.messages import failed_check, warning
from navitas.cli.option import option
from navitas.cli.options import Finite
from navitas.cli.paths import READ_ANY_NAME
from navitas.cli.progress import ConsoleProgress
from navitas.cli.standard_output import output_console
from navitas.compare.alike import check_distinct, paired
from navitas.compare.comparison import LEAST_SHARE, MARGIN_PERCENT, Comparison, FigureChange, compare
from navitas.compare.session import in_shared_sessions
from navitas.errors import ExitCode
from navitas.untrusted_text import printable, printable_list


@click.command(
    "compare",
    cls=NavitasCommand,
    example="navitas compare before after\nnavitas compare before.json after.json --same-session",
)
@click.argument("before", type=READ_ANY_NAME, required=True)
@click.argument("after", type=READ_ANY_NAME, required=True)
@option(
    "--same-session",
    is_flag=True,
    help="Each session has runs of both versions, in mixed order. Without it, one session of each version shows no change.",
)
@option(
    "--margin",
    "margin_percent",
    type=Finite(min=0.01, max=1000),
    default=MARGIN_PERCENT,
    show_default=True,
    metavar="PERCENT",
    help="'same' means a smaller change than this.",
)
@option(
    "--min-share",
    "least_percent",
    type=Finite(min=0, max=100),
    default=100 * LEAST_SHARE,
    show_default=True,
    metavar="PERCENT",
    help="Leave out methods and threads with a smaller share of all energy.",
)
@option(
    "--fail-above",
    type=Finite(min=0, max=1e6),
    metavar="PERCENT",
    help="Exit with code 1 if the total or a test is different, and dearer by more than this.",
)
@json_option
def command(
    *,
    before: Path,
    after: Path,
    same_session: bool,
    margin_percent: float,
    least_percent: float,
    fail_above: float | None,
    json_file: Path | None,
) -> int:
    """Compare the energy of two versions, BEFORE and AFTER.

    Each is a recording, a JSON report, or a folder of several of them: one for each session.
    """
    is_text = check_json(json_file)
    paths = [session_paths(side) for side in (before, after)]
    check_output(json_file, [before, after, *paths[0], *paths[1]])
    with ConsoleProgress(only_live=True) as progress:
        old, new = ([read_session(path, progress) for path in side] for side in paths)
    for side in (old, new):
        check_distinct(side)
    if (shared := in_shared_sessions(old, new)) is not None:
        new, same_session = shared, True
    elif same_session:
        new = paired(old, new, [[path.name.partition(".")[0] for path in side] for side in paths])
    found = compare(old, new, together=same_session, margin_percent=margin_percent, least_share=least_percent / 100)
    write_json(
        json_file,
        before=[one.name for one in old],
        after=[one.name for one in new],
        same_session=same_session,
        margin_percent=margin_percent,
        changes=[_row(one) for one in found.changes],
        removed=[one._asdict() for one in found.removed],
        added=[one._asdict() for one in found.added],
        left_out=list(found.left_out),
        warnings=list(found.warnings),
    )
    if is_text:
        output_console().print(changes_table(found, len(old), len(new)))
    for text in found.warnings:
        warning(text)
    return check_limit(found, fail_above)


def _row(one: FigureChange) -> dict[str, Any]:
    effect = None if one.effect is None else asdict(one.effect)
    judged = None if one.verdict is None else asdict(one.verdict)
    figures = {"before_j": one.before_j, "after_j": one.after_j, "effect": effect, "adjusted_p": one.p, "verdict": judged}
    return {**one.subject._asdict(), **figures}


def check_limit(found: Comparison, fail_above: float | None) -> int:
    """Name the total and tests that need over `fail_above` percent more energy. Returns the exit code."""
    if fail_above is None:
        return ExitCode.OK
    gated = [one for one in found.changes if one.subject.kind in ("total", "test")]
    dearer = [one for one in gated if _is_dearer(one, fail_above)]
    for one in dearer:
        failed_check(
            printable(f"{one.subject.name} needs {_percent(one):.1f} % more energy (limit {fail_above:g} %)", 1000),
            "See which methods changed in the table.",
        )
    open_ones = [one.subject.name for one in gated if one not in dearer and not _is_cheaper(one, fail_above)]
    if open_ones:
        warning(f"there is not enough data to rule out + {fail_above:g} % for: {printable_list(open_ones, 5)}")
    return ExitCode.CHECK_FAILED if dearer else ExitCode.OK


def _percent(one: FigureChange) -> float:
    return 0.0 if one.effect is None else one.effect.percent


def _is_dearer(one: FigureChange, limit: float) -> bool:
    return one.verdict is not None and one.verdict.word == "different" and _percent(one) > limit


def _is_cheaper(one: FigureChange, limit: float) -> bool:
    """Whether its interval ends at or below the limit."""
    return one.effect is not None and one.effect.high_percent is not None and one.effect.high_percent <= limit
