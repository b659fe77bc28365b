"""Files for flame graph tools: stacks are balanced and contain all energy."""

from __future__ import annotations

from dataclasses import replace

import pytest
from profile_maker import METHODS, one_run, profile
from support.ledger_maker import NodeSpec, ThreadSpec
from support.reports import data_of, text_of

from navitas.energy.analyze.profile import Profile
from navitas.recording.parse.tables import MethodTable
from navitas.report import collapsed, speedscope


def lines_of(made: Profile) -> list[str]:
    return text_of(collapsed.write, made).splitlines()


def test_collapsed_stacks() -> None:
    lines = lines_of(profile())
    assert "main;org.example.SortTest.sorts 1000000" in lines
    assert "main;org.example.SortTest.sorts;org.example.Sorter.sort;org.example.Sorter.swap 1000000" in lines
    assert "main;(untraced) 500000" in lines
    assert "pool-#;(untraced) 750000" in lines
    assert len(lines) == 7


def test_collapsed_stacks_lose_less_than_a_microjoule_per_thread() -> None:
    nodes = [NodeSpec(-1, 0, 1, 0.7e-6), *(NodeSpec(0, method, 1, 0.7e-6) for method in range(1, 101))]
    small = replace(one_run(0, 10.0), threads=(ThreadSpec(1, "main", 102 * 0.7e-6, nodes=nodes),))
    many = tuple(replace(METHODS.methods[1], id=i, name=f"m{i}") for i in range(101))
    weights = [int(line.rpartition(" ")[2]) for line in lines_of(profile(small, methods=MethodTable(many, {})))]
    assert sum(weights) == int(102 * 0.7)


def test_speedscope_events_are_balanced_and_contain_the_tests_energy() -> None:
    data = data_of(speedscope.write, profile(one_run(0, 10.0), one_run(1, 12.0)))
    assert data["$schema"] == "https://www.speedscope.app/file-format-schema.json"
    assert [test["endValue"] for test in data["profiles"]] == pytest.approx([10e6, 12e6])
    for test in data["profiles"]:
        assert (test["type"], test["unit"], test["startValue"]) == ("evented", "none", 0)
        assert "µJ" in test["name"]
        stack: list[int] = []
        before = 0.0
        for event in test["events"]:
            assert event["at"] >= before
            before = event["at"]
            if event["type"] == "O":
                stack.append(event["frame"])
            else:
                assert stack.pop() == event["frame"]
        assert stack == []
    frames = data["shared"]["frames"]
    assert all(set(frame) <= {"name", "file", "line", "col"} for frame in frames)
    assert {"name": "org.example.Sorter.sort", "file": "org.example.Sorter", "line": 34} in frames
    assert all(0 <= event["frame"] < len(frames) for test in data["profiles"] for event in test["events"])


def test_frames_are_distinct_for_classes_of_the_same_name() -> None:
    other = replace(METHODS.methods[1], id=2, module=":b")
    made = profile(methods=MethodTable((*METHODS.methods[:2], other), {}))
    names = {frame["name"] for frame in data_of(speedscope.write, made)["shared"]["frames"]}
    assert {": org.example.Sorter.sort", ":b org.example.Sorter.sort", "org.example.SortTest.sorts"} <= names
    assert any(";: org.example.Sorter.sort;:b org.example.Sorter.sort " in line for line in lines_of(made))
