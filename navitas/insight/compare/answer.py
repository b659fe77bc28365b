"""What a comparison says in sentences: what changed, how sure that is, and what the data does not show."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from navitas.base.units import counted, joules, unbroken
from navitas.base.untrusted_text import printable_list
from navitas.insight.compare.change_texts import MOST_PERCENT, about, change_texts, percent, short_names
from navitas.insight.compare.comparison import Comparison, FigureChange
from navitas.insight.compare.subject import Kind
from navitas.insight.compare.verdict import Word
from navitas.insight.compare.versions import ComparedVersions

_NAMED = 3
_KINDS: tuple[Kind, ...] = ("test", "method")


def change_statements(compared: ComparedVersions) -> list[str]:
    """Return the sentences, the most important first: all tests together, what changed of each kind, what is not known."""
    return [*_of_all_tests(compared), *_of_kinds(compared.comparison), *_undecided(compared)]


def _of_all_tests(compared: ComparedVersions) -> Iterator[str]:
    for change in compared.comparison.changes:
        if change.subject.kind == "all":
            yield _sentence(change, f"{compared.choice.energy} energy", compared.margin_percent)


def _sentence(change: FigureChange, energy: str, margin_percent: float) -> str:
    if change.effect is None or change.verdict is None:
        return f"Whether {energy} of all tests changed is not known: there is none in some runs or sessions."
    shown, interval = map(unbroken, change_texts(change.effect))
    sure = f" (95 %: {interval})" if change.effect.low_percent is not None else ""
    if change.verdict.word == "different":
        energies = f"{unbroken(joules(change.before_j))} before, {unbroken(joules(change.after_j))} after"
        if change.effect.percent >= MOST_PERCENT:
            return f"All tests together use over 10 times as much {energy} as before{sure}: {energies}."
        direction = "more" if change.effect.percent > 0 else "less"
        amount = unbroken(percent(abs(change.effect.percent)).removeprefix("+"))
        return f"All tests together use {amount} {direction} {energy} than before{sure}: {energies}."
    if change.verdict.word == "same":
        return f"All tests together use as much {energy} as before: the change, {shown}{sure}, is within ± {margin_percent:g} %."
    return f"It is not known whether {energy} of all tests changed: the estimate is {shown}{sure}."


def _of_kinds(comparison: Comparison) -> Iterator[str]:
    """Yield a sentence for tests and for methods: how many changed, and the largest changes."""
    for kind in _KINDS:
        changes = [change for change in comparison.changes if change.subject.kind == kind]
        different = sorted(having(changes, "different"), key=lambda change: -abs(_percent(change)))
        names = short_names([change.subject for change in different])
        shown = [f"{name} {unbroken(percent(_percent(change)))}" for name, change in zip(names, different, strict=True)]
        if different:
            yield f"Changed {kind}s, {len(different):,} of {len(changes):,}: {printable_list(shown, _NAMED)}."
        elif changes:
            yield f"No {kind} is known to have changed (0 of {len(changes):,})."


def _undecided(compared: ComparedVersions) -> Iterator[str]:
    changes = compared.comparison.changes
    unknown = having(changes, "not enough data")
    if not unknown:
        return
    shows = sorted(
        change.verdict.shows_percent for change in unknown if change.verdict and change.verdict.shows_percent is not None
    )
    least = "no change of any size" if not shows else f"changes from about {about(shows[0])}"
    least += f" to {about(shows[-1])}, depending on the figure" if shows and about(shows[0]) != about(shows[-1]) else ""
    yield f"The data is not enough for {len(unknown):,} of {counted(len(changes), 'figure')}: for them, it shows {least}."
    enough = [change.verdict for change in unknown if change.verdict and change.verdict.sessions is not None]
    if len(enough) == len(unknown):
        sessions, repeats = (max(getattr(verdict, name) for verdict in enough) for name in ("sessions", "repeats"))
        runs = f"{counted(sessions, 'session')} with {counted(repeats, 'run')} each"
        yield f"For each version, {runs} would show changes of {compared.margin_percent:g} % in all of them."


def having(changes: Sequence[FigureChange], word: Word) -> list[FigureChange]:
    return [change for change in changes if change.verdict is not None and change.verdict.word == word]


def _percent(change: FigureChange) -> float:
    return 0.0 if change.effect is None else change.effect.percent
