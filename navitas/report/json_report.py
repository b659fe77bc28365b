"""The JSON report (docs/json-report.md, schema.json)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from importlib.resources import files
from math import isfinite
from typing import IO, Any

import numpy as np

from navitas import __version__
from navitas.attribute.classes import by_class, is_by_class
from navitas.attribute.repeats import repeats_of
from navitas.attribute.result import Analysis, Evidence, MethodEnergy, Nodes, TestEnergy, ThreadEnergy
from navitas.parse.tables import MethodTable
from navitas.report.json_text import Lines, line, written
from navitas.report.names import UNKNOWN_METHOD, method_of

SCHEMA_VERSION = 1
_NOT_FINITE = "Out of range float values are not JSON compliant"
# A line of numbers costs a third of what an encoder takes, and there may be millions; 12 digits of a figure are exact enough.
_NODE = '{"id": %d, "parent": %d, "method": %d, "calls": %d, "inclusive_j": %.12g, "exclusive_j": %.12g, "wall_ns": %d}'
_GIVEN = ("paper1_j", "inclusive_error_j", "exclusive_error_j", "raw_inclusive_j", "raw_exclusive_j")
_NONE_GIVEN = (None,) * len(_GIVEN)
_METHOD = (
    '{%s, "calls": %d, "throws": %d, "cut": %d, "inclusive_j": %.12g, "exclusive_j": %.12g, '
    '"wall_ns": %d, "self_ns": %d, "cpu_ns": %d%s}'
)


def schema() -> dict[str, Any]:
    """The report's JSON Schema (draft 2020-12)."""
    text = (files("navitas.report") / "schema.json").read_text("utf-8")
    loaded: dict[str, Any] = json.loads(text)
    return loaded


class JsonReport:
    """The whole analysis as one JSON object; a method or a node is one line."""

    def render(self, analysis: Analysis, out: IO[str]) -> None:
        """Write the report with a final line feed, test by test. ValueError for a figure that is not finite."""
        out.writelines(written(_report(analysis)))
        out.write("\n")


def to_dict(analysis: Analysis) -> dict[str, Any]:
    """The report as plain data."""
    loaded: dict[str, Any] = json.loads("".join(written(_report(analysis))))
    return loaded


def _report(analysis: Analysis) -> dict[str, Any]:
    names = _Names(analysis.methods)
    totals = {name: value for name, value in asdict(analysis.totals).items() if value is not None}
    return {
        "schema_version": SCHEMA_VERSION,
        "navitas_version": __version__,
        "project": analysis.project,
        "device": dict(analysis.device),
        "evidence": _evidence(analysis.evidence),
        "settings": dict(analysis.settings),
        "power_profile": dict(analysis.power_profile),
        "voltage_v": analysis.voltage_v,
        "battery_mah": analysis.battery_mah,
        "totals": totals,
        "repeats": _repeats(analysis.tests),
        **({"classes": _repeats(by_class(analysis.tests))} if is_by_class(analysis) else {}),
        "tests": (_test(test, names) for test in analysis.tests),
        "warnings": [asdict(notice) for notice in analysis.warnings],
        "losses": [{name: value for name, value in asdict(lost).items() if value is not None} for lost in analysis.losses],
    }


def _evidence(evidence: Evidence) -> dict[str, Any]:
    statistical = evidence.tick_ns is not None
    return {
        "level": evidence.level,
        "reasons": list(evidence.reasons),
        "time": "statistical" if statistical else "exact",
        **({"tick_ns": evidence.tick_ns} if statistical else {}),
    }


def _repeats(tests: Sequence[TestEnergy]) -> list[dict[str, Any]]:
    return [
        {
            "module": group.module,
            "class": group.class_name,
            "method": group.method,
            "energies_j": [test.energy_j for test in group.tests],
            "median_j": group.median_j,
        }
        for group in repeats_of(tests)
    ]


def _test(test: TestEnergy, names: _Names) -> dict[str, Any]:
    return {
        "id": test.id,
        "run": test.run,
        "module": test.module,
        "class": test.class_name,
        "method": test.method,
        "repeat": test.repeat,
        "status": test.status,
        "wall_ns": test.wall_ns,
        "energy_j": test.energy_j,
        "other_processes_j": test.other_processes_j,
        "idle_j": test.idle_j,
        "unattributed_j": test.unattributed_j,
        "compensated_j": test.compensated_j,
        **_given(
            compensated_error_j=test.compensated_error_j,
            probes_error_j=test.probes_error_j,
            sampled_probes_j=test.sampled_probes_j,
            paper1_j=test.paper1_j,
            unprobed_j=test.unprobed_j,
            unprobed_threads_j=test.unprobed_threads_j,
        ),
        "threads": (_thread(thread, names) for thread in test.threads),
    }


def _thread(thread: ThreadEnergy, names: _Names) -> dict[str, Any]:
    return {
        "serial": thread.serial,
        "tid": thread.tid,
        "name": thread.name,
        "role": thread.role,
        "count": thread.count,
        "energy_j": thread.energy_j,
        "cpu_ns": thread.cpu_ns,
        "untraced_j": thread.untraced_j,
        "probes_j": thread.probes_j,
        "methods": Lines(_method(method, names) for method in thread.methods),
        "nodes": Lines(_nodes(Nodes.of(thread.nodes))),
    }


class _Names:
    """What each method's entries begin with, made once."""

    def __init__(self, methods: MethodTable) -> None:
        self._methods = methods
        self._known: dict[int, str] = {}

    def of(self, index: int) -> str:
        if index not in self._known:
            method = method_of(self._methods, index)
            fields = {
                "id": index,
                "module": method.module if method else "",
                "class": method.class_name if method else "",
                "name": method.name if method else UNKNOWN_METHOD,
                "descriptor": method.descriptor if method else "",
            }
            self._known[index] = line(fields)[1:-1]
        return self._known[index]


def _method(energy: MethodEnergy, names: _Names) -> str:
    if not isfinite(energy.inclusive_j + energy.exclusive_j):
        raise ValueError(_NOT_FINITE)
    counts = (energy.calls, energy.throws, energy.cut)
    times = (energy.wall_ns, energy.self_ns, energy.cpu_ns)
    given = (
        energy.paper1_j,
        energy.inclusive_error_j,
        energy.exclusive_error_j,
        energy.raw_inclusive_j,
        energy.raw_exclusive_j,
    )
    more = (
        ""
        if given == _NONE_GIVEN
        else "".join(f', "{key}": {j:.12g}' for key, j in zip(_GIVEN, given, strict=True) if j is not None)
    )
    return _METHOD % (names.of(energy.method), *counts, energy.inclusive_j, energy.exclusive_j, *times, more)


def _nodes(nodes: Nodes) -> Iterator[str]:
    if not all(np.isfinite(column).all() for column in nodes.columns):
        raise ValueError(_NOT_FINITE)
    return map(_NODE.__mod__, zip(range(len(nodes)), *(column.tolist() for column in nodes.columns), strict=True))


def _given(**figures: float | None) -> dict[str, float]:
    return {name: joules for name, joules in figures.items() if joules is not None}
