"""Scores the estimate against the discrete-event phone of tests/truth (`make accuracy`).

Prints Markdown tables. `--write` also writes them and the plot into docs/dev/accuracy-measurements.md, which explains the
figures. Exit code 1: a target is missed.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from peers import averaged_current
from scoring import Errors, method_errors, score
from tables import (
    DEFAULT_MS,
    OVERWRITTEN,
    Point,
    interval_table,
    missed_targets,
    plot,
    spread_table,
    targets_table,
    workload_table,
    write_section,
)
from truth.energy import integrate
from truth.ftrace import overwritten
from truth.methods import truth_of
from truth.phone import PIXEL_6, mistaken
from truth.physics import Hidden
from truth.recorder import write_recording
from truth.samples import LEVELS
from truth.workloads import SCORING_SEEDS, TUNING_SEEDS, WORKLOADS, simulate

PAGE = Path(__file__).parents[2] / "docs/dev/accuracy-measurements.md"
PLOT = PAGE.with_name("accuracy.svg")
INTERVALS_MS = (5, 10, 20, 50, 100, 200, 500, 1000, 3000)
WORLDS = ("allocation", "model")
# The default interval uses all seeds; comparisons of intervals use this many.
CURVE_SEEDS = 2
# Fraction of the busiest core's events that remain in an overwritten trace.
KEPT = 0.5


@dataclass(frozen=True, slots=True)
class Job:
    """One simulated run, scored at every level and interval in both worlds."""

    workload: str
    seed: int
    intervals_ms: tuple[int, ...]


def points_of(job: Job) -> list[Point]:
    """Simulate once; record and analyze at each interval and level."""
    record = simulate(job.workload, job.seed)
    found: list[Point] = []
    for world in WORLDS:
        # Each run has another wrong profile, so a median over runs does not depend on one draw.
        mistakes = mistaken(PIXEL_6, f"{job.workload} {job.seed}")
        profile, hidden = (PIXEL_6, None) if world == "allocation" else (mistakes, Hidden())
        energy = integrate(record, hidden)
        truth = truth_of(record, energy)
        for ms in job.intervals_ms:
            common = (world, job.workload, job.seed, ms)
            for level in LEVELS:
                with tempfile.TemporaryDirectory() as folder:
                    write_recording(Path(folder) / "r", record, profile, interval_ns=ms * 1_000_000, level=level, seed=job.seed)
                    scored = score(Path(folder) / "r", truth)
                    found.append(Point(*common, level, scored.level, scored.navitas))
                    if level == "sched" and ms == DEFAULT_MS:
                        trace = Path(folder) / "r" / "runs" / "0" / "trace.txt"
                        trace.write_text(overwritten(trace.read_text(), KEPT))
                        rest = score(Path(folder) / "r", truth)
                        found.append(Point(*common, OVERWRITTEN, rest.level, rest.navitas))
                if level == "thread-time":
                    found.append(Point(*common, "paper 1", "", scored.paper1))
            _, inclusive = method_errors(averaged_current(record, energy, ms * 1_000_000), truth)
            found.append(Point(*common, "E-MANAFA's rule", "", Errors(None, None, None, None, inclusive)))
    return found


def all_points(jobs: Sequence[Job], processes: int) -> Iterator[Point]:
    with ProcessPoolExecutor(processes) as pool:
        for job, points in zip(jobs, pool.map(points_of, jobs), strict=True):
            print(f"{job.workload}, seed {job.seed}", file=sys.stderr)
            yield from points


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tuning", action="store_true", help="the seeds for tuning instead of those for scoring")
    parser.add_argument("--workload", action="append", choices=list(WORKLOADS), help="only this one (repeatable)")
    parser.add_argument("--interval", action="append", type=int, help="only this interval in ms (repeatable)")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--write", action="store_true", help="write tables and plot into docs/dev")
    arguments = parser.parse_args()
    if arguments.write and (arguments.tuning or arguments.workload or arguments.interval):
        parser.error("--write needs all workloads and intervals of the scoring seeds: omit --tuning, --workload and --interval")
    seeds = TUNING_SEEDS if arguments.tuning else SCORING_SEEDS
    intervals = tuple(arguments.interval or INTERVALS_MS)
    curve = seeds if arguments.interval else seeds[:CURVE_SEEDS]
    jobs = [
        Job(name, seed, intervals if seed in curve else (DEFAULT_MS,))
        for name in arguments.workload or WORKLOADS
        for seed in seeds
    ]
    points = list(all_points(jobs, arguments.processes))
    of_curve = [point for point in points if point.seed in curve]
    by_interval = [interval_table(of_curve, world, intervals) for world in WORLDS]
    tables = [spread_table(points, WORLDS), workload_table(points), *by_interval]
    text = "\n".join([targets_table(points), *tables])
    print(text)
    if arguments.write:
        write_section(PAGE, text)
        plot(of_curve, intervals, PLOT)
    wrong = missed_targets(points)
    print("\n".join(wrong))
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
