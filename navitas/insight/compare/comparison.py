"""Compares sessions of two versions: each figure's change, with a verdict, and what limits the comparison."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from navitas.base.errors import UsageError
from navitas.base.untrusted_text import printable_list
from navitas.insight.compare.effect import F64, Effect, adjusted, effects
from navitas.insight.compare.figures import KINDS, FigureChoice, has_share
from navitas.insight.compare.session import Session
from navitas.insight.compare.subject import ALL_TESTS, Energy, Subject
from navitas.insight.compare.verdict import Verdict, verdict

MARGIN_PERCENT = 5.0
"""A smaller change is "same", unless the user says otherwise."""
LEAST_SHARE = 0.01
"""Threads and methods with a smaller share of all tests' energy are left out, unless the user says otherwise."""
_NAMES = 5


@dataclass(frozen=True, slots=True)
class FigureChange:
    """A figure before and after: geometric means, or means if some energy is 0. `p` is adjusted for all figures of its kind.

    `effect` and `verdict` are None if a run has no energy of this figure.
    """

    subject: Subject
    before_j: float
    after_j: float
    effect: Effect | None
    p: float | None
    verdict: Verdict | None


@dataclass(frozen=True, slots=True)
class Comparison:
    """All changes of the tests that passed in all runs. `left_out` are the other tests; the rest are figures of one version."""

    changes: tuple[FigureChange, ...]
    removed: tuple[Subject, ...]
    added: tuple[Subject, ...]
    left_out: tuple[str, ...]
    warnings: tuple[str, ...]


def compare(
    before: Sequence[Session],
    after: Sequence[Session],
    choice: FigureChoice,
    *,
    together: bool,
    margin_percent: float,
    least_share: float,
) -> Comparison:
    """Compare the figures of a choice in two versions.

    `together`: the i-th sessions of both versions were one session, with their runs in mixed order. `margin_percent`: how small
    a change has to be for "same". `least_share`: the share of the energy of all tests, in either version, below which methods
    and threads are left out.

    Raises `UsageError` if the devices or power profiles differ, a session lacks the energy, no test passed in all runs, or no
    figure is in the choice.
    """
    sessions = [*before, *after]
    check_alike(sessions)
    check_energy(sessions, choice.energy)
    tests = set.intersection(*(set(session.tests) for session in sessions))
    left_out = set[str]().union(*(set(session.tests) | session.not_passed for session in sessions)) - tests
    if not tests:
        raise UsageError("no test passed in all runs of all sessions", "Compare recordings of the same tests.")
    joules = [[session.joules(sorted(tests)) for session in side] for side in (before, after)]
    unknown = frozenset[Subject]().union(*(session.unknown for session in sessions))
    subjects = [{subject for session in side for subject in session if choice.includes(subject)} - unknown for side in joules]
    whole = [Subject("all", ALL_TESTS, choice.energy)]
    totals = [float(figure_means([figure_matrix(session, whole) for session in side])[0]) for side in joules]
    changes: list[FigureChange] = []
    for kind in KINDS:
        shared = sorted(subject for subject in subjects[0] & subjects[1] if subject.kind == kind)
        sides = [[figure_matrix(session, shared) for session in side] for side in joules]
        means = list(zip(*(figure_means(side).tolist() for side in sides), strict=True))
        shares = (zip(pair, totals, strict=True) for pair in means)
        kept = [i for i, pairs in enumerate(shares) if any(has_share(shared[i], *pair, least_share) for pair in pairs)]
        kept.sort(key=lambda i: -max(means[i]))
        found = effects(*([session[kept] for session in side] for side in sides), together=together)
        count, repeats = min(len(before), len(after)), min(len(session.repeats) for session in sessions)
        for i, effect, p in zip(kept, found, adjusted(found), strict=True):
            judged = None
            if effect is not None:
                data = {"sessions": count, "repeats": repeats}
                judged = verdict(effect, p, margin_percent, **data, together=together, figures=len(kept))
            before_j, after_j = means[i]
            changes.append(FigureChange(shared[i], before_j, after_j, effect, p, judged))
    if not changes:
        raise choice.none_matches(joules[0][0])
    removed, added = (tuple(sorted(side)) for side in (subjects[0] - subjects[1], subjects[1] - subjects[0]))
    notes = tuple(_warnings(before, after, sorted(left_out), together))
    return Comparison(tuple(changes), removed, added, tuple(sorted(left_out)), notes)


def figure_matrix(session: Mapping[Subject, F64], subjects: Sequence[Subject]) -> F64:
    """Return figures × runs: 0 J where the session never used a thread or method."""
    nothing = np.zeros_like(next(iter(session.values())))
    return np.array([session.get(one, nothing) for one in subjects]).reshape(len(subjects), len(nothing))


