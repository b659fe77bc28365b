"""Recordings without tests, and events of a map that another includes."""

from __future__ import annotations

from navitas.parse.methodmap import Span, spans
from navitas.parse.tables import Method, MethodTable
from navitas.recording.manifest import Map, Run


def test_an_included_maps_events_are_the_including_ones() -> None:
    methods = tuple(Method(i, ":", "a.C", f"m{i}", "()V", 1, "main", False) for i in range(3))
    table = MethodTable(methods, {"0" * 15 + "2": 0, "0" * 15 + "5": 2}, {"0" * 15 + "1": "0" * 15 + "2"})
    assert spans(table) == {2: Span(0, 2), 5: Span(2, 1), 1: Span(0, 2)}


def test_older_manifests_have_neither() -> None:
    assert Map(id="0" * 16, file="m", sha256="", module=":").includes == []
    run = {"id": 0, "module": ":", "repeat": 0, "package": "p", "map_id": "0" * 16, "exit": "complete"}
    assert Run.model_validate(run).whole is False
