"""Builds and measures the commits of a bisection, and searches among them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from navitas.build.commits import Commit
from navitas.build.gradle import BuildOptions
from navitas.build.revisions import checked_out
from navitas.cli.compare_input import read_session
from navitas.cli.messages import note, warning
from navitas.cli.options import ReportOptions
from navitas.cli.profiling import caller_of
from navitas.cli.progress import ConsoleProgress
from navitas.collect.options import ProfileOptions
from navitas.compare.figures import FigureChoice
from navitas.compare.session import Subject
from navitas.device.base import Device
from navitas.errors import BuildError, RecordingError, UsageError
from navitas.history.evidence import CommitEvidence
from navitas.history.search import FoundCommits, Limits, UnbuildableError, search
from navitas.history.steps import LIMIT, FigureStep, SessionPair, all_steps, is_clear, shared_subjects, shared_tests, turn_changes
from navitas.untrusted_text import printable_line, printable_list
from navitas.workflows.measurement import Caller, RunOptions
from navitas.workflows.versions import BuiltVersion, build_version, measure_versions


@dataclass(slots=True)
class Measurements:
    """The commits of a bisection, their builds so far, and the sessions of each measured pair."""

    project: Path
    commits: Sequence[Commit]
    build: BuildOptions
    options: ProfileOptions
    run: RunOptions
    device: Device
    bundles: Path
    output: Path
    progress: ConsoleProgress
    built: dict[int, BuiltVersion] = field(default_factory=dict)
    sessions: dict[tuple[int, int], list[SessionPair]] = field(default_factory=lambda: defaultdict(list))

    @property
    def _caller(self) -> Caller:
        return caller_of(self.progress, ReportOptions(default_formats=()))

    @property
    def turns(self) -> int:
        """How many turns were measured."""
        return sum(len(set(pair.earlier.repeats) & set(pair.later.repeats)) for pairs in self.sessions.values() for pair in pairs)

    def measure(self, earlier: int, later: int, turns: int) -> SessionPair:
        """Build two commits, unless they are built, and measure them in turns."""
        built = [self._built(index) for index in (earlier, later)]
        count = sum(map(len, self.sessions.values())) + 1
        folder = self.output / f"{count:02}"
        options = replace(self.options, repeat=turns)
        outcomes = measure_versions(self.device, built, folder, options, run=self.run, caller=self._caller)
        self.progress.stage("analyzing")
        before, after = (read_session(one.recording, self.progress) for one in outcomes)
        pair = SessionPair(before, after)
        self.sessions[earlier, later].append(pair)
        return pair

    def _built(self, index: int) -> BuiltVersion:
        if index not in self.built:
            commit = self.commits[index]
            with checked_out(self.project, commit.hash, warning) as place:
                self.built[index] = build_version(
                    commit.short, place, self.build, options=self.options, folder=self.bundles / commit.short,
                    caller=self._caller, virtual=self.device.info.kind == "virtual",
                )  # fmt: skip
        return self.built[index]


def changed_figure(measured: Measurements, choice: FigureChoice, limits: Limits) -> tuple[FigureStep | None, list[FigureStep]]:
    """Measure the first and the last commit until a figure differs, or the turns are used up.

    Returns the clearest change or None, and all compared ones: of the figures that a pattern names, by default of all tests, each
    test and each method. Raises `UsageError` if no test passed in both, or no figure matches.
    """
    last = len(measured.commits) - 1
    looks = limits.most_turns // limits.turns
    compared: list[FigureStep] = []
    for _ in range(looks):
        measured.measure(0, last, limits.turns)
        pairs = measured.sessions[0, last]
        if not shared_tests(pairs):
            raise UsageError("no test passed in all runs of both revisions", "Correct the tests, or name others with --tests.")
        compared = all_steps(pairs, lambda one: choice.limits(one) or (one.kind == "method" and choice.includes(one)))
        if not any(map(choice.includes, subjects := shared_subjects(pairs))):
            raise choice.none_matches(sorted(subjects))
        clear = [one for one in compared if is_clear(one, LIMIT / looks)]
        if clear:
            return clear[0], compared
    return None, compared


def find_commit(measured: Measurements, subject: Subject, limits: Limits) -> FoundCommits:
    """Search for the commit that changed a figure, after `changed_figure`."""
    last = len(measured.commits) - 1
    tests = shared_tests(measured.sessions[0, last])
    evidence, passed = CommitEvidence(last), {0, last}
    for pair in measured.sessions[0, last]:
        changes = turn_changes(pair, tests, subject)
        assert changes is not None  # its change was compared
        evidence.add(0, last, changes)

    def measure(earlier: int, later: int, turns: int) -> np.ndarray:
        blamed = earlier if later == last or (later in measured.built and earlier != 0) else later
        is_new = blamed not in measured.built
        try:
            pair = measured.measure(earlier, later, turns)
        except (BuildError, RecordingError, UsageError) as error:
            if not is_new:
                raise
            raise UnbuildableError(blamed, printable_line(error.message.split("\n")[0], 300)) from error
        for index, session in zip((earlier, later), pair, strict=True):
            if not (missing := sorted(tests - set(session.tests))):
                passed.add(index)
                continue
            reason = f"did not pass: {printable_list(missing, 3)}"
            if index not in passed:
                raise UnbuildableError(index, reason)
            note(f"  {measured.commits[index].short} {reason}, but passed before: these turns do not count")
            return np.array([])
        changes = turn_changes(pair, tests, subject)
        if changes is None:
            raise UnbuildableError(blamed, f"no energy of {subject.name}")
        _note_change(measured.commits[later], measured.commits[earlier], changes)
        return changes

    def on_step(left: np.ndarray) -> None:
        best = int(np.argmax(left))
        count = int(np.sum(left > limits.error / len(left)))
        note(f"  likely: {measured.commits[best + 1].short} ({100 * left[best]:.1f} %), one of {count}")

    return search(evidence, measure, limits, on_step)


def stepped_methods(measured: Measurements, commit: int, limits: Limits) -> list[FigureStep]:
    """Return the methods whose self energy changed at a commit, largest change first.

    Measures the commit and the one before it until a method differs, or the turns are used up. Empty if the one before it was
    not built.
    """
    if commit - 1 not in measured.built:
        return []
    looks = limits.most_turns // limits.turns
    neighbours = measured.sessions[commit - 1, commit]
    while True:
        found = (
            [one for one in all_steps(neighbours, lambda one: one.kind == "method") if is_clear(one, LIMIT / looks)]
            if neighbours
            else []
        )
        if found or len(neighbours) >= looks:
            return sorted(found, key=lambda one: -abs(one.percent))
        measured.measure(commit - 1, commit, limits.turns)


def _note_change(later: Commit, earlier: Commit, changes: np.ndarray) -> None:
    percent = f"{100 * np.expm1(changes.mean()):+.1f} %" if len(changes) else "nothing"
    note(f"{later.short} against {earlier.short}: {percent} in {len(changes)} turns")
