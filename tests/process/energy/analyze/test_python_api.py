"""The Python API is stable, and the examples in its docs work."""

from __future__ import annotations

import inspect
import json
import re
import shutil
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import pytest
from support.capture import Capture

import navitas
from navitas.capture.build.gradle import BuildOptions
from navitas.capture.collect.options import ProfileOptions
from navitas.capture.collect.runs.version_runs import ProfilingOutcome
from navitas.cli.workflows.check import CheckedProject, profile_and_check
from navitas.cli.workflows.measurement import Caller, RunOptions
from navitas.energy.analyze import (
    cpu_use,
    energy_tree,
    handed_work,
    method_bytes,
    profile,
    records,
    repeats,
    roll_up,
    spread,
    timeline,
    top,
)
from navitas.energy.attribute import ledger
from navitas.insight.check.budgets import Budgets, CheckBudget, Selection, Waiver
from navitas.insight.check.judgement import ChangedMethod, CheckResult, Judgement
from navitas.insight.check.judging import judge
from navitas.insight.compare.comparison import Comparison, FigureChange
from navitas.insight.compare.effect import Effect
from navitas.insight.compare.figures import FigureChoice
from navitas.insight.compare.verdict import Verdict
from navitas.insight.compare.versions import ComparedVersions, compare_versions
from navitas.insight.history.bisect import Bisection, FigureStep, SessionPair, bisect
from navitas.insight.history.search import FoundCommits, Limits
from navitas.recording.parse import findings, reasons, tables

ROOT = Path(__file__).parents[4]
RECORDING = ROOT / "tests/golden/recording-v1"
DOCS = (ROOT / "docs/python-api.md").read_text("utf-8")
EXAMPLES = [text for text in re.findall(r"```python\n(.*?)```", DOCS, re.DOTALL) if "navitas.profile(" not in text]
"""Those of recordings. tests/e2e/test_python_profile.py has the others."""
PUBLIC = [
    *(records.MethodEnergy, records.Node, records.ThreadEnergy, records.TestEnergy, records.Totals, records.Notice),
    *(roll_up.MethodTotal, roll_up.ThreadTotal, repeats.Repeats, spread.Spread, spread.MethodRepeats, timeline.Timeline),
    *(repeats.BaselinePairs, repeats.CompensatedTotals, roll_up.RoleTotal),
    *(ledger.Ledger, ledger.RunEntry, ledger.Tests, ledger.Owners, ledger.CallPaths, ledger.Energy, ledger.Calls),
    *(ledger.Shares, ledger.Evidence, ledger.Compensation, cpu_use.CpuUse, repeats.Pace),
    *(profile.About, records.Nodes, records.MethodRecords, tables.Method, tables.MethodTable),
    *(reasons.MergedReason, findings.ParsedLoss),
    *(top.Top, top.ComponentShare, top.EnergyUser, timeline.ComponentTimelines, energy_tree.EnergyTree, method_bytes.MethodBytes),
    *(handed_work.HandedWork, ledger.HandedTasks),
    *(BuildOptions, ProfileOptions, RunOptions, Caller, ProfilingOutcome),
    *(ComparedVersions, Comparison, FigureChange, Effect, Verdict, FigureChoice),
    *(Budgets, CheckBudget, Selection, Waiver, CheckResult, Judgement, ChangedMethod, CheckedProject),
    *(Bisection, FigureStep, SessionPair, FoundCommits, Limits),
]


def surface() -> dict[str, list[str]]:
    """Return all public names: signatures of functions and methods, and fields, attributes and properties of classes."""
    found = {"navitas": sorted(navitas.__all__), "navitas.load": [str(inspect.signature(navitas.load))]}
    found["navitas.profile"] = [str(inspect.signature(navitas.profile))]
    workflows = (compare_versions, bisect, judge, profile_and_check)
    found |= {workflow.__name__: [str(inspect.signature(workflow))] for workflow in workflows}
    for kind in [navitas.Profile, *PUBLIC]:
        if is_dataclass(kind):
            names = [f"{field.name}: {field.type}" for field in fields(kind)]
        else:
            names = [f"{name}: {of}" for name, of in inspect.get_annotations(kind).items() if not name.startswith("_")]
        own = [base for base in reversed(kind.__mro__) if base.__module__.startswith("navitas.")]
        for name, member in (member for base in own for member in vars(base).items()):
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
def test_the_examples_of_the_docs_run(number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: Capture) -> None:
    if "to_pandas" in EXAMPLES[number]:
        pytest.importorskip("pandas")
    monkeypatch.chdir(tmp_path)
    for name in ("recording", "other-recording"):
        path = Path(shutil.copytree(RECORDING, name)) / "manifest.json"
        if "read_session" in EXAMPLES[number]:  # of tests that passed
            path.write_text(path.read_text("utf-8").replace('"failed"', '"passed"'), "utf-8")
    exec(EXAMPLES[number], {"__name__": "__main__"})
    printed = capfd.readouterr()
    assert printed.out and not printed.err


def test_the_pandas_example_leaves_out_runs_without_probes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pandas")
    monkeypatch.chdir(tmp_path)
    path = Path(shutil.copytree(RECORDING, "recording")) / "manifest.json"
    manifest = json.loads(path.read_text("utf-8"))
    manifest["runs"][1] |= {"baseline": True, "repeat": 0}
    manifest["tests"][2]["repeat"] = 0
    path.write_text(json.dumps(manifest), "utf-8")
    (example,) = [each for each in EXAMPLES if "to_pandas" in each]
    exec(example, found := dict[str, Any]())
    totals = found["profile"].totals
    assert found["frame"]["baseline"].any()
    assert found["energy_j"].sum() == pytest.approx(totals.energy_j - totals.outside_tests_j, rel=1e-9)


def test_the_docs_list_every_column_of_the_table() -> None:
    pytest.importorskip("pyarrow")
    rows = re.findall(r"^\| (`[^|]*) \|", DOCS.partition("| column |")[2], re.MULTILINE)
    assert [name for row in rows for name in re.findall(r"`(\w+)`", row)] == navitas.load(RECORDING).to_arrow().column_names
