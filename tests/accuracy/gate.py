"""Judges `navitas check` by resampled real sessions: false alarms, changes found, and claims that one session cannot support.

A version is whole sessions of a project (gate_sessions.py), drawn with replacement. The version after has the same code (A/A), or
more energy in one method or in all. The budgets allow no change of all tests and of each method. Designs:

- apart, in turns: a pilot asks the check how much data it needs, unless it decides; then as much is drawn again.
- goes on: a session in turns goes on as with `--measure`, until the check decides, at most for `MOST_REPEATS`. Time is no limit.
  Of all tests together also with other limits: the change itself, where both verdicts are wrong, and 10 % without a change.

Exit code 1: a target is missed.
"""

from __future__ import annotations

import argparse
import json
import sys
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime, timedelta
from functools import cache
from itertools import chain
from pathlib import Path
from statistics import median

import numpy as np
from scipy.stats import binomtest

sys.path.insert(0, str(Path(__file__).parents[1]))
from gate_sessions import RealProject, RealSession, Run, projects, report

from navitas.cli.workflows.check import MOST_REPEATS
from navitas.insight.check.bounds import look_level
from navitas.insight.check.budgets import Budgets, parse_budgets
from navitas.insight.check.judgement import CheckResult, Judgement
from navitas.insight.check.judging import judge
from navitas.insight.compare.report_session import parse_session
from navitas.insight.compare.session import Session
from navitas.insight.compare.subject import Subject

METHOD, TOTAL = 1.10, 1.05
"""The changes: energy after divided by before."""
LEAST_SHARE = 0.05
"""Changed methods have at least this share of the app energy."""
PILOT = {"apart": (4, 0), "in turns": (1, 5)}
"""Sessions and repeats of a pilot; 0: as recorded."""
GOES_ON, FIRST_REPEATS = "goes on", 5
DESIGNS = (*PILOT, GOES_ON)
SEEDS = 20
MOST_RUNS = 10_000
"""A pilot that asks for more runs of each version asks for too many to draw, and counts apart."""
START = datetime(2026, 1, 1, tzinfo=UTC)
DAY = START.date()


def budgets_of(*checks: dict[str, object]) -> Budgets:
    """Return budgets as a settings file has them."""
    return parse_budgets({"check": list(checks)}, lambda *_keys: "gate")


STRICT = budgets_of({"at-most-change": 0}, {"method": "*", "at-most-change": 0})
LOOSE = budgets_of({"at-most-change": 5}, {"method": "*", "at-most-change": 5})


@dataclass(frozen=True, slots=True)
class Change:
    """What the version after does more of: `method`, or all if it is empty."""

    factor: float = 1.0
    method: str = ""

    def __call__(self, run: Run) -> Run:
        return run.with_method(self.method, self.factor) if self.method else run.with_total(self.factor)

    def is_seen(self, judgement: Judgement) -> bool:
        """Whether a judgement is of what changed: of the method, or of anything."""
        return not self.method or judgement.subject.name.startswith(self.method.split("(")[0])

    def first_seen(self, result: CheckResult) -> Judgement:
        """Return the judgement of the method, or of all tests."""
        kind = "method" if self.method else "all"
        return next(judgement for judgement in result.judgements if judgement.subject.kind == kind and self.is_seen(judgement))


NO_CHANGE = Change()
LIMITED = {
    "at limit": (Change(TOTAL), budgets_of({"at-most-change": 100 * (TOTAL - 1)})),
    "harmless": (NO_CHANGE, budgets_of({"at-most-change": 10})),
}
"""Scenarios of what goes on by other limits."""


@cache
def project_of(name: str) -> RealProject:
    """Return a project by its name."""
    return next(project for project in projects() if project.name == name)


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnSession(Session):
    """A session whose repeats are those of a recorded one, by place: each often many times, but read and summed once."""

    subjects: Sequence[Subject]
    joules_of_recorded: np.ndarray
    chosen: np.ndarray

    def joules(self, tests: Iterable[str]) -> dict[Subject, np.ndarray]:
        """Return the figures of all tests."""
        assert self.tests.keys() == set(tests)
        return dict(zip(self.subjects, self.joules_of_recorded[:, self.chosen], strict=True))

    def with_runs(self, repeats: np.ndarray) -> DrawnSession:
        """Return a session with these of its repeats, in this order."""
        return replace(self, repeats=tuple(range(len(repeats))), chosen=self.chosen[repeats])


