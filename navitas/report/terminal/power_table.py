"""Terminal charts and tables of power over time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from string import ascii_lowercase

import numpy as np

from navitas.base.units import counted, duration, joules, unbroken, watts
from navitas.base.untrusted_text import printable
from navitas.energy.analyze.profile import Profile
from navitas.energy.analyze.timeline import ComponentTimelines
from navitas.recording.parse.arrays import F64
from navitas.report.terminal.fitted_table import Column, FittedTable
from navitas.report.terminal.paragraph import Paragraph
from navitas.report.terminal.tests_table import TestNames

MOST_ROWS = 60
"""The largest number of steps that are listed as rows."""
_LEVELS = " ▁▂▃▄▅▆▇█"
_LEAST_CELLS, _MOST_CELLS, _OTHER_COLUMNS = 16, 60, 45
_TICK_CELLS = 10
"""The time axis has a label at every 10th step."""


def chart_cells(width: int) -> int:
    """Return how many steps a chart can have in a terminal of this width. Each step takes a cell."""
    return max(_LEAST_CELLS, min(_MOST_CELLS, width - _OTHER_COLUMNS))


@dataclass(frozen=True, slots=True)
class MarkedTest:
    """A test below a chart: its name, and its time in the run."""

    name: str
    start_ns: int
    end_ns: int


def marked_tests(profile: Profile, timelines: ComponentTimelines) -> list[MarkedTest]:
    """Return the tests of a timeline's run that ran, by start."""
    names, tests, run_start_ns = TestNames(profile), profile.ledger.tests, int(timelines.edges_ns[0])
    found = []
    for test in (test for test in profile.tests if test.run == timelines.run and test.wall_ns):
        (row,) = test.rows
        start_ns, end_ns = (int(column[row]) - run_start_ns for column in (tests.start_ns, tests.end_ns))
        found.append(MarkedTest(names.label(test).plain, start_ns, end_ns))
    return sorted(found, key=lambda test: test.start_ns)


def power_table(timelines: ComponentTimelines, tests: Sequence[MarkedTest]) -> FittedTable:
    """Return a row for each component: its power in each step, mean and highest power, and energy.

    Below are the time, and when tests ran.
    """
    length_ns = int(timelines.edges_ns[-1] - timelines.edges_ns[0])
    columns = [
        Column("Component", text=True),
        Column("Power over time", left=True),
        Column("Mean", drop=1),
        Column("Highest", drop=3),
        Column("Energy", drop=2),
    ]
    step = unbroken(duration(timelines.step_ns))
    module = f" of {printable(timelines.module, 60)}" if timelines.module not in ("", ":") else ""
    repeat = f"Run {timelines.run}{module}, repeat {timelines.repeat + 1}"
    title = f"{repeat}: {unbroken(duration(length_ns))} in steps of {step}. A full block is the component's highest power."
    table = FittedTable(title, columns)
    cells = len(timelines.energy_j)
    if not cells:
        return table
    power_w = timelines.power_w
    for column, name in enumerate(timelines.components):
        energy_j = float(timelines.energy_j[:, column].sum())
        figures = watts(energy_j / (length_ns / 1e9)), watts(float(power_w[:, column].max())), joules(energy_j)
        table.add(printable(name, 200), blocks(power_w[:, column]), *figures)
    table.add("Time", _axis(cells, timelines.step_ns), "", "", "")
    marks, named = _marks(tests, cells, timelines.step_ns)
    if named:
        table.add("Tests", marks, "", "", "")
    table.notes += [Paragraph(f"{letter}  {test.name}", style="dim", indent="   ") for letter, test in named]
    if others := len(tests) - len(named):
        table.notes.append(Paragraph(f"… {counted(others, 'test')} too short to mark", style="dim"))
    return table


def steps_table(timelines: ComponentTimelines) -> FittedTable:
    """Return a row for each step, with the mean power of each component, largest energy first."""
    order = np.argsort(-timelines.energy_j.sum(axis=0), kind="stable").tolist()
    several = len(order) > 1
    columns = [Column("From"), *([Column("Total")] if several else [])]
    columns += [Column(printable(timelines.components[i], 40), drop=rank if several else 0) for rank, i in enumerate(order, 1)]
    table = FittedTable("", columns, key_share=0.0)
    starts = (timelines.edges_ns[:-1] - timelines.edges_ns[0]).tolist()
    for start_ns, row in zip(starts, timelines.power_w, strict=True):
        total = [watts(float(row.sum()))] if several else []
        table.add(duration(start_ns), *total, *(watts(float(row[i])) for i in order))
    return table


def _axis(cells: int, step_ns: int) -> str:
    """Return the times at every 10th cell, where they fit."""
    line = ""
    for cell in range(0, cells, _TICK_CELLS):
        label = f"╵{duration(cell * step_ns)}"
        line = line.ljust(cell) + (label if cell + len(label) <= cells else "╵")
    return line.ljust(cells)


def _marks(tests: Sequence[MarkedTest], cells: int, step_ns: int) -> tuple[str, list[tuple[str, MarkedTest]]]:
    """Return a line with a letter where each test starts and a stroke until its end, and the tests with their letters.

    If several tests start in a cell, the longest one is marked. At most 26 are.
    """
    longest = sorted(tests, key=lambda test: test.start_ns - test.end_ns)
    starts: dict[int, MarkedTest] = {}
    for test in longest:
        if len(starts) < len(ascii_lowercase):
            starts.setdefault(min(test.start_ns // step_ns, cells - 1), test)
    line, named = [" "] * cells, []
    for letter, (cell, next_cell) in zip(ascii_lowercase, pairwise([*sorted(starts), cells]), strict=False):
        test = starts[cell]
        end = min(max(-(-test.end_ns // step_ns), cell + 1), next_cell)
        line[cell:end] = letter.ljust(end - cell, "─")
        named.append((letter, test))
    return "".join(line), named


def blocks(values: F64) -> str:
    """Draw values as blocks of an eighth to a full line. A value of 0 is a space; the largest value is a full block."""
    largest = float(values.max(initial=0.0))
    if largest <= 0:
        return " " * len(values)
    level = np.ceil(np.clip(values / largest, 0.0, 1.0) * 8 - 1e-9).astype(int)
    return "".join(_LEVELS[each] for each in level.tolist())
