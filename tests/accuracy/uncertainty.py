"""How often intervals of the measurement cover the truth, on the discrete-event phone of tests/truth.

Prints a table by level of evidence and kind of figure, for exact power profiles and for wrong ones. For sums of rows (a method
on a thread in a test), the run is split into many short tests: a sum has as many tests as give about 1, 10, 100 or 1,000 rows.
For other figures, the run is one test. Exit code 1: intervals of 95 % cover less than 90 % of a kind of figure, less than 93 %
of sums of some number of rows, or, at level sched with an exact profile, more than 97 % of them.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import partial
from math import hypot
from pathlib import Path
from random import Random
from statistics import median

import numpy as np

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "tests"), str(Path(__file__).parent)]

from scoring import LEAST_SHARE  # noqa: E402
from truth.energy import F64, integrate  # noqa: E402
from truth.methods import Truth, app_energies, rows_of, truth_of  # noqa: E402
from truth.phone import PIXEL_6, Phone, mistaken  # noqa: E402
from truth.physics import Hidden  # noqa: E402
from truth.record import Record  # noqa: E402
from truth.recorder import write_recording  # noqa: E402
from truth.samples import LEVELS, Level  # noqa: E402
from truth.workloads import SCORING_SEEDS, TUNING_SEEDS, WORKLOADS, simulate  # noqa: E402

import navitas  # noqa: E402
from navitas.analyze.profile import Profile  # noqa: E402
from navitas.analyze.uncertainty import COVER_95, StandardError  # noqa: E402

LEAST_COVERAGE = 0.9
LEAST_OF_SUMS, MOST_OF_SUMS = 0.93, 0.97
"""Of sums of rows. The second is for level sched with an exact power profile."""
WORLDS = ("exact", "wrong")
SUMS = {"a row": 1, "10 rows": 10, "100 rows": 100, "1,000 rows": 1_000}
TESTS = 250
"""The number of tests of a run for sums of rows. They last 10 to 40 ms."""
DRAWS = 3
"""How many sums of each number of rows a method has, of tests at random."""
Covered = tuple[str, str, str, bool, float]
"""World, level, kind of figure, whether its interval covers the truth, and the interval's half-width relative to the truth."""


def covered(job: tuple[str, int], intervals_ms: tuple[int, ...] = (20, 100)) -> list[Covered]:
    """Simulate a workload once, record it at all levels, and compare each figure with its interval."""
    workload, seed = job
    record = simulate(workload, seed)
    found: list[Covered] = []
    for world in WORLDS:
        profile, hidden = (PIXEL_6, None) if world == "exact" else (mistaken(PIXEL_6, f"{workload} {seed}"), Hidden())
        energy = integrate(record, hidden)
        truth, edges_ns = truth_of(record, energy), np.linspace(*record.window, TESTS + 1).astype(np.int64).tolist()
        rows, app_j = rows_of(record, energy, edges_ns), app_energies(record, energy, edges_ns)
        for ms in intervals_ms:
            for level in LEVELS:
                measure = partial(_measured, record, profile, interval_ns=ms * 1_000_000, level=level, seed=seed)
                measured, random = measure(), Random(f"{workload} {seed}")
                figures = [*_figures(measured, truth), *_sums(measure(edges_ns), rows, app_j, random)]
                found += [(world, measured.evidence[0].level, *_one(*each, wrong=world == "wrong")) for each in figures]
    return found


def _measured(
    record: Record, profile: Phone, edges_ns: Sequence[int] = (), *, interval_ns: int, level: Level, seed: int
) -> Profile:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "r"
        write_recording(path, record, profile, interval_ns=interval_ns, level=level, seed=seed, edges_ns=edges_ns)
        return navitas.load(path)


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


def _sums(
    profile: Profile, rows: Mapping[str, Mapping[int, F64]], app_j: F64, random: Random
) -> Iterator[tuple[str, float, float, StandardError]]:
    """Yield the figures of methods in some tests, in sums of about as many rows as `SUMS`."""
    for name, by_thread in rows.items():
        joules = np.stack(list(by_thread.values()))
        count = (joules[:, :, 1] > 0).sum(axis=0)
        own = np.flatnonzero(count)
        for kind, number in (item for item in SUMS.items() for _ in range(DRAWS)):
            order = np.array(random.sample(own.tolist(), len(own)))
            sizes = np.cumsum(count[order])
            size = int(np.argmin(np.abs(sizes - number))) + 1
            if abs(int(sizes[size - 1]) - number) > number / 3:
                continue
            chosen = order[:size]
            totals = profile.method_totals([profile.tests[test] for test in chosen.tolist()])
            total = next(each for each in totals if f"{each.method.class_name}#{each.method.name}" == name)
            exclusive_j, inclusive_j = joules[:, chosen].sum(axis=(0, 1)).tolist()
            least_j = LEAST_SHARE * float(app_j[chosen].sum())
            if exclusive_j >= least_j:
                yield kind, total.exclusive_j, exclusive_j, total.exclusive_error
            if inclusive_j >= least_j:
                yield kind, total.inclusive_j, inclusive_j, total.inclusive_error


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tuning", action="store_true", help="the seeds for tuning instead of those for scoring")
    parser.add_argument("--interval", action="append", type=int, help="in ms (repeatable; 20 and 100)")
    arguments = parser.parse_args()
    jobs = [(name, seed) for name in WORKLOADS for seed in (TUNING_SEEDS if arguments.tuning else SCORING_SEEDS)]
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
        least, most = (LEAST_OF_SUMS, MOST_OF_SUMS) if kind in SUMS else (LEAST_COVERAGE, 1.0)
        missed = missed or share < least or (share > most and (world, level) == ("exact", "sched"))
        print(f"| {world} | {level} | {kind} | {len(pairs)} | {100 * share:.1f} % | ± {100 * half:.3g} % |")
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