Sides = tuple[list[DrawnSession], list[DrawnSession]]


@cache
def versions(name: str, change: Change) -> list[DrawnSession]:
    """Return the sessions of a project with a change, as the check reads them from JSON reports."""
    changed = [RealSession(tuple(tuple(map(change, runs)) for runs in session.repeats)) for session in project_of(name).sessions]
    return [_as_drawn(parse_session(json.dumps(report(name, session, START.isoformat())), name)) for session in changed]


def _as_drawn(session: Session) -> DrawnSession:
    figures = session.joules(session.tests)
    known = {field.name: getattr(session, field.name) for field in fields(Session)}
    joules = np.array(list(figures.values()))
    return DrawnSession(**known, subjects=list(figures), joules_of_recorded=joules, chosen=np.arange(len(session.repeats)))


class Laboratory:
    """Draws versions of a project."""

    def __init__(self, name: str, seed: int) -> None:
        self.name = name
        self.rng = np.random.default_rng([zlib.crc32(name.encode()), seed])

    def change(self, scenario: str) -> Change:
        """Return no change, or one of all or of a method of the project, any of the main ones."""
        if scenario == "method":
            return Change(METHOD, str(self.rng.choice(project_of(self.name).main_methods(LEAST_SHARE))))
        return Change(TOTAL) if scenario == "total" else NO_CHANGE

    def draw(self, change: Change, design: str, sessions: int, repeats: int) -> Sides:
        """Return sessions of both versions: independent ones, or each with runs of both versions."""
        before, after = versions(self.name, NO_CHANGE), versions(self.name, change)
        sides: Sides = ([], [])
        for number in range(sessions):
            drawn = self.rng.integers(len(before), size=2)
            if design == "in turns":
                drawn[1] = drawn[0]
            for side, (pool, index) in enumerate(zip((before, after), drawn, strict=True)):
                session = pool[index]
                if repeats:
                    session = session.with_runs(self.rng.integers(len(session.repeats), size=repeats))
                when = START + timedelta(hours=2 * number + side)
                sides[side].append(replace(session, name=f"{side}-{number}", created_utc=when.isoformat()))
        return sides

    def check(self, change: Change, budgets: Budgets, design: str, sessions: int, repeats: int) -> CheckResult:
        """Judge drawn sessions."""
        before, after = self.draw(change, design, sessions, repeats)
        return judge(before, after, budgets, day=DAY, same_session=design == "in turns")

    def after_pilot(self, change: Change, design: str) -> tuple[CheckResult, int, int]:
        """Judge a pilot, and unless it decides, as much data again as it needs. Return the last result, its sessions and repeats;
        0 of them if the pilot needs too much."""
        sessions, repeats = PILOT[design]
        pilot = self.check(change, STRICT, design, sessions, repeats)
        judged = change.first_seen(pilot)
        if judged.verdict != "not enough data" or (not change.method and has_above(pilot)):
            return pilot, sessions, repeats
        more = judged.needed
        if more is None or more.is_least or more.sessions * more.repeats > MOST_RUNS:
            return pilot, 0, 0
        sessions, needed_repeats = more.sessions, more.repeats
        recorded = len(project_of(self.name).sessions[0].repeats)
        repeats = 0 if design == "apart" and needed_repeats == recorded else needed_repeats
        return self.check(change, STRICT, design, sessions, repeats), sessions, repeats

    def going_on(self, change: Change, budgets: Budgets = STRICT) -> tuple[CheckResult, int]:
        """Judge a session in turns as it grows, as `navitas check --measure` does. Return the last result and the repeats."""
        ((before,), (after,)) = self.draw(change, "in turns", 1, MOST_REPEATS)
        repeats, spent = FIRST_REPEATS, 0.0
        while True:
            is_last = repeats >= MOST_REPEATS
            level = look_level(spent, is_last=is_last)
            old, new = ([side.with_runs(np.arange(repeats))] for side in (before, after))
            result = judge(old, new, budgets, day=DAY, same_session=True, level=level)
            if is_last or has_above(result) or not result.having("not enough data"):
                return result, repeats
            repeats, spent = min(result.next_look(repeats), MOST_REPEATS), spent + level


