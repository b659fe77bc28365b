"""Results of a fleet as tables for the terminal, and as JSON and CSV."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, TypeVar

import click
from rich.cells import cell_len
from rich.table import Table
from rich.text import Text

from navitas.cli.files import STDOUT, check_files, write_to
from navitas.cli.json_output import json_option, write_document
from navitas.cli.option import option
from navitas.cli.paths import WRITE_ANY_NAME
from navitas.cli.standard_output import output_console
from navitas.fleet.formulas import guarded
from navitas.fleet.results import Row, document
from navitas.untrusted_text import printable

F = TypeVar("F", bound=Callable[..., Any])
R = TypeVar("R", bound=Row)

_GAP = 2
_NAME_WIDTH = 16
"""Longest name that does not fold if room is short."""


@dataclass(frozen=True, slots=True)
class Outputs:
    """Output files of a result, and the number of rows of its table."""

    json: Path | None
    csv: Path | None
    top: int

    def check(self) -> None:
        """UsageError, before any work, if a file cannot be written."""
        check_files([path for path in (self.json, self.csv) if path is not None])

    def write(self, kind: type[R], rows: Sequence[R], **more: object) -> bool:
        """Write all rows to the files. Returns whether standard output is free for a table."""
        if self.json is not None:
            write_document(self.json, document(kind.KIND, rows, **more))
        if self.csv is not None:
            write_to(self.csv, lambda out: _csv(kind, rows, out))
        return STDOUT not in (self.json, self.csv)


def output_options(function: F) -> F:
    """Add `--json`, `--csv` and `--top`, which `take_outputs` collects."""
    decorators = (
        json_option,
        option("--csv", "csv_file", type=WRITE_ANY_NAME, metavar="FILE", help="Write CSV ('-': stdout)."),
        option("--top", type=click.IntRange(min=1), default=20, show_default=True, help="Rows in the table."),
    )
    for decorate in reversed(decorators):
        function = decorate(function)
    return function


def take_outputs(values: dict[str, Any]) -> Outputs:
    """Remove the output options from a command's keyword arguments. UsageError if a file cannot be written."""
    outputs = Outputs(values.pop("json_file"), values.pop("csv_file"), values.pop("top"))
    outputs.check()
    return outputs


def print_table(title: str, columns: dict[str, Callable[[R], str]], rows: Sequence[R], top: int, *, texts: int = 1) -> None:
    """Print the first rows: a column's title and what it shows; the first `texts` are names, the others figures.

    Figures without room on the terminal are left out whole, and named below the table.
    """
    console = output_console()
    if not rows:
        console.print(Text(title, style="bold"))
        return
    cells = {name: [printable(show(row)) for row in rows[:top]] for name, show in columns.items()}
    fitting = _fitting(cells, texts, console.width)
    table = Table(title=title, title_justify="left", title_style="bold", header_style="dim", box=None, pad_edge=False)
    for number, name in enumerate(fitting):
        if number < texts:
            table.add_column(name, overflow="fold", min_width=0 if number else _NAME_WIDTH)
        else:
            table.add_column(name, justify="right", no_wrap=True)
    for shown in zip(*(cells[name] for name in fitting), strict=True):
        table.add_row(*map(Text, shown))
    if len(rows) > top:
        table.add_row(Text(f"… {len(rows) - top:,} more", style="dim"))
    console.print(table)
    if left_out := [name for name in columns if name not in fitting]:
        console.print(Text(f"Not shown in {console.width} columns: {', '.join(left_out)}. --json has them.", style="dim"))


def _fitting(cells: Mapping[str, Sequence[str]], texts: int, width: int) -> list[str]:
    """The columns to show: all names, which fold where they must, and from the left each figure that still has room."""
    fitting, used = [], -_GAP
    for number, (name, column) in enumerate(cells.items()):
        needed = _GAP + max(map(cell_len, (name, *column)))
        if number < texts:
            needed = min(needed, _GAP + _NAME_WIDTH)
        if number < texts or used + needed <= width:
            fitting.append(name)
            used += needed
    return fitting


def _csv(kind: type[R], rows: Sequence[R], out: IO[str]) -> None:
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(kind.columns())
    writer.writerows([guarded(value) if isinstance(value, str) else value for value in row.as_json().values()] for row in rows)
