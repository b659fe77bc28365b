"""Terminal tables of power over time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from rich.console import Console, ConsoleOptions, RenderResult

from navitas.base.units import duration, joules, unbroken, watts
from navitas.base.untrusted_text import printable
from navitas.energy.analyze.timeline import ComponentTimelines
from navitas.recording.parse.arrays import F64
from navitas.report.terminal.fitted_table import Column, FittedTable
from navitas.report.terminal.paragraph import Paragraph

_LEVELS = " ▁▂▃▄▅▆▇█"
_LEAST_CELLS, _MOST_CELLS, _OTHER_COLUMNS = 16, 60, 56
_MOST_ROWS = 60


@dataclass(frozen=True, slots=True)
class PowerOverTime:
    """The power of one run: a line of blocks for each component, and with `rows`, a row for each step if there are at most 60."""

    found: ComponentTimelines
    rows: bool = False

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        cells = max(_LEAST_CELLS, min(_MOST_CELLS, options.max_width - _OTHER_COLUMNS))
        yield power_table(self.found, cells)
        steps = len(self.found.energy_j)
        if self.rows and steps <= _MOST_ROWS:
            yield ""
            yield steps_table(self.found)
        elif self.rows:
            yield Paragraph(f"{steps:,} steps: too many for rows (see --json).", style="dim")


def power_table(found: ComponentTimelines, cells: int) -> FittedTable:
    """Return a row for each component: its power over time in blocks, mean and highest power, and energy."""
    length_ns = int(found.edges_ns[-1] - found.edges_ns[0])
    columns = [
        Column("Component", text=True),
        Column("Power over time"),
        Column("Mean", drop=1),
        Column("Highest", drop=2),
        Column("At", drop=4),
        Column("Energy", drop=3),
    ]
    step = unbroken(duration(found.step_ns))
    module = f" of {printable(found.module, 60)}" if found.module not in ("", ":") else ""
    title = f"Run {found.run}{module}, repeat {found.repeat + 1}: {unbroken(duration(length_ns))} in steps of {step}"
    table = FittedTable(title, columns)
    if not len(found.energy_j):
        return table
    power_w = found.power_w
    for column, name in enumerate(found.components):
        highest = int(np.argmax(power_w[:, column] >= power_w[:, column].max() * (1 - 1e-9)))  # the first, but for rounding
        energy_j = float(found.energy_j[:, column].sum())
        table.add(
            printable(name, 200),
            blocks(_per_cell(found, column, cells)),
            watts(energy_j / (length_ns / 1e9)),
            watts(float(power_w[highest, column])),
            duration(int(found.edges_ns[highest] - found.edges_ns[0])),
            joules(energy_j),
        )
    note = f"Each block is {unbroken(duration(length_ns / cells))}; a full block is the component's highest power."
    table.notes.append(Paragraph(note, style="dim"))
    return table


def steps_table(found: ComponentTimelines) -> FittedTable:
    """Return a row for each step, with the mean power of each component, largest energy first."""
    order = np.argsort(-found.energy_j.sum(axis=0), kind="stable").tolist()
    several = len(order) > 1
    columns = [Column("From"), *([Column("Total")] if several else [])]
    columns += [Column(printable(found.components[i], 40), drop=rank if several else 0) for rank, i in enumerate(order, 1)]
    table = FittedTable("", columns, key_share=0.0)
    starts = (found.edges_ns[:-1] - found.edges_ns[0]).tolist()
    for start_ns, row in zip(starts, found.power_w, strict=True):
        total = [watts(float(row.sum()))] if several else []
        table.add(duration(start_ns), *total, *(watts(float(row[i])) for i in order))
    return table


def _per_cell(found: ComponentTimelines, column: int, cells: int) -> F64:
    """Return the energy of one component in each of `cells` equal parts of the run. Energy is even within a step."""
    cumulative = np.concatenate([[0.0], np.cumsum(found.energy_j[:, column])])
    at_ns = found.edges_ns - found.edges_ns[0]
    return np.asarray(np.diff(np.interp(np.linspace(0, at_ns[-1], cells + 1), at_ns, cumulative)), np.float64)


def blocks(values: F64) -> str:
    """Draw values as blocks of an eighth to a full line. A value of 0 is a space; the largest value is a full block."""
    largest = float(values.max(initial=0.0))
    if largest <= 0:
        return " " * len(values)
    level = np.ceil(np.clip(values / largest, 0.0, 1.0) * 8 - 1e-9).astype(int)
    return "".join(_LEVELS[each] for each in level.tolist())
