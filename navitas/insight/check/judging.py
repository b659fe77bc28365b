"""Judges the figures of a version by budgets: within, above, or not enough data (docs/check.md)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import date
from typing import Any

from navitas.base.errors import UsageError
from navitas.base.near_names import near_names
from navitas.base.untrusted_text import printable, printable_list
from navitas.insight.check.bounds import LEVEL, aim, holm, needed, needed_sessions
from navitas.insight.check.budgets import COUNTS, Budgets, ChangeLimit, CheckBudget, Selection, Waiver
from navitas.insight.check.changed_methods import changed_methods
from navitas.insight.check.drafts import Draft, drafts_of_absolutes, drafts_of_changes, judgement_on, unknown
from navitas.insight.check.judged_figures import CheckedFigure, SideFigures
from navitas.insight.check.judgement import ChangedMethod, CheckResult, CheckWord, Judgement, MoreData
from navitas.insight.compare.comparison import LEAST_SHARE, check_alike, check_energy
from navitas.insight.compare.effect import as_percent
from navitas.insight.compare.session import Session, in_shared_sessions
from navitas.insight.compare.source_place import SourcePlace
from navitas.insight.compare.subject import ALL_TESTS, without_descriptor
from navitas.insight.compare.verdict import USUAL_SESSIONS

_NAMES = 5
_LONGEST_WARNING = 500
_BUSY = "the device was busy or hot in all runs, so none counts"
_QUIET = "Measure again on a quiet, cool device. A virtual phone is quiet if no other programs run on its computer"
_NOTHING_BEFORE = "there is no session of the version before: give recordings with --before, or a revision with --against"
_ONE_SESSION = "one session of each version shows no change: sessions differ even if the code is the same"
_ONE_RUN = "a session has a single run, which does not show how runs differ"
_LOST = "its energy is not known in some runs, since the CPU time of a thread is not"
_NO_TIME = "it took no time in some runs, so its mean power is not known"
_NONE_BEFORE = "nothing that it selects has a figure in the version before"
CHANGE_SHARE = 0.03
"""The least share of threads and methods that a pattern selects for a change: that of smaller ones takes hundreds of repeats."""
_NO_SHARED_TEST = "the sessions before have no test in common"
_MEASURE_ALL = (
    "Measure the version before with all tests, and let only such sessions be before: "
    "remove the others from the baseline (navitas baseline prune --keep), or write budgets of the tests"
)
_VANISHED = "it is only in the version before: it vanished, or was renamed"
_WAIVE = "If the test was removed or renamed, accept that by a waiver of the test, until the next session before is without it"
_NO_CENSUS = "operations are counted in recordings with --granularity block, by --census (before: --before-census)"


def judge(
    before: Sequence[Session],
    after: Sequence[Session],
    budgets: Budgets,
    *,
    day: date,
    same_session: bool = False,
    level: float = LEVEL,
    changed_budgets: Sequence[str] = (),
) -> CheckResult:
    """Judge the sessions of a version by budgets; those with a limit of changes by the sessions of the version before.

    `day` is today's: waivers end. `same_session`: the i-th sessions of both versions were one session, with runs in mixed order;
    recordings of `--against` say so themselves. `level`: the probability of finding something above its limit in code that did
    not change; a caller who judges again with more data shares `LEVEL` among all times.

    Raises `UsageError` if there is no session after, the devices or power profiles differ, or no test passed in all runs.
    """
    if not after:
        raise UsageError("there is no session to judge", "Give recordings or JSON reports.")
    if (shared := in_shared_sessions(before, after)) is not None:
        after, same_session = shared, True
    check_alike([*before, *after])
    check_energy([*before, *after], "app")
    together = same_session and len(before) == len(after)
    check = _Check(before, after, budgets, day=day, together=together, level=level)
    judgements = tuple(check.decided([draft for budget in budgets.budgets for draft in check.drafts(budget)]))
    check.warnings += _of_recordings([*before, *after])
    return CheckResult(
        judgements, tuple(session.name for session in before), tuple(session.name for session in after), together, day,
        tuple(dict.fromkeys(check.warnings)), budgets.waivers, tuple(changed_budgets),
        failed=tuple(sorted(set[str]().union(*(session.failed for session in after)))),
    )  # fmt: skip


class _Check:
    """One check: its sessions that count, and their figures."""

    def __init__(
        self,
        before: Sequence[Session],
        after: Sequence[Session],
        budgets: Budgets,
        *,
        day: date,
        together: bool,
        level: float,
    ) -> None:
        self.budgets, self.day, self.together, self.level = budgets, day, together, level
        self.warnings: list[str] = []
        self.all_sides = before, after
        choices = {session.choice: session.name for session in (*after, *before)}
        if len(choices) > 1:
            named = [f"{choice} ({name})" for choice, name in sorted(choices.items())]
            self.warnings.append(f"the tests were not chosen alike, so only a part is compared: {printable_list(named, _NAMES)}")
        self.before, self.after = self._fit(before, after)
        old, new = self.before or before, self.after or after
        passed_after = set.intersection(*(set(session.tests) for session in new))
        passed = passed_after.intersection(*(set(session.tests) for session in old))
        self.alone = SideFigures(new, passed_after)
        self.sides = SideFigures(old, passed), self.alone if passed == passed_after else SideFigures(new, passed)
        ran = [set[str]().union(*({*session.tests, *session.not_passed} for session in side)) for side in (old, new)]
        self.vanished = ran[0] - ran[1]
        newest = max(old, key=lambda session: session.created_utc, default=None)
        self.newly_vanished = set[str]() if newest is None else self.vanished & {*newest.tests, *newest.not_passed}
        self.of_some = {
            test: [number for number, session in enumerate(old) if test in session.tests]
            for test in (passed_after - passed) & ran[0]
            if not any(test in session.not_passed for session in old)
        }
        """By test that some sessions before lack, the numbers of those that have it."""
        if not (passed or self.of_some if old else passed_after):
            raise UsageError("no test passed in all runs of all sessions", "Check recordings of the same tests.")
        judged = passed | (passed_after - ran[0]) | self.of_some.keys()
        self.not_judged = (ran[1] - passed_after, ran[1] - judged if old else set[str]())
        if self.of_some:
            named = [f"{test} ({len(numbers):,} of {len(old):,} have it)" for test, numbers in sorted(self.of_some.items())]
            what = "some sessions before lack these tests, so only budgets of tests judge them"
            self.warnings.append(f"{what}: {printable_list(named, _NAMES)}")
        if self.vanished:
            self.warnings.append(f"these tests are only in the version before: {printable_list(sorted(self.vanished), _NAMES)}")
        if not_judged := sorted(self.not_judged[0] | self.not_judged[1]):
            self.warnings.append(
                f"these tests did not pass in every run, so they do not count: {printable_list(not_judged, _NAMES)}"
            )
        self.places: dict[str, SourcePlace] = {
            name: source for session in (*old, *new) for name, source in session.places.items()
        }

    def _fit(self, before: Sequence[Session], after: Sequence[Session]) -> tuple[list[Session], list[Session]]:
        """Return the sessions whose runs count. Sessions of both versions count only together."""
        if self.together:
            pairs = [pair for pair in zip(before, after, strict=True) if all(session.is_fit for session in pair)]
            kept = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
        else:
            kept = [session for session in before if session.is_fit], [session for session in after if session.is_fit]
        if unfit := [session.name for session in (*before, *after) if not session.is_fit]:
            names = printable_list(unfit, _NAMES)
            self.warnings.append(f"the device was busy or hot in all runs of these sessions, so they do not count: {names}")
        return kept

    def drafts(self, budget: CheckBudget) -> Iterator[Draft]:
        """Yield what a budget judges, or that it matches nothing."""
        selection, figure = budget.selection, budget.figure
        is_change = isinstance(budget.limit, ChangeLimit)
        has_before = bool(self.all_sides[0] if figure in COUNTS else self.before)
        old, new = self.sides if is_change and has_before else (None, self.alone)
        if new.of(selection.kind, figure) is None or (old is not None and old.of(selection.kind, figure) is None):
            name = ALL_TESTS if selection.kind == "all" else selection.pattern
            yield unknown(budget, name, _NO_CENSUS if figure == "operations" else f"a session was kept without its {figure}")
            return
        if old is not None and not old.tests and selection.kind != "test":
            yield unknown(budget, selection.pattern or ALL_TESTS, _NO_SHARED_TEST, remedy=_MEASURE_ALL)
            return
        alone, now = (self._matching(selection, side.names(selection.kind, figure)) for side in (self.alone, new))
        before = set() if old is None else self._matching(selection, old.names(selection.kind, figure))
        sides = [new] if old is None else [old, new]
        lost = self._matching(selection, set[str]().union(*(side.unknown(selection.kind, figure) for side in sides)))
        if not self._has_match(selection, alone | lost):
            unmatched = replace(judgement_on(budget, selection.pattern), verdict="matches nothing")
            yield Draft(replace(unmatched, reason=self._no_match(budget)))
            return
        yield from self._unjudged(budget, is_change)
        why_lost = _NO_TIME if figure == "power" else _LOST
        yield from (unknown(budget, name, why_lost) for name in sorted(lost))
        lost |= self.not_judged[is_change] if selection.kind == "test" else set()
        alone, now, before = alone - lost, now - lost, before - lost
        if not alone and lost:
            return
        least_share = CHANGE_SHARE if is_change else LEAST_SHARE
        names = new.with_share(selection, figure, now, least_share) or now
        of_some = set[str]()
        if old is not None:
            of_some = alone & self.of_some.keys()
            names = ((names | old.with_share(selection, figure, before, least_share)) & now & before) or (now & before)
            if added := sorted(self.alone.with_share(selection, figure, alone - before - of_some, least_share)):
                what = f"new {selection.kind}s, without a figure before"
                self.warnings.append(f"{budget.location}: {what}: {printable_list(added, _NAMES)}")
            if not names | of_some:
                yield unknown(budget, selection.pattern, _NONE_BEFORE)
                return
        ordered = sorted(names)
        if is_change and old is None:
            reason, remedy = (_BUSY, _QUIET) if self.all_sides[0] else (_NOTHING_BEFORE, "")
            yield from (unknown(budget, name, reason, remedy=remedy) for name in ordered)
        elif is_change and old is not None:
            yield from drafts_of_changes(budget, ordered, old, new, together=self.together)
            for test in sorted(of_some):
                yield from drafts_of_changes(budget, [test], *self._sides_with(test), together=self.together)
        else:
            yield from drafts_of_absolutes(budget, ordered, new)

    def _sides_with(self, test: str) -> tuple[SideFigures, SideFigures]:
        """Return the figures of a test that some sessions before lack: in those that have it."""
        old, new = (side.sessions for side in self.sides)
        after = [new[number] for number in self.of_some[test]] if self.together else new
        return SideFigures([old[number] for number in self.of_some[test]], [test]), SideFigures(after, [test])

    @staticmethod
    def _matching(selection: Selection, names: Iterable[str]) -> set[str]:
        return {name for name in names if selection.matches(selection.kind, name)}

    def _unjudged(self, budget: CheckBudget, is_change: bool) -> Iterator[Draft]:
        """Yield tests of a budget that did not pass, or that vanished since the newest session before.

        A budget of all tests together leaves out those that did not pass.
        """
        kind = budget.selection.kind
        if kind not in ("all", "test"):
            return
        failed = "it did not pass in every run", "Repair the test"
        reasons = dict.fromkeys(self.not_judged[is_change] if kind == "test" else (), failed)
        if is_change:
            reasons |= dict.fromkeys(self.newly_vanished, (_VANISHED, _WAIVE))
        for name, (reason, remedy) in sorted(reasons.items()):
            if kind == "all" or budget.selection.matches("test", name):
                yield unknown(budget, name, reason, "test", remedy=remedy)

    def _has_match(self, selection: Selection, matched: set[str]) -> bool:
        """Whether a budget matches a figure, or a test that did not pass."""
        others = self.not_judged[0] | self.not_judged[1] if selection.kind == "test" else set()
        return bool(matched or self._matching(selection, others))

    def _no_match(self, budget: CheckBudget) -> str:
        """Return that a budget matches nothing, with the names that it could match."""
        selection = budget.selection
        said = f"nothing matches {selection.described}"
        if selection.kind == "test" and self._matching(selection, self.vanished):
            said = f"{selection.described} is only in the version before: it vanished, or was renamed"
        near = near_names(selection.pattern, self.alone.names(selection.kind, budget.figure))
        others = f"The {selection.kind}s are: {near}" if near else f"There is no {selection.kind} with {budget.figure}"
        return f"{printable(said, 1000)}. {others}"

    def decided(self, drafts: Sequence[Draft]) -> Iterator[Judgement]:
        """Yield the judgements, with one family of tests for all of them."""
        tested = [draft for draft in drafts if draft.chance is not None]
        levels = holm([draft.chance or 0.0 for draft in tested], self.level)
        by_draft = dict(zip(map(id, tested), levels, strict=True))
        for draft in drafts:
            judgement = self._verdict(draft, by_draft.get(id(draft), self.level))
            location = self.places.get(_place_name(judgement.subject)) if judgement.subject.kind in ("test", "method") else None
            methods: tuple[ChangedMethod, ...] = ()
            if judgement.verdict == "above" and judgement.subject.kind in ("all", "test") and self.before:
                tests = self.sides[1].tests if judgement.subject.kind == "all" else [judgement.subject.name]
                sides = draft.sides or (self.sides[0].sessions, self.sides[1].sessions)
                if all(session.tests.keys() >= set(tests) for side in sides for session in side):
                    joules = [[session.joules(tests) for session in side] for side in sides]
                    methods = changed_methods(*joules, together=self.together, places=self.places)
            yield replace(judgement, location=location, methods=methods, waiver=self._waiver(judgement))

    def _verdict(self, draft: Draft, level: float) -> Judgement:
        """Return the judgement on a draft, by its lower bound at `level`, and by its upper bound at that of the check."""
        judgement, estimate = draft.judgement, draft.estimate
        is_change = isinstance(judgement.budget.limit, ChangeLimit)
        is_measured = bool(self.after and (self.before or not is_change))
        is_counted = estimate is None and judgement.subject.figure in COUNTS
        if not (is_measured or is_counted or judgement.reason):
            return replace(judgement, verdict="not enough data", reason=_BUSY, remedy=_QUIET)
        if estimate is None:
            return judgement
        shown = as_percent if is_change else math.exp
        low, high = estimate.bound(level, upper=False), estimate.bound(self.level, upper=True)
        word: CheckWord = "not enough data"
        if low is not None and high is not None:
            word = "above" if low > draft.limit else "within" if high <= draft.limit else word
        result = replace(
            judgement, verdict=word, value=shown(estimate.value), low=None if low is None else shown(low),
            high=None if high is None else shown(high), shows_percent=estimate.shows_percent(level),
        )  # fmt: skip
        if word != "not enough data":
            return result
        unknown_spread = _ONE_SESSION if is_change else _ONE_RUN
        reason = unknown_spread if low is None else "the bounds lie on both sides of the limit"
        growth = estimate.growth(draft.limit, level if estimate.value > draft.limit else self.level)
        return replace(result, needed=self._needed(draft, level), growth=growth, reason=reason)

    def _needed(self, draft: Draft, level: float) -> MoreData | None:
        estimate, limit = draft.estimate, draft.judgement.budget.limit
        if estimate is None:
            return None
        before, after = draft.sides or (self.before, self.after)
        repeats = min(len(session.repeats) for session in (*before, *after))
        if not isinstance(limit, ChangeLimit):
            sessions = needed_sessions(estimate, draft.limit, level=level)
            return None if sessions is None else MoreData(sessions, repeats)
        data: dict[str, Any] = {"sessions": min(len(before), len(after)), "repeats": repeats, "together": self.together}
        estimates = [estimate]
        if not self.together:
            seen = replace(estimate.spread, sessions=estimate.spread.sessions or USUAL_SESSIONS)
            estimates.append(replace(estimate, spread=seen, freedom_of_spread=0))
        for is_least, used in enumerate(estimates):
            sessions, runs = needed(used, draft.limit, aim(limit.percent), level=level, **data)
            if sessions is not None and runs is not None:
                return MoreData(sessions, runs, 0 if self.together else max(0, sessions - len(before)), bool(is_least))
        return None

    def _waiver(self, judgement: Judgement) -> Waiver | None:
        if judgement.verdict in ("within", "matches nothing"):
            return None
        active = (waiver for waiver in self.budgets.waivers if self.day <= waiver.until)
        return next(
            (waiver for waiver in active if waiver.selection.matches(judgement.subject.kind, judgement.subject.name)), None
        )


def _of_recordings(sessions: Sequence[Session]) -> Iterator[str]:
    """Yield a line for each kind of warning of recordings, with the first message."""
    by_code: dict[str, dict[str, list[str]]] = {}
    for session in sessions:
        for code, message in session.warnings:
            by_code.setdefault(code, {}).setdefault(message, []).append(session.name)
    for messages in by_code.values():
        first, *others = messages
        more = f" (and {len(others):,} more of this kind)" if others else ""
        names = dict.fromkeys(name for named in messages.values() for name in named)
        yield f"{printable_list(list(names), _NAMES)}: {printable(first, _LONGEST_WARNING)}{more}"


def _place_name(subject: CheckedFigure) -> str:
    """Return the name of a method, or of a test's method, without its descriptor."""
    if subject.kind == "test":
        return subject.name.partition("[")[0].replace("#", ".", 1)
    return without_descriptor(subject.name)
