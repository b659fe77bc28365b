"""Benchmark fleets of several sizes, from samples to hogs, bugs, J-scores and diagnoses (`make fleet-bench`).

`python tests/bench/fleet.py [--samples N …] [--folder DIR] [--engine NAME] [--compare NAME] [--paper] [--check]`. Simulated
fleets in DIR are reused, but results of stages are always computed again. `--compare` runs another engine on a copy, and
prints the largest difference of each table.
"""

from __future__ import annotations

import argparse
import json
import math
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import NamedTuple, TypeVar

from common import ROOT, Figures, compared_with
from cpu_time import CpuTime

sys.path.insert(0, str(ROOT / "tests"))
from support.fleet_compare import findings, same_findings, same_stages

from navitas.cli.fleet.engines import ENGINES
from navitas.fleet.diagnoses.advice import app_actions
from navitas.fleet.diagnoses.diagnosis import diagnoses_of, suspects
from navitas.fleet.diagnoses.versions import find_versions
from navitas.fleet.engine.base import Engine
from navitas.fleet.engine.duckdb import MEMORY_MIB
from navitas.fleet.files import read_table
from navitas.fleet.findings.bugs import find_bugs
from navitas.fleet.findings.hogs import find_hogs
from navitas.fleet.findings.scores import score_clients
from navitas.fleet.paper import paper_findings, paper_sums
from navitas.fleet.regression.usage import COLUMNS
from navitas.fleet.stages import Fleet, bring_up_to_date
from navitas.fleet.store import Store
from navitas.fleet.units import BucketTask, jobs_of

SIZES = (2_400_000, 24_000_000, 72_000_000)
TARGET_SAMPLES, TARGET_CPU_S, TARGET_MIB = 24_000_000, 120.0, 3072.0
PAPER_CPU_S = 45 * 60 * 20
"""The paper's 45 minutes on 20 machines for 24 million samples (paper 5, section 3.4), with one core per machine."""
ALIKE = 1e-9
"""The largest allowed relative difference between two engines' floating-point results."""
START = "the engine's start"
FLOOR, PAPER = "reading the columns alone", "the paper's method"
DIAGNOSIS = ("versions of hogs, strata of all suspects", "conditions and actions")
T = TypeVar("T")


class Took(NamedTuple):
    """The cost of a stage. The memory is the peak of its process so far."""

    name: str
    cpu_s: float
    wall_s: float
    peak_mib: float


def main(argv: list[str]) -> int:
    """Print a table for each size. With `--check`, return 1 if a figure misses its target."""
    parser = argparse.ArgumentParser(prog="make fleet-bench", description="Benchmark the fleet from samples to actions.")
    parser.add_argument("--samples", type=int, nargs="+", default=SIZES, help="sizes of fleets (2.4, 24 and 72 million)")
    parser.add_argument("--folder", type=Path, help="folder that keeps the simulated fleets")
    parser.add_argument("--engine", choices=sorted(ENGINES), default="duckdb", help="query engine")
    parser.add_argument("--compare", choices=sorted(ENGINES), help="another engine, whose results must be equal")
    parser.add_argument("--paper", action="store_true", help="also run the paper's method")
    parser.add_argument("--check", action="store_true", help="exit with 1 if a figure misses its target")
    options = parser.parse_args(argv)
    if options.compare == options.engine:
        parser.error("--compare names the same engine")
    missed, totals = 0, {}
    with tempfile.TemporaryDirectory() as temporary:
        for size in options.samples:
            failed, totals[size] = _of_size(size, options.folder or Path(temporary), options)
            missed = max(missed, failed)
    growth = Figures("CPU-seconds for a million samples, which do not grow with the fleet")
    for size, (total, floor) in totals.items():
        growth.add(f"{size:,} samples", total / size * 1e6, "CPU-s", note=compared_with(total, floor, "reading", "CPU-s"))
    return max(missed, growth.close(options.check))


def _of_size(samples: int, folder: Path, options: argparse.Namespace) -> tuple[int, tuple[float, float]]:
    """Return whether a target was missed, and the CPU seconds of all stages and of reading."""
    store = folder / f"samples-{samples}"
    navitas = [sys.executable, "-c", "from navitas.cli.main import main; main()"]
    subprocess.run([*navitas, "fleet", "simulate", str(store), "--samples", str(samples)], stdout=subprocess.DEVNULL, check=True)
    missed, total = _with_engine(samples, store, options.engine, options)
    if options.compare:
        other = folder / f"samples-{samples}-{options.compare}"
        other.mkdir(exist_ok=True)
        for name in ("fleet.json", "packages.parquet", "samples"):
            (other / name).unlink(missing_ok=True)
            (other / name).symlink_to((store / name).absolute())
        again, _ = _with_engine(samples, other, options.compare, options)
        missed = max(missed, again, _compared({options.engine: store, options.compare: other}, options))
    return missed, total


