"""A workload's score: the report of a recording compared with the run's exact energy."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from truth.methods import MethodTruth, Truth

import navitas
from navitas.energy.analyze.profile import Profile
from navitas.energy.analyze.records import TestEnergy

# Methods and threads below this share of the app's energy are not scored.
LEAST_SHARE = 0.01


@dataclass(frozen=True, slots=True)
class Errors:
    """Relative errors, None if a rule has no such figure.

    Errors of the total (threads, other processes and unattributed) and of the app's threads together, and mean errors of the
    scored threads and methods.
    """

    total: float | None
    app: float | None
    threads: float | None
    own: float | None
    inclusive: float | None


@dataclass(frozen=True, slots=True)
class Scored:
    """The errors of one recording's report, with the default model and with paper 1's, and its stated level of evidence."""

    level: str
    navitas: Errors
    paper1: Errors


def score(recording: Path, truth: Truth) -> Scored:
    """Analyze a recording as `navitas report` does, and compare."""
    profile = navitas.load(recording, alternative="paper1")
    (test,) = profile.tests
    cpu_j = test.energy_j - test.base_j
    methods, by_paper1 = _methods(profile)
    own, inclusive = method_errors(methods, truth)
    _, paper1 = method_errors(by_paper1, truth)
    paper1_total = None if test.alternative_j is None else test.alternative_j / truth.cpu_j - 1
    app_j = sum(thread.energy_j for thread in test.threads)
    errors = Errors(cpu_j / truth.cpu_j - 1, app_j / truth.app_j - 1, _thread_error(test, truth), own, inclusive)
    return Scored(profile.evidence[0].level, errors, Errors(paper1_total, None, None, None, paper1))


def method_errors(methods: Mapping[str, MethodTruth], truth: Truth) -> tuple[float, float]:
    """Mean relative errors of self and inclusive energy, over the methods with at least 1 % of the app's energy."""
    means = []
    for kind in ("exclusive_j", "inclusive_j"):
        wanted = {name: getattr(method, kind) for name, method in truth.methods.items()}
        wanted = {name: joules for name, joules in wanted.items() if joules >= LEAST_SHARE * truth.app_j}
        found = {name: getattr(methods[name], kind) if name in methods else 0.0 for name in wanted}
        means.append(sum(abs(found[name] / joules - 1) for name, joules in wanted.items()) / len(wanted))
    return means[0], means[1]


def _thread_error(test: TestEnergy, truth: Truth) -> float | None:
    """Mean relative error of the app's threads with at least 1 % of its energy, without threads that share a row of the report.

    None if there is no such thread.
    """
    found = {thread.tid: thread.energy_j for thread in test.threads if thread.count == 1}
    shared = any(thread.count > 1 for thread in test.threads)
    wanted = {tid: joules for tid, joules in truth.threads_j.items() if joules >= LEAST_SHARE * truth.app_j}
    errors = [abs(found.get(tid, 0.0) / joules - 1) for tid, joules in wanted.items() if tid in found or not shared]
    return sum(errors) / len(errors) if errors else None


def _methods(profile: Profile) -> tuple[dict[str, MethodTruth], dict[str, MethodTruth]]:
    """Each method summed over threads, by the default model, and by paper 1's formula (only inclusive energy)."""
    names = [f"{method.class_name}#{method.name}" for method in profile.method_table.methods]
    found: defaultdict[str, MethodTruth] = defaultdict(MethodTruth)
    paper1: defaultdict[str, MethodTruth] = defaultdict(MethodTruth)
    for thread in profile.tests[0].threads:
        for method in thread.methods:
            name = names[method.method]
            found[name].exclusive_j += method.exclusive_j
            found[name].inclusive_j += method.inclusive_j
            found[name].calls += method.calls
            paper1[name].inclusive_j += method.alternative_j or 0.0
    return found, paper1
