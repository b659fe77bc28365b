"""A hundred cycles of connect, run and pull, with faults: each gives a correct report or a clear error, and no leftovers.

Neither a benchmark nor part of `make test`, because it takes a quarter of an hour. Run `make cycles`, or
`tests/bench/cycles.py --cycles 12 --seed 3 --fault cut`.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from support.cycles import Workload, cycles
from support.faulty_project import faulty_project
from support.notes_app import make_bundle

from navitas.capture.build.gradle import build_bundles


def notes(folder: Path) -> Workload:
    """An Android app with a service; raises `NotFetchedError`."""
    folder.mkdir()
    return Workload([make_bundle(folder)], "dServices", "work", "sync worker", 1, "inTheMainThread")


def fits(kind: str, fault: str, wanted: list[str] | None) -> bool:
    """Whether a cycle is useful: over a slow connection, an app's classes take minutes and test nothing new."""
    return (fault in wanted if wanted else True) and (kind, fault) != ("android", "slow")


def main() -> int:
    options = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    options.add_argument("--cycles", type=int, default=100)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--fault", action="append", help="only these faults")
    options.add_argument("--android", action="store_true", help="also run an Android app on the virtual phone's framework")
    given = options.parse_args()
    ends: Counter[tuple[str, str, str]] = Counter()
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        works = {"java": Workload(build_bundles(faulty_project(Path(folder) / "project")))}
        if given.android:
            works["android"] = notes(Path(folder) / "notes")
        with cycles(Path(folder), given.seed, *works.values()) as all_cycles:
            cases = [(kind, some, fault) for kind, some in zip(works, all_cycles, strict=True) for fault in some.faults]
            cases = [case for case in cases if fits(case[0], case[2], given.fault)]
            for number in range(given.cycles):
                kind, some, fault = cases[number % len(cases)]
                try:
                    end = some.one(fault, str(number))
                except Exception as error:  # any error is a result of the cycle
                    bad += 1
                    end = f"WRONG: {type(error).__name__}"
                    print(f"\ncycle {number} ({kind}, {fault}): {type(error).__name__}: {error}", file=sys.stderr)
                ends[kind, fault, end] += 1
                print(f"{number + 1}/{given.cycles} {kind}, {fault}: {end}", file=sys.stderr)
    for (kind, fault, end), count in sorted(ends.items()):
        print(f"{kind:8} {fault:8} {end:36} {count:4}")
    print(f"{given.cycles - bad} of {given.cycles} gave a correct report or a clear error, and left nothing")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
