"""Files for flame graph tools: stacks are balanced and hold all the energy."""

from __future__ import annotations

import io
import json
from dataclasses import replace

import pytest
from analysis_maker import analysis, one_run

from navitas.analyze.profile import Profile
from navitas.analyze.records import Node
from navitas.parse.tables import MethodTable
from navitas.report.collapsed import CollapsedReport
from navitas.report.speedscope import SpeedscopeReport, to_dict


def collapsed(made: Profile) -> list[str]:
    out = io.StringIO()
    CollapsedReport().render(made, out)
    return out.getvalue().splitlines()


def test_collapsed_stacks() -> None:
    lines = collapsed(analysis())
    assert "main;org.example.SortTest.sorts 1000000" in lines
    assert "main;org.example.SortTest.sorts;org.example.Sorter.sort;org.example.Sorter.swap 1000000" in lines
    assert "main;(untraced) 500000" in lines
    assert "pool-#;(untraced) 750000" in lines
    assert len(lines) == 7


def test_collapsed_stacks_cannot_be_broken_by_names() -> None:
    for line in collapsed(analysis()):
        stack, _, weight = line.rpartition(" ")
        assert weight.isdigit()
        assert stack.count(";") in {1, 2, 3}


def test_collapsed_stacks_lose_less_than_a_microjoule_a_thread() -> None:
    test = one_run(0, 10.0)
    nodes = (Node(0, -1, 0, 1, 1e-4, 0.7e-6, 1), *(Node(i, 0, 1, 1, 0.7e-6, 0.7e-6, 1) for i in range(1, 101)))
    small = replace(test.threads[0], nodes=nodes, untraced_j=0.7e-6)
    weights = [int(line.rpartition(" ")[2]) for line in collapsed(analysis(replace(test, threads=(small,))))]
    assert sum(weights) == int(102 * 0.7)


def test_speedscope_events_are_balanced_and_hold_the_tests_energy() -> None:
    out = io.StringIO()
    SpeedscopeReport().render(analysis(one_run(0, 10.0), one_run(1, 12.0)), out)
    data = json.loads(out.getvalue())
    assert data["$schema"] == "https://www.speedscope.app/file-format-schema.json"
    assert [profile["endValue"] for profile in data["profiles"]] == pytest.approx([10e6, 12e6])
    for profile in data["profiles"]:
        assert (profile["type"], profile["unit"], profile["startValue"]) == ("evented", "none", 0)
        assert "µJ" in profile["name"]
        stack: list[int] = []
        before = 0.0
        for event in profile["events"]:
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
    assert all(0 <= event["frame"] < len(frames) for profile in data["profiles"] for event in profile["events"])


def test_frames_of_classes_with_one_name_in_two_modules_stay_apart() -> None:
    made = analysis()
    other = replace(made.methods.methods[1], id=2, module=":b")
    made = replace(made, methods=MethodTable((*made.methods.methods[:2], other), {}))
    names = {frame["name"] for frame in to_dict(made)["shared"]["frames"]}
    assert {": org.example.Sorter.sort", ":b org.example.Sorter.sort", "org.example.SortTest.sorts"} <= names
    assert any(";: org.example.Sorter.sort;:b org.example.Sorter.sort " in line for line in collapsed(made))
