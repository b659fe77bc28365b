"""Score the compensation of probes (`make accuracy`): tests with probes against the same tests without (`--baseline`).

Each workload runs several times in each mode, alternately with and without probes. Two estimates of its threads' energy are
compared with the same repeat's baseline run: *sampled*, from the sampled cost of probes alone, as without
`--baseline`; and *baseline*, from the baseline runs of all other repeats, without the one that it is
compared with. Prints a table of medians over the repeats. Exits with 1 if the truth is outside of the sampled estimate's
stated error. Also exits with 1 if the estimate with a baseline is wrong by more than 10 % and by more than its stated error.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from typing import get_args

from rich.console import Console
from rich.table import Table

from navitas.capture.build.gradle import build_bundles
from navitas.capture.collect.options import Mode, ProfileOptions, probes_of
from navitas.capture.collect.session import profile
from navitas.cli.habits.progress import ConsoleProgress
from navitas.energy.analyze.load import Loaded, analyze, load_tables
from navitas.energy.analyze.profile import Profile
from navitas.virtual_phone.start import virtual_phone

WORKLOADS = Path(__file__).parent / "workloads"
TESTS = ("TinyMethodsTest#*", "ProbesTest#*")
PROBED = tuple(mode for mode in get_args(Mode) if probes_of("method", mode) != "none")
LIMIT = 0.1
COLUMNS = (
    "mode",
    "workload",
    "with probes J",
    "sampled J",
    "± J",
    "without J",
    "sampled ratio",
    "inside",
    "baseline ratio",
    "± %",
    "without: ± %",
)


@dataclass(frozen=True, slots=True)
class Figure:
    """The energy of a test's threads: with probes, compensated, its stated error, and in the baseline run."""

    raw_j: float
    compensated_j: float
    error_j: float
    unprobed_j: float


def figures(made: Profile, repeats: set[int] | None, unprobed: dict[tuple[str, int], float]) -> Iterator[tuple[str, Figure]]:
    """The figures of the given repeats by test name."""
    for test in made.tests:
        unprobed_j = unprobed.get((test.method, test.repeat))
        if unprobed_j and test.probes_error_j is not None and (repeats is None or test.repeat in repeats):
            yield test.method, Figure(test.threads_j, test.threads_j - test.probes_j, test.probes_error_j, unprobed_j)


def without_baselines(loaded: Loaded, of: set[int] | None) -> Profile:
    """The analysis without the baseline runs of these repeats (None: of all)."""
    dropped = {run.id for run in loaded.manifest.runs if run.baseline and (of is None or run.repeat in of)}
    manifest = loaded.manifest.model_copy(
        update={
            "runs": [run for run in loaded.manifest.runs if run.id not in dropped],
            "tests": [test for test in loaded.manifest.tests if test.run not in dropped],
        }
    )
    parsed = replace(loaded.parsed, runs=tuple(run for run in loaded.parsed.runs if run.run_id not in dropped))
    return analyze(replace(loaded, parsed=parsed, manifest=manifest))


def score(recording: Path) -> dict[str, tuple[list[Figure], list[Figure]]]:
    """Each test's figures from the sampled cost alone, and with the other repeats' baselines."""
    loaded = load_tables(recording)
    whole = analyze(loaded).tests
    unprobed = {(test.method, test.repeat): test.unprobed_threads_j for test in whole if test.unprobed_threads_j}
    found: defaultdict[str, tuple[list[Figure], list[Figure]]] = defaultdict(lambda: ([], []))
    for name, figure in figures(without_baselines(loaded, None), None, unprobed):
        found[name][0].append(figure)
    for repeat in sorted({repeat for _, repeat in unprobed}):
        for name, figure in figures(without_baselines(loaded, {repeat}), {repeat}, unprobed):
            found[name][1].append(figure)
    return found


def row(sampled: list[Figure], others: list[Figure]) -> tuple[tuple[str, ...], bool]:
    """The cells of a test's row after its name, and whether all figures are within their limits."""
    raw, left, error, without = (median(getattr(each, name) for each in sampled) for name in Figure.__slots__)
    inside = sum(abs(each.compensated_j - each.unprobed_j) <= each.error_j for each in sampled)
    ratio = median(each.compensated_j for each in others) / without
    stated = median(each.error_j for each in others) / without
    spread = (max(each.unprobed_j for each in sampled) - min(each.unprobed_j for each in sampled)) / (2 * without)
    good = abs(left - without) <= max(error, LIMIT * without) and abs(ratio - 1) <= max(LIMIT, stated)
    cells = (
        *(f"{value:.3f}" for value in (raw, left, error, without)),
        f"{left / without:.2f}",
        f"{inside} of {len(sampled)}",
        f"{ratio:.2f}",
        f"{100 * stated:.0f}",
        f"{100 * spread:.0f}",
    )
    return cells, good


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--modes", nargs="+", choices=PROBED, default=PROBED)
    parser.add_argument("--project", type=Path, default=WORKLOADS, help="the Gradle project (default: tests/accuracy/workloads)")
    parser.add_argument("--tests", nargs="+", default=TESTS, help="patterns of the project's tests")
    parser.add_argument("--keep", type=Path, help="keep the recordings in this folder; existing ones are reused")
    arguments = parser.parse_args()
    table = Table(*COLUMNS, title="Energy of the tests' threads")
    bad = False
    with tempfile.TemporaryDirectory() as folder, ConsoleProgress() as progress:
        out = arguments.keep or Path(folder)
        missing = [mode for mode in arguments.modes if not (out / mode).exists()]
        if missing:
            bundles = build_bundles(arguments.project, on_line=progress.detail)
            with virtual_phone() as device:
                for mode in missing:
                    options = ProfileOptions(tests=tuple(arguments.tests), repeat=arguments.runs, mode=mode, baseline=True)
                    profile(device, bundles, options, out / mode, progress)
        for mode in arguments.modes:
            for name, found in score(out / mode).items():
                cells, good = row(*found)
                table.add_row(mode, name, *cells)
                bad = bad or not good
    Console(width=140).print(table)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
