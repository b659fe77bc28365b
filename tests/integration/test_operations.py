"""Operations end to end on the virtual phone: execution cases, block edits, budgets, and the savings that advice predicts."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from support.counted_files import model_of
from support.gradle_projects import java_project, write
from support.lab import Lab
from support.no_progress import NoProgress

from navitas.capture.build.bridge import InstrumenterBridge, InstrumentOptions
from navitas.capture.build.gradle import BuildOptions, build_bundles
from navitas.capture.device.adb import AdbDevice
from navitas.cli.operations.experiment import run_experiment
from navitas.insight.operations.budgets import budgets
from navitas.insight.operations.build_difference import changed_operations
from navitas.insight.operations.case_plan import CaseFile
from navitas.insight.operations.case_table import CENSUS, read_cases
from navitas.insight.operations.census.document import Census, parse_census, read_census
from navitas.insight.operations.code_advice import code_advice
from navitas.insight.operations.counted_program import CountedProgram, Edits, join_census
from navitas.insight.operations.counted_tests import CountedTest, counted_tests
from navitas.recording.parse.parsed_recording import parse_recording
from navitas.recording.store import open_recording

pytestmark = pytest.mark.extended

WORK = """
package p;
import java.util.*;
public class Work {
  static int odd(int n) {
    int found = 0;
    for (int i = 0; i < n; i++) {
      if (i % 2 == 1) found++;
    }
    return found;
  }
  static String join(int n) {
    String all = "";
    for (int i = 0; i < n; i++) {
      all = all + i;
    }
    return all;
  }
  static long sum(List<Integer> numbers) {
    Long total = 0L;
    for (int each : numbers) {
      total = total + each;
    }
    return total;
  }
}
"""
CHEAPER = WORK.replace("Long total = 0L;", "long total = 0L;").replace(
    """String all = "";
    for (int i = 0; i < n; i++) {
      all = all + i;
    }
    return all;""",
    """char[] all = new char[n];
    for (int i = 0; i < n; i++) {
      all[i] = (char) ('0' + i % 10);
    }
    return new String(all);""",
)
TESTS = """
package p;
import java.util.*;
import org.junit.Test;
public class WorkTest {
  static final int N = Integer.getInteger("n", 100);
  @Test public void works() {
    List<Integer> numbers = new ArrayList<>();
    for (int i = 0; i < N; i++) numbers.add(i);
    Work.odd(N); Work.join(N); Work.sum(numbers);
  }
  @Test public void jitters() { Work.odd((int) (System.nanoTime() & 63)); }
}
"""


@dataclass(frozen=True)
class Counted:
    """A counted recording of a build, and its census."""

    program: CountedProgram
    tests: tuple[CountedTest, ...]
    census: Census

    def of(self, name: str) -> CountedTest:
        return next(test for test in self.tests if test.name.endswith(f"#{name}"))

    def operations(self, name: str) -> dict[str, int]:
        counts = self.program.executions(self.of(name)).tolist()
        return {operation: count for operation, count in zip(self.program.names, counts, strict=True) if count}


def project(folder: Path, work: str = WORK) -> Path:
    return java_project(folder, {"Work": work, "WorkTest": TESTS})


def count(
    phone: AdbDevice,
    gradle: str,
    root: Path,
    folder: Path,
    *,
    edits: Mapping[tuple[str, str, int], int] | None = None,
    repeat: int = 1,
) -> Counted:
    lines = [
        "\t".join([("repeat" if runs else "remove"), *map(str, place), *([str(runs)] if runs else [])])
        for place, runs in (edits or {}).items()
    ]
    file = write(folder, {"edits.txt": "\n".join(lines) + "\n"}) / "edits.txt"
    bundles = build_bundles(
        root, BuildOptions(gradle=gradle, probes="blocks", instrument_tests=False, block_edits=file if edits else None)
    )
    profiled = Lab(phone, bundles, folder).profile(name="counted", granularity="block", repeat=repeat)
    with InstrumenterBridge() as bridge:
        text = bridge.census([root / "build/classes/java/main"], [root / "src/main/java"], [], InstrumentOptions())
    census = parse_census(text, "census")
    stored = open_recording(profiled.outcome.recording)
    parsed = parse_recording(stored)
    tests = counted_tests(parsed, stored.manifest, "recording")
    known: Edits | None = edits
    return Counted(join_census(census, parsed.method_table, tests, "census", known), tests, census)


@pytest.fixture(scope="module")
def plain(gradle: str, phone: AdbDevice, tmp_path_factory: pytest.TempPathFactory) -> Counted:
    folder = tmp_path_factory.mktemp("plain")
    return count(phone, gradle, project(folder / "project"), folder, repeat=2)


COSTS = {"Increment": 1e-9, "Less_int_int": 1e-9, "Long.valueOf": 3e-8, "Addition_String_int": 2e-7, "Array Reference": 2e-9}


def test_operations_are_those_of_the_source(plain: Counted) -> None:
    found = plain.operations("works")
    assert found["Remainder_int_int"] == 100 and found["Equal_int_int"] == 100
    assert found["Increment"] == 100 + 50 + 100  # the loops of odd and join, and found++
    assert found["Addition_String_int"] == 100 and found["Long.valueOf"] == 101


def test_a_deterministic_test_predicts_the_same_energy_bit_for_bit(plain: Counted) -> None:
    by_name = {one.test.partition("#")[2]: one for one in budgets(plain.program, plain.tests, model_of(COSTS))}
    works, jitters = by_name["works"], by_name["jitters"]
    assert works.is_budget and len(works.runs_j) == 2 and len(set(works.runs_j)) == 1
    assert not jitters.is_budget and [one.method for one in jitters.differing] == ["p.Work.odd(I)I"]


def test_counts_of_an_edited_build_are_those_of_what_it_runs(
    plain: Counted, phone: AdbDevice, gradle: str, tmp_path: Path
) -> None:
    """Without `found++`, and with the body of `join` three times."""
    (work,) = [each for each in plain.census.classes if each.name == "p.Work"]
    kind = plain.census.operations

    def block(method: str, operation: str) -> int:
        blocks = next(one.blocks for one in work.methods if one.name == method)
        (found,) = [
            i
            for i, one in enumerate(blocks)
            if one.editable and operation in {kind[index].name for index, _ in one.edit_operations}
        ]
        return found

    descriptor = "(I)Ljava/lang/String;"
    join = block("join", "Addition_String_int")
    edits = {("p.Work", f"join{descriptor}", join): 3}
    edited = count(phone, gradle, project(tmp_path / "project"), tmp_path, edits=edits)
    before, after = plain.operations("works"), edited.operations("works")
    assert after["Addition_String_int"] == 3 * before["Addition_String_int"]
    assert after["Remainder_int_int"] == before["Remainder_int_int"]


def test_the_saving_that_advice_predicts_is_there_after_the_change(
    plain: Counted, phone: AdbDevice, gradle: str, tmp_path: Path
) -> None:
    advice = code_advice(plain.program, plain.of("works").by_method(), COSTS)
    savings = {one.rule.id: one.saving_j for one in advice if one.rule.id in ("boxing-in-loop", "text-in-loop")}
    assert savings == pytest.approx({"boxing-in-loop": 99 * 3e-8, "text-in-loop": 99 * 2e-7})
    changed = count(phone, gradle, project(tmp_path / "project", CHEAPER), tmp_path)
    changes = changed_operations(
        (plain.program, plain.of("works").by_method()), (changed.program, changed.of("works").by_method()), COSTS
    )
    saved = {one.operation: -one.difference_j for one in changes if one.difference_j is not None}
    # The rules keep one pass of each loop; the change keeps none.
    assert saved["Long.valueOf"] == pytest.approx(101 * 3e-8)
    assert saved["Addition_String_int"] == pytest.approx(100 * 2e-7)
    for operation, rule in (("Long.valueOf", "boxing-in-loop"), ("Addition_String_int", "text-in-loop")):
        assert savings[rule] == pytest.approx(saved[operation], rel=0.03)


def test_cases_are_counted_and_measured_and_an_experiment_goes_on(phone: AdbDevice, gradle: str, tmp_path: Path) -> None:
    root = project(tmp_path / "project")
    values = {
        "program": {"test": "p.WorkTest#works"},
        "runs": {"cases": 3, "repeat": 2, "compiler": "interpreter"},
        "blocks": {"sets": 2},
        "inputs": {"n": [200, 400, 600]},
    }
    file = CaseFile.model_validate(values)
    output = tmp_path / "experiment"
    plan = run_experiment(file, root, output, phone, NoProgress(), gradle=gradle)
    rows, errors = read_cases(output, plan, read_census(output / CENSUS))
    assert not errors and len(rows) == 3 and len(plan.sets) == 3
    names = [each.name for each in read_census(output / CENSUS).operations]
    for row in rows:
        if not plan.sets[row.case.edits]:
            assert row.executions[names.index("Remainder_int_int")] == int(row.case.inputs["n"])
        assert row.energy.runs == 2 and row.energy.idle_j > 0
    made = {path: path.stat().st_mtime_ns for path in output.rglob("manifest.json")}
    (output / "cases/00002/idle.json").unlink()
    assert run_experiment(file, root, output, phone, NoProgress(), gradle=gradle) == plan
    again = {path for path, time in made.items() if path.stat().st_mtime_ns != time}
    assert {path.relative_to(output).parts[1] for path in again} == {"00002"}
    assert json.loads((output / "plan.json").read_text())["file"]["program"]["test"] == "p.WorkTest#works"