@dataclass(frozen=True, slots=True)
class Job:
    """Experiments with one seed."""

    project: str
    design: str
    scenario: str
    seed: int
    experiments: int


Outcome = tuple[str, int, int, Counter[str]]
"""The scenario, the sessions and repeats that were judged (0: the pilot needs too many), and counts of results."""


def experiment(job: Job) -> list[Outcome]:
    """Return results with a change, and after a pilot of one check of the same code with as much data."""
    lab = Laboratory(job.project, job.seed)
    outcomes: list[Outcome] = []
    for _ in range(job.experiments):
        change = lab.change(job.scenario)
        if job.design == GOES_ON:
            result, repeats = lab.going_on(change)
            outcomes.append((job.scenario, 1, repeats, counted(result, change)))
            continue
        result, sessions, repeats = lab.after_pilot(change, job.design)
        if not sessions:
            outcomes.append((job.scenario, 0, 0, Counter(["needs too much"])))
            continue
        unchanged = lab.check(NO_CHANGE, STRICT, job.design, sessions, repeats)
        outcomes.append((job.scenario, sessions, repeats, counted(result, change)))
        outcomes.append(("same code", sessions, repeats, counted(unchanged, NO_CHANGE)))
    return outcomes


def counted(result: CheckResult, change: Change) -> Counter[str]:
    """Return what a check found."""
    above = [judgement for judgement in result.judgements if judgement.verdict == "above"]
    if change == NO_CHANGE:
        return Counter(["above" if above else "not above"])
    found = Counter(["caught" if any(map(change.is_seen, above)) else "missed"])
    others = [judgement for judgement in above if judgement.subject.kind == "method" and not change.is_seen(judgement)]
    found["other method named"] = bool(change.method and others)
    return found


def has_above(result: CheckResult) -> bool:
    """Whether a check fails."""
    return any(judgement.verdict == "above" for judgement in result.judgements)


def one_session(job: Job) -> list[Outcome]:
    """Return verdicts of one session of each version, whose change is over its limit, and of the same code."""
    lab = Laboratory(job.project, job.seed)
    results: Counter[str] = Counter()
    for _ in range(job.experiments):
        change = lab.change("method")
        budgets, repeats = LOOSE, PILOT[job.design][1]
        result = lab.check(change, budgets, job.design, 1, repeats)
        results[change.first_seen(result).verdict] += 1
    return [("one session", 1, repeats, results)]


def limited(job: Job) -> list[Outcome]:
    """Return verdicts on all tests together, by sessions that go on."""
    lab = Laboratory(job.project, job.seed)
    results = (lab.going_on(*LIMITED[job.scenario]) for _ in range(job.experiments))
    return [(job.scenario, 1, repeats, Counter([result.word])) for result, repeats in results]


def absolute(job: Job) -> list[Outcome]:
    """Return verdicts of one session by a limit of joules that the code exceeds by 10 %."""
    lab = Laboratory(job.project, job.seed)
    sessions = project_of(job.project).sessions
    mean_j = np.exp(
        np.mean([np.log(np.mean([sum(run.app_j for run in runs) for runs in session.repeats])) for session in sessions])
    )
    budgets = budgets_of({"at-most": f"{mean_j / METHOD:.6g} J"})
    results: Counter[str] = Counter()
    for _ in range(job.experiments):
        _, after = lab.draw(NO_CHANGE, "apart", 1, 0)
        results[judge([], after, budgets, day=DAY).judgements[0].verdict] += 1
    return [("absolute", 1, 0, results)]


