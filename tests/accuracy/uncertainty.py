"""How often intervals of the measurement cover the truth, on the discrete-event phone of tests/truth.

Prints a table by level of evidence and kind of figure, for exact power profiles and for wrong ones. For sums of rows (a method
on a thread in a test), a run is split into tests: the more tests, the more rows, and the less energy a row has. For other
figures, the run is one test. At level sched, errors are small without probes, so sums are also measured with probes.

Exit code 1: intervals of 95 % cover less than 93 % of a kind of figure; with probes, also more than 97 %.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from math import hypot
from pathlib import Path
from random import Random
from statistics import NormalDist, median

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))
from scoring import LEAST_SHARE
from support.run_tables import changed
from truth.energy import F64, Energy, integrate
from truth.methods import Truth, rows_of, truth_of
from truth.phone import PIXEL_6, Phone, mistaken
from truth.physics import Hidden
from truth.record import Record
from truth.recorder import write_recording
from truth.samples import LEVELS, Level
from truth.workloads import SCORING_SEEDS, TUNING_SEEDS, WORKLOADS, simulate

from navitas.energy.analyze.load import Loaded, analyze, load_tables
from navitas.energy.analyze.profile import Profile
from navitas.energy.analyze.uncertainty import COVER_95, StandardError
from navitas.energy.attribute.compensation import TIMED_LOSS
from navitas.recording.parse.tables import CallCost, ProbeCost

LEAST_COVERAGE, MOST_WITH_PROBES = 0.93, 0.97
WORLDS, PROBED = ("exact", "wrong"), "exact, with probes"
SUMS = {"a row": 1, "10 rows": 10, "100 rows": 100, "1,000 rows": 1_000}
SPLITS = (1, 20, 250)
"""Numbers of tests that a run is split into for sums of rows."""
DRAWS = 3
"""How many sums of each number of rows a method has in each split, of tests at random."""
PROBES_NS, INSIDE = 2_000_000.0, 0.4
"""The time of a call's probes, and the share of it inside of the call. The workloads' calls last some milliseconds, so probes use
about as much energy as in code of tiny methods."""
SPREAD = 0.05
"""The relative standard deviation of the sampled cost of probes."""
MISSTATED = 4
"""How many times the cost of probes is misstated for each run."""
Covered = tuple[str, str, str, bool, float]
"""World, level, kind of figure, whether its interval covers the truth, and the interval's half-width relative to the truth."""
Job = tuple[str, int, Sequence[float]]
"""A workload, a seed, and the relative errors of the cost of probes."""


def covered(job: Job, intervals_ms: tuple[int, ...] = (20, 100)) -> list[Covered]:
    """Simulate a workload once, record it at all levels, and compare each figure with its interval."""
    workload, seed, _ = job
    record = simulate(workload, seed)
    found = list(_covered_with_probes(job, intervals_ms[0]))
    for world in WORLDS:
        profile, hidden = (PIXEL_6, None) if world == "exact" else (mistaken(PIXEL_6, f"{workload} {seed}"), Hidden())
        energy = integrate(record, hidden)
        truth = truth_of(record, energy)
        for ms in intervals_ms:
            for level in LEVELS:
                load = partial(_loaded, record, profile, interval_ns=ms * 1_000_000, level=level, seed=seed)
                measured = analyze(load(record.window))
                figures = list(_figures(measured, truth))
                if world == "exact":
                    for rows in _splits(record, energy):
                        figures += _sums(analyze(load(rows.edges_ns)), rows, Random(f"{workload} {seed}"))
                found += [(world, measured.evidence[0].level, *_one(*each, wrong=world == "wrong")) for each in figures]
    return found


def _covered_with_probes(job: Job, interval_ms: int) -> Iterator[Covered]:
    """Sums of rows, if probes take time whose stated cost is wrong by its stated error. The profile is exact, the level sched.

    Probes take the same time on all cores, as one cost applies to all threads of a run. The runtime does not count the probes of
    further segments of coroutines, so these are left out (docs/how-it-measures.md).
    """
    workload, seed, errors = job
    if workload == "coroutines":
        return
    record = simulate(workload, seed, probes_ns=(INSIDE * PROBES_NS, (1 - INSIDE) * PROBES_NS))
    for rows in _splits(record, integrate(record)):
        loaded = _loaded(record, PIXEL_6, rows.edges_ns, interval_ns=interval_ms * 1_000_000, level="sched", seed=seed)
        (run,) = loaded.parsed.runs
        for error in errors:
            cost_ns = PROBES_NS / (1 + error)
            both = INSIDE * cost_ns, (1 - INSIDE) * cost_ns
            cost = CallCost(*both, *both, SPREAD * cost_ns)
            parsed = replace(loaded.parsed, runs=(changed(run, probe_cost=ProbeCost(cost, cost)),))
            for each in _sums(analyze(replace(loaded, parsed=parsed)), rows, Random(f"{workload} {seed}")):
                yield PROBED, "sched", *_one(*each, wrong=False)


def _loaded(record: Record, profile: Phone, edges_ns: Sequence[int], *, interval_ns: int, level: Level, seed: int) -> Loaded:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "r"
        write_recording(path, record, profile, interval_ns=interval_ns, level=level, seed=seed, edges_ns=edges_ns)
        return load_tables(path)


