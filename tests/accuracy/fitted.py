"""Fit a power model to one recording of the virtual phone, and check it with another (`python tests/accuracy/fitted.py`).

The model is fitted to the storage rail. Then it predicts the energy of storage in a recording with other amounts, without rails.
Prints both, and the phone's true energy for each byte.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import navitas
from navitas.capture.build.gradle import build_bundles
from navitas.capture.collect.options import ProfileOptions
from navitas.capture.collect.session import profile
from navitas.cli.habits.progress import ConsoleProgress
from navitas.energy.analyze.fitting.fit_components import FitRequest, fit_components
from navitas.energy.analyze.load import load_tables
from navitas.energy.analyze.profile import Profile
from navitas.virtual_phone.components.component_rails import RAILS
from navitas.virtual_phone.components.figures import temperament
from navitas.virtual_phone.start import virtual_phone

WORKLOADS = Path(__file__).parent / "workloads"
LIMIT = 0.1


def main() -> int:
    with tempfile.TemporaryDirectory() as folder, ConsoleProgress() as progress:
        out, model_file = Path(folder), Path(folder) / "model.json"
        bundles = build_bundles(WORKLOADS, on_line=progress.detail)
        with virtual_phone() as device:
            for name in ("fits", "checks"):
                options = ProfileOptions(tests=(f"FittingTest#{name}",), record="both")
                profile(device, bundles, options, out / name, progress)
        model = fit_components([load_tables(out / "fits")], FitRequest()).model
        model_file.write_text(model.model_dump_json())
        measured = _storage_j(navitas.load(out / "checks"))
        predicted = _storage_j(navitas.load(out / "checks", evidence="model", power_model=model_file))
    group = model.group_of("storage")
    if group is None:
        print("storage was not fitted")
        return 1
    for each in group.coefficients:
        print(f"{each.parameter}: {each.value * 1e3:.3f} ± {each.standard_error * 1e3:.3f} nJ per byte")
    print(f"held-out error: {100 * (group.held_out_error or 0):.1f} %, R²: {group.r2:.3f}, {group.intervals} intervals")
    truth = temperament(0, list(RAILS))
    active = f"{truth.ufs_active_mw:.1f} mW while active and {1e3 * truth.ufs_tail_s:.0f} ms after"
    print(f"truth: {truth.ufs_write_nj_per_byte:.3f} nJ per written byte, and {active}")
    error = predicted / measured - 1
    print(f"other recording: rail {measured:.4f} J, predicted {predicted:.4f} J ({100 * error:+.1f} %)")
    return int(abs(error) > LIMIT)


def _storage_j(found: Profile) -> float:
    return found.totals.components[found.components.index("storage")]


if __name__ == "__main__":
    sys.exit(main())
