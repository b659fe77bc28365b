"""The page of a history: the answer in sentences, the trends of tests as pictures, and each figure with its change points."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from navitas.base.html_page.columns import PageCell, PageTable, count_cell, joules_cell, name_cell, page_table
from navitas.base.html_page.templates import rendered
from navitas.base.units import UNKNOWN, counted
from navitas.insight.compare.change_texts import basis_of_threads, change_texts, percent, short_names
from navitas.insight.compare.session import Session
from navitas.insight.compare.subject import Energy
from navitas.insight.history.answer import trend_statements
from navitas.insight.history.trend import ChangePoint, FigureTrend, labels
from navitas.report.change_pages.comparison_page import revision_text
from navitas.report.change_pages.trend_picture import trend_picture

_MOST_ROWS = 5000
_MOST_PICTURES = 60
_ABOUT = (
    "Each session: the median change from session to session. Change: the change between the levels around a change point, with"
    " its 95 % interval, which does not include that the place of the change was chosen."
)


def history_page(figures: Sequence[FigureTrend], energy: Energy, sessions: Sequence[Session], notes: Sequence[str]) -> str:
    """Return the page of trends. `energy` is that of tests, and `notes` are what limits the trends."""
    names = labels(sessions)
    project = sessions[-1].origin.project or "History"
    reason, command = _next_step(figures, sessions)
    over = f"{counted(len(sessions), 'session')}, {names[0]} to {names[-1]}"
    tables = [_trends(figures, energy, names), _sessions(sessions, names)]
    chunks = rendered(
        "navitas.report.change_pages",
        "history.html.jinja",
        title=f"{project} – history of energy",
        heading_text=project,
        subtitle="history of energy",
        basis=f"{energy.capitalize()} energy of tests over {over}{basis_of_threads(trend.subject for trend in figures)}.",
        statements=trend_statements(figures, energy, names),
        limits=notes,
        reason=reason,
        command=command,
        pictures=_pictures(figures, names),
        tables=[table for table in tables if table is not None],
    )
    return "".join(chunks)


def _changed_first(figures: Sequence[FigureTrend]) -> list[FigureTrend]:
    return sorted(figures, key=lambda trend: not trend.change_points)


def _next_step(figures: Sequence[FigureTrend], sessions: Sequence[Session]) -> tuple[str, str]:
    """Return why to run which command: `bisect` finds the commit of a change between two revisions."""
    for trend in figures:
        for point in trend.change_points:
            good, bad = (sessions[index].origin.revision for index in (point.before, point.after))
            if good and bad and good != bad:
                return "find the commit and the methods of the change", f"navitas bisect {good[:12]} {bad[:12]} PROJECT"
    return "add a session", "navitas profile PROJECT --repeat 5 --history FILE"


def _pictures(figures: Sequence[FigureTrend], names: Sequence[str]) -> list[tuple[str, object]]:
    """Return the pictures of all tests together and of each test, those with change points first, each with its name."""
    shown = [trend for trend in _changed_first(figures) if trend.subject.kind in ("all", "test")][:_MOST_PICTURES]
    return [(trend.subject.name, trend_picture(trend, names, trend.subject.described)) for trend in shown]


def _trends(figures: Sequence[FigureTrend], energy: Energy, names: Sequence[str]) -> PageTable | None:
    ordered = _changed_first(figures)
    texts = short_names([trend.subject for trend in ordered])
    rows = [(text, trend, point) for text, trend in zip(texts, ordered, strict=True) for point in trend.change_points or (None,)]
    columns: dict[str, Callable[[tuple[str, FigureTrend, ChangePoint | None]], PageCell]] = {
        "Figure": lambda row: name_cell(row[0]),
        "Kind": lambda row: PageCell(row[1].subject.kind),
        "Between": lambda row: PageCell(UNKNOWN if row[2] is None else f"{names[row[2].before]} → {names[row[2].after]}"),
        "Change": lambda row: _change(row[1], row[2], 0),
        "95 %": lambda row: _change(row[1], row[2], 1),
        "Each session": lambda row: _slope(row[1]),
        f"Latest {energy} energy": lambda row: joules_cell(row[1].energies_j[-1]),
        "Sessions": lambda row: count_cell(len(row[1].sessions)),
    }
    about = _ABOUT + (f" {len(rows) - _MOST_ROWS:,} more rows are in --json." if len(rows) > _MOST_ROWS else "")
    return page_table("trends", "Trends and change points", about, columns, rows[:_MOST_ROWS], most=_MOST_ROWS, texts=3)


def _change(trend: FigureTrend, point: ChangePoint | None, part: int) -> PageCell:
    """The change (0) or its interval (1), which sorts by its lower end."""
    if point is None:
        return PageCell("drifts" if trend.drifts and part == 0 else UNKNOWN)
    return PageCell(change_texts(point.effect)[part], (point.effect.percent, point.effect.low_percent)[part])


def _slope(trend: FigureTrend) -> PageCell:
    return PageCell(UNKNOWN) if trend.slope is None else PageCell(percent(trend.slope.percent), trend.slope.percent)


def _sessions(sessions: Sequence[Session], names: Sequence[str]) -> PageTable | None:
    columns: dict[str, Callable[[int], PageCell]] = {
        "Session": lambda i: PageCell(names[i]),
        "Revision": lambda i: name_cell(revision_text(sessions[i])),
        "Recording": lambda i: name_cell(sessions[i].name),
        "Recorded": lambda i: PageCell(sessions[i].created_utc[:19].replace("T", " ")),
        "Runs": lambda i: count_cell(len(sessions[i].repeats)),
    }
    return page_table("sessions", "Sessions", "", columns, range(len(sessions)), most=_MOST_ROWS, texts=4)
