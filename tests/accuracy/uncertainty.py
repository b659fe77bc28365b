"""How often intervals of the measurement cover the truth, on the discrete-event phone of tests/truth.

Prints a table by level of evidence and kind of figure, for exact power profiles and for wrong ones. Exit code 1: an interval of
95 % covers less than 90 % of a kind of figure.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import partial
from math import hypot
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "tests"), str(Path(__file__).parent)]

from scoring import LEAST_SHARE  # noqa: E402
from truth.energy import integrate  # noqa: E402
from truth.methods import Truth, truth_of  # noqa: E402
from truth.phone import PIXEL_6, mistaken  # noqa: E402
from truth.physics import Hidden  # noqa: E402
from truth.recorder import write_recording  # noqa: E402
from truth.samples import LEVELS  # noqa: E402
from truth.workloads import SCORING_SEEDS, TUNING_SEEDS, WORKLOADS, simulate  # noqa: E402

import navitas  # noqa: E402
from navitas.analyze.profile import Profile  # noqa: E402
from navitas.analyze.uncertainty import COVER_95, StandardError  # noqa: E402

LEAST_COVERAGE = 0.9
WORLDS = ("exact", "wrong")
Covered = tuple[str, str, str, bool, float]
"""World, level, kind of figure, whether its interval covers the truth, and the interval's half-width relative to the truth."""


def covered(job: tuple[str, int], intervals_ms: tuple[int, ...] = (20, 100)) -> list[Covered]:
    """Simulate a workload once, record it at all levels, and compare each figure with its interval."""
    workload, seed = job
    record = simulate(workload, seed)
    found: list[Covered] = []
    for world in WORLDS:
        profile, hidden = (PIXEL_6, None) if world == "exact" else (mistaken(PIXEL_6, f"{workload} {seed}"), Hidden())
        truth = truth_of(record, integrate(record, hidden))
        for ms in intervals_ms:
            for level in LEVELS:
                with tempfile.TemporaryDirectory() as folder:
                    path = Path(folder) / "r"
                    write_recording(path, record, profile, interval_ns=ms * 1_000_000, level=level, seed=seed)
                    measured = navitas.load(path)
                figures = _figures(measured, truth)
                found += [(world, measured.evidence[0].level, *_one(*each, wrong=world == "wrong")) for each in figures]
    return found


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
        inclusive, exclusive = profile.method_errors(total)
        if method is not None and method.exclusive_j >= least_j:
            yield "method", total.exclusive_j, method.exclusive_j, exclusive
        if method is not None and method.inclusive_j >= least_j:
            yield "method", total.inclusive_j, method.inclusive_j, inclusive


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
        share, half = sum(inside for inside, _ in pairs) / len(pairs), sorted(half for _, half in pairs)[len(pairs) // 2]
        missed = missed or share < LEAST_COVERAGE
        print(f"| {world} | {level} | {kind} | {len(pairs)} | {100 * share:.1f} % | ± {100 * half:.0f} % |")
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
