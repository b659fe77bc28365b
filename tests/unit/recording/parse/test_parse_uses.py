"""Recordings without tests, and events of an included map."""

from __future__ import annotations

import numpy as np

from navitas.recording.manifest import Map, Run
from navitas.recording.parse.counters import Readings
from navitas.recording.parse.methodmap import Span, spans
from navitas.recording.parse.sampled_files import sum_of_clocks
from navitas.recording.parse.schedstat import parse_schedstats
from navitas.recording.parse.tables import CpuClock, Method, MethodTable


def test_events_of_an_included_map_belong_to_the_including_map() -> None:
    methods = tuple(Method(i, ":", "a.C", f"m{i}", "()V", 1, "main", False) for i in range(3))
    table = MethodTable(methods, {"0" * 15 + "2": 0, "0" * 15 + "5": 2}, {"0" * 15 + "1": "0" * 15 + "2"})
    assert spans(table) == {2: Span(0, 2), 5: Span(2, 1), 1: Span(0, 2)}


def test_older_manifests_parse() -> None:
    assert Map(id="0" * 16, file="m", sha256="", module=":").includes == []
    run = {"id": 0, "module": ":", "repeat": 0, "package": "p", "map_id": "0" * 16, "exit": "complete"}
    assert Run.model_validate(run).whole is False


def test_clocks_of_two_processes_are_summed() -> None:
    one = CpuClock(np.array([0, 10, 20]), np.array([5, 10, 15]))
    other = CpuClock(np.array([10, 20]), np.array([100, 130]))
    both = sum_of_clocks([one, other])
    assert both.t_ns.tolist() == [0, 10, 20]
    assert both.cpu_ns.tolist() == [0, 5, 40]
    assert sum_of_clocks([one]) is one


def test_each_process_lists_only_its_own_threads() -> None:
    one = Readings([10, 30], [b"7 5 0 1 a", b"7 9 0 2 a"], [10, 30])
    other = Readings([20, 40], [b"8 1 0 1 b", b"8 2 0 2 b"], [20, 40])
    lives, torn = parse_schedstats([one, other])
    assert torn == 0
    assert {tid: [life.clock.t_ns.tolist() for life in found] for tid, found in lives.items()} == {7: [[10, 30]], 8: [[20, 40]]}
