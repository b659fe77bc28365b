"""Collapsed stacks (`thread;caller;callee µJ`), what flamegraph.pl, inferno and others read."""

from __future__ import annotations

from collections import Counter
from typing import IO

from navitas.attribute.result import Analysis, ThreadEnergy
from navitas.report.frames import J_TO_UJ, UNTRACED, walk
from navitas.report.names import MethodNames, printable


class CollapsedReport:
    """One line a stack: thread and methods from the outermost on, a space, its own energy in whole µJ, over all tests.

    What is left of a stack below 1 µJ goes to its caller, so nothing is lost to rounding but the last µJ of a thread.
    """

    def render(self, analysis: Analysis, out: IO[str]) -> None:
        """Write the file; nothing for an analysis without threads."""
        stacks: Counter[str] = Counter()
        names = MethodNames(analysis.methods)
        for test in analysis.tests:
            for thread in test.threads:
                _add(stacks, thread, names)
        for stack, weight_uj in stacks.items():
            out.write(f"{stack} {weight_uj}\n")


def _add(stacks: Counter[str], thread: ThreadEnergy, names: MethodNames) -> None:
    top = _frame(thread.name)
    path = [top]
    open_uj = [(thread.untraced_j + thread.probes_j) * J_TO_UJ]
    for step in walk(thread):
        if step.enters:
            path.append(_frame(names.label(thread.nodes[step.node].method)))
            open_uj.append(step.self_uj)
        else:
            left_over = _emit(stacks, path, open_uj.pop())
            open_uj[-1] += left_over
            path.pop()
    _emit(stacks, [top, UNTRACED], open_uj[0])


def _emit(stacks: Counter[str], path: list[str], weight_uj: float) -> float:
    """Add a stack's whole µJ; returns what is left over."""
    whole = int(weight_uj)
    if whole > 0:
        stacks[";".join(path)] += whole
    return weight_uj - whole


def _frame(name: str) -> str:
    return printable(name, 1000).replace(";", ",") or "?"
