"""`navitas history show`: trends and change points of a history."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from navitas.base.errors import UsageError
from navitas.base.json_text import fields
from navitas.base.units import counted, joules
from navitas.base.untrusted_text import printable, printable_list
from navitas.capture.build.commits import oldest_first
from navitas.cli.compare.energy_limit import figure_option, min_share_option
from navitas.cli.habits.commands import NavitasCommand
from navitas.cli.habits.files import STDOUT, check_distinct, json_option, write_json
from navitas.cli.habits.messages import warning
from navitas.cli.habits.option import option
from navitas.cli.habits.page_output import html_option, write_page
from navitas.cli.habits.paths import READ_ANY_NAME, READ_FOLDER
from navitas.cli.habits.standard_output import output_console
from navitas.cli.history.file import DEFAULT_FILE, FILE_HELP, read_sessions
from navitas.insight.compare.change_texts import basis_of_threads, change_texts, percent, short_names
from navitas.insight.compare.figures import FigureChoice
from navitas.insight.compare.session import Session
from navitas.insight.compare.subject import Energy
from navitas.insight.history.trend import (
    LEAST_SESSIONS,
    ChangePoint,
    FigureTrend,
    by_revision,
    common_tests,
    labels,
    latest_of_each,
    latest_series,
    trends,
)
from navitas.report.terminal.fitted_table import Column, FittedTable

_LONGEST = 300
_NONE = "–"
_ADD_AGAIN = "An older version of Navitas added them: add their recordings again, or show --figure total."


@click.command(
    "show",
    cls=NavitasCommand,
    example="navitas history show\nnavitas history show history.sqlite --figure 'method:org.example.*' --json -",
)
@click.argument("file", type=READ_ANY_NAME, required=False)
@option("--file", "named_file", type=READ_ANY_NAME, metavar="FILE", help=FILE_HELP)
@figure_option
@option("--source", type=READ_FOLDER, default=Path(), metavar="DIR", help="The project, for its git revisions. [.]")
@min_share_option(1.0)
@html_option
@json_option
def command(
    *,
    file: Path | None,
    named_file: Path | None,
    choice: FigureChoice,
    source: Path,
    least_percent: float,
    html_file: Path | None,
    json_file: Path | None,
) -> int:
    """Show the trend of each figure over a history's sessions, and its change points.

    FILE is the history, as in --file: by default navitas-history.sqlite.
    """
    check_distinct([file for file in (json_file, html_file) if file is not None])
    if file is not None and named_file is not None:
        raise UsageError(f"two histories: {file} and --file {named_file}", "Name one of them.")
    file = file or named_file or DEFAULT_FILE
    known = read_sessions(file)
    lacking = [one for one in known if not one.has(choice.energy)]
    if len(lacking) == len(known):
        raise UsageError(f"no session in {file} has {choice.energy} energy", _ADD_AGAIN)
    series = latest_series([one for one in known if one.has(choice.energy)])
    revisions = {one.origin.revision for one in series.sessions} - {""}
    ordered = by_revision(series.sessions, oldest_first(source, revisions))
    sessions = latest_of_each(ordered)
    found = trends(sessions, choice, least_percent / 100)
    notes = list(_warnings(sessions, series.left_out, len(ordered) - len(sessions)))
    if lacking:
        names = printable_list([one.name for one in lacking], 5)
        notes.append(f"left out: {counted(len(lacking), 'session')} without {choice.energy} energy: {names}. {_ADD_AGAIN}")
    is_text = write_json(
        json_file,
        schema_version=2,
        file=str(file),
        energy=choice.energy,
        sessions=[_session_row(one) for one in sessions],
        figures=[_row(one) for one in found],
        warnings=notes,
    )
    write_page(html_file, lambda: _page(found, choice.energy, sessions, notes))
    if is_text and html_file != STDOUT:
        output_console().print(trends_table(found, choice.energy, labels(sessions)))
    for text in notes:
        warning(text)
    return 0


def _page(figures: Sequence[FigureTrend], energy: Energy, sessions: Sequence[Session], notes: Sequence[str]) -> str:
    from navitas.report.change_pages.history_page import history_page  # noqa: PLC0415  # Other outputs need no templates.

    return history_page(figures, energy, sessions, notes)


def _warnings(sessions: Sequence[Session], left_out: int, in_turns: int) -> Iterator[str]:
    if left_out:
        yield f"left out: {counted(left_out, 'session')} of another device, power profile or project than the latest one"
    if in_turns:
        yield f"left out: {counted(in_turns, 'session')} of versions in turns with a later one. What shifts one shifts all"
    if len(sessions) < LEAST_SESSIONS:
        yield f"change points need at least {LEAST_SESSIONS} sessions; the history has {len(sessions)}"
    common = common_tests(sessions)
    if missing := sorted({test for one in sessions for test in one.tests} - common):
        yield f"the total leaves out tests that did not pass in every session: {printable_list(missing, 5)}"
    if len({one.origin.settings for one in sessions}) > 1:
        yield "the sessions were recorded with different options. These can cause a part of a change"


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
    return {**fields(one, "before", "after"), **fields(one.effect, "percent", "low_percent", "high_percent")}


def trends_table(found: Sequence[FigureTrend], energy: Energy, labels: Sequence[str]) -> FittedTable:
    """Each figure, with a row for each change point; those with some are first.

    `energy` is that of tests; `labels` name the sessions.
    """
    columns = [
        Column("Figure", text=True),
        Column("Kind", text=True, drop=5),
        Column("Sessions", drop=6),
        Column(f"Latest {energy} energy"),
        Column("Each session", drop=3),
        Column("Change"),
        Column("95 %", drop=2),
        Column("Between", text=True, drop=1),
    ]
    names = short_names([one.subject for one in found])
    first, last = (printable(label, 40) for label in (labels[0], labels[-1]))
    title = f"{energy.capitalize()} energy over {counted(len(labels), 'session')}, {first} to {last}"
    table = FittedTable(title + basis_of_threads(trend.subject for trend in found), columns, stacks=True)
    for one, name in sorted(zip(found, names, strict=True), key=lambda each: not each[0].change_points):
        slope = _NONE if one.slope is None else percent(one.slope.percent)
        figures = (printable(name, _LONGEST), one.subject.kind, str(len(one.sessions)), joules(one.energies_j[-1]), slope)
        if not one.change_points:
            table.add(*figures, "drifts" if one.drifts else _NONE, _NONE, _NONE)
        for point in one.change_points:
            between = f"{labels[point.before]} → {labels[point.after]}"
            table.add(*figures, *change_texts(point.effect), printable(between, 100))
    return table
