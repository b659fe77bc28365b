"""Execution cases: the file, the plan, the energy above idle, and the table."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.counted_files import census_document, experiment

from navitas.base.errors import RecordingError, UsageError
from navitas.insight.operations.case_energy import IdleRun, MeasuredRun, case_energy, rails_energy_j
from navitas.insight.operations.case_plan import (
    BlockEdit,
    CaseFile,
    CasePlan,
    ExecutionCase,
    plan_cases,
    plan_sets,
    read_case_file,
    read_plan,
)
from navitas.insight.operations.case_table import read_case, read_cases, read_edits, used_operations, write_edits
from navitas.insight.operations.census.document import parse_census
from navitas.recording.parse.rail_readings import RailReadings

MINIMAL = '[program]\ntest = "a.MainTest#x"\n'


def case_file(text: str, tmp_path: Path) -> CaseFile:
    path = tmp_path / "cases.toml"
    path.write_text(text)
    return read_case_file(path)


def test_a_case_file_has_defaults(tmp_path: Path) -> None:
    found = case_file(MINIMAL, tmp_path)
    assert (found.runs.cases, found.runs.repeat, found.runs.compiler, found.blocks.sets) == (100, 3, "default", 0)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[program", "not TOML"),
        ("", "program"),
        (f"{MINIMAL}tset = 1\n", "tset"),
        (f'{MINIMAL}[runs]\ncompiler = "c3"\n', "runs.compiler"),
        (f"{MINIMAL}[runs]\ncases = 0\n", "runs.cases"),
        (f"{MINIMAL}[inputs]\nx = []\n", "inputs.x"),
        (f'{MINIMAL}[inputs]\n"a b" = [1]\n', "inputs"),
        (f"{MINIMAL}[runs]\ntimeout_s = inf\n", "timeout_s"),
    ],
)
def test_a_wrong_case_file_names_the_place(text: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError) as error:
        case_file(text, tmp_path)
    assert said in error.value.message and "cases.toml" in error.value.message


@given(st.integers(1, 60), st.integers(1, 9), st.integers(0, 1 << 32))
def test_inputs_vary_evenly_and_alike_for_a_seed(count: int, values: int, seed: int) -> None:
    file = CaseFile.model_validate(
        {
            "program": {"test": "T#x"},
            "runs": {"cases": count, "seed": seed},
            "inputs": {"a": list(range(values)), "b": [0.5, "x"]},
        }
    )
    cases = plan_cases(file, 3)
    assert cases == plan_cases(file, 3) and len(cases) == count
    times = Counter(case.inputs["a"] for case in cases)
    if count >= values:
        assert max(times.values()) - min(times.values()) <= 1 and len(times) == values
    assert max(Counter(case.edits for case in cases).values()) - count // 3 <= 1


@given(st.integers(0, 40), st.integers(0, 12))
def test_each_block_is_removed_in_one_set_and_repeated_in_another(blocks: int, sets: int) -> None:
    file = CaseFile.model_validate({"program": {"test": "T#x"}, "blocks": {"sets": sets, "repeat": 5}})
    found = plan_sets(file, [("a.Main", "run()V", number) for number in range(blocks)])
    assert found[0] == []
    count = min(sets, blocks)
    assert len(found) == count + 1 and all(found[1:])
    if count:
        removed = Counter(edit.block for edits in found for edit in edits if edit.runs == 0)
        assert removed == Counter(range(blocks))
    for edits in found:
        assert len({edit.block for edit in edits}) == len(edits)
    if count > 1:
        assert Counter(edit.block for edits in found for edit in edits if edit.runs == 5) == Counter(range(blocks))


def test_edits_have_the_lines_of_the_instrumenter() -> None:
    edit = BlockEdit(class_name="a.Main", method="run()V", block=2, runs=0)
    assert edit.line == "remove\ta.Main\trun()V\t2"
    assert edit.model_copy(update={"runs": 3}).line == "repeat\ta.Main\trun()V\t2\t3"


def test_energy_is_that_of_matching_rails_between_two_times() -> None:
    rails = RailReadings(("S4M_VDD_CPUCL0", "DISPLAY"), np.array([0, 10, 20]), np.array([[0.0, 0], [2, 50], [6, 90]]))
    assert rails_energy_j(rails, "*cpu*", 5, 15) == pytest.approx(3.0)
    assert rails_energy_j(rails, "nothing", 0, 20) == pytest.approx(96.0)


def test_idle_power_is_subtracted_for_the_time_of_each_run() -> None:
    found = case_energy([MeasuredRun(2.0, 10.0, 1e6), MeasuredRun(4.0, 16.0, 3e6)], idle_w=1.5)
    assert found.energy_j == pytest.approx((7 + 10) / 2) and found.idle_j == pytest.approx(4.5)
    assert found.deviation_j == pytest.approx(np.std([7, 10], ddof=1)) and found.frequency_khz == 2e6
    assert case_energy([MeasuredRun(2.0, 10.0, 0)], 0.0).deviation_j == 0.0


def reading(t_ms: int, *micro: int) -> str:
    return f"t={t_ms}\n" + "".join(f"CH{i}(T={t_ms})[CPU{i}], {value}\n" for i, value in enumerate(micro))


def test_an_idle_run_has_the_power_of_its_rails() -> None:
    run = IdleRun(kind="rails", before=reading(1000, 5, 100), after=reading(3000, 2_000_005, 100), uptime_s=(0, 9), unix_s=(0, 9))
    assert run.power_w("*CPU*") == pytest.approx(1.0)
    assert run.power_w("CPU1") == 0.0
    assert run.model_copy(update={"kind": "none", "before": "", "after": ""}).power_w("*") is None


@given(st.text(max_size=80), st.text(max_size=80), st.sampled_from(["rails", "statistics", "none"]))
def test_damaged_idle_readings_have_no_power(before: str, after: str, kind: str) -> None:
    run = IdleRun.model_validate({"kind": kind, "before": before, "after": after, "uptime_s": (0, 1), "unix_s": (0, 1)})
    assert run.power_w("*") is None or run.power_w("*") >= 0  # type: ignore[operator]


def test_a_case_joins_counts_with_energy_of_a_meter(tmp_path: Path) -> None:
    root, plan = experiment(tmp_path)
    census = parse_census(json.dumps(census_document()), "c")
    row = read_case(
        root, plan, plan.cases[0], census, meter=lambda run: lambda start, end: (end - start) / 1e9 * (2 + run.run_id)
    )
    assert row.energy.energy_j == pytest.approx(0.25) and row.energy.runs == 2
    assert [census.operations[place].name for place in used_operations([row])][:2] == ["Addition_int_int", "Multi_float_float"]
    assert row.figures[:2] == (1, 0)
    rows, errors = read_cases(root, plan, census, meter=lambda run: lambda start, end: 1.0)
    assert len(rows) == 1 and set(errors) == {2}


def test_a_case_without_rails_says_what_to_do(tmp_path: Path) -> None:
    root, plan = experiment(tmp_path)
    census = parse_census(json.dumps(census_document()), "c")
    with pytest.raises(RecordingError, match="no readings of power rails") as error:
        read_case(root, plan, plan.cases[0], census)
    assert "--meter" in error.value.remedy


def test_a_plan_with_unknown_edits_is_damaged(tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    plan = CasePlan.model_validate({"file": {"program": {"test": "T#x"}}, "sets": [[]], "cases": []})
    path.write_text(plan.model_dump_json())
    assert read_plan(path) == plan
    wrong = plan.model_copy(update={"cases": [ExecutionCase(number=1, edits=1, inputs={})]})
    path.write_text(wrong.model_dump_json())
    with pytest.raises(UsageError, match="edits that are not listed"):
        read_plan(path)
    path.write_text("{")
    with pytest.raises(UsageError, match="damaged"):
        read_plan(path)


def test_edits_of_a_case_are_kept_with_it(tmp_path: Path) -> None:
    path = tmp_path / "edits.json"
    edits = [BlockEdit(class_name="a.Main", method="run()V", block=2, runs=3)]
    write_edits(path, edits)
    assert read_edits(path) == {("a.Main", "run()V", 2): 3}
    for damaged in ("[", '[{"class_name": "a", "method": "m", "block": -1, "runs": 0}]', '[{"block": 1e300}]'):
        path.write_text(damaged)
        with pytest.raises(UsageError, match=r"edits\.json: damaged"):
            read_edits(path)


def test_truth_values_are_written_as_java_reads_them() -> None:
    file = CaseFile.model_validate(
        {"program": {"test": "T#x"}, "runs": {"cases": 2}, "inputs": {"fast": [True, False], "n": [1, 0]}}
    )
    cases = plan_cases(file, 1)
    assert {case.inputs["fast"] for case in cases} == {"true", "false"} and {case.inputs["n"] for case in cases} == {"0", "1"}
    assert CaseFile.model_validate_json(file.model_dump_json()) == file


def test_a_number_of_many_digits_is_no_traceback(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="not TOML"):
        case_file(f"{MINIMAL}[runs]\ncases = {'9' * 5000}\n", tmp_path)
