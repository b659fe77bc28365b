"""How often shares by stack samples lie within two standard errors of the truth, on the discrete-event phone of tests/truth.

Prints a table by program and sampler: of self and inclusive shares between 1 % and 95 % of the app's energy, how many lie within
two standard errors; the largest mean error of a method, in percentage points; the largest difference between a thread's energy
and that of its samples, relative to it; and how many shares agree with those by probes, within the errors of both.

Each execution of a program is sampled several times, each time with other phases of the timers. Exit code 1: shares of a program
lie within two standard errors less often than in 93 % of cases, or energy is not conserved. Timers that start with their threads
have no target, nor have those at random times of short threads: what is not sampled is a row of its own, no error of draws.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from math import hypot
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))
from support.run_tables import changed
from truth.energy import integrate
from truth.methods import Truth, truth_of
from truth.phone import PIXEL_6
from truth.programs import PROGRAMS
from truth.record import Record
from truth.recorder import write_recording
from truth.samples import PID, T0_NS
from truth.stacks import StackSample, at_random, from_start, perf_script, sampled_by_cores, sampled_by_threads
from truth.workloads import simulate

from navitas.energy.analyze.load import analyze, load_tables
from navitas.energy.analyze.profile import Profile
from navitas.recording.parse.sample_join import joined_samples, with_processes
from navitas.recording.parse.samples_perf_script import read_perf_script

LEAST_COVERAGE, MOST_UNEQUAL = 0.93, 1e-9
SHARES = 0.01, 0.95
KINDS = "self", "inclusive"
PERIOD_NS = 1e6
FIRST_SEED = 1000
"""Executions have seeds from this one on. Estimators may be tuned with those below."""
PROBED = ("calls", "waits")
"""Programs whose shares are also compared with those by probes."""
Sampler = Callable[[Record, float, int], list[StackSample]]
RANDOM, FROM_START = "cores, at random", "threads, from their start"
SHORT = "many threads"
"""The program whose threads live for one to three periods."""
SAMPLERS: Mapping[str, Sampler] = {
    "cores": sampled_by_cores,
    "threads": sampled_by_threads,
    RANDOM: partial(sampled_by_cores, timer=at_random),
    FROM_START: partial(sampled_by_threads, timer=from_start),
}


@dataclass(slots=True)
class Score:
    """What samples of a program showed: of each share, its error in shares and standard errors, by method and kind of energy."""

    errors: defaultdict[tuple[str, str], list[tuple[float, float]]] = field(default_factory=lambda: defaultdict(list))
    unequal: float = 0.0
    agree: list[bool] = field(default_factory=list)

    def covered(self, kind: str) -> float:
        """The share of figures of a kind (`self`, `inclusive`) within two standard errors."""
        return float(np.mean([abs(error) <= 2 for (_, of), own in self.errors.items() if of == kind for _, error in own]))

    def bias(self) -> float:
        """The largest mean error of a method, as a share of the app's energy."""
        return max(abs(float(np.mean([share for share, _ in own]))) for own in self.errors.values())

    def add(self, other: Score) -> None:
        """Add the figures of other runs."""
        for key, own in other.errors.items():
            self.errors[key] += own
        self.unequal = max(self.unequal, other.unequal)
        self.agree += other.agree


