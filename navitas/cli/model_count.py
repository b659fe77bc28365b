"""`navitas model count`: how often each operation was executed."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Literal

import click
import numpy as np

from navitas.cli.commands import NavitasCommand
from navitas.cli.counted_input import Counted, counted_options, read_counted
from navitas.cli.counted_tables import counts_table
from navitas.cli.files import STDOUT, check_files, write_to
from navitas.cli.json_output import json_option, write_json
from navitas.cli.option import option
from navitas.cli.paths import WRITE_ANY_NAME
from navitas.cli.standard_output import output_console
from navitas.parse.arrays import I64
from navitas.untrusted_text import guarded, printable

By = Literal["test", "thread", "method"]
_LONGEST = 10_000
_KEYS = ("module", "test", "run", "repeat", "status", "wall_s")


@click.command("count", cls=NavitasCommand, example="navitas model count RECORDING --census census.json -o counts.csv")
@counted_options
@option(
    "--by",
    type=click.Choice(["test", "thread", "method"]),
    default="test",
    show_default=True,
    help="A row for each run of a test, and for each of its threads or methods.",
)
@option("-o", "--output", type=WRITE_ANY_NAME, metavar="FILE", section="Output", help="Write CSV ('-': stdout).")
@json_option
def command(
    *, recording: Path, census: Path, tests: tuple[str, ...], by: By, output: Path | None, json_file: Path | None
) -> None:
    """Count the executions of each operation in each test.

    RECORDING is one of navitas profile --granularity block. CSV has a column for each operation. JSON leaves out those that did
    not run.
    """
    check_files([path for path in (output, json_file) if path is not None])
    counted = read_counted(recording, census, tests)

    def render(out: IO[str]) -> None:
        writer = csv.writer(out, lineterminator="\n")
        keys = [*_KEYS, *([] if by == "test" else [by])]
        used = np.flatnonzero(counted.executions)
        writer.writerow([*keys, *(counted.program.names[i] for i in used.tolist())])
        writer.writerows([*(_cell(key[name]) for name in keys), *vector[used].tolist()] for key, vector in _rows(counted, by))

    if output is not None:
        write_to(output, render)
    if json_file is not None:
        rows = [{**key, "operations": _ran(counted, each)} for key, each in _rows(counted, by)]
        write_json(json_file, recording=str(recording), rows=rows)
    if STDOUT not in (output, json_file):
        output_console().print(counts_table(counted.program, counted.executions))


def _cell(value: str | float) -> str | float:
    return guarded(printable(value, _LONGEST)) if isinstance(value, str) else value


def _ran(counted: Counted, vector: I64) -> dict[str, int]:
    return {name: count for name, count in zip(counted.program.names, vector.tolist(), strict=True) if count}


def _rows(counted: Counted, by: By) -> Iterator[tuple[dict[str, str | int | float], I64]]:
    program = counted.program
    for test in counted.tests:
        key: dict[str, str | int | float] = {
            "module": test.module,
            "test": test.name,
            "run": test.run,
            "repeat": test.repeat,
            "status": test.status,
            "wall_s": round(test.wall_s, 9),
        }
        if by == "test":
            yield key, program.executions(test)
        elif by == "method":
            for row, counters in sorted(test.by_method().items()):
                if row in program.methods:
                    yield {**key, "method": program.methods[row].name}, program.of_counters({row: counters})
        else:
            for thread in sorted({place for place, _ in test.counters}):
                counters_of = {row: counts for (place, row), counts in test.counters.items() if place == thread}
                name = test.threads[thread] if thread >= 0 else "unknown"
                yield {**key, "thread": name}, program.of_counters(counters_of)
