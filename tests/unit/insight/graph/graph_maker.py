"""Small runs with communications between modules: every core-second costs 0.1 J, nothing else does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from attribution_maker import PLAIN, manifest, ns
from hardware_maker import ABOUT

from navitas.energy.analyze.profile import Profile
from navitas.energy.attribute.build import build_ledger, joined_messages, module_messages
from navitas.energy.attribute.calls.paths import Paths
from navitas.energy.attribute.calls.run_calls import RunCalls
from navitas.energy.attribute.ledger import ModuleMessages
from navitas.insight.graph.build_graph import module_graph
from navitas.insight.graph.module_graph import EdgeKind, ModuleGraph
from navitas.recording.manifest import Run
from navitas.recording.parse.communication_records import CommunicationKind, Communications
from navitas.recording.parse.hook_calls import NO_NODE
from navitas.recording.parse.parsed_recording import ParsedRecording
from navitas.recording.parse.tables import AppTables, Method, MethodTable, RunTables

K = CommunicationKind
Edge = tuple[str, str, str, int]


class Row(NamedTuple):
    """One communication."""

    ms: float
    kind: int
    module: str = ""
    token: int = 0
    flags: int = 0
    period_ms: int = 0
    target: str = ""
    action: str = ""
    thread: int = 0
    process: int = 0
    node: int = NO_NODE


def communications(rows: Sequence[Row]) -> Communications:
    """The table of rows, sorted by time."""
    found = sorted(rows, key=lambda row: row.ms)
    names = {"": 0}

    def number(name: str) -> int:
        return names.setdefault(name, len(names))

    texts = [[number(text) for text in (row.module, row.target, row.action)] for row in found]
    integers = [(row.thread, row.process, ns(row.ms), row.token, row.period_ms, row.node) for row in found]
    thread, process, t_ns, token, period_ms, node = np.array(integers, np.int64).reshape(-1, 6).T
    module, target, action = np.array(texts, np.int64).reshape(-1, 3).T
    kind, flags = (np.array([getattr(row, name) for row in found], np.int32) for name in ("kind", "flags"))
    return Communications(thread, process, t_ns, token, kind, flags, period_ms, node, module, target, action, tuple(names))


def messages(*runs: Sequence[Row]) -> ModuleMessages:
    """The ledger's messages of runs without threads."""
    parts = []
    for number, rows in enumerate(runs):
        table = communications([row._replace(thread=-1) for row in rows])
        empty = RunTables(number, 0, 0, app=AppTables(communications=table))
        parts.append(module_messages(number, 0, RunCalls(empty, Paths(1))))
    return joined_messages(parts)


def profile_with(methods: Sequence[str], *runs: RunTables, baseline: Sequence[int] = ()) -> Profile:
    """The profile of runs whose methods are given as `a.b.C#name`, or with a descriptor, as `a.b.C#name(I)V`."""
    listed = [(f"{method}()V" if "(" not in method else method).replace("#", "(", 1).split("(", 2) for method in methods]
    table = MethodTable(
        tuple(
            Method(i, ":", name, called, f"({rest}", 10 + i, "main", False, name.split(".")[-1].split("$")[0] + ".java")
            for i, (name, called, rest) in enumerate(listed)
        ),
        {},
    )
    numbered = tuple(replace(run, run_id=number) for number, run in enumerate(runs))
    made = manifest(len(runs[0].app.windows))
    tests = [test.model_copy(update={"run": number}) for number in range(len(runs)) for test in made.tests]
    fields = {"module": ":", "package": "a", "map_id": "0", "exit": "complete", "repeat": 0}
    described = [Run.model_validate({"id": number, "baseline": number in baseline, **fields}) for number in range(len(runs))]
    made = made.model_copy(update={"tests": tests, "runs": described})
    return Profile(build_ledger(ParsedRecording(table, numbered, (), ()), made, PLAIN), ABOUT)


def graph_of(methods: Sequence[str], *runs: RunTables) -> ModuleGraph:
    """The graph of such runs."""
    return module_graph(profile_with(methods, *runs))


def edges_of(graph: ModuleGraph) -> set[Edge]:
    """Sender, receiver, kind and count of all edges."""
    return {(edge.sender, edge.receiver, edge.kind.value, edge.count) for edge in graph.edges}


def unmatched_of(graph: ModuleGraph) -> set[tuple[str, str, str, int]]:
    """Module, kind, reason and count of all unmatched messages."""
    return {(one.module, one.kind, one.reason, one.count) for one in graph.unmatched}


NORMAL, PERIODIC, BROADCAST, SYSTEM_BROADCAST, BIND, RESULT = (kind.value for kind in EdgeKind)
