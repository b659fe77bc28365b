"""Changes as text, the same in terminals and on pages, and which of them a table lists first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import count

from navitas.base.units import UNKNOWN, unbroken
from navitas.insight.compare.comparison import FigureChange
from navitas.insight.compare.effect import Effect
from navitas.insight.compare.subject import Subject, without_descriptor
from navitas.insight.compare.verdict import Verdict

MOST_PERCENT = 999.5
"""The change from which on texts give no number."""


def first_changes(changes: Sequence[FigureChange], most: int) -> list[int]:
    """Return the indexes of the rows, in order: changes that are different first, and each kind has as many as the others."""
    ranks = {kind: count() for kind in {change.subject.kind for change in changes}}
    keys = [
        (change.verdict is None or change.verdict.word != "different", next(ranks[change.subject.kind])) for change in changes
    ]
    return sorted(sorted(range(len(changes)), key=keys.__getitem__)[:most])


def basis_of_threads(subjects: Iterable[Subject]) -> str:
    """Return what a heading that names an energy adds for threads: their energy includes that of their probes. Empty without."""
    return "; threads with probes" if any(subject.kind == "thread" for subject in subjects) else ""


def short_names(subjects: Sequence[Subject]) -> list[str]:
    """Return names for a table: those of methods without descriptors, if they stay different."""
    counts = Counter(map(_short, subjects))
    return [_short(subject) if counts[_short(subject)] == 1 else subject.name for subject in subjects]


def _short(subject: Subject) -> str:
    """A name; a method's without its descriptor."""
    return without_descriptor(subject.name) if subject.kind == "method" else subject.name


def change_texts(effect: Effect | None) -> tuple[str, str]:
    """Return a change and its interval as texts."""
    if effect is None:
        return UNKNOWN, UNKNOWN
    if effect.low_percent is None or effect.high_percent is None:
        return percent(effect.percent), UNKNOWN
    return percent(effect.percent), f"{percent(effect.low_percent)} … {percent(effect.high_percent)}"


def percent(value: float) -> str:
    """Return a change in percent as a text."""
    return f"{value:+.1f} %" if value < MOST_PERCENT else "> +999 %"


def about(value: float) -> str:
    """Return a percentage that is known roughly."""
    return f"{value:.0f} %" if value >= 9.5 else f"{value:.1f} %"


def verdict_text(verdict: Verdict | None) -> str:
    """Return a verdict; if there is not enough data, with the change that the data shows."""
    if verdict is None:
        return "no energy in some runs or sessions"
    if verdict.word == "not enough data":
        if verdict.shows_percent is None:
            return "not enough data to show a change of any size"
        return f"not enough data: shows changes from about {unbroken(about(verdict.shows_percent))}"
    return verdict.word
