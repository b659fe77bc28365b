"""Collapsed stacks (`thread;caller;callee µJ`) for flamegraph.pl, inferno and other tools."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import cache
from typing import IO

from navitas.base.units import UJ_PER_J
from navitas.base.untrusted_text import printable
from navitas.energy.analyze.names import MethodNames
from navitas.energy.analyze.profile import Profile
from navitas.energy.analyze.records import ThreadEnergy
from navitas.report.format import Format
from navitas.report.speedscope import UNTRACED, walk

MAX_DEPTH = 500
"""The maximum depth of a stack. Deeper calls are merged into one frame.

Each line contains its full stack, so the file's size grows with the square of the depth.
"""

DEEPER = f"(deeper than {MAX_DEPTH} calls)"


def write(profile: Profile, out: IO[str]) -> None:
    """Write one line for each stack, summed over all tests: thread and methods, outermost first, a space, self energy in µJ.

    Weights are integers. The remainder below 1 µJ is added to the caller, so a thread loses less than 1 µJ to rounding.
    """
    stacks: Counter[str] = Counter()
    names = MethodNames(profile.method_table)
    frame_of = cache(lambda method: _frame(names.label(method)))
    for test in profile.tests:
        for thread in test.threads:
            _add(stacks, thread, frame_of)
    for stack, weight_uj in stacks.items():
        out.write(f"{stack} {weight_uj}\n")


FORMAT = Format(
    "collapsed", ".collapsed", "collapsed stacks in µJ for flamegraph.pl, inferno and others", write, shows_calls=True
)


def _add(stacks: Counter[str], thread: ThreadEnergy, frame_of: Callable[[int], str]) -> None:
    top = _frame(thread.name)
    path = [top]
    open_self_uj = [(thread.untraced_j + thread.probes_j) * UJ_PER_J]
    too_deep, too_deep_uj = 0, 0.0
    for step in walk(thread):
        if too_deep or (step.enters and len(path) > MAX_DEPTH):
            too_deep += 1 if step.enters else -1
            too_deep_uj += step.self_uj
        elif step.enters:
            path.append(frame_of(step.method))
            open_self_uj.append(step.self_uj)
        else:
            open_self_uj[-1] += _emit(stacks, [*path, DEEPER], too_deep_uj) if too_deep_uj else 0.0
            too_deep_uj = 0.0
            remainder_uj = _emit(stacks, path, open_self_uj.pop())
            open_self_uj[-1] += remainder_uj
            path.pop()
    _emit(stacks, [top, UNTRACED], open_self_uj[0])


def _emit(stacks: Counter[str], path: list[str], weight_uj: float) -> float:
    """Add the integer part of a stack's weight. Returns the remainder."""
    whole_uj = int(weight_uj)
    if whole_uj > 0:
        stacks[";".join(path)] += whole_uj
    return weight_uj - whole_uj


def _frame(name: str) -> str:
    return printable(name, 1000).replace(";", ",") or "?"
