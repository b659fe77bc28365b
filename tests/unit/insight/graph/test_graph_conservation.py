"""Whatever happens in a run, the energies of modules and of what no module ran add up to that of the app's threads."""

from __future__ import annotations

from dataclasses import replace
from math import fsum
from random import Random

import numpy as np
import pytest
from graph_maker import K, Row, communications, profile_with
from hypothesis import given
from hypothesis import strategies as st
from support.run_tables import changed
from test_handed_tasks import random_handoffs
from traces import METHODS, as_folded, random_run

from navitas.energy.attribute.calls.paths import OUTSIDE
from navitas.energy.attribute.component import OwnerKind
from navitas.insight.graph.build_graph import module_graph
from navitas.insight.graph.module_graph import ModuleGraph
from navitas.insight.graph.module_paths import CALLBACKS

NAMES = [f"p.M{i % 3}#{name}" for i, name in enumerate(("onCreate", "onReceive", "run", "lambda$a$0", "onStartCommand"))]
LISTED = [*NAMES, *(f"p.M{i % 3}$1#{name}" for i, name in enumerate(("run", "onClick"))), *(f"p.X#m{i}" for i in range(METHODS))]


def check(graph: ModuleGraph, total_j: float) -> None:
    parts = [node.energy_j for node in graph.nodes]
    assert fsum([*parts, graph.outside.energy_j]) == pytest.approx(total_j, rel=1e-9, abs=1e-12)
    assert graph.energy_j == pytest.approx(total_j, rel=1e-9, abs=1e-12)
    assert min(parts, default=0.0) >= -1e-9 * max(total_j, 1.0) and fsum(parts) <= total_j * (1 + 1e-9) + 1e-12
    for node in (*graph.nodes, graph.outside):
        assert fsum(node.components) == pytest.approx(node.energy_j, rel=1e-9, abs=1e-12)


@given(st.integers(0, 2**32))
def test_energy_is_conserved(seed: int) -> None:
    random = Random(seed)
    made = random_run(random, cut=random.random() < 0.3)
    if random.random() < 0.4:
        made = replace(made, threads=tuple(map(as_folded, made.threads)))
    end_ms = (made.end_ns - made.start_ns) / 1e6
    rows = [
        Row(
            random.uniform(0, end_ms),
            random.choice([*map(int, K), 99]),
            random.choice(["", "p.M0", "p.M1", "p.M2", "p.X"]),
            random.randint(0, 4),
            random.randint(0, 63),
            random.choice([0, 10]),
            thread=random.randrange(-1, len(made.threads)),
        )
        for _ in range(random.randint(1, 30))
    ]
    handed = random_handoffs(random, made, random.randint(0, 30)) if random.random() < 0.8 else None
    made = changed(made, communications=communications(rows), handoffs=handed)
    profile = profile_with(random.sample(LISTED, METHODS), made)
    check(module_graph(profile), profile.totals.threads_j)


@given(st.integers(0, 2**32))
def test_modules_agree_with_a_slow_walk_up_each_path(seed: int) -> None:
    """Without handed work: each path belongs to its innermost callback, found caller by caller."""
    random = Random(seed)
    made = random_run(random, cut=random.random() < 0.3)
    rows = [Row(1, K.RECEIVE, f"p.M{i}", 0, 32, thread=-1) for i in range(3)]
    listed = random.sample(LISTED, METHODS)
    profile = profile_with(listed, changed(made, communications=communications(rows)))
    graph, ledger = module_graph(profile), profile.ledger
    slow = dict.fromkeys(("p.M0", "p.M1", "p.M2"), 0.0)
    kind = ledger.owners.kind[ledger.energy.owner]
    for row in np.flatnonzero(kind == OwnerKind.THREAD).tolist():
        path = int(ledger.energy.path[row])
        while path > OUTSIDE + 1:
            name, _, method = listed[int(ledger.paths.method[path])].partition("#")
            caller = int(ledger.paths.parent[path])
            owner = name.partition("$")[0]
            if owner in slow and ((name == owner and method in CALLBACKS) or caller == OUTSIDE):
                slow[owner] += float(ledger.energy.exclusive_j[row])
                break
            path = caller
    assert {node.name: node.energy_j for node in graph.nodes} == pytest.approx(slow, rel=1e-9, abs=1e-9)
