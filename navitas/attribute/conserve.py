"""Energy is conserved: the sums that must agree in every result."""

from __future__ import annotations

from collections.abc import Iterator
from math import fsum

from navitas.attribute.result import Analysis, Nodes, TestEnergy, ThreadEnergy, Totals

TOLERANCE = 1e-9


def check(analysis: Analysis) -> list[str]:
    """Every sum that is off by more than 1e-9 of its total, in words; empty when energy is conserved."""
    found = [problem for test in analysis.tests for problem in _of_test(test)]
    return [*found, *_of_totals(analysis.totals, analysis.tests)]


def _of_test(test: TestEnergy) -> Iterator[str]:
    name = f"test {test.class_name}#{test.method} in runs/{test.run}"
    parts = [*(thread.energy_j for thread in test.threads), test.other_processes_j, test.idle_j, test.unattributed_j]
    yield from _off(f"{name}: threads, others, idle and unattributed", fsum(parts), test.energy_j, test.energy_j)
    for thread in test.threads:
        yield from _of_thread(f"{name}, thread {thread.name}", thread, test.energy_j)


def _of_thread(name: str, thread: ThreadEnergy, scale: float) -> Iterator[str]:
    """Sums within a thread; `scale` is the test's energy, in whose rounding a thread that used next to nothing may lie."""
    scale = max(thread.energy_j, scale * TOLERANCE)
    beside = thread.probes_j + thread.untraced_j
    methods = fsum(method.exclusive_j for method in thread.methods) + beside
    parent, _, _, inclusive_j, exclusive_j, _ = Nodes.of(thread.nodes).columns
    nodes = fsum(exclusive_j.tolist()) + beside
    roots = fsum(inclusive_j[parent < 0].tolist()) + beside
    yield from _off(f"{name}: exclusive energies of methods, probes and untraced", methods, thread.energy_j, scale)
    yield from _off(f"{name}: exclusive energies of nodes, probes and untraced", nodes, thread.energy_j, scale)
    yield from _off(f"{name}: call tree roots, probes and untraced", roots, thread.energy_j, scale)


def _of_totals(totals: Totals, tests: tuple[TestEnergy, ...]) -> Iterator[str]:
    parts = totals.threads_j + totals.other_processes_j + totals.idle_j + totals.unattributed_j
    yield from _off("total: threads, others, idle and unattributed", parts, totals.energy_j, totals.energy_j)
    by_test = fsum(test.energy_j for test in tests) + totals.outside_tests_j
    yield from _off("total: tests and what lies outside of them", by_test, totals.energy_j, totals.energy_j)


def _off(what: str, found: float, expected: float, scale: float) -> Iterator[str]:
    if not abs(found - expected) <= TOLERANCE * abs(scale):
        yield f"{what} add up to {found!r} J, not {expected!r} J"