@dataclass(frozen=True, slots=True)
class Target:
    """A row of the table: which results count, and which share of them is allowed."""

    text: str
    counted: str
    most: float = 1.0
    least: float = 0.0


TARGETS = {
    "same code": Target("same code: fails", "above", most=0.02),
    "method": Target("+10 % of a method: caught, named", "caught", least=0.95),
    "total": Target("+5 % of all: fails", "caught", least=0.90),
    "at limit": Target("+5 % of all, limit 5 %: undecided", "not enough data", least=0.96),
    "harmless": Target("same code, limit 10 %: within", "within", least=0.99),
    "one session": Target("one session each, +10 % of a method, limit 5 %: within", "within", most=0.0),
    "absolute": Target("one session, 10 % over its limit in joules: within", "within", most=0.02),
}


def row(project: str, design: str, scenario: str, outcomes: Sequence[Outcome]) -> bool:
    """Print a row. Return whether the target is met."""
    target, counts = TARGETS[scenario], sum((outcome[3] for outcome in outcomes), Counter[str]())
    sizes = sorted((sessions, repeats) for _, sessions, repeats, _ in outcomes if sessions)
    too_much = counts.pop("needs too much", 0)
    others = counts.pop("other method named", 0)
    total = counts.total()
    if not total:
        print(f"| {project} | {design} | {target.text} | – | needs too much in all pilots | – |", flush=True)
        return False
    share = counts[target.counted] / total
    most = 0.02 if scenario == "one session" and design == "in turns" else target.most
    low, high = binomtest(counts[target.counted], total).proportion_ci(method="wilson")
    is_met = target.least <= share <= most
    notes = [f"{too_much} need too much"] if too_much else []
    notes += [f"{others} with another method named, too"] if others else []
    middle = f"{median(sessions for sessions, _ in sizes):.0f} × {median(repeats for _, repeats in sizes) or 'recorded'}"
    print(
        f"| {project} | {design} | {target.text} | {middle} | {counts[target.counted]} of {total}: {share:.1%}"
        f" ({low:.1%} to {high:.1%}) | {'met' if is_met else 'MISSED'}{''.join(f'; {note}' for note in notes)} |",
        flush=True,
    )
    return is_met


def main() -> int:
    """Print the table. Return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="100 experiments of each kind instead of 1,000")
    parser.add_argument("--experiments", type=int, help="experiments of each kind, a multiple of 20")
    parser.add_argument("--project", action="append", help="only these projects; repeatable")
    parser.add_argument("--design", action="append", choices=DESIGNS, help="only these designs; repeatable")
    parser.add_argument("--processes", type=int, default=2)
    arguments = parser.parse_args()
    experiments = arguments.experiments or (100 if arguments.quick else 1000)
    print(
        "| project | versions | what | sessions × repeats (median) | share (95 % interval) | target |\n|---|---|---|---|---|---|"
    )
    is_met = True
    with ProcessPoolExecutor(arguments.processes) as processes:

        def run(kind: Callable[[Job], list[Outcome]], name: str, design: str, scenario: str) -> list[Outcome]:
            jobs = [Job(name, design, scenario, seed, experiments // SEEDS) for seed in range(SEEDS)]
            return list(chain.from_iterable(processes.map(kind, jobs)))

        for name in arguments.project or [project.name for project in projects()]:
            for design in arguments.design or DESIGNS:
                changes = ("method", "total", *(["same code"] if design == GOES_ON else []))
                outcomes = list(chain.from_iterable(run(experiment, name, design, change) for change in changes))
                outcomes += chain.from_iterable(run(limited, name, design, kind) for kind in LIMITED if design == GOES_ON)
                outcomes += run(one_session, name, design, "one session") if design in PILOT else []
                outcomes += run(absolute, name, design, "absolute") if design == "apart" else []
                for scenario in TARGETS:
                    if chosen := [outcome for outcome in outcomes if outcome[0] == scenario]:
                        is_met &= row(name, design, scenario, chosen)
    return 0 if is_met else 1


if __name__ == "__main__":
    sys.exit(main())
