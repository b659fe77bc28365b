"""Collapsed stacks (`thread;caller;callee µJ`), what flamegraph.pl, inferno and others read."""

from __future__ import annotations

from collections import Counter
from typing import IO

from navitas.analyze.profile import Profile
from navitas.analyze.records import ThreadEnergy
from navitas.report.format import Format
from navitas.report.frames import J_TO_UJ, UNTRACED, walk
from navitas.report.names import MethodNames
from navitas.untrusted_text import printable

MOST_FRAMES = 500
"""What is called by a stack of so many methods stands below it as one frame: a line names its whole stack, so lines and their
length would both grow with the depth.
"""

DEEPER = f"(deeper than {MOST_FRAMES} calls)"


def write(profile: Profile, out: IO[str]) -> None:
    """One line a stack: thread and methods from the outermost on, a space, its own energy in whole µJ, over all tests.

    What is left of a stack below 1 µJ goes to its caller, so nothing is lost to rounding but the last µJ of a thread.
    """
    stacks: Counter[str] = Counter()
    names = _FrameNames(MethodNames(profile.method_table))
    for test in profile.tests:
        for thread in test.threads:
            _add(stacks, thread, names)
    for stack, weight_uj in stacks.items():
        out.write(f"{stack} {weight_uj}\n")


FORMAT = Format(
    "collapsed", ".collapsed", "collapsed stacks in µJ for flamegraph.pl, inferno and others", write, shows_calls=True
)


class _FrameNames:
    """Each method's frame, made once."""

    def __init__(self, names: MethodNames) -> None:
        self._names = names
        self._known: dict[int, str] = {}

    def of(self, method: int) -> str:
        if method not in self._known:
            self._known[method] = _frame(self._names.label(method))
        return self._known[method]


def _add(stacks: Counter[str], thread: ThreadEnergy, frames: _FrameNames) -> None:
    top = _frame(thread.name)
    path = [top]
    open_uj = [(thread.untraced_j + thread.probes_j) * J_TO_UJ]
    too_deep, too_deep_uj = 0, 0.0
    for step in walk(thread):
        if too_deep or (step.enters and len(path) > MOST_FRAMES):
            too_deep += 1 if step.enters else -1
            too_deep_uj += step.self_uj
        elif step.enters:
            path.append(frames.of(step.method))
            open_uj.append(step.self_uj)
        else:
            open_uj[-1] += _emit(stacks, [*path, DEEPER], too_deep_uj) if too_deep_uj else 0.0
            too_deep_uj = 0.0
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
