"""The experiment of Hiya et al.: bytes and energy of methods by way of recording, and its cost (`make components`).

Runs the workload in tests/accuracy/io_workload on virtual phones: computing, downloads, uploads, file writes and rests, in
random order on three threads. Then runs the Android app in tests/accuracy/device_workload: GNSS, camera and flashlight.
Compares each recording with the server's log, the files' sizes and the phone's own physics.
Prints tables, and writes all figures as JSON. Exits with 1 if a target is missed. docs/dev/experiments.md explains it.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from rich.console import Console

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from traffic.device_runs import DeviceWorkload
from traffic.runs import BOTH, PLAIN, VARIANTS, Workload, run_seed
from traffic.scores import EnergyScore, RunScore
from traffic.tables import bytes_table, cost_table, energy_table, targets_table

from navitas.cli.habits.progress import ConsoleProgress


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=10, help="number of seeds [10]")
    parser.add_argument("--first", type=int, default=1, help="the first seed [1]")
    parser.add_argument("--scale", type=float, default=3.0, help="multiplies the size of all phases; 3 is about 20 s a run [3]")
    parser.add_argument("--only", action="append", choices=[variant.name for variant in VARIANTS], help="ways of recording")
    parser.add_argument("--part", choices=("traffic", "devices"), help="only this part; devices need an Android SDK")
    parser.add_argument("--json", type=Path, help="write all figures to this file")
    parser.add_argument("--keep", type=Path, help="keep the recordings in this folder")
    arguments = parser.parse_args()
    variants = [variant for variant in VARIANTS if not arguments.only or variant.name in (*arguments.only, PLAIN.name)]
    scores: list[RunScore] = []
    devices: list[EnergyScore] = []
    with tempfile.TemporaryDirectory() as folder, ConsoleProgress() as progress:
        workload = Workload(Path(folder), progress)
        out = arguments.keep or Path(folder)
        seeds = range(arguments.first, arguments.first + arguments.seeds)
        for seed in seeds if arguments.part != "devices" else ():
            for score in run_seed(workload, seed, variants, out, progress, scale=arguments.scale):
                scores.append(score)
                write(arguments.json, scores, devices)
        if arguments.part != "traffic":
            app = DeviceWorkload(Path(folder), progress)
            for seed in seeds:
                devices.append(app.run_seed(seed, BOTH, out, progress, scale=arguments.scale))
                write(arguments.json, scores, devices)
    console = Console(width=160)
    targets, kept = targets_table(scores, devices)
    energies = [*(score.energy for score in scores), *devices]
    for table in (bytes_table(scores), energy_table(energies), cost_table(scores), targets):
        if table.row_count:
            console.print(table)
    return int(not kept)


def write(path: Path | None, scores: Sequence[RunScore], devices: Sequence[EnergyScore]) -> None:
    """Write all figures so far as JSON."""
    if path is not None:
        document = {"runs": [asdict(each) for each in scores], "devices": [asdict(each) for each in devices]}
        path.write_text(json.dumps(document, indent=1))


if __name__ == "__main__":
    sys.exit(main())
