"""Profiles for the Firefox Profiler: they have the tables of its format, and the energy of the JSON report."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lamp import lit
from profile_maker import METHODS, one_run, profile, with_nodes, without_probes
from support.big_recording import make_deep_recording
from support.firefox_profile import check_profile, stack_of
from support.golden import GOLDEN
from support.hostile_profile import hostile_profile
from support.ledger_maker import NodeSpec, TestSpec, ThreadSpec
from support.reports import data_of

from navitas.base.untrusted_text import is_printable
from navitas.energy.analyze.load import load
from navitas.energy.analyze.profile import Profile
from navitas.recording.parse.tables import MethodTable
from navitas.report.firefox import firefox_report

SORTS, SORT, SWAP = "org.example.SortTest.sorts", "org.example.Sorter.sort", "org.example.Sorter.swap"


def written(made: Profile) -> dict[str, Any]:
    data = data_of(firefox_report.write, made)
    check_profile(data)
    return data


def energy_uj(data: dict[str, Any]) -> int:
    return sum(sum(thread["samples"]["weight"]) for thread in data["threads"])


def in_test(thread: dict[str, Any], number: int) -> int:
    """Return the microjoules of a thread between the start and the end of its test."""
    start, end = thread["markers"]["startTime"][number], thread["markers"]["endTime"][number]
    samples = thread["samples"]
    return sum(uj for t, uj in zip(samples["time"], samples["weight"], strict=True) if start <= t <= end)


def test_threads_have_samples_with_microjoules() -> None:
    data = written(profile())
    energy: Counter[tuple[str, tuple[str, ...]]] = Counter()
    for thread in data["threads"]:
        for stack, uj in zip(thread["samples"]["stack"], thread["samples"]["weight"], strict=True):
            energy[thread["name"], stack_of(data, stack)] += uj
    assert energy["main", (SORTS,)] == 1_000_000
    assert energy["main", (SORTS, SORT)] == 4_000_000
    assert energy["main", (SORTS, SORT, SWAP)] == 1_000_000
    assert energy["main", ("(untraced)",)] == 500_000
    assert energy["pool-#", ("(untraced)",)] == 750_000
    assert energy["no thread", ("(base)",)] == 1_250_000
    assert energy["no thread", ("(other processes)",)] == 1_000_000
    assert energy["no thread", ("(unattributed)",)] == 250_000
    assert energy.total() == 10_000_000
    assert [thread["name"] for thread in data["threads"]][:3] == ["no thread", "main", "pool-#"]
    assert [thread["isMainThread"] for thread in data["threads"]] == [True, False, False, False, False]
    assert data["meta"]["initialSelectedThreads"] == [1]


def test_methods_have_the_file_and_line() -> None:
    named = MethodTable((replace(METHODS.methods[0], file="SortTest.java"), *METHODS.methods[1:]), {})
    shared = written(profile(methods=named))["shared"]
    functions, strings = shared["funcTable"], shared["stringArray"]
    number = [strings[name] for name in functions["name"]].index(SORTS)
    assert strings[shared["sources"]["filename"][functions["source"][number]]] == "org/example/SortTest.java"
    assert (functions["lineNumber"][number], shared["frameTable"]["line"][number]) == (12, 12)


def test_runs_follow_one_another_as_processes() -> None:
    test = one_run(0, 10.0)
    data = written(profile(test, one_run(1, 12.0), without_probes(test, 5.0)))
    assert energy_uj(data) == 22_000_000
    mains = [thread for thread in data["threads"] if thread["isMainThread"]]
    assert [(main["pid"], main["processName"]) for main in mains] == [
        ("0", "run 1 (1 sample = 1 µJ)"),
        ("1", "run 2 (1 sample = 1 µJ)"),
    ]
    assert [(main["markers"]["startTime"], main["markers"]["endTime"]) for main in mains] == [([0], [1000]), ([1000], [2000])]
    assert data["meta"]["profilingEndTime"] == 2000


def test_tests_are_markers_with_their_energy() -> None:
    data = written(profile())
    marker = data["threads"][0]["markers"]
    assert data["shared"]["stringArray"][marker["name"][0]] == "org.example.SortTest#sorts"
    assert marker["data"][0]["energy_uj"] == 10_000_000 and marker["data"][0]["half_width_uj"] > 0


def test_each_component_has_a_counter_of_its_power() -> None:
    made = lit()
    data = written(made)
    assert abs(energy_uj(data) - 1e6 * made.energy_j()) <= len(made.tests) * len(made.components)
    for number, component in enumerate(made.components):
        own = [counter for counter in data["counters"] if counter["name"] == f"{component} power"]
        joules = sum(sum(counter["samples"]["count"]) for counter in own) * 3600 / 1e12
        assert joules == pytest.approx(made.totals.components[number], rel=1e-6)
        assert all(counter["display"]["unit"] == "pWh" for counter in own)


def test_samples_are_in_their_tests_when_calls_used_energy() -> None:
    made = load(GOLDEN, call_steps=True)
    data = written(made)
    own = [thread for thread in data["threads"] if not thread["isMainThread"]]
    spans = [span for thread in data["threads"] for span in range(thread["markers"]["length"])]
    assert sum(in_test(thread, n) for thread in data["threads"] for n in range(thread["markers"]["length"])) == energy_uj(data)
    assert spans and any(len(set(thread["samples"]["time"])) > 2 for thread in own)
    assert energy_uj(data) == pytest.approx(1e6 * made.energy_j(), abs=len(made.tests) * len(made.components))


@settings(max_examples=40)
@given(st.lists(st.floats(-3e-6, 9e-6), min_size=3, max_size=3), st.floats(-2e-6, 5e-6), st.floats(0, 1e-5))
def test_no_weight_is_below_zero(nodes_j: list[float], outside_j: float, base_j: float) -> None:
    tree = [NodeSpec(number - 1, number, 1, joules) for number, joules in enumerate(nodes_j)]
    thread = ThreadSpec(1, "main", sum(nodes_j) + outside_j, nodes=tree)
    made = profile(TestSpec("a.CTest", "t", 0, (thread,), base_j=base_j))
    assert abs(energy_uj(written(made)) - max(1e6 * made.energy_j(), 0)) <= 1


@settings(max_examples=40)
@given(st.lists(st.text(max_size=20), min_size=3, max_size=3), st.text(max_size=20))
def test_names_are_one_printable_line(names: list[str], thread: str) -> None:
    methods = MethodTable(tuple(replace(one, name=name, file=name) for one, name in zip(METHODS.methods, names, strict=True)), {})
    test = one_run(0, 10.0)
    test = replace(test, class_name=thread, threads=(replace(test.threads[0], name=thread), *test.threads[1:]))
    data = written(profile(test, methods=methods))
    assert all(map(is_printable, [*data["shared"]["stringArray"], *(thread["name"] for thread in data["threads"])]))


def test_a_hostile_profile() -> None:
    made = hostile_profile()
    data = written(made)
    assert all(map(is_printable, data["shared"]["stringArray"]))
    assert energy_uj(data) == pytest.approx(1e6 * made.energy_j(), abs=len(made.tests))


def test_energy_whose_time_is_unknown_is_in_the_middle_of_its_test() -> None:
    made = profile(with_nodes(one_run(0, 10.0), NodeSpec(-1, 0, 1, 1.0)))
    main = written(made)["threads"][1]
    assert main["samples"]["time"][: main["samples"]["length"]] and all(0 < t < 1000 for t in main["samples"]["time"])


def test_very_deep_calls(tmp_path: Path) -> None:
    make_deep_recording(tmp_path / "rec", 1_200)
    made = load(tmp_path / "rec", call_steps=True)
    data = written(made)
    deepest = max(range(data["shared"]["stackTable"]["length"]), key=lambda stack: len(stack_of(data, stack)))
    assert len(stack_of(data, deepest)) == max(Counter(_depths(made)))
    assert energy_uj(data) == pytest.approx(1e6 * made.energy_j(), abs=len(made.tests))


def _depths(made: Profile) -> list[int]:
    depths: list[int] = []
    for thread in (thread for test in made.tests for thread in test.threads):
        own: list[int] = []
        for node in thread.nodes:
            own.append(own[node.parent] + 1 if node.parent >= 0 else 1)
        depths += own
    return depths
