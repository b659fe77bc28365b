"""The page of a comparison: the answer in sentences, then each figure with its change and its interval as a forest plot."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from math import log1p

from navitas.base.html_page.columns import PageCell, PageTable, count_cell, joules_cell, name_cell, page_table
from navitas.base.html_page.pictures import IntervalPicture, IntervalScale
from navitas.base.html_page.templates import rendered
from navitas.base.units import counted
from navitas.insight.compare.answer import change_statements, having
from navitas.insight.compare.change_texts import basis_of_threads, change_texts, first_changes, short_names, verdict_text
from navitas.insight.compare.comparison import FigureChange
from navitas.insight.compare.session import Session
from navitas.insight.compare.subject import Subject
from navitas.insight.compare.versions import ComparedVersions

_MOST_ROWS = 5000
_LEAST_PERCENT, _MOST_PERCENT = -90.0, 900.0
"""Where the scale of changes ends at most. Figures next to it have the exact ends."""
_AGAIN = (
    "show smaller changes, measure both versions in turns, with more runs",
    "navitas profile PROJECT --against REVISION --repeat 20",
)
_ABOUT = (
    "Change: the ratio of geometric means, with its 95 % interval. Changes are drawn on a scale on which half and double are"
    " equally far from zero. different: at most 5 % of these figures of a kind are expected to be chance. same: the whole"
    " interval is within ± {margin:g} %. not enough data: neither; the verdict names the smallest change that this data shows in"
    " 9 of 10 cases."
)


def comparison_page(compared: ComparedVersions, recordings: tuple[str, str] | None = None) -> str:
    """Return the page. `recordings`: the paths of one before and one after; None if sessions are not recordings."""
    energy, projects = compared.choice.energy, {session.origin.project for session in compared.after} - {""}
    name = ", ".join(sorted(projects)) or "Comparison"
    reason, command = _next_step(compared, recordings)
    threads = basis_of_threads(change.subject for change in compared.comparison.changes)
    tables = [_changes(compared), _one_version(compared), _sessions(compared)]
    chunks = rendered(
        "navitas.report.change_pages",
        "tables.html.jinja",
        title=f"{name} – what changed",
        heading_text=name,
        subtitle="what changed",
        basis=f"{energy.capitalize()} energy of tests, {_sides(compared)}{threads}. Intervals are 95 %.",
        statements=change_statements(compared),
        limits=compared.comparison.warnings,
        reason=reason,
        command=command,
        tables=[table for table in tables if table is not None],
    )
    return "".join(chunks)


def _next_step(compared: ComparedVersions, recordings: tuple[str, str] | None) -> tuple[str, str]:
    """Return what to do next, and its command: what changed comes before what is not known. Empty if there is nothing."""
    if recordings is not None and having(compared.comparison.changes, "different"):
        before, after = recordings
        command = shlex.join(["navitas", "report", after, "--before", before, "--html", "calls.html"])
        return "see in which calls the energy changed", command
    return _AGAIN if having(compared.comparison.changes, "not enough data") else ("", "")


def _sides(compared: ComparedVersions) -> str:
    before, after = counted(len(compared.before), "session"), counted(len(compared.after), "session")
    return f"{before} of both versions" if compared.together else f"{before} before and {after} after"


def _changes(compared: ComparedVersions) -> PageTable | None:
    changes = compared.comparison.changes
    names = short_names([change.subject for change in changes])
    effects = [change.effect for change in changes if change.effect is not None]
    ends = [end for effect in effects for end in (effect.low_percent, effect.percent, effect.high_percent) if end is not None]
    limited = [min(max(end, _LEAST_PERCENT), _MOST_PERCENT) for end in ends]
    scale = IntervalScale.of(map(_log_ratio, limited))
    low, high = min([0.0, *limited]), max([0.0, *limited])
    columns: dict[str, Callable[[int], PageCell]] = {
        "Figure": lambda i: name_cell(names[i]),
        "Verdict": lambda i: PageCell(verdict_text(changes[i].verdict)),
        f"Scale: {low:+.0f} to {high:+.0f} %": lambda i: PageCell("", interval=_picture(changes[i], scale)),
        "Kind": lambda i: PageCell(changes[i].subject.kind),
        "Change": lambda i: _change(changes[i], 0),
        "95 %": lambda i: _change(changes[i], 1),
        "Before": lambda i: joules_cell(changes[i].before_j),
        "After": lambda i: joules_cell(changes[i].after_j),
    }
    about = _ABOUT.format(margin=compared.margin_percent)
    if len(changes) > _MOST_ROWS:
        about += f" {len(changes) - _MOST_ROWS:,} more figures are in --json."
    return page_table("changes", "Changes", about, columns, first_changes(changes, _MOST_ROWS), most=_MOST_ROWS, texts=4)


def _picture(change: FigureChange, scale: IntervalScale) -> IntervalPicture | None:
    if change.effect is None:
        return None
    effect, is_different = change.effect, change.verdict is not None and change.verdict.word == "different"
    ends = [None if end is None else _log_ratio(end) for end in (effect.low_percent, effect.high_percent)]
    tone = "unsure" if not is_different else "more" if effect.percent > 0 else "fewer"
    label = ", 95 %: ".join(change_texts(effect))
    return scale.picture(_log_ratio(effect.percent), *ends, label=label, tone=tone)


def _log_ratio(change_percent: float) -> float:
    return log1p(max(change_percent, -99.9) / 100)


def _change(change: FigureChange, part: int) -> PageCell:
    """The change (0) or its interval (1), which sorts by its lower end."""
    effect = change.effect
    number = None if effect is None else (effect.percent, effect.low_percent)[part]
    return PageCell(change_texts(effect)[part], number)


def _one_version(compared: ComparedVersions) -> PageTable | None:
    columns: dict[str, Callable[[tuple[Subject, str]], PageCell]] = {
        "Figure": lambda row: name_cell(row[0].name),
        "Kind": lambda row: PageCell(row[0].kind),
        "Only": lambda row: PageCell(row[1]),
    }
    sides = ((compared.comparison.removed, "before"), (compared.comparison.added, "after"))
    rows = [(subject, side) for subjects, side in sides for subject in subjects]
    return page_table("one-version", "Figures of one version", "", columns, rows, most=_MOST_ROWS, texts=3)


def _sessions(compared: ComparedVersions) -> PageTable | None:
    columns: dict[str, Callable[[tuple[Session, str]], PageCell]] = {
        "Session": lambda row: name_cell(row[0].name),
        "Version": lambda row: PageCell(row[1]),
        "Revision": lambda row: name_cell(revision_text(row[0])),
        "Recorded": lambda row: PageCell(row[0].created_utc[:19].replace("T", " ")),
        "Runs": lambda row: count_cell(len(row[0].repeats)),
    }
    rows = [(session, side) for side in ("before", "after") for session in getattr(compared, side)]
    return page_table("sessions", "Sessions", "", columns, rows, most=_MOST_ROWS, texts=4)


def revision_text(session: Session) -> str:
    """Return a session's git revision, with `+` if it had changes; a dash if it is unknown."""
    return f"{session.origin.revision[:12]}{'+' if session.origin.dirty else ''}" or "–"
