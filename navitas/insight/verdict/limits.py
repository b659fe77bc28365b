"""The rules of what limits a verdict. Each returns a statement, or None where it doesn't."""

from __future__ import annotations

from collections.abc import Callable

from navitas.base.counts import counted
from navitas.insight.verdict.figures import Figures
from navitas.insight.verdict.statement import Statement
from navitas.insight.verdict.usage import percent_of, share_of

_LARGE_ERROR = 0.1
_LARGE_PROBES = 0.2


def failed(figures: Figures) -> Statement | None:
    """Tests that failed or were cut: their energy is that of a part of their work."""
    names = {(test.module, test.class_name, test.method) for test in figures.profile.tests if test.status in ("failed", "cut")}
    if not names:
        return None
    return Statement(
        "failed", f"{counted(len(names), 'test')} failed or did not end: their energy is not that of all their work."
    )


def starved(figures: Figures) -> Statement | None:
    """Runs that waited for a CPU which other programs used."""
    tests = figures.profile.tests
    count = sum(figures.profile.cpu_use(test).is_starved for test in tests if test.wall_ns > 0)
    if not count:
        return None
    runs = counted(sum(test.wall_ns > 0 for test in tests), "run")
    text = (
        f"In {count:,} of {runs} of tests, the test waited for a CPU that other programs used: on an idle device, its energy"
        " differs."
    )
    return Statement("starved", text)


def hot(figures: Figures) -> Statement | None:
    """Runs on a phone that was hot."""
    count = sum("hot" in test.unfit for test in figures.profile.tests)
    return (
        Statement("hot", f"The phone was hot in {counted(count, 'run')}: its CPU may have been slowed down.") if count else None
    )


def lost(figures: Figures) -> Statement | None:
    """Data that is missing from the recording."""
    kinds = len({loss.what for loss in figures.profile.losses})
    text = f"Data is missing from the recording ({counted(kinds, 'kind')} of loss): see the warnings."
    return Statement("lost", text) if kinds else None


def same_size(figures: Figures) -> Statement | None:
    """The two methods with the most self energy, if their intervals overlap."""
    if len(figures.methods) < 2 or figures.app_j <= 0:
        return None
    (first, first_half), (second, second_half) = (share_of(method, figures) for method in figures.methods[:2])
    if first <= 0 or first - first_half > second + second_half:
        return None
    names = [figures.names.label(method.total.id) for method in figures.methods[:2]]
    return Statement("same_size", f"The intervals of {names[0]} and {names[1]} overlap: either can be the larger one.")


def one_run(figures: Figures) -> Statement | None:
    """A single run of each test."""
    if not figures.groups or any(len(group.app_j.counted) > 1 for group in figures.groups):
        return None
    return Statement("one_run", "± is that of the measurement alone: one run does not show how runs differ.")


def evidence(figures: Figures) -> Statement | None:
    """A level of evidence with a large expected error."""
    errors = [(each.expected_error, each.level) for each in figures.profile.evidence if each.expected_error is not None]
    if not errors or (worst := max(errors))[0] < _LARGE_ERROR:
        return None
    text = f"The evidence is {worst[1]}: half of all methods are off by more than {percent_of(worst[0])}."
    return Statement("evidence", text)


def probes(figures: Figures) -> Statement | None:
    """Probes that used much of the measured energy."""
    used_j, probes_j = (sum(getattr(group.typical, name) for group in figures.groups) for name in ("threads_j", "probes_j"))
    if used_j <= 0 or probes_j < _LARGE_PROBES * used_j:
        return None
    share = percent_of(probes_j / used_j)
    return Statement("probes", f"Probes used {share} of the energy of the app's threads; it is subtracted by an estimate.")


RULES: tuple[Callable[[Figures], Statement | None], ...] = (failed, starved, hot, lost, same_size, evidence, probes, one_run)
"""The rules, the most important limit first."""