@dataclass(frozen=True, slots=True)
class Rows:
    """True joules of a run that is split into tests: of methods by thread (tests × 2, self and inclusive), and of the app."""

    edges_ns: Sequence[int]
    methods: Mapping[str, Mapping[int, F64]]
    app_j: float


def _splits(record: Record, energy: Energy) -> Iterator[Rows]:
    app_j = truth_of(record, energy).app_j
    for tests in SPLITS:
        edges_ns = np.linspace(*record.window, tests + 1).astype(np.int64).tolist()
        yield Rows(edges_ns, rows_of(record, energy, edges_ns), app_j)


def _one(kind: str, value_j: float, truth_j: float, error: StandardError, *, wrong: bool) -> tuple[str, bool, float]:
    half_j = COVER_95 * hypot(error.standard_j, error.profile_j if wrong else 0.0)
    return kind, abs(value_j - truth_j) <= half_j, half_j / truth_j


def _figures(profile: Profile, truth: Truth) -> Iterator[tuple[str, float, float, StandardError]]:
    (test,) = profile.tests
    least_j = LEAST_SHARE * truth.app_j
    without_base = replace(test, components=tuple(joules - test.base_j * (n == 0) for n, joules in enumerate(test.components)))
    yield "total", test.energy_j - test.base_j, truth.cpu_j, profile.test_error(without_base)
    yield "app", sum(thread.energy_j for thread in test.threads), truth.app_j, profile.app_error(test)
    for thread in test.threads:
        joules = truth.threads_j.get(thread.tid, 0.0)
        if thread.count == 1 and joules >= least_j:
            yield "thread", thread.energy_j, joules, profile.thread_error(test, thread)
    for total in profile.method_totals():
        method = truth.methods.get(f"{total.method.class_name}#{total.method.name}")
        if method is not None and method.exclusive_j >= least_j:
            yield "method", total.exclusive_j, method.exclusive_j, total.exclusive_error
        if method is not None and method.inclusive_j >= least_j:
            yield "method", total.inclusive_j, method.inclusive_j, total.inclusive_error


def _sums(profile: Profile, rows: Rows, random: Random) -> Iterator[tuple[str, float, float, StandardError]]:
    """Yield the figures of methods in at least a third of their tests, if they have about as many rows as one of `SUMS`."""
    for name, by_thread in rows.methods.items():
        joules = np.stack(list(by_thread.values()))
        count = (joules[:, :, 1] > 0).sum(axis=0)
        own = np.flatnonzero(count)
        for kind, number in (item for item in SUMS.items() for _ in range(DRAWS)):
            order = np.array(random.sample(own.tolist(), len(own)), np.int64)
            sizes = np.cumsum(count[order])
            size = int(np.abs(sizes - number).argmin()) + 1 if len(own) else 0
            if not size or abs(int(sizes[size - 1]) - number) > number / 3 or size < len(own) / 3:
                continue
            chosen = order[:size]
            totals = profile.method_totals([profile.tests[test] for test in chosen.tolist()])
            total = next(each for each in totals if f"{each.method.class_name}#{each.method.name}" == name)
            exclusive_j, inclusive_j = joules[:, chosen].sum(axis=(0, 1)).tolist()
            if exclusive_j >= LEAST_SHARE * rows.app_j:
                yield kind, total.exclusive_j, exclusive_j, total.exclusive_error
            if inclusive_j >= LEAST_SHARE * rows.app_j:
                yield kind, total.inclusive_j, inclusive_j, total.inclusive_error


def _jobs(seeds: Sequence[int]) -> list[Job]:
    """Return the jobs. A workload's errors of the cost of probes are evenly spaced quantiles of their distribution.

    A few workloads have most of the sums of a kind, so each has the whole distribution. The first quantile is random.
    """
    count, random = len(seeds) * MISSTATED, Random(1)
    of_cost = NormalDist(0, hypot(SPREAD, TIMED_LOSS))
    jobs: list[Job] = []
    for name in WORKLOADS:
        first = random.random()
        errors = [of_cost.inv_cdf((number + first) / count) for number in range(count)]
        random.shuffle(errors)
        jobs += [(name, seed, errors[n * MISSTATED : (n + 1) * MISSTATED]) for n, seed in enumerate(seeds)]
    return jobs


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tuning", action="store_true", help="the seeds for tuning instead of those for scoring")
    parser.add_argument("--interval", action="append", type=int, help="in ms (repeatable; 20 and 100)")
    arguments = parser.parse_args()
    jobs = _jobs(TUNING_SEEDS if arguments.tuning else SCORING_SEEDS)
    chosen = {"intervals_ms": tuple(arguments.interval)} if arguments.interval else {}
    groups: defaultdict[tuple[str, str, str], list[tuple[bool, float]]] = defaultdict(list)
    with ProcessPoolExecutor(2) as pool:
        for rows in pool.map(partial(covered, **chosen), jobs):
            for world, level, kind, inside, half in rows:
                groups[world, level, kind].append((inside, half))
    print("| profile | evidence | figure | figures | covered | median half-width |\n|---|---|---|---|---|---|")
    missed = False
    for (world, level, kind), pairs in sorted(groups.items()):
        share, half = sum(inside for inside, _ in pairs) / len(pairs), median(half for _, half in pairs)
        missed = missed or not LEAST_COVERAGE <= share <= (MOST_WITH_PROBES if world == PROBED else 1.0)
        print(f"| {world} | {level} | {kind} | {len(pairs)} | {100 * share:.1f} % | ± {100 * half:.3g} % |")
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
