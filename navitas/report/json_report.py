"""The JSON report (docs/json-report.md, schema.json)."""

from __future__ import annotations

import json
from dataclasses import asdict
from importlib.resources import files
from typing import IO, Any

from navitas import __version__
from navitas.attribute.repeats import repeats_of
from navitas.attribute.result import Analysis, Evidence, MethodEnergy, Node, TestEnergy, ThreadEnergy
from navitas.parse.tables import MethodTable
from navitas.report.names import UNKNOWN_METHOD, method_of

SCHEMA_VERSION = 1


def schema() -> dict[str, Any]:
    """The report's JSON Schema (draft 2020-12)."""
    text = (files("navitas.report") / "schema.json").read_text("utf-8")
    loaded: dict[str, Any] = json.loads(text)
    return loaded


class JsonReport:
    """The whole analysis as one JSON object; `indent` None writes it on one line."""

    def __init__(self, indent: int | None = 1) -> None:
        self._indent = indent

    def render(self, analysis: Analysis, out: IO[str]) -> None:
        """Write the report with a final line feed."""
        json.dump(to_dict(analysis), out, indent=self._indent, allow_nan=False)
        out.write("\n")


def to_dict(analysis: Analysis) -> dict[str, Any]:
    """The report as plain data."""
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
        "repeats": _repeats(analysis),
        "tests": [_test(test, analysis.methods) for test in analysis.tests],
        "warnings": [asdict(notice) for notice in analysis.warnings],
    }


def _evidence(evidence: Evidence) -> dict[str, Any]:
    statistical = evidence.tick_ns is not None
    return {
        "level": evidence.level,
        "reasons": list(evidence.reasons),
        "time": "statistical" if statistical else "exact",
        **({"tick_ns": evidence.tick_ns} if statistical else {}),
    }


def _repeats(analysis: Analysis) -> list[dict[str, Any]]:
    return [
        {
            "module": group.module,
            "class": group.class_name,
            "method": group.method,
            "energies_j": [test.energy_j for test in group.tests],
            "median_j": group.median_j,
        }
        for group in repeats_of(analysis.tests)
    ]


def _test(test: TestEnergy, methods: MethodTable) -> dict[str, Any]:
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
        **_given(paper1_j=test.paper1_j),
        "threads": [_thread(thread, methods) for thread in test.threads],
    }


def _thread(thread: ThreadEnergy, methods: MethodTable) -> dict[str, Any]:
    return {
        "serial": thread.serial,
        "tid": thread.tid,
        "name": _text(thread.name),
        "role": thread.role,
        "count": thread.count,
        "energy_j": thread.energy_j,
        "cpu_ns": thread.cpu_ns,
        "untraced_j": thread.untraced_j,
        "probes_j": thread.probes_j,
        "methods": [_method(method, methods) for method in thread.methods],
        "nodes": [_node(node) for node in thread.nodes],
    }


def _method(energy: MethodEnergy, methods: MethodTable) -> dict[str, Any]:
    method = method_of(methods, energy.method)
    return {
        "id": energy.method,
        "module": method.module if method else "",
        "class": method.class_name if method else "",
        "name": method.name if method else UNKNOWN_METHOD,
        "descriptor": method.descriptor if method else "",
        "calls": energy.calls,
        "throws": energy.throws,
        "cut": energy.cut,
        "inclusive_j": energy.inclusive_j,
        "exclusive_j": energy.exclusive_j,
        "wall_ns": energy.wall_ns,
        "self_ns": energy.self_ns,
        "cpu_ns": energy.cpu_ns,
        **_given(
            paper1_j=energy.paper1_j,
            inclusive_error_j=energy.inclusive_error_j,
            exclusive_error_j=energy.exclusive_error_j,
        ),
    }


def _node(node: Node) -> dict[str, Any]:
    return {
        "id": node.id,
        "parent": node.parent,
        "method": node.method,
        "calls": node.calls,
        "inclusive_j": node.inclusive_j,
        "exclusive_j": node.exclusive_j,
        "wall_ns": node.wall_ns,
    }


def _given(**figures: float | None) -> dict[str, float]:
    return {name: joules for name, joules in figures.items() if joules is not None}


def _text(text: str) -> str:
    """Lone surrogates cannot be written as UTF-8."""
    return text.encode("utf-8", "replace").decode("utf-8")
