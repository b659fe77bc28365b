"""Measure a project, and judge it by budgets, for scripts too (docs/python-api.md)."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from navitas.base.errors import UsageError
from navitas.capture.build.gradle import BuildOptions
from navitas.capture.collect.options import ProfileOptions
from navitas.cli.workflows.measurement import Caller, RunOptions, default_recording, remove_empty
from navitas.cli.workflows.profile import BUILD, CALLER, OPTIONS, RUN, profile
from navitas.cli.workflows.versions import AFTER, BEFORE, profile_against
from navitas.energy.analyze.load import load
from navitas.insight.check.bounds import look_level
from navitas.insight.check.budget_changes import budget_changes
from navitas.insight.check.budgets import Budgets
from navitas.insight.check.judgement import CheckResult
from navitas.insight.check.judging import judge
from navitas.insight.compare.effect import stats
from navitas.insight.compare.session import Session
from navitas.recording.recording_folder import check_not_recorded
from navitas.report.sessions import session_of

if TYPE_CHECKING:
    from navitas.capture.collect.runs.version_runs import ProfilingOutcome

BeforeOf = Callable[[Sequence[Session]], Sequence[Session]]
"""Returns the sessions of the version before that fit the sessions of the version to judge."""
Sides = tuple[Sequence[Session], Sequence[Session]]
"""Sessions of the version before, and of the version to judge."""
_FINAL = ("above", "matches nothing")
"""Verdicts that more data does not change."""
MOST_REPEATS = 1000
"""The most repeats of a session that goes on until all is decided."""


@dataclass(frozen=True, slots=True)
class CheckedProject:
    """The result of a check, None if no test passed in all runs, and the recordings that it measured.

    `problem` says why there is no result. `sides` are the judged sessions.
    """

    result: CheckResult | None
    before: tuple[ProfilingOutcome, ...]
    after: tuple[ProfilingOutcome, ...]
    problem: str = ""
    sides: Sides = ((), ())


@dataclass(slots=True)
class _Check:
    """A check whose data grows. Each time that it judges spends a part of the level, and the last time all of the rest."""

    budgets: Budgets
    caller: Caller
    day: date
    is_repeated: bool
    before: BeforeOf
    after: list[Session] = field(default_factory=list)
    changed_budgets: tuple[str, ...] = ()
    last: tuple[object, CheckResult] | None = None
    spent: float = 0.0
    sides: Sides = ((), ())

    def read(self, recording: Path) -> Session:
        return self._read([recording])[0]

    def _read(self, recordings: Sequence[Path]) -> list[Session]:
        self.caller.progress.stage("judging")
        return [session_of((self.caller.load or load)(recording), str(recording)) for recording in recordings]

    def judged_in_turns(self, recordings: Sequence[Path], *, is_last: bool) -> CheckResult:
        """Judge the recordings of two versions, unless all is decided, or only the last judgement may be on the same repeats."""
        if self.last is None or not _is_decided(self.last[1]):
            before, after = (session if is_last else _unfinished(session) for session in self._read(recordings))
            runs = before.repeats, after.repeats
            if self.last is None or is_last or self.last[0] != runs:
                self.last = runs, self.judged([before], [after], is_last=is_last)
        return self.last[1]

    def judged(self, before: Sequence[Session], after: Sequence[Session], *, is_last: bool) -> CheckResult:
        """Judge sessions. Raises the errors of `judge`."""
        self.sides = before, after
        level = look_level(self.spent, is_last=is_last)
        result = judge(before, after, self.budgets, day=self.day, level=level, changed_budgets=self.changed_budgets)
        if any(judgement.low is not None for judgement in result.judgements):
            self.spent += level
        return result

    def is_decidable(self, result: CheckResult) -> bool:
        """Whether more repeats could decide: a figure was measured, or no run counts, since the device was busy or hot."""
        is_fit = all(session.is_fit for side in self.sides for session in side)
        return not is_fit or any(judged.value is not None for judged in result.having("not enough data"))


def _unfinished(session: Session) -> Session:
    """Return the session of a recording that goes on, without the warning that it is partial."""
    return replace(session, warnings=tuple(warning for warning in session.warnings if warning[0] != "partial_recording"))


def _is_decided(result: CheckResult) -> bool:
    return result.word in _FINAL or not result.having("not enough data")


def profile_and_check(
    project: str | PathLike[str],
    budgets: Budgets,
    options: ProfileOptions = OPTIONS,
    *,
    before: BeforeOf | None = None,
    against: str | None = None,
    budgets_of: Callable[[Path], Budgets] | None = None,
    measure_s: float | None = None,
    day: date | None = None,
    build: BuildOptions = BUILD,
    run: RunOptions = RUN,
    caller: Caller = CALLER,
) -> CheckedProject:
    """Build a Gradle project, run its tests on a device, and judge them by budgets.

    - `before`: returns sessions of the version before, for budgets of changes, that fit the measured sessions.
    - `against`: instead of `before`, a git revision, whose tests run in turns with those of the project.
    - `budgets_of`: reads the budgets of the revision's files, to say which ones the project loosened.
    - `measure_s`: go on for at most so many seconds, until each budget is decided: with repeats if versions take turns, otherwise
      with further sessions. None: measure once.
    - `day`: today, for waivers.

    The recordings are `after` in the output folder (`after-2` … for further sessions), and `before` with `against`. Raises the
    errors of `profile`, and of `judge` with the recordings in the remedy.
    """
    stats()  # A missing library is reported before the build.
    folder = Path(project)
    if run.output is not None and not run.replace:
        turns, further = [BEFORE, AFTER], [AFTER, *sorted(old.name for old in run.output.glob(f"{AFTER}-[0-9]*"))]
        for name in (".", *(further if against is None else turns)):
            check_not_recorded(run.output / name, replace=None)
    check = _Check(budgets, caller, day or datetime.now(UTC).date(), measure_s is not None, before or (lambda _: ()))
    end_s = time.monotonic() + (measure_s or 0.0)
    if against is not None:
        checked = _in_turns(check, folder, against, budgets_of, options=options, build=build, run=run, end_s=end_s)
    else:
        checked = _in_sessions(check, folder, options=options, build=build, run=run, end_s=end_s)
    return replace(checked, sides=check.sides)


def _is_time_to_judge(count: int) -> bool:
    """Whether so much data is judged: 1, 2, 4, 8 … Each time costs certainty."""
    return count > 0 and count & (count - 1) == 0


def _with_recordings(error: UsageError, outcomes: Sequence[ProfilingOutcome]) -> UsageError:
    """Return the error with the folders of what was measured, which took long."""
    kept = ", ".join(str(outcome.recording) for outcome in outcomes)
    return UsageError(error.message, f"{error.remedy} The measurement is kept: {kept}.".lstrip())


def _in_turns(
    check: _Check,
    folder: Path,
    against: str,
    budgets_of: Callable[[Path], Budgets] | None,
    *,
    options: ProfileOptions,
    build: BuildOptions,
    run: RunOptions,
    end_s: float,
) -> CheckedProject:
    """Measure a revision and the project in turns; with more time, until the number of repeats that decides."""
    repeats, next_look = itertools.count(options.repeat), options.repeat
    most = max(options.repeat, MOST_REPEATS)

    def has_enough(recordings: Sequence[Path]) -> bool:
        """Judge after `options.repeat` repeats, and then whenever so many could decide."""
        nonlocal next_look
        count = next(repeats)
        if time.monotonic() >= end_s or count >= most:
            return True
        if count < next_look:
            return False
        try:
            result = check.judged_in_turns(recordings, is_last=False)
        except UsageError:
            return True  # It is raised again at the end, unless tests failed.
        next_look = result.next_look(count)
        return _is_decided(result) or not check.is_decidable(result)

    def look_at(old: Path) -> None:
        if budgets_of is not None:
            check.changed_budgets = budget_changes(budgets_of(old), check.budgets)

    caller = check.caller
    if check.is_repeated:
        options = replace(options, goes_on=True, max_repeat=most)
        caller = replace(caller, has_enough=has_enough)
    old, new = profile_against(folder, against, options, build=build, run=run, caller=caller, look_at=look_at)
    try:
        result = check.judged_in_turns([outcome.recording for outcome in (old, new)], is_last=True)
    except UsageError as error:
        if not (old.failures or new.failures or old.crashed or new.crashed):
            raise _with_recordings(error, [old, new]) from error
        return CheckedProject(None, (old,), (new,), error.message)
    return CheckedProject(result, (old,), (new,))


def _in_sessions(
    check: _Check, folder: Path, *, options: ProfileOptions, build: BuildOptions, run: RunOptions, end_s: float
) -> CheckedProject:
    """Measure the project in one session; with more time, in further ones."""
    output = run.output or default_recording(folder.resolve().name)
    with ExitStack() as stack:
        stack.callback(remove_empty, output)
        return _sessions_in(check, folder, output, options=options, build=build, run=run, end_s=end_s)


def _sessions_in(
    check: _Check, folder: Path, output: Path, *, options: ProfileOptions, build: BuildOptions, run: RunOptions, end_s: float
) -> CheckedProject:
    outcomes: list[ProfilingOutcome] = []
    while True:
        name = AFTER if not outcomes else f"{AFTER}-{len(outcomes) + 1}"
        start_s = time.monotonic()
        outcome = profile(folder, options, build=build, run=replace(run, output=output / name), caller=check.caller)
        outcomes.append(outcome)
        has_failed = bool(outcome.failures) or outcome.crashed
        try:
            session = check.read(outcome.recording)
            check.after.append(session)
            took_s = time.monotonic() - start_s
            is_last = has_failed or time.monotonic() + took_s > end_s
            fit = sum(measured.is_fit for measured in check.after)
            if len(outcomes) > 1 and not is_last and not (session.is_fit and _is_time_to_judge(fit)):
                continue
            result = check.judged(check.before(check.after), check.after, is_last=is_last)
        except UsageError as error:
            if not has_failed:
                raise _with_recordings(error, outcomes) from error
            return CheckedProject(None, (), tuple(outcomes), error.message)
        can_decide = any(judgement.needed is not None for judgement in result.having("not enough data")) or not session.is_fit
        if is_last or not can_decide or result.word in _FINAL:
            return CheckedProject(result, (), tuple(outcomes))
