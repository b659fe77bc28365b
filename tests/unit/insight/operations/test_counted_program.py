"""Block counts × census: executions of operations, in the tests in which they were counted."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.counted_files import TEST, CountedFiles, census_document, joined
from support.recording_maker import make_recording
from support.scenario import Scenario, TestSpec, ThreadSpec, call

from navitas.base.errors import RecordingError, UsageError
from navitas.insight.operations.census.document import parse_census
from navitas.insight.operations.counted_program import counted_method
from navitas.insight.operations.counted_tests import counted_tests
from navitas.recording.parse.parsed_recording import parse_recording

EXPECTED = {"Addition_int_int": 12, "Multi_float_float": 600, "Integer.valueOf": 200, "Block Goto_for": 204}


def test_executions_are_those_within_the_test(counted: CountedFiles) -> None:
    program, tests = joined(counted)
    assert [test.name for test in tests] == [TEST, TEST]
    for place, test in enumerate(tests):
        found = dict(zip(program.names, program.executions(test).tolist(), strict=True))
        assert found == {**EXPECTED, "GC": place + 1}
        assert test.wall_s == pytest.approx(0.1)


def test_threads_add_up(tmp_path: Path) -> None:
    program, (test,) = joined(CountedFiles(tmp_path, [(4, 200)], threads=3))
    found = dict(zip(program.names, program.executions(test).tolist(), strict=True))
    assert found == {**{name: 3 * count for name, count in EXPECTED.items()}, "GC": 1}
    assert sorted({test.threads[thread] for thread, _ in test.counters}) == ["t0", "t1", "t2"]


def test_a_changed_class_is_named(counted: CountedFiles) -> None:
    counted.census.write_text(json.dumps(census_document("1" * 64)))
    with pytest.raises(UsageError, match=r"census\.json: the census is of another build: these classes differ: a\.Main"):
        joined(counted)


def test_other_counters_mean_another_build(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"another build.*a\.Main"):
        joined(CountedFiles(tmp_path, [(4, 200, 1)]))


def test_a_census_of_another_program_is_refused(counted: CountedFiles) -> None:
    document = census_document()
    document["classes"][0]["name"] = "b.Other"
    counted.census.write_text(json.dumps(document))
    with pytest.raises(UsageError, match=r"no method of the recording, such as a\.Main\.run"):
        joined(counted)


def test_a_recording_without_counts_is_refused(tmp_path: Path) -> None:
    main = ThreadSpec("main", (call("a.Main#run", 5, 40),), ((5, 40, 1.0),))
    stored = make_recording(tmp_path / "r", Scenario(100, (main,), (TestSpec(TEST, 0, 100),)))
    with pytest.raises(RecordingError, match="no executed blocks were counted") as error:
        counted_tests(parse_recording(stored), stored.manifest, "rec")
    assert "--granularity block" in error.value.remedy


@pytest.mark.parametrize(("runs", "multi"), [(0, 200), (1, 600), (3, 1400)])
def test_edits_change_the_operations_of_their_range(counted: CountedFiles, runs: int, multi: int) -> None:
    """The range of block 2 has two of its three multiplications."""
    document = census_document()
    document["classes"][0]["methods"][0]["blocks"][2] |= {"editable": [20, 25], "edit_operations": [[1, 2]]}
    counted.census.write_text(json.dumps(document))
    program, tests = joined(counted, {("a.Main", "run()V", 2): runs})
    assert program.executions(tests[0])[program.names.index("Multi_float_float")] == multi


@given(st.lists(st.integers(0, 1 << 40), min_size=2, max_size=2))
def test_executions_follow_the_flow_of_the_method(counters: list[int]) -> None:
    census = parse_census(json.dumps(census_document()), "c")
    method = counted_method(0, "a.Main", None, census.classes[0].methods[0], {})
    start, condition, body, end = method.executions(np.array(counters)).tolist()
    assert condition == start + body and end == start
