"""Checks of a project that go on measuring: with repeats in turns, or with further sessions. Nothing is built or run."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from support.made_sessions import TEST, made_session
from support.raising import raising
from support.repeatable_random import repeatable_rng

from navitas.base.errors import UsageError
from navitas.capture.collect.options import ProfileOptions
from navitas.capture.collect.runs.version_runs import ProfilingOutcome
from navitas.cli.workflows import check
from navitas.cli.workflows.check import CheckedProject, profile_and_check
from navitas.cli.workflows.measurement import Caller, RunOptions
from navitas.insight.check.bounds import LEVEL
from navitas.insight.check.budgets import Budgets, ChangeLimit, CheckBudget, Selection
from navitas.insight.check.judgement import CheckResult
from navitas.insight.check.judging import judge
from navitas.insight.compare.session import Session

TOTAL = CheckBudget("navitas.toml:1", Selection("all", ""), "app", ChangeLimit(5))
DAY = date(2026, 1, 1)
Measured = Callable[..., CheckedProject]


class Laboratory:
    """Made sessions instead of measured ones: runs differ by 4 %, sessions by `shift`. `ratio` is the change of energy."""

    def __init__(self, ratio: float = 1.0, shift: float = 0.02) -> None:
        self.ratio, self.shift = ratio, shift
        self.rng = repeatable_rng(5)
        self.sessions: dict[Path, Session] = {}
        self.starved: set[str] = set()
        self.failures: dict[str, str] = {}
        self.vanished = ""
        self.warnings: tuple[tuple[str, str], ...] = ()
        self.repeats: list[int] = []
        self.looks: list[int] = []

    def session_of(self, path: Path, name: str) -> Session:
        self.looks.append(len(self.sessions[path].repeats))
        return self.sessions[path]

    def measured(self, path: Path, runs_j: list[float], *, in_turns: bool) -> ProfilingOutcome:
        vanished = [self.vanished] if self.vanished and path.name == "before" else []
        made = made_session(runs_j, len(self.sessions), tests=[TEST, *vanished])
        fit = path.name not in self.starved
        self.sessions[path] = replace(
            made, session="turns" if in_turns else "", is_fit=fit, name=str(path), not_passed=frozenset(),
            tests={} if self.failures else made.tests, warnings=self.warnings,
        )  # fmt: skip
        return ProfilingOutcome(path, self.failures, crashed=False)

    def runs(self, count: int, mean_j: float) -> list[float]:
        return list(mean_j * np.exp(self.rng.normal(0, 0.04, count)))

    def profile(self, folder: Path, options: ProfileOptions, *, run: RunOptions, **others: Any) -> ProfilingOutcome:
        assert run.output is not None
        mean_j = 10 * self.ratio * float(np.exp(self.rng.normal(0, self.shift)))
        return self.measured(run.output, self.runs(options.repeat, mean_j), in_turns=False)

    def profile_against(
        self, folder: Path, name: str, options: ProfileOptions, *, run: RunOptions, caller: Caller, look_at: Any, **others: Any
    ) -> tuple[ProfilingOutcome, ...]:
        assert run.output is not None
        look_at(folder / name)
        paths = [run.output / side for side in ("before", "after")]
        runs: list[list[float]] = [[], []]
        for count in range(1, options.max_turns + 1):
            for side, mean_j in zip(runs, (10.0, 10 * self.ratio), strict=True):
                side.extend(self.runs(1, mean_j))
            outcomes = [self.measured(path, side, in_turns=True) for path, side in zip(paths, runs, strict=True)]
            enough = caller.is_enough(paths, options)
            if count >= options.least_turns and (enough is None or enough()):
                break
        self.repeats.append(count)
        return tuple(outcomes)


def checked(
    lab: Laboratory, folder: Path, monkeypatch: pytest.MonkeyPatch, budget: CheckBudget = TOTAL, repeat: int = 5, **options: Any
) -> CheckedProject:
    monkeypatch.setattr(check, "profile", lab.profile)
    monkeypatch.setattr(check, "profile_against", lab.profile_against)
    monkeypatch.setattr(check, "session_of", lab.session_of)
    budgets = Budgets((budget,))
    caller = Caller(load=lambda path: path)  # type: ignore[arg-type, return-value]
    run = RunOptions(output=folder / "out")
    return profile_and_check(folder, budgets, ProfileOptions(repeat=repeat), run=run, caller=caller, day=DAY, **options)


@pytest.mark.parametrize(("ratio", "word"), [(1.0, "within"), (1.15, "above")])
def test_versions_in_turns_get_repeats_until_all_is_decided(
    ratio: float, word: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lab = Laboratory(ratio)
    once = checked(lab, tmp_path, monkeypatch, against="main")
    assert once.result is not None and lab.repeats == [5]
    found = checked(lab, tmp_path, monkeypatch, against="main", measure_s=600)
    assert found.result is not None and found.result.word == word
    assert 5 < lab.repeats[1] < 40
    assert [one.recording.name for one in (*found.before, *found.after)] == ["before", "after"]


def test_each_version_is_read_once_for_each_judgement_of_turns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lab = Laboratory(1.05)
    lab.warnings = (("partial_recording", "the recording is partial"), ("starved", "this computer was busy"))
    monkeypatch.setattr(check, "MOST_REPEATS", 50)
    found = checked(lab, tmp_path, monkeypatch, against="main", measure_s=600)
    assert found.result is not None and lab.looks[::2] == lab.looks[1::2] and lab.looks[-1] == 50
    assert all(1.25 * old <= new <= 2 * old for old, new in pairwise(lab.looks[:-2:2]))
    assert any("is partial" in text for text in found.result.warnings), "the last one is of recordings that have ended"
    lab.ratio, lab.looks = 1.2, []
    found = checked(lab, tmp_path, monkeypatch, against="main", measure_s=600)
    assert found.result is not None and found.result.word == "above" and lab.looks[-1] == lab.repeats[-1] < 50
    assert ["busy" in text for text in found.result.warnings if "recording" in text or "busy" in text] == [True]


def test_repeats_end_when_only_a_vanished_test_is_undecided(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lab = Laboratory()
    lab.vanished = "a.OldTest#sorts"
    found = checked(lab, tmp_path, monkeypatch, against="main", measure_s=600)
    assert found.result is not None and 5 < lab.repeats[-1] < 40
    verdicts = {judged.subject.name: judged.verdict for judged in found.result.judgements}
    assert verdicts == {"all tests": "within", lab.vanished: "not enough data"}


def test_it_ends_when_the_time_is_over_and_says_what_is_unknown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lab = Laboratory(1.05)
    found = checked(lab, tmp_path, monkeypatch, against="main", measure_s=0.0)
    assert found.result is not None and found.result.word == "not enough data" and lab.repeats == [5]
    (one,) = found.result.judgements
    assert one.needed is not None and one.needed.repeats > 5 and one.shows_percent is not None


@pytest.mark.parametrize(("against", "most", "looks"), [("main", 20, 3), ("main", 5, 1), (None, 1000, 1)])
def test_the_last_judgement_has_all_that_is_left_of_the_level(
    against: str | None, most: int, looks: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    levels: list[float] = []

    def judged(*arguments: Any, level: float, **options: Any) -> CheckResult:
        levels.append(level)
        return judge(*arguments, level=level, **options)

    monkeypatch.setattr(check, "judge", judged)
    monkeypatch.setattr(check, "MOST_REPEATS", most)
    lab = Laboratory(1.08)
    before = [replace(made_session(lab.runs(5, 10), 100 + i), not_passed=frozenset()) for i in range(8)]
    time_s = 0.0 if against is None else 600.0
    found = checked(lab, tmp_path, monkeypatch, against=against, before=lambda after: before, measure_s=time_s)
    assert found.result is not None and found.result.word == "not enough data"
    assert len(levels) == looks and sum(levels) == pytest.approx(LEVEL) and levels[-1] == max(levels)


def test_without_turns_it_measures_further_sessions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lab = Laboratory(1.3)
    before = [replace(made_session(lab.runs(5, 10), 100 + i), not_passed=frozenset()) for i in range(8)]
    found = checked(lab, tmp_path, monkeypatch, before=lambda after: before, measure_s=600)
    assert found.result is not None and found.result.word == "above" and len(found.after) > 1
    assert [one.recording.name for one in found.after][:2] == ["after", "after-2"]
    once = checked(Laboratory(1.3), tmp_path, monkeypatch, before=lambda after: before)
    assert len(once.after) == 1


@pytest.mark.parametrize("before_j", [[[10.0], [12.0]], [[10.0]]])
def test_too_few_sessions_before_end_nothing_and_it_says_how_many_are_missing(
    before_j: list[list[float]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two do not show how sessions differ, and one run does not show how runs differ."""
    lab = Laboratory(1.05)
    before = [replace(made_session(runs_j, 100 + i), not_passed=frozenset()) for i, runs_j in enumerate(before_j)]
    options = {"before": lambda after: before, "repeat": len(before_j[0])}
    once = checked(lab, tmp_path, monkeypatch, **options)
    assert once.result is not None
    (needed,) = [judged.needed for judged in once.result.judgements]
    assert needed is not None and needed.is_least and needed.more_before == needed.sessions - len(before) > 0
    monkeypatch.setattr(check, "time", SimpleNamespace(monotonic=itertools.count().__next__))
    assert len(checked(lab, tmp_path, monkeypatch, **options, measure_s=30).after) > 2