def figure_means(sessions: Sequence[F64]) -> F64:
    """Return the mean of each figure in figures × runs of sessions: of logarithms, if all runs are above 0."""
    is_positive = np.all([np.all(session > 0, axis=1) for session in sessions], axis=0)
    plain = np.mean([session.mean(axis=1) for session in sessions], axis=0)
    logs = [np.log(session, out=np.zeros_like(session), where=is_positive[:, np.newaxis]) for session in sessions]
    geometric = np.exp(np.mean([session.mean(axis=1) for session in logs], axis=0))
    return np.asarray(np.where(is_positive, geometric, plain), np.float64)


def paired(before: Sequence[Session], after: Sequence[Session], names: Sequence[Sequence[str]]) -> list[Session]:
    """Return the sessions after in the order of those before, by names, which each name one session of both versions.

    Raises `UsageError` if they do not. A single session on each side needs no equal name.
    """
    if len(before) == len(after) == 1:
        return list(after)
    found = dict(zip(names[1], after, strict=True))
    if sorted(names[0]) != sorted(names[1]) or len(found) != len(after):
        raise UsageError(
            "--same-session needs both recordings of each session, with the same name",
            "Name them, for example, before/monday and after/monday.",
        )
    return [found[name] for name in names[0]]


def check_alike(sessions: Sequence[Session]) -> None:
    """Raise `UsageError` if devices or power profiles differ."""
    first = sessions[0]
    for session in sessions:
        for what, one, other in (
            ("device", first.device, session.device),
            ("power profile", first.power_profile, session.power_profile),
        ):
            if one != other:
                raise UsageError(
                    f"{first.name} and {session.name} have different {what}s, so their difference shows no change of code",
                    f"Compare recordings with the same {what}.",
                )


def check_energy(sessions: Sequence[Session], energy: Energy) -> None:
    """Raise `UsageError` if a session lacks the energy that is compared."""
    if lacking := [session.name for session in sessions if not session.has(energy)]:
        raise UsageError(
            f"older versions of Navitas wrote these without {energy} energy: {printable_list(lacking, _NAMES)}",
            "Give their recordings, or new reports of `navitas report RECORDING -o FILE.json`; or compare --figure total.",
        )


def check_distinct(sessions: Sequence[Session]) -> None:
    """Raise `UsageError` if a side has the same session twice, such as a recording and its report."""
    for other, session in _equal_pairs(sessions):
        raise UsageError(f"{other.name} and {session.name} are the same session", "Give each session once.")


def _equal_pairs(sessions: Sequence[Session]) -> Iterator[tuple[Session, Session]]:
    """Yield each session that is a copy of an earlier one, after that one: they have the same time and energies."""
    seen: dict[object, Session] = {}
    for session in sessions:
        energies = tuple(
            (test, repeat, *run.energies["total"].items()) for test, runs in session.tests.items() for repeat, run in runs.items()
        )
        other = seen.setdefault((session.created_utc, energies), session)
        if other is not session:
            yield other, session


def _warnings(before: Sequence[Session], after: Sequence[Session], left_out: Sequence[str], together: bool) -> Iterator[str]:
    """What limits the comparison of two versions."""
    sessions = [*before, *after]
    if copies := [f"{session.name} and {copy.name}" for session, copy in _equal_pairs(sessions)]:
        yield f"these are copies of the same session, which shows no change: {printable_list(copies, _NAMES)}"
    if left_out:
        names = printable_list(left_out, _NAMES)
        yield f"these tests are left out, because they did not pass in every run: {names}"
    if unknown := sorted({subject.name for session in sessions for subject in session.unknown}):
        names = printable_list(unknown, _NAMES)
        yield f"these are left out, because a session lacks the CPU time of threads that ran them: {names}"
    known = {name for session in sessions for name in session.conditions}
    differing = sorted(name for name in known if len({session.conditions.get(name) for session in sessions} - {""}) > 1)
    if differing:
        names = printable_list(differing, _NAMES)
        yield f"not only the code differs between the recordings. These can cause a part of a change: {names}"
    if unfit := [session.name for session in sessions if not session.is_fit]:
        names = printable_list(unfit, _NAMES)
        yield f"the device was busy or hot in all runs of these sessions, and their energy shows it: {names}"
    if not together and min(len(before), len(after)) < 2:
        yield (
            "one session of a version shows no change: sessions differ by several percent even if the code is the same. "
            "Give several recordings of each version, from different sessions"
        )
    if min(len(session.repeats) for session in sessions) < 2:
        yield (
            "a session has only one run, so how much its runs differ is unknown. "
            "navitas profile has --repeat 3 or more, navitas record has one run"
        )
