"""The rules that name the two largest methods, tests or threads if the recording does not show which one is larger."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import hypot

from navitas.energy.analyze.spread import Spread, mean_half_width
from navitas.energy.analyze.uncertainty import COVER_95, StandardError
from navitas.insight.verdict.figures import Figures
from navitas.insight.verdict.statement import LimitCode, Statement
from navitas.insight.verdict.usage import thread_name


@dataclass(frozen=True, slots=True)
class _Size:
    """An energy, its value in each repeat, and the errors of its measurement: by evidence, by probes, and those of each run."""

    joules: float
    runs: Spread
    evidence_j: float
    probes_j: float
    own_j: float

    @classmethod
    def of(cls, joules: float, runs: Spread, error: StandardError, repeats: int = 1) -> _Size:
        """Return the size of an energy whose `error` is that of the sum of `repeats`."""
        own_j = hypot(error.sampling_j, error.counter_ticks_j)
        return cls(joules, runs, *(cause_j / repeats for cause_j in (error.evidence_j, error.probes_j, own_j)))


def same_size(figures: Figures) -> Statement | None:
    """The two methods with the most self energy, if either can be the larger one."""
    methods, repeats = figures.methods[:2], figures.repeats
    sizes = [_Size.of(of.self_j, of.repeats.exclusive_j, of.total.exclusive_error, repeats) for of in methods]
    names = [figures.names.brief(method.total.id) for method in methods]
    is_drawn = figures.profile.tick_ns is not None or figures.profile.is_sampled  # draws hit each alone
    return _statement("same_size", names, sizes, are_probes_common=not is_drawn)


def same_size_tests(figures: Figures) -> Statement | None:
    """The two tests with the most app energy, if either can be the larger one."""
    groups, error_of = figures.groups[:2], figures.profile.app_error
    sizes = [_Size.of(group.app_j.median, figures.runs_of_test(group), error_of(group.typical)) for group in groups]
    return _statement("same_size_tests", [figures.test_name(group) for group in groups], sizes, is_evidence_common=True)


def same_size_threads(figures: Figures) -> Statement | None:
    """The two threads of the app with the most energy, if either can be the larger one."""
    threads = figures.threads[:2]
    sizes = [_Size.of(thread.energy_j, thread.runs, thread.error) for thread in threads]
    return _statement("same_size_threads", [thread_name(thread.name) for thread in threads], sizes)


def _statement(
    rule: LimitCode,
    names: Sequence[str],
    sizes: Sequence[_Size],
    *,
    is_evidence_common: bool = False,
    are_probes_common: bool = True,
) -> Statement | None:
    """Return the rule's statement, unless the first energy exceeds the second one by more than the error of their difference.

    What both have in common cancels: the error of the cost of probes, that of the level of evidence for whole tests, and that a
    run used more of everything.
    """
    if len(sizes) < 2 or sizes[1].joules <= 0:
        return None
    first, second = sizes
    evidence_j = _difference(first.evidence_j, second.evidence_j, is_common=is_evidence_common)
    probes_j = _difference(first.probes_j, second.probes_j, is_common=are_probes_common)
    runs_j = _runs_half_width_j(first, second)
    own_j = COVER_95 * hypot(first.own_j, second.own_j) if runs_j is None else runs_j
    if first.joules - second.joules > hypot(COVER_95 * evidence_j, COVER_95 * probes_j, own_j):
        return None
    return Statement(rule, f"{names[0]} and {names[1]} differ by less than their errors: either can be the larger one.")


def _difference(first_j: float, second_j: float, *, is_common: bool) -> float:
    """Return the standard error of a difference by one cause of errors."""
    return abs(first_j - second_j) if is_common else hypot(first_j, second_j)


def _runs_half_width_j(first: _Size, second: _Size) -> float | None:
    """Return half of the width of the difference's 95 % interval by its runs, each scaled to the same sum of both energies.

    None for fewer than two runs that count for both.
    """
    counts = (runs.counts or (True,) * len(runs.values) for runs in (first.runs, second.runs))
    pairs = zip(first.runs.values, second.runs.values, *counts, strict=True)
    shares = [(x - y) / (x + y) for x, y, of_first, of_second in pairs if of_first and of_second and x + y > 0]
    return mean_half_width(shares) * (first.joules + second.joules) if len(shares) > 1 else None
