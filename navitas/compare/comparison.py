"""Compares sessions of two versions: each figure's change, with a verdict."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from navitas.compare.effect import Effect, adjusted, apart, within
from navitas.compare.session import Kind, Session, Subject
from navitas.compare.verdict import Verdict, verdict
from navitas.errors import UsageError

KINDS: tuple[Kind, ...] = ("total", "component", "test", "thread", "method")


@dataclass(frozen=True, slots=True)
class FigureChange:
    """A figure before and after: means of sessions' means. `p` is adjusted for all figures of its kind.

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
    """All changes, and figures that only one version has."""

    changes: tuple[FigureChange, ...]
    removed: tuple[Subject, ...]
    added: tuple[Subject, ...]
    warnings: tuple[str, ...]
    together: bool


def compare(
    before: Sequence[Session], after: Sequence[Session], *, together: bool, margin_percent: float, least_share: float
) -> Comparison:
    """Compare two versions.

    `together`: the i-th sessions of both versions were one session, with their runs in mixed order. `margin_percent`: how small
    a change has to be for "same". `least_share`: the share of all energy, in either version, below which methods and threads
    are left out.

    Raises `UsageError` if the devices or power profiles differ, or sessions that belong together are missing.
    """
    if together and len(before) != len(after):
        raise UsageError(
            f"--same-session needs as many recordings before as after, not {len(before)} and {len(after)}",
            "Give both recordings of each session.",
        )
    _check_alike([*before, *after])
    sides = [_subjects(before), _subjects(after)]
    changes: list[FigureChange] = []
    for kind in KINDS:
        shared = sorted(subject for subject in sides[0] & sides[1] if subject.kind == kind)
        values = {one: (_values(before, one), _values(after, one)) for one in shared}
        means = {one: (_mean(values[one][0]), _mean(values[one][1])) for one in shared}
        kept = [one for one in shared if kind not in ("thread", "method") or _share(means[one], changes) >= least_share]
        kept.sort(key=lambda one: -max(means[one]))
        effects = [(within if together else apart)(*values[one]) for one in kept]
        for one, effect, p in zip(kept, effects, adjusted(effects), strict=True):
            repeats = round(float(np.mean([len(runs) for side in values[one] for runs in side])))
            judged = None if effect is None else verdict(effect, p, margin_percent, together=together, repeats=repeats)
            changes.append(FigureChange(one, *means[one], effect, p, judged))
    removed, added = (tuple(sorted(side)) for side in (sides[0] - sides[1], sides[1] - sides[0]))
    return Comparison(tuple(changes), removed, added, tuple(_warnings(before, after, together)), together)


def _subjects(sessions: Sequence[Session]) -> set[Subject]:
    return {subject for session in sessions for subject in session.joules}


def _values(sessions: Sequence[Session], subject: Subject) -> list[np.ndarray]:
    """The runs of each session: 0 J where a session never used a thread or method."""
    return [session.joules.get(subject, np.zeros(1)) for session in sessions]


def _mean(sessions: Sequence[np.ndarray]) -> float:
    return float(np.mean([session.mean() for session in sessions]))


def _share(means: tuple[float, float], changes: Sequence[FigureChange]) -> float:
    """The larger share of a figure in the total, which is the first change; 1 without a total."""
    if not changes:
        return 1.0
    totals = (changes[0].before_j, changes[0].after_j)
    return max(mean / total if total > 0 else 1.0 for mean, total in zip(means, totals, strict=True))


def _check_alike(sessions: Sequence[Session]) -> None:
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


def _warnings(before: Sequence[Session], after: Sequence[Session], together: bool) -> Iterator[str]:
    levels = {frozenset(session.evidence.items()) for session in (*before, *after)}
    if len(levels) > 1:
        yield "the recordings have different evidence, so a part of a change can come from how energy was measured"
    if not together and min(len(before), len(after)) < 2:
        yield (
            "one session of a version: sessions differ by several percent even without a change of code, so no change can be "
            "shown; give several recordings of each version, from different sessions"
        )
    if any(len(runs) < 2 for session in (*before, *after) for runs in session.joules.values()):
        yield "a session has only one run, so the spread of its runs is unknown; record with --repeat 3 or more"
