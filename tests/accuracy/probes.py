"""Scores the compensation of probes (`make accuracy`): a method called ten million times, beside runs without probes.

Prints a table (its last column: how far the runs without probes lie apart) and exits with 1 where the median of the compensated
energies is more than 5 % off the runs without probes.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import get_args

from rich.console import Console
from rich.table import Table

import navitas
from navitas.build.gradle import build_bundles
from navitas.cli.progress import ConsoleProgress
from navitas.collect.options import Mode, ProfileOptions
from navitas.collect.session import profile
from navitas.device.virtual_phone import virtual_phone

WORKLOADS = Path(__file__).parent / "workloads"
LIMIT = 0.05


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--modes", nargs="+", choices=get_args(Mode), default=get_args(Mode))
    parser.add_argument("--keep", type=Path, help="keep the recordings in this folder")
    arguments = parser.parse_args()
    columns = ("mode", "with probes J", "compensated J", "without probes J", "raw %", "compensated %", "runs %", "without: ± %")
    table = Table(*columns, title="A method called 10 million times: energy of its threads")
    bad = False
    with tempfile.TemporaryDirectory() as folder, ConsoleProgress() as progress:
        out = arguments.keep or Path(folder)
        bundles = build_bundles(WORKLOADS, gradle=None, module=None, on_line=progress.detail)
        with virtual_phone() as device:
            for mode in arguments.modes:
                options = ProfileOptions(tests=("ProbesTest#*",), repeat=arguments.runs, mode=mode, baseline=True)
                profile(device, bundles, options, out / mode, progress)
                tests = [test for test in navitas.load(out / mode).tests if test.unprobed_threads_j]
                raw, without = [test.threads_j for test in tests], [test.unprobed_threads_j or 0.0 for test in tests]
                own = [test.threads_j - test.probes_j for test in tests]
                error = median(own) / median(without) - 1
                bad = bad or abs(error) > LIMIT
                table.add_row(
                    mode,
                    *(f"{median(figures):.3f}" for figures in (raw, own, without)),
                    f"{100 * (median(raw) / median(without) - 1):+.1f}",
                    f"{100 * error:+.1f}",
                    " ".join(f"{100 * (a / b - 1):+.1f}" for a, b in zip(own, without, strict=True)),
                    f"{50 * (max(without) - min(without)) / median(without):.1f}",
                )
    Console(width=140).print(table)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