def scores(program: str, seed: int, draws: int, samplers: Sequence[str]) -> dict[str, Score]:
    """Run a program once, and score `draws` draws of each sampler."""
    record = simulate(program, seed, workloads=PROGRAMS)
    truth = truth_of(record, integrate(record))
    by_sampler = {name: Score() for name in samplers}
    texts = [
        perf_script(SAMPLERS[name](record, PERIOD_NS, 1000 * seed + draw), PID, T0_NS, None if name == RANDOM else PERIOD_NS)
        for name in samplers
        for draw in range(draws)
    ]
    by_probes = next(analyzed(record)) if program in PROBED else None
    plain, *profiles = analyzed(record, texts)
    for number, profile in enumerate(profiles):
        score = by_sampler[samplers[number // draws]]
        _score(score, profile, truth)
        score.unequal = max(score.unequal, _unequal(profile, plain))
        if by_probes is not None:
            score.agree += _agree(profile, by_probes, truth.app_j)
    return by_sampler


def analyzed(record: Record, stacks: Sequence[str] = ()) -> Iterator[Profile]:
    """Yield the profile of a run without samples, then by each of `stacks`. With any, the run has no calls.

    The recording is read once: all that differs are the samples, which are joined with it as in a recording of their own.
    """
    with tempfile.TemporaryDirectory() as folder:
        recording, text = Path(folder) / "recording", Path(folder) / "samples.perf.txt"
        write_recording(recording, record, PIXEL_6, interval_ns=20_000_000, stacks="".join(stacks[:1]))
        loaded = load_tables(recording)
        (run,) = loaded.parsed.runs
        yield analyze(replace(loaded, parsed=replace(loaded.parsed, runs=(changed(run, samples=None),))))
        for own in stacks:
            text.write_text(own)
            assert run.cpu.trace is not None
            raw = with_processes(read_perf_script(text), run.cpu.trace.tasks)
            samples, threads, table = joined_samples(raw, run.threads, run.clocks, loaded.parsed.method_table, pid=PID)
            runs = (changed(run, samples=samples, threads=threads),)
            yield analyze(replace(loaded, parsed=replace(loaded.parsed, method_table=table, runs=runs)))


def _score(score: Score, profile: Profile, truth: Truth) -> None:
    for kind in KINDS:
        by_method = figures(profile, kind)
        for name, method in truth.methods.items():
            true_j = method.exclusive_j if kind == "self" else method.inclusive_j
            if SHARES[0] <= true_j / truth.app_j <= SHARES[1]:
                energy_j, error_j = by_method.get(name, (0.0, truth.app_j))
                score.errors[name, kind].append(((energy_j - true_j) / truth.app_j, (energy_j - true_j) / error_j))


def figures(profile: Profile, kind: str) -> dict[str, tuple[float, float]]:
    """The energy of each method and its error: by samples, that of samples alone; by probes, that of the measurement."""
    by_method = {}
    for total in profile.method_totals():
        energy_j, error = (
            (total.exclusive_j, total.exclusive_error) if kind == "self" else (total.inclusive_j, total.inclusive_error)
        )
        error_j = error.probes_j if profile.is_sampled else error.standard_j
        by_method[f"{total.method.class_name}#{total.method.name}"] = energy_j, error_j
    return by_method


def _unequal(profile: Profile, plain: Profile) -> float:
    """The largest relative difference between the energy of a sampled thread and the sum of its methods' self energy."""
    (test,), (other,) = profile.tests, plain.tests
    threads_j = {thread.tid: thread.energy_j for thread in other.threads if thread.count == 1}
    sums = [
        (threads_j[thread.tid], sum(method.exclusive_j for method in thread.methods))
        for thread in test.threads
        if thread.tid in threads_j and thread.methods
    ]
    return max(abs(sampled_j / energy_j - 1) for energy_j, sampled_j in sums)


def _agree(profile: Profile, by_probes: Profile, app_j: float) -> Iterator[bool]:
    for kind in KINDS:
        sampled = figures(profile, kind)
        for name, (probed_j, probed_error_j) in figures(by_probes, kind).items():
            if name in sampled and SHARES[0] <= probed_j / app_j <= SHARES[1]:
                energy_j, error_j = sampled[name]
                yield abs(energy_j - probed_j) <= 2 * hypot(error_j, probed_error_j)


def _row(program: str, sampler: str, score: Score) -> str:
    own, inclusive = (f"{100 * score.covered(kind):.1f} %" for kind in KINDS)
    agree = f"{100 * float(np.mean(score.agree)):.1f} %" if score.agree else ""
    figures = sum(map(len, score.errors.values()))
    return (
        f"| {program} | {sampler} | {figures} | {own} | {inclusive} | {100 * score.bias():.2f} | {score.unequal:.0e} | {agree} |"
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=200, help="of each program and sampler")
    parser.add_argument("--draws", type=int, default=4, help="runs of one execution of a program")
    parser.add_argument("--program", action="append", choices=list(PROGRAMS))
    parser.add_argument("--timers", action="append", choices=list(SAMPLERS), help="only these (repeatable)")
    parser.add_argument("--seed", type=int, default=FIRST_SEED, help="of the first execution of each program")
    parser.add_argument("--processes", type=int, default=2)
    arguments = parser.parse_args()
    seeds = range(arguments.seed, arguments.seed + max(arguments.runs // arguments.draws, 1))
    jobs = [(name, seed) for name in arguments.program or PROGRAMS for seed in seeds]
    totals: defaultdict[tuple[str, str], Score] = defaultdict(Score)
    with ProcessPoolExecutor(arguments.processes) as pool:
        columns = ([program for program, _ in jobs], [seed for _, seed in jobs])
        scored = partial(scores, draws=arguments.draws, samplers=tuple(arguments.timers or SAMPLERS))
        for (program, _), by_sampler in zip(jobs, pool.map(scored, *columns), strict=True):
            for sampler, score in by_sampler.items():
                totals[program, sampler].add(score)
    print("| program | timers of | figures | self | inclusive | worst bias, points | unequal | as by probes |")
    print("|---|---|---|---|---|---|---|---|")
    missed = False
    for (program, sampler), score in totals.items():
        print(_row(program, sampler, score))
        covered = min(score.covered("self"), score.covered("inclusive"))
        has_target = sampler != FROM_START and (program, sampler) != (SHORT, RANDOM)
        missed |= score.unequal > MOST_UNEQUAL or (has_target and covered < LEAST_COVERAGE)
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
