"""Comparisons of app energy on the discrete-event phone of tests/truth: coverage of intervals, false alarms, found changes.

Each run is a simulated run of a workload with its own seed, recorded and analyzed as `navitas report` does. The version after
does each piece of work in 5 % more time. Experiments draw runs into sessions, which shift by 8 % as a whole, as those of a
power meter do, and compare them as `navitas compare` does. The truth is the ratio of the true energies. Exit code 1: a target is
missed.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))
from truth.energy import integrate
from truth.methods import truth_of
from truth.phone import PIXEL_6
from truth.record import Record
from truth.recorder import write_recording
from truth.workloads import simulate

import navitas
from navitas.insight.compare.comparison import MARGIN_PERCENT, FigureChange, compare
from navitas.insight.compare.effect import Deviations, Effect
from navitas.insight.compare.figures import parse_figures
from navitas.insight.compare.session import Session, TestRun
from navitas.insight.compare.verdict import LIMIT, needed
from navitas.recording.parse.arrays import F64

WORKLOADS = ("60 fps frames", "I/O", "coroutines")
SLOWER = 1.05
SESSION_SHIFT = 0.08
FIRST_SEED = 40_000
INTERVAL_NS = 20_000_000
Pool = tuple[F64, F64, float]
"""Logarithms of the measured energies before and after, and the true change."""
Sides = tuple[list[F64], list[F64]]


def run_of(job: tuple[str, int, float]) -> tuple[float, float]:
    """Return the measured and the true energy of the app in one run."""
    workload, seed, slower = job
    record: Record = simulate(workload, seed, slower=slower)
    truth = truth_of(record, integrate(record, None))
    with tempfile.TemporaryDirectory() as folder:
        write_recording(Path(folder) / "r", record, PIXEL_6, interval_ns=INTERVAL_NS, level="sched", seed=seed)
        (test,) = navitas.load(Path(folder) / "r").tests
    return test.app_j, truth.app_j


def pool_of(workload: str, runs: int, processes: ProcessPoolExecutor) -> Pool:
    """Return runs of both versions. Their seeds differ, as different runs do."""
    jobs = [(workload, FIRST_SEED + i, 1.0) for i in range(runs)]
    jobs += [(workload, FIRST_SEED + runs + i, SLOWER) for i in range(runs)]
    measured, true = np.log(np.array(list(processes.map(run_of, jobs, chunksize=4)))).T
    return measured[:runs], measured[runs:], float(true[runs:].mean() - true[:runs].mean())


class Laboratory:
    """Draws experiments from a pool. `change` is the true logarithm of the ratio of the versions that it draws."""

    def __init__(self, pool: Pool, seed: int, *, same: bool = False) -> None:
        self._before, self._after, change = pool
        self.change = 0.0 if same else change
        self._same = same
        self._rng = np.random.default_rng(seed)

    @property
    def run_deviation(self) -> float:
        """The standard deviation of the logarithms of runs."""
        return float(np.hypot(self._before.std(ddof=1), self._after.std(ddof=1)) / np.sqrt(2))

    def apart(self, sessions: int, repeats: int) -> Sides:
        """Sessions of different versions."""
        return (
            [self._session(self._before, repeats, self._shift()) for _ in range(sessions)],
            [self._session(self._version_after, repeats, self._shift()) for _ in range(sessions)],
        )

    def together(self, sessions: int, repeats: int) -> Sides:
        """Sessions of both versions, in turns."""
        shifts = [self._shift() for _ in range(sessions)]
        return (
            [self._session(self._before, repeats, shift) for shift in shifts],
            [self._session(self._version_after, repeats, shift) for shift in shifts],
        )

    @property
    def _version_after(self) -> F64:
        return self._before if self._same else self._after

    def _shift(self) -> float:
        return float(self._rng.normal(0, SESSION_SHIFT))

    def _session(self, logs: F64, repeats: int, shift: float) -> F64:
        drawn = self._rng.choice(logs, repeats)
        return np.asarray(np.exp(shift + drawn), np.float64)


def change_of(sides: Sides, *, together: bool) -> FigureChange:
    """Compare the app energy of all tests. Base energy is ten times as much."""
    before, after = ([_made(i, runs) for i, runs in enumerate(side)] for side in sides)
    choice = parse_figures(["app", "all:*"])
    (change,) = compare(before, after, choice, together=together, margin_percent=MARGIN_PERCENT, least_share=0).changes
    return change


def _made(number: int, runs: F64) -> Session:
    tests = {
        repeat: TestRun({"app": {"cpu": app_j}, "total": {"cpu": 11 * app_j}}, {}, {})
        for repeat, app_j in enumerate(runs.tolist())
    }
    return Session(f"{number}", "", "phone", "0", {}, tuple(tests), {"test": tests}, frozenset())


def coverage(lab: Laboratory, draw: Callable[[], Sides], experiments: int, *, together: bool) -> float:
    """Return the share of experiments whose 95 % interval has the true change."""
    percent, hits = 100 * np.expm1(lab.change), 0
    for _ in range(experiments):
        effect = change_of(draw(), together=together).effect
        assert effect is not None and effect.low_percent is not None and effect.high_percent is not None
        hits += effect.low_percent <= percent <= effect.high_percent
    return hits / experiments


def different(draw: Callable[[], Sides], experiments: int, *, together: bool) -> float:
    """Return the share of experiments with the verdict *different*."""
    verdicts = [change_of(draw(), together=together).verdict for _ in range(experiments)]
    return sum(one is not None and one.word == "different" for one in verdicts) / experiments


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=60, help="simulated runs of each version (60)")
    parser.add_argument("--experiments", type=int, default=2000)
    arguments = parser.parse_args()
    print("| workload | runs differ by | change | design | covered | false alarms | found, at the recommended data |")
    print("|---|---|---|---|---|---|---|")
    missed, all_alarms = [], []
    with ProcessPoolExecutor(2) as processes:
        for workload in WORKLOADS:
            pool = pool_of(workload, arguments.runs, processes)
            lab, same = Laboratory(pool, 1), Laboratory(pool, 2, same=True)
            for name, draw, null, shape in (
                ("apart", lab.apart, same.apart, (4, 3)),
                ("in turns", lab.together, same.together, (3, 4)),
                ("in turns, one session", lab.together, same.together, (1, 6)),
            ):
                is_together = name != "apart"
                covered = coverage(lab, partial(draw, *shape), arguments.experiments, together=is_together)
                alarms = different(partial(null, *shape), arguments.experiments, together=is_together)
                all_alarms.append(alarms)
                percent = 100 * float(np.expm1(lab.change))
                spread = Effect(0, None, None, None, Deviations(lab.run_deviation, SESSION_SHIFT))
                sessions, repeats = needed(spread, percent, sessions=1, repeats=1 if is_together else 5, together=is_together)
                assert sessions is not None and repeats is not None
                found = different(partial(draw, sessions, repeats), arguments.experiments // 2, together=is_together)
                data = f"{sessions} × {repeats}"
                print(
                    f"| {workload} | {100 * lab.run_deviation:.1f} % | {percent:+.1f} % | {name}, {shape[0]} × {shape[1]} |"
                    f" {100 * covered:.1f} % | {100 * alarms:.1f} % | {100 * found:.0f} % ({data}) |",
                    flush=True,
                )
                if not 0.93 <= covered <= 0.97 or alarms > 0.065 or found < 0.88:
                    missed.append(f"{workload}, {name}")
    alarms = float(np.mean(all_alarms))
    print(f"\nThe same code is different in {100 * alarms:.2f} % of {len(all_alarms) * arguments.experiments:,} experiments.")
    if alarms > LIMIT:
        missed.append("false alarms")
    print("\n".join(f"missed: {one}" for one in missed))
    return int(bool(missed))


if __name__ == "__main__":
    sys.exit(main())
