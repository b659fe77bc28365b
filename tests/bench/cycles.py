"""Connect, run, pull: a hundred times, with faults; each ends in a correct report or a clear error, and nothing is left.

Not a benchmark and no part of `make test`: it takes a quarter of an hour. `make cycles`, or
`tests/bench/cycles.py --cycles 12 --seed 3 --fault cut`.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from support.cycles import cycles
from support.faulty_project import faulty_project

from navitas.build.gradle import build_bundles


def main() -> int:
    options = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    options.add_argument("--cycles", type=int, default=100)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--fault", action="append", help="only these faults")
    given = options.parse_args()
    ends: Counter[tuple[str, str]] = Counter()
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        bundles = build_bundles(faulty_project(Path(folder) / "project"))
        with cycles(bundles, Path(folder), given.seed) as some:
            faults = given.fault or list(some.faults)
            for number in range(given.cycles):
                fault = faults[number % len(faults)]
                try:
                    end = some.one(fault, str(number))
                except Exception as error:  # every kind of it is what is looked for
                    bad += 1
                    end = f"WRONG: {type(error).__name__}"
                    print(f"\ncycle {number} ({fault}): {type(error).__name__}: {error}", file=sys.stderr)
                ends[fault, end] += 1
                print(f"{number + 1}/{given.cycles} {fault}: {end}", file=sys.stderr)
    for (fault, end), count in sorted(ends.items()):
        print(f"{fault:8} {end:36} {count:4}")
    print(f"{given.cycles - bad} of {given.cycles} ended in a correct report or a clear error, with nothing left behind")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
