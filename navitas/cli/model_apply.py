"""`navitas model apply`: predict the energy of a table's rows by a fitted model."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import IO

import click

from navitas.cli.commands import NavitasCommand
from navitas.cli.files import STDOUT, check_files, write_to
from navitas.cli.json_output import json_option, write_json
from navitas.cli.messages import warning
from navitas.cli.model_tables import predictions_table
from navitas.cli.option import option
from navitas.cli.paths import READ_FILE_ANY_NAME, WRITE_ANY_NAME
from navitas.cli.standard_output import output_console
from navitas.regress.apply import apply_model
from navitas.regress.model_file import read_model
from navitas.regress.table import read_table
from navitas.untrusted_text import printable

_FIELDS = ("row", "energy_j", "low", "high", "extrapolated")


@click.command("apply", cls=NavitasCommand, example="navitas model apply --model model.json --table new.csv --json out.json")
@option("--model", "model_file", required=True, type=READ_FILE_ANY_NAME, metavar="FILE", help="File of model fit.")
@option("--table", required=True, type=READ_FILE_ANY_NAME, metavar="FILE", help="CSV or Parquet file of cases.")
@option("-o", "--output", type=WRITE_ANY_NAME, metavar="FILE", section="Output", help="Write CSV ('-': stdout).")
@json_option
def command(*, model_file: Path, table: Path, output: Path | None, json_file: Path | None) -> None:
    """Predict the energy of each row, with an interval.

    Rows that are unlike all training rows are marked, and their intervals are wider.
    """
    check_files([path for path in (output, json_file) if path is not None])
    model = read_model(model_file)
    found = apply_model(model, read_table(table, without=set(model.ignored)))
    columns = (found.energy_j.tolist(), found.low_j.tolist(), found.high_j.tolist(), found.extrapolated.tolist())
    rows = list(zip(range(len(found.energy_j)), *columns, strict=True))
    for text in found.warnings:
        warning(printable(text, 1000))

    def render(out: IO[str]) -> None:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(_FIELDS)
        writer.writerows((*row[:-1], str(row[-1]).lower()) for row in rows)

    if output is not None:
        write_to(output, render)
    write_json(json_file, predictions=[dict(zip(_FIELDS, row, strict=True)) for row in rows])
    if STDOUT not in (output, json_file):
        output_console().print(predictions_table(found, model.level))
