"""The cost and the error of each mode, on the same programs (docs/modes.md).

Three methods have 10, 30 and 60 % of the work, in calls of about 20 ns, 500 ns and 25 µs. Each mode runs the tests in turns with
a run without probes and samples (`--granularity test`). The cost is the CPU time of the tests' threads, divided by that of the
run without. The error is the largest difference between a method's share and its share of the work.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import defaultdict
from pathlib import Path
from statistics import median
from typing import get_args

from rich.console import Console
from rich.table import Table

from navitas.capture.build.gradle import BuildOptions, build_bundles
from navitas.capture.collect.options import Mode, ProfileOptions, probes_of
from navitas.capture.collect.session import profile
from navitas.cli.habits.progress import ConsoleProgress
from navitas.energy.analyze.load import load
from navitas.energy.analyze.profile import Profile
from navitas.energy.analyze.records import TestEnergy
from navitas.virtual_phone.start import virtual_phone

WORKLOADS = Path(__file__).parent / "workloads"
SHARES = {"one": 0.1, "three": 0.3, "six": 0.6}
NONE = "none"


def cpu_s(test: TestEnergy) -> float:
    """The CPU time of the app's threads."""
    return sum(thread.cpu_ns for thread in test.threads if thread.role == "app") / 1e9


def error(made: Profile, test: TestEnergy) -> float:
    """The largest error of a share of the three methods' self energy."""
    self_j = {total.method.name: total.exclusive_j for total in made.method_totals([test])}
    whole_j = sum(self_j[name] for name in SHARES)
    return max(abs(self_j[name] / whole_j - share) for name, share in SHARES.items())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--gradle")
    arguments = parser.parse_args()
    costs: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
    errors: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
    with tempfile.TemporaryDirectory() as name, ConsoleProgress() as progress, virtual_phone() as device:
        folder = Path(name)
        bundles = {}
        for probes in ("methods", "none"):
            built = build_bundles(WORKLOADS, BuildOptions(arguments.gradle, probes=probes), on_line=progress.detail)
            bundles[probes] = [bundle.copy_to(folder / f"{probes}-{number}.zip") for number, bundle in enumerate(built)]
        for repeat in range(arguments.runs):
            without: dict[str, float] = {}
            for mode in (NONE, *get_args(Mode)):
                options = ProfileOptions(tests=("ModesTest#*",), mode=mode)
                if mode == NONE:
                    options = ProfileOptions(tests=("ModesTest#*",), granularity="test")
                out = folder / f"{mode}-{repeat}"
                profile(device, bundles[probes_of("method", options.mode)], options, out, progress)
                made = load(out)
                for test in made.tests:
                    if mode == NONE:
                        without[test.method] = cpu_s(test)
                    else:
                        costs[mode, test.method].append(cpu_s(test) / without[test.method])
                        errors[mode, test.method].append(error(made, test))
    table = Table("mode", "test", "cost", "range", "largest error of a share, points", "range")
    for key, ratios in costs.items():
        points = [100 * each for each in errors[key]]
        cells = (f"{median(ratios):.2f} ×", f"{min(ratios):.2f}-{max(ratios):.2f}")
        table.add_row(*key, *cells, f"{median(points):.1f}", f"{min(points):.1f}-{max(points):.1f}")
    Console(width=120).print(table)


if __name__ == "__main__":
    main()
