"""`navitas history show`: trends and change points of a history."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from navitas.build.commits import oldest_first
from navitas.cli.commands import NavitasCommand
from navitas.cli.history_file import DEFAULT_FILE
from navitas.cli.history_tables import trends_table
from navitas.cli.json_output import check_json, json_option, write_json
from navitas.cli.messages import warning
from navitas.cli.option import option
from navitas.cli.options import Finite
from navitas.cli.paths import READ, READ_ANY_NAME, TEXT
from navitas.cli.standard_output import output_console
from navitas.compare.session import Session
from navitas.errors import UsageError
from navitas.history.figures import parse_figure
from navitas.history.sequence import by_revision, labels, latest_of_each, latest_series
from navitas.history.store import open_history
from navitas.history.trend import LEAST_SESSIONS, ChangePoint, FigureTrend, common_tests, trends
from navitas.untrusted_text import printable, printable_list


@click.command(
    "show",
    cls=NavitasCommand,
    example="navitas history show\nnavitas history show history.sqlite --figure 'method:org.example.*' --json -",
)
@click.argument("file", type=READ_ANY_NAME, required=False)
@option(
    "--figure",
    "figures",
    multiple=True,
    type=TEXT,
    metavar="FIGURE",
    help="total or KIND:NAME, with * and ?; repeatable. [all]",
)
@option("--source", type=READ, default=Path(), metavar="DIR", help="The project, for the order of revisions. [.]")
@option(
    "--min-share",
    "least_percent",
    type=Finite(min=0, max=100),
    default=1.0,
    show_default=True,
    metavar="PERCENT",
    help="Leave out methods and threads with a smaller share of all energy.",
)
@json_option
def command(
    *,
    file: Path | None,
    figures: tuple[str, ...],
    source: Path,
    least_percent: float,
    json_file: Path | None,
) -> int:
    """Show the trend of each figure over a history's sessions, and its change points.

    FILE is the history: by default navitas-history.sqlite.
    """
    is_text = check_json(json_file)
    if not source.is_dir():
        raise UsageError(f"--source: {source} is not a folder", "Name the folder of the project.")
    patterns = [parse_figure(one) for one in figures]
    file = file or DEFAULT_FILE
    with open_history(file) as history:
        known = history.sessions()
    if not known:
        raise UsageError(f"{file} has no sessions", "Add some: navitas history add RECORDING…")
    series = latest_series(known)
    revisions = {one.origin.revision for one in series.sessions} - {""}
    ordered = by_revision(series.sessions, oldest_first(source, revisions))
    sessions = latest_of_each(ordered)
    found = trends(sessions, least_percent / 100)
    shown = [one for one in found if not patterns or any(pattern.matches(one.subject) for pattern in patterns)]
    if not shown:
        small = f" Methods and threads with less than {least_percent:g} % are left out (--min-share)." if least_percent else ""
        raise UsageError(f"no figure matches {printable_list(figures, 3)}", f"Such as: {_examples(found)}.{small}")
    notes = list(_warnings(sessions, series.left_out, len(ordered) - len(sessions)))
    write_json(
        json_file,
        file=str(file),
        sessions=[_session_row(one) for one in sessions],
        figures=[_row(one) for one in shown],
        warnings=notes,
    )
    if is_text:
        output_console().print(trends_table(shown, labels(sessions)))
    for text in notes:
        warning(text)
    return 0


def _warnings(sessions: Sequence[Session], left_out: int, in_turns: int) -> Iterator[str]:
    if left_out:
        yield f"left out: {left_out:,} sessions of another device, power profile or project than the latest one"
    if in_turns:
        yield f"of versions that ran in turns, only the last is shown, since one shift moves all: {in_turns:,} sessions left out"
    if len(sessions) < LEAST_SESSIONS:
        yield f"change points need {LEAST_SESSIONS} sessions or more, and there are {len(sessions)}"
    common = common_tests(sessions)
    if missing := sorted({test for one in sessions for test in one.tests} - common):
        yield f"the total counts only tests that passed in all sessions, so without: {printable_list(missing, 5)}"
    if len({one.origin.settings for one in sessions}) > 1:
        yield "the sessions were recorded with different options, which can be a part of a change"


def _examples(found: Sequence[FigureTrend]) -> str:
    return ", ".join(printable(f"{one.subject.kind}:{one.subject.name}", 100) for one in found[:3])


def _session_row(one: Session) -> dict[str, Any]:
    origin = asdict(one.origin)
    return {"name": one.name, "created_utc": one.created_utc, "device": one.device, "repeats": len(one.repeats), **origin}


def _row(one: FigureTrend) -> dict[str, Any]:
    return {
        **one.subject._asdict(),
        "sessions": one.sessions,
        "energies_j": one.energies_j,
        "slope": None if one.slope is None else asdict(one.slope),
        "adjusted_p": one.p,
        "drifts": one.drifts,
        "change_points": [_point(point) for point in one.change_points],
    }


def _point(one: ChangePoint) -> dict[str, Any]:
    effect = one.effect
    change = {"percent": effect.percent, "low_percent": effect.low_percent, "high_percent": effect.high_percent}
    return {"before": one.before, "after": one.after, **change}
