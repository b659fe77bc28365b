"""The two experiments of the Navitas paper on the virtual phone, compared with its tables I and II (`make experiments`).

With `--android` they are instrumentation tests of an Android app, as in the paper; otherwise tests of plain Java.
`--runs N` runs each case at most N times, for a rough result.
Every run of a case is a separate process, so that no case profits from another's warm-up.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

import navitas
from navitas.base.errors import BuildError
from navitas.capture.build.gradle import BuildOptions, build_bundles
from navitas.capture.build.sample import copy_sample
from navitas.capture.bundle.reader import Bundle
from navitas.capture.collect.options import ProfileOptions
from navitas.capture.collect.progress import Progress
from navitas.capture.collect.session import profile
from navitas.capture.device.base import Device
from navitas.cli.habits.progress import ConsoleProgress
from navitas.virtual_phone import firmware
from navitas.virtual_phone.start import virtual_phone

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support.android_projects import copy_project, sdk


@dataclass(frozen=True)
class Experiment:
    """One table of the paper, with two cases (our test, the paper's name, the paper's results in J)."""

    title: str
    test_class: str
    cases: tuple[tuple[str, str, tuple[float, ...]], tuple[str, str, tuple[float, ...]]]
    runs: int


# Source: Myasnikov et al., "Navitas Framework", tables I and II.
TABLE_1 = Experiment(
    "Table I: Runnable as a separate and as an anonymous class",
    "RunnableTest",
    (
        (
            "separateClass",
            "separate class",
            (15.93, 12.55, 12.27, 12.27, 11.99, 13.68, 12.13, 11.84, 11.56, 12.83, 12.13, 11.84, 11.84, 11.84, 12.55),
        ),
        (
            "anonymousClass",
            "anonymous class",
            (11.56, 13.11, 11.56, 13.25, 12.27, 11.99, 11.84, 11.42, 11.7, 11.7, 11.99, 12.13, 11.84, 11.7, 12.55),
        ),
    ),
    runs=15,
)
TABLE_2 = Experiment(
    "Table II: sorting and non-sorting payload",
    "MultithreadingTest",
    (
        ("startWithSort", "with sort", (17.56, 14.61, 21.48, 13.74, 13.30, 15.16, 17.78, 14.50, 13.20, 15.81)),
        ("startWithoutSort", "without sort", (13.20, 13.41, 13.52, 10.80, 13.41, 12.21, 15.92, 12.10, 14.50, 14.83)),
    ),
    runs=10,
)


def table_of(experiment: Experiment, ours: Sequence[Sequence[float]]) -> Table:
    """Runs and means of both cases, ours and the paper's, and the ratio of the means."""
    table = Table(title=experiment.title)
    table.add_column("run")
    for _, name, _ in experiment.cases:
        table.add_column(f"{name}: here J", justify="right")
        table.add_column(f"{name}: paper J", justify="right")
    papers = [figures for _, _, figures in experiment.cases]
    for run in range(experiment.runs):
        cells = (
            cell
            for mine, paper in zip(ours, papers, strict=True)
            for cell in (f"{mine[run]:.3f}" if run < len(mine) else "", f"{paper[run]:.2f}")
        )
        table.add_row(str(run + 1), *cells)
    means = [(statistics.mean(mine), statistics.mean(paper)) for mine, paper in zip(ours, papers, strict=True)]
    table.add_section()
    table.add_row("mean", *(cell for mine, paper in means for cell in (f"{mine:.3f}", f"{paper:.2f}")))
    table.add_row("first / second", f"{means[0][0] / means[1][0]:.3f}", f"{means[0][1] / means[1][1]:.3f}", "", "")
    return table


def _energies(device: Device, bundles: list[Bundle], test: str, *, runs: int, folder: Path, progress: Progress) -> list[float]:
    recording = folder / test.replace("#", "-")
    profile(device, bundles, ProfileOptions(tests=(test,), repeat=runs), recording, progress)
    return [found.energy_j for found in navitas.load(recording).tests]


def _java(folder: Path, progress: Progress) -> list[Bundle]:
    return build_bundles(copy_sample(folder / "sample"), on_line=progress.detail)


def _android(folder: Path, progress: Progress) -> list[Bundle]:
    home = sdk()
    if home is None:
        raise BuildError("there is no Android SDK", "Run `make android-sdk`, or set ANDROID_HOME.")
    os.environ["ANDROID_HOME"] = str(home)
    provide = None if firmware.is_provided() else firmware.provide
    return build_bundles(copy_project("a", folder), BuildOptions(gradle="gradle"), provide=provide, on_line=progress.detail)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--android", action="store_true", help="as instrumentation tests of an Android app")
    parser.add_argument("--runs", type=int, default=sys.maxsize, help="the maximum number of runs of each case")
    arguments = parser.parse_args()
    console = Console()
    with tempfile.TemporaryDirectory() as folder, ConsoleProgress() as progress:
        progress.stage("building")
        bundles = (_android if arguments.android else _java)(Path(folder), progress)
        with virtual_phone() as device:
            results = [
                [
                    _energies(
                        device,
                        bundles,
                        f"{experiment.test_class}#{case[0]}",
                        runs=min(experiment.runs, arguments.runs),
                        folder=Path(folder),
                        progress=progress,
                    )
                    for case in experiment.cases
                ]
                for experiment in (TABLE_1, TABLE_2)
            ]
    for experiment, ours in zip((TABLE_1, TABLE_2), results, strict=True):
        console.print(table_of(experiment, ours))
    with_sort, without_sort = (statistics.mean(energies) for energies in results[1])
    console.print(f"sorting costs {with_sort / without_sort:.2f} times as much as not sorting (the paper: {15.71 / 13.39:.2f})")
    return int(with_sort <= without_sort)


if __name__ == "__main__":
    sys.exit(main())
