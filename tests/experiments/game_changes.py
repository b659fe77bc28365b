"""Ten changes of the game example: does a model of operations predict whether rails measure more or less energy?

The model is one of operations.py. It has not seen the changes. Predictions need executions only, and no energy.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from pathlib import Path

from navitas.capture.device.base import Device
from navitas.cli.habits.progress import ConsoleProgress
from navitas.cli.operations.experiment import run_experiment
from navitas.insight.operations.case_plan import CaseFile
from navitas.insight.operations.case_table import CENSUS, CaseRow, read_cases
from navitas.insight.operations.census.document import read_census
from navitas.insight.operations.rankings import operation_costs
from navitas.insight.operations.regress.model_file import read_model
from navitas.virtual_phone.start import virtual_phone

ROOT = Path(__file__).resolve().parents[2]
CHANGES = ROOT / "tests/fixtures/game_changes"
# The inputs at which a change is large, as the README of the changes lists them.
INPUTS: dict[str, dict[str, int]] = {
    "boxed_matrix_sum": {"chains": 20},
    "listed_tiles": {"levels": 30},
    "bounds_of_batch": {"batches": 30},
    "text_keys_of_grid": {},
    "scanned_open_steps": {"paths": 10},
    "range_of_cells_once": {"probes": 200},
    "unchecked_inner_tiles": {"levels": 100},
    "flat_product": {"chains": 60},
    "whole_quads_put": {"batches": 30},
    "names_made_once": {"scores": 1000},
}
LEAST_RIGHT = 9
LEAST_CHANGE = 0.05


def main(argv: list[str]) -> int:
    """Print predicted and measured changes. Returns 1 if fewer than nine signs agree."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path, help="a model of operations.py, by navitas operations fit")
    parser.add_argument("output", type=Path, help="folder of the experiment")
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args(argv)
    costs = operation_costs(read_model(options.model), str(options.model))
    right = 0
    print(f"{'change':24s} {'predicted':>10s} {'measured':>10s}")
    with virtual_phone(activity=0.3, seed=5) as device, ConsoleProgress(only_live=True) as progress:
        for name, inputs in INPUTS.items():
            energies = []
            for changed in (False, True):
                place = options.output / f"{name}-{'after' if changed else 'before'}"
                row, names = _measured(place, name if changed else None, case_file(inputs, options.repeat), device, progress)
                predicted = sum(costs.get(each, 0.0) * count for each, count in zip(names, row.executions.tolist(), strict=True))
                energies.append((predicted, row.energy.energy_j))
            (was_predicted, was), (now_predicted, now) = energies
            predicted, measured = now_predicted / was_predicted - 1, now / was - 1
            agrees = predicted * measured > 0
            right += agrees
            small = "" if abs(measured) >= LEAST_CHANGE else "  measured change below 5 %"
            print(
                f"{name:24s} {100 * predicted:+9.1f} % {100 * measured:+9.1f} %{'' if agrees else '  WRONG'}{small}", flush=True
            )
    print(f"{right} of {len(INPUTS)} signs agree (at least {LEAST_RIGHT})")
    return int(right < LEAST_RIGHT)


def case_file(inputs: dict[str, int], repeat: int) -> CaseFile:
    """A single case."""
    return CaseFile.model_validate(
        {
            "program": {"test": "org.example.game.ClickAndMoveTest#play"},
            "runs": {"cases": 1, "repeat": repeat, "compiler": "interpreter"},
            "inputs": {f"game.{key}": [value] for key, value in inputs.items()},
        }
    )


def _measured(
    place: Path, change: str | None, file: CaseFile, device: Device, progress: ConsoleProgress
) -> tuple[CaseRow, list[str]]:
    """The case of one build, and the names of its operations."""
    project = place / "game"
    if not project.exists():
        shutil.copytree(ROOT / "examples/game", project, ignore=shutil.ignore_patterns("build", ".gradle"))
        if change is not None:
            patch = (CHANGES / f"{change}.patch").read_bytes()
            subprocess.run(["patch", "-p1", "-s"], cwd=project, input=patch, check=True)
    plan = run_experiment(file, project, place, device, progress)
    census = read_census(place / CENSUS)
    rows, errors = read_cases(place, plan, census)
    if not rows:
        raise next(iter(errors.values()))
    return rows[0], [each.name for each in census.operations]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
