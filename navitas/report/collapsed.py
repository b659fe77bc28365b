"""Collapsed stacks (`thread;caller;callee µJ`) for flamegraph.pl, inferno and other tools."""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import IO

from navitas.base.untrusted_text import printable
from navitas.energy.analyze.call_words import call_words
from navitas.energy.analyze.names import MethodNames
from navitas.energy.analyze.profile import Profile
from navitas.report.bounded_stacks import DEEPER, BoundedStacks
from navitas.report.format import Format
from navitas.report.whole_energy import whole_energy


def write(profile: Profile, out: IO[str]) -> None:
    """Write one line for each stack, summed over all tests: thread and methods, outermost first, a space, self energy in µJ.

    Weights are whole microjoules (`whole_energy`). Stacks of 0 µJ are left out.
    """
    stacks: Counter[str] = Counter()
    tables, names, untraced = profile.tables, MethodNames(profile.method_table), call_words(profile.ledger).frame
    energy = whole_energy(tables)
    calls = BoundedStacks(tables.trees, energy.node_uj)
    frame_of = cache(lambda method: DEEPER if method is None else _frame(names.label(method)))
    for test in profile.tests:
        for tree, thread in enumerate(test.threads, int(tables.threads.start[test.rows[0]])):
            above = [_frame(thread.name)]
            for depth, method, components_uj in calls.of(tree):
                above[depth:] = [f"{above[depth - 1]};{frame_of(method)}"]
                stacks[above[depth]] += sum(components_uj)
            stacks[f"{above[0]};{untraced}"] += int(energy.thread_uj[tree].sum())
    out.writelines(f"{stack} {weight_uj}\n" for stack, weight_uj in stacks.items() if weight_uj)


FORMAT = Format(
    "collapsed", ".collapsed", "collapsed stacks in µJ for flamegraph.pl, inferno and others", write, shows_calls=True
)


def _frame(name: str) -> str:
    return printable(name, 1000).replace(";", ",") or "?"