def _compared(stores: dict[str, Path], options: argparse.Namespace) -> int:
    running = [ENGINES[name](path / "work" / "spill", MEMORY_MIB) for name, path in stores.items()]
    try:
        one, other = (bring_up_to_date(Store.open(path), engine) for path, engine in zip(stores.values(), running, strict=True))
        found = same_findings(*(findings(fleet, options.paper) for fleet in (one, other)))
        found += same_stages(one.store.work, other.store.work)
    finally:
        for engine in running:
            engine.close()
    figures = Figures(
        f"{' and '.join(stores)}: largest differences of fractions; rows, apps, clients, counts and order are equal"
    )
    for of in found:
        note = f"{of.rows:,} rows{'' if of.is_equal else ', NOT EQUAL'}"
        figures.add(of.name, of.apart if of.is_equal else math.inf, "relative", at_most=ALIKE, note=note)
    return figures.close(options.check)


def _with_engine(samples: int, store: Path, engine: str, options: argparse.Namespace) -> tuple[int, tuple[float, float]]:
    shutil.rmtree(store / "work", ignore_errors=True)
    (floor,) = _in_a_process("floor", store, engine)
    made = _in_a_process("paper" if options.paper else "all", store, engine)
    figures = Figures(f"{samples:,} samples of 30 apps to hogs, bugs, J-scores and diagnoses with {engine}")
    for one in (floor, *made):
        figures.add(one.name, one.cpu_s, "CPU-s", note=f"{one.wall_s:.1f} s; peak so far {one.peak_mib:,.0f} MiB")
    own = [one for one in made if one.name != PAPER]
    total, has_target = sum(one.cpu_s for one in own), samples == TARGET_SAMPLES and engine == "duckdb"
    found = sum(one.cpu_s for one in own if one.name not in DIAGNOSIS)
    figures.add("samples to hogs, bugs and J-scores", found, "CPU-s")
    note = compared_with(total, floor.cpu_s, "reading", "CPU-s")
    if samples == TARGET_SAMPLES:
        note += f"; the paper: 45 min of 20 machines, with one core each {PAPER_CPU_S / total:,.0f} ×"
    figures.add("all", total, "CPU-s", at_most=TARGET_CPU_S if has_target else None, note=note)
    figures.add("peak memory", own[-1].peak_mib, "MiB", at_most=TARGET_MIB if has_target else None)
    return figures.close(options.check), (total, floor.cpu_s)


def _in_a_process(what: str, store: Path, engine: str) -> list[Took]:
    """Measure in a separate process, for its peak memory."""
    command = [sys.executable, __file__, "--measure", what, str(store), engine]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return [Took(*one) for one in json.loads(done.stdout.splitlines()[-1])]


def _measure(what: str, path: Path, engine: str, cpu: CpuTime) -> list[Took]:
    took: list[Took] = []

    def measured(name: str, work: Callable[[], T]) -> T:
        cpu_s, begin = cpu.seconds(), time.perf_counter()
        made = work()
        peak = sum(resource.getrusage(whose).ru_maxrss for whose in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)) / 1024
        took.append(Took(name, cpu.seconds() - cpu_s, time.perf_counter() - begin, peak))
        return made

    store = Store.open(path)
    if what == "floor":
        _read_columns(store, ENGINES["duckdb"](store.work / "spill", MEMORY_MIB), lambda work: measured(FLOOR, work))
        return took
    running = measured(START, lambda: ENGINES[engine](store.work / "spill", MEMORY_MIB))
    fleet = measured("sums and contrasts of clients", lambda: bring_up_to_date(store, running))
    hogs = measured("hogs", lambda: find_hogs(fleet))
    bugs = measured("bugs", lambda: find_bugs(fleet, hogs))
    measured("J-scores", lambda: score_clients(fleet))
    apps = suspects(hogs, bugs)
    measured(DIAGNOSIS[0], lambda: find_versions(fleet, hogs, bugs))
    measured(DIAGNOSIS[1], lambda: app_actions(fleet, hogs, bugs, diagnoses_of(fleet, hogs, bugs, apps)))
    if what == "paper":
        measured(PAPER, lambda: _as_the_paper(fleet))
    measured("the engine's end", running.close)
    return took


@dataclass(frozen=True, slots=True)
class Reading(BucketTask):
    """Reads the columns of units, and does nothing with them."""

    def run(self) -> None:
        """Read all parts. Raises `FleetError` when files cannot be read."""
        for job in self.jobs:
            for part in job.parts:
                read_table(part, COLUMNS)


def _read_columns(store: Store, engine: Engine, measured: Callable[[Callable[[], None]], None]) -> None:
    """Read in as many processes as stages have, since busy cores slow each other down. The first time starts the processes."""
    jobs = sorted(jobs_of(store), key=lambda job: job.unit.bucket)
    tasks = [Reading(tuple(own)) for _, own in groupby(jobs, key=lambda job: job.unit.bucket)]
    try:
        engine.run(tasks, lambda task: None)
        measured(lambda: engine.run(tasks, lambda task: None))
    finally:
        engine.close()


def _as_the_paper(fleet: Fleet) -> None:
    paper_sums.bring_up_to_date(fleet)
    paper_findings.find_bugs(fleet, paper_findings.find_hogs(fleet))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--measure"]:
        with CpuTime() as cpu:
            print(json.dumps(_measure(sys.argv[2], Path(sys.argv[3]), sys.argv[4], cpu)))
    else:
        sys.exit(main(sys.argv[1:]))
