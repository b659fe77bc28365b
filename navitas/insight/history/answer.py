"""What a history says in sentences: which figures changed, and between which sessions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from navitas.base.units import counted, joules, unbroken
from navitas.base.untrusted_text import printable_list
from navitas.insight.compare.change_texts import change_texts, percent, short_names
from navitas.insight.compare.subject import Energy, Kind
from navitas.insight.history.trend import LEAST_SESSIONS, ChangePoint, FigureTrend

_NAMED = 3
_KINDS: tuple[Kind, ...] = ("test", "method")


def trend_statements(trends: Sequence[FigureTrend], energy: Energy, labels: Sequence[str]) -> list[str]:
    """Return the sentences, the most important first: all tests together, then tests and methods. `labels` name the sessions."""
    if len(labels) < LEAST_SESSIONS:
        return list(_latest(trends, energy, labels))
    return [*_of_all_tests(trends, energy, labels), *_of_kinds(trends, labels)]


def _latest(trends: Sequence[FigureTrend], energy: Energy, labels: Sequence[str]) -> Iterator[str]:
    for trend in trends:
        if trend.subject.kind == "all":
            yield f"All tests together use {joules(trend.energies_j[-1])} of {energy} energy in the latest session, {labels[-1]}."


def _of_all_tests(trends: Sequence[FigureTrend], energy: Energy, labels: Sequence[str]) -> Iterator[str]:
    for trend in trends:
        if trend.subject.kind != "all":
            continue
        figure = f"{energy.capitalize()} energy of all tests together"
        if trend.change_points:
            yield f"{figure} changed {', and '.join(_step(point, labels) for point in trend.change_points)}."
        elif trend.drifts and trend.slope is not None:
            yield f"{figure} drifts: it changes by {percent(trend.slope.percent)} from session to session."
        elif trend.p is None:
            yield f"Whether {figure[0].lower()}{figure[1:]} changed is not known: there is none in some runs."
        else:
            yield f"{figure} has no change point in {counted(len(trend.sessions), 'session')}."


def _step(point: ChangePoint, labels: Sequence[str]) -> str:
    change, interval = map(unbroken, change_texts(point.effect))
    return f"by {change} (95 %: {interval}) between {labels[point.before]} and {labels[point.after]}"


def _of_kinds(trends: Sequence[FigureTrend], labels: Sequence[str]) -> Iterator[str]:
    for kind in _KINDS:
        of_kind = [trend for trend in trends if trend.subject.kind == kind]
        changed = [trend for trend in of_kind if trend.change_points]
        names = short_names([trend.subject for trend in changed])
        steps = [
            f"{name} {unbroken(percent(point.effect.percent))} at {labels[point.after]}"
            for name, trend in zip(names, changed, strict=True)
            for point in trend.change_points
        ]
        if changed:
            of = f"{len(changed):,} of {len(of_kind):,}"
            yield f"{kind.capitalize()}s with change points, {of}: {printable_list(steps, _NAMED)}."
        elif of_kind:
            yield f"No {kind} has a change point (0 of {len(of_kind):,})."
