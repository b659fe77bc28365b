"""The Python API keeps its surface, and the examples of its docs run."""

from __future__ import annotations

import inspect
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from pathlib import Path

import pytest

import navitas
from navitas.analyze import baselines, cpu_use, pace, records, repeats, role_totals, roll_up, spread, timeline
from navitas.attribute import ledger

ROOT = Path(__file__).parents[3]
RECORDING = ROOT / "tests/golden/recording-v1"
EXAMPLES = re.findall(r"```python\n(.*?)```", (ROOT / "docs/python-api.md").read_text("utf-8"), re.DOTALL)
PUBLIC = [
    *(records.MethodEnergy, records.Node, records.ThreadEnergy, records.TestEnergy, records.Totals, records.Notice),
    *(roll_up.MethodTotal, roll_up.ThreadTotal, repeats.Repeats, spread.Spread, spread.MethodRepeats, timeline.Timeline),
    *(baselines.BaselinePairs, baselines.CompensatedTotals, role_totals.RoleTotal),
    *(ledger.Ledger, ledger.RunEntry, ledger.Tests, ledger.Owners, ledger.CallPaths, ledger.Energy, ledger.Calls),
    *(ledger.Shares, ledger.Evidence, ledger.Compensation, cpu_use.CpuUse, pace.Pace),
]


def surface() -> dict[str, list[str]]:
    """Every public name: signatures of functions and methods, fields and properties of classes."""
    found = {"navitas": sorted(navitas.__all__), "navitas.load": [str(inspect.signature(navitas.load))]}
    for kind in [navitas.Profile, *PUBLIC]:
        names = [f"{field.name}: {field.type}" for field in fields(kind)] if is_dataclass(kind) else []
        for name, member in vars(kind).items():
            if name.startswith("_"):
                continue
            if inspect.isfunction(member):
                names.append(f"{name}{inspect.signature(member)}")
            elif isinstance(member, property) or type(member).__name__ == "cached_property":
                names.append(name)
        found[kind.__name__] = names
    return found


def test_the_surface_stays_as_it_is(golden: Callable[[str, str], None]) -> None:
    golden("python-api.json", json.dumps(surface(), indent=1) + "\n")


@pytest.mark.parametrize("number", range(len(EXAMPLES)))
def test_the_examples_of_the_docs_run(number: int, tmp_path: Path) -> None:
    if "to_pandas" in EXAMPLES[number]:
        pytest.importorskip("pandas")
    for name in ("recording", "other-recording"):
        shutil.copytree(RECORDING, tmp_path / name)
    done = subprocess.run([sys.executable, "-c", EXAMPLES[number]], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "") and done.stdout


def test_loading_what_is_no_recording_names_it(tmp_path: Path) -> None:
    with pytest.raises(Exception, match=tmp_path.name) as caught:
        navitas.load(tmp_path)
    assert type(caught.value).__name__ == "RecordingError"


def test_importing_navitas_loads_nothing_heavy() -> None:
    code = "import sys, navitas; print([name for name in ('numpy', 'lxml', 'rich') if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