def test_a_starved_session_is_measured_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lab = Laboratory(2.0)
    lab.starved = {"after"}
    before = [replace(made_session(lab.runs(5, 10), 100 + i), not_passed=frozenset()) for i in range(8)]
    found = checked(lab, tmp_path, monkeypatch, before=lambda after: before, measure_s=600)
    assert found.result is not None and found.result.word == "above" and len(found.after) == 2


def test_nothing_goes_on_that_cannot_be_decided(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = checked(Laboratory(), tmp_path, monkeypatch, measure_s=600)
    assert found.result is not None and found.result.word == "not enough data" and len(found.after) == 1


@pytest.mark.parametrize("options", [{"against": "main"}, {}])
def test_failed_tests_are_no_wrong_usage(options: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lab = Laboratory()
    lab.failures = {"a.SortTest#sorts": "no"}
    found = checked(lab, tmp_path, monkeypatch, **options)
    assert found.result is None and "no test passed in all runs" in found.problem
    lab.failures = {}
    monkeypatch.setattr(check, "judge", raising(UsageError("nothing matches", "")))
    with pytest.raises(UsageError) as refused:
        checked(lab, tmp_path, monkeypatch, **options)
    measured = [tmp_path / "out" / side for side in (("before", "after") if options else ("after",))]
    assert refused.value.remedy == f"The measurement is kept: {', '.join(map(str, measured))}."


@pytest.mark.parametrize("options", [{"against": "main"}, {}])
def test_a_budget_that_matches_nothing_ends_the_measurement(
    options: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lab = Laboratory(1.05)
    budget = replace(TOTAL, selection=Selection("test", "a.NoTest#*"))
    found = checked(lab, tmp_path, monkeypatch, budget, measure_s=600, **options)
    assert found.result is not None and found.result.word == "matches nothing" and len(found.after) == 1
    assert lab.repeats == ([5] if options else [])


@pytest.mark.parametrize("name", [".", "before", "after", "after-2"])
def test_a_folder_with_a_recording_is_refused_before_the_build(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`check` cannot replace it, so no message names an option that does."""
    folder = tmp_path / "out" / name
    folder.mkdir(parents=True)
    (folder / "manifest.json").write_text("{}")
    lab = Laboratory()
    with pytest.raises(UsageError) as refused:
        checked(lab, tmp_path, monkeypatch, against="main" if name == "before" else None, measure_s=600)
    assert not lab.sessions and refused.value.message == f"{folder} already contains a recording"
    assert refused.value.remedy == "Name another folder with -o, or remove this one."


def test_budgets_that_the_version_loosened_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stricter = Budgets((replace(TOTAL, limit=ChangeLimit(2)),))
    found = checked(Laboratory(), tmp_path, monkeypatch, against="main", budgets_of=lambda folder: stricter)
    assert found.result is not None
    assert found.result.changed_budgets == ("navitas.toml:1: the budget of all tests (app) is looser: +2 % before, +5 % now",)
