"""Drawing graphs of 500 and 10,000 modules with Navitas's own layout, and their costs, compared with writing them as DOT."""

from __future__ import annotations

import io
import sys
import time
from collections import Counter
from collections.abc import Callable
from random import Random
from typing import IO

from common import Figures, arguments

from navitas.insight.graph.graphviz import write_dot
from navitas.insight.graph.module_graph import OUTSIDE_MODULES, EdgeKind, ModuleEdge, ModuleGraph, ModuleNode
from navitas.insight.graph.svg_format import write_svg
from navitas.insight.graph.wake_ups import wake_ups

MAX_S = 5.0
_MODULES, _MESSAGES = 500, 2000


def main(argv: list[str]) -> int:
    """Report CPU times."""
    options = arguments(__doc__ or "", argv)
    figures = Figures("Graph")
    larger = ((_MODULES, 10 * _MESSAGES), (20 * _MODULES, 25 * _MESSAGES))
    for modules, edges in ((_MODULES, _MESSAGES), *(() if options.quick else larger)):
        made = graph_of(modules, edges)
        floor_s = cpu_s(made, write_dot)
        for what, work in (("layout and SVG", write_svg), ("costs of the edges shown", costs)):
            measured_s = cpu_s(made, work)
            note = f"{measured_s / floor_s:.0f} × writing DOT ({floor_s * 1000:.1f} ms)"
            name = f"{modules:,} modules, {len(made.edges):,} edges: {what}"
            figures.add(name, measured_s, "s", at_most=MAX_S if edges == _MESSAGES else None, note=note)
    return figures.close(options.check)


def costs(graph: ModuleGraph, _: IO[str]) -> None:
    """The costs that `navitas graph` prints."""
    wake_ups(graph, graph.edges)


def graph_of(modules: int, edges: int) -> ModuleGraph:
    """A random graph. Edges of the same ends and kind are one."""
    random, kinds = Random(3), list(EdgeKind)
    found: dict[tuple[str, str, str], ModuleEdge] = {}
    for _ in range(edges):
        sender, receiver = (f"org.example.app.M{random.randrange(modules)}" for _ in range(2))
        one = ModuleEdge(sender, receiver, random.choice(kinds), random.randint(1, 99), 0, 0, None, None, 0, 0.0)
        found[one.key] = one
    received = Counter({f"org.example.app.M{i}": 1 for i in range(modules)})
    for one in found.values():
        received[one.receiver] += one.count
    nodes = tuple(ModuleNode(name, float(i), (float(i),), received=received[name]) for i, name in enumerate(received))
    outside = ModuleNode(OUTSIDE_MODULES, 1.0, (1.0,))
    return ModuleGraph("made", ("cpu",), nodes, outside, tuple(found.values()), (), 1.0 + sum(range(modules)), 10**9, 1)


def cpu_s(graph: ModuleGraph, write: Callable[[ModuleGraph, IO[str]], None], rounds: int = 3) -> float:
    """The least CPU time of some rounds."""
    times = []
    for _ in range(rounds):
        begin = time.process_time()
        write(graph, io.StringIO())
        times.append(time.process_time() - begin)
    return min(times)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
