"""`navitas operations fit` and `apply`: a model of energy from a table of execution cases, and its predictions."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import IO

import click

from navitas.base.errors import UsageError
from navitas.base.untrusted_text import printable
from navitas.cli.habits.commands import NavitasCommand
from navitas.cli.habits.files import STDOUT, json_option, write_json, write_to
from navitas.cli.habits.messages import next_step, shell_word, warning
from navitas.cli.habits.option import choice_option, gathered, option
from navitas.cli.habits.paths import READ_FILE_ANY_NAME, TEXT, WRITE_ANY_NAME, WRITE_REGULAR
from navitas.cli.habits.progress import ConsoleProgress
from navitas.cli.habits.row_tables import rows_table
from navitas.cli.habits.shared_options import Finite
from navitas.cli.habits.standard_output import output_console
from navitas.cli.operations.input import model_option
from navitas.insight.operations.regress.apply import Predictions, apply_model
from navitas.insight.operations.regress.families import NAMES
from navitas.insight.operations.regress.fit import fit_table
from navitas.insight.operations.regress.model_file import FamilyScore, Operation, OperationsModel, read_model
from navitas.insight.operations.regress.noise import Noise
from navitas.insight.operations.regress.prepare import LOSS_CHOICES, FitOptions
from navitas.insight.operations.regress.table import read_table
from navitas.report.terminal.fitted_table import Cell, Column, FittedTable
from navitas.report.terminal.paragraph import Paragraph

_FIELDS = ("row", "energy_j", "low", "high", "extrapolated")
_TOP = 30
_ROWS = 20
_PREFIXES = ((1.0, "J"), (1e-3, "mJ"), (1e-6, "µJ"), (1e-9, "nJ"), (1e-12, "pJ"))
_table_option = option("--table", required=True, type=READ_FILE_ANY_NAME, metavar="FILE", help="CSV or Parquet file of cases.")


@click.command("fit", cls=NavitasCommand, example="navitas operations fit --table cases.csv --target energy_j -o model.json")
@_table_option
@gathered(
    "options",
    FitOptions,
    option("--target", required=True, type=TEXT, metavar="COLUMN", help="Column with the energy in joules."),
    option("--group", type=TEXT, metavar="COLUMN", help="Column with groups that stay together in validation."),
    option("--ignore", multiple=True, type=TEXT, metavar="COLUMN", help="Column to leave out; repeatable."),
    option("--time", type=TEXT, metavar="COLUMN", help="Column to predict from alone, to compare. [by its name]"),
    option("--family", type=click.Choice(NAMES), help="Kind of model. [the best in validation]"),
    choice_option("--loss", LOSS_CHOICES, "Errors that count: in joules (squared), as shares of the energy, or between."),
    option(
        "--level", type=Finite(min=0.5, max=0.999), default=0.9, metavar="SHARE", help="Share of cases that intervals contain."
    ),
    option("--drop-missing", is_flag=True, from_project=False, help="Leave out rows with empty cells."),
)
@option("-o", "--output", required=True, type=WRITE_REGULAR, metavar="FILE", section="Output", help="File of the model.")
@json_option
def fit(*, table: Path, options: FitOptions, output: Path, json_file: Path | None) -> None:
    """Estimate what each operation costs, from a table of execution cases.

    Each row is a case. One column has its energy, and the others have numbers of operations or other features.
    """
    target, group = options.target, options.group
    kept = [name for name in (target, group) if name is not None]
    wrong = [name for name in kept if name in options.ignore] or ([target] if target in (group, options.time) else [])
    if wrong:
        raise UsageError(f"column {wrong[0]!r} has two roles", "Name a column in one option only.")
    with ConsoleProgress(only_live=True) as progress:
        progress.stage("reading the table")
        cases = read_table(table, without=set(options.ignore) - {options.time})
        progress.stage("fitting")
        model = fit_table(cases, options)
    document = model.model_dump_json(indent=1)
    write_to(output, lambda out: print(document, file=out))
    is_text = write_json(json_file, output=str(output), model=model.model_dump(mode="json"), notes=model.notes)
    for text in model.notes:
        warning(printable(text, 1000))
    if is_text:
        console = output_console()
        console.print(operations_table(model))
        console.print(scores_table(model))
        next_step(f"navitas operations apply --model {shell_word(output)} --table FILE")


@click.command("apply", cls=NavitasCommand, example="navitas operations apply --model model.json --table new.csv --json out.json")
@model_option
@_table_option
@option("-o", "--output", type=WRITE_ANY_NAME, metavar="FILE", section="Output", help="Write CSV ('-': stdout).")
@json_option
def apply(*, model_file: Path, table: Path, output: Path | None, json_file: Path | None) -> None:
    """Predict the energy of each row, with an interval.

    Rows that are unlike all training rows are marked, and their intervals are wider.
    """
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


def operations_table(model: OperationsModel) -> FittedTable:
    """The operations with the largest shares of energy, their costs per unit with standard errors, and what is known of them."""
    title = f"Operations by share of {printable(model.target, 80)}"
    columns = [
        Column("Operation", text=True),
        Column("Share", drop=1),
        Column("Sum", drop=4),
        Column("Cost"),
        Column("±", drop=2),
        Column("Status", text=True, drop=3),
    ]
    table = FittedTable(title, columns)
    total = 0.0
    for one in model.operations[:_TOP]:
        total += one.share
        scale, unit = _prefix(one.cost_j or one.standard_error_j)
        cost, error = f"{one.cost_j / scale:.4g} {unit}", f"{one.standard_error_j / scale:.2g} {unit}"
        table.add(_label(one), f"{100 * one.share:.1f} %", f"{100 * total:.1f} %", cost, error, one.status)
    known = sum(one.identifiable for one in model.operations if one.columns)
    merged = sum(one.status == "merged" for one in model.operations)
    single = sum(len(one.columns) for one in model.operations)
    more = f"{len(model.operations) - _TOP} more rows in --json. " if len(model.operations) > _TOP else ""
    text = f"{more}{known} of {single} operations are identifiable; merged terms: {merged}. ± is the standard error."
    table.notes.append(Paragraph(text, style="dim"))
    return table


def scores_table(model: OperationsModel) -> FittedTable:
    """Errors of the families and of simple predictions in cross-validation. The selected family is marked."""
    columns: dict[Column, Callable[[FamilyScore], Cell]] = {
        Column("Prediction", text=True): lambda row: row.family + (" (selected)" if row.family == model.family else ""),
        Column("Training", drop=1): lambda row: _percent(row.training),
        Column("Validation"): lambda row: _percent(row.validation),
        Column("±", drop=2): lambda row: _percent(row.standard_error),
        Column("Mean error", drop=3): lambda row: _joules(row.mean_j),
    }
    table = rows_table("Mean relative error (NMAE) in cross-validation", columns, model.scores, len(model.scores))
    folds = ", ".join(f"{_percent(one.training)} / {_percent(one.validation)}" for one in model.folds)
    table.notes.append(Paragraph(f"{model.family}, training / validation of each fold: {folds}", style="dim"))
    table.notes.append(Paragraph(f"Loss: {model.loss or 'unknown'}. {model.loss_reason}", style="dim"))
    noise = f"{model.rows:,} cases, {model.noise} noise, {100 * model.level:g} % intervals: ±{_half_width(model)}"
    table.notes.append(Paragraph(noise, style="dim"))
    return table


def predictions_table(found: Predictions, level: float) -> FittedTable:
    """The first rows with their energy and interval, and sums over all rows."""
    columns = [Column("Row"), Column("Energy"), Column("Low", drop=2), Column("High", drop=2), Column("Extrapolated", text=True)]
    rows = len(found.energy_j)
    table = FittedTable(f"Predicted energy, {100 * level:g} % intervals", columns)
    for row in range(min(rows, _ROWS)):
        figures = (f"{one[row]:.4g} J" for one in (found.energy_j, found.low_j, found.high_j))
        table.add(str(row), *figures, "yes" if found.extrapolated[row] else "")
    outside = int(found.extrapolated.sum())
    text = f"{rows:,} rows, {found.energy_j.sum():.4g} J in total, {outside:,} extrapolated."
    table.notes.append(Paragraph(text + (" --json or -o has all rows." if rows > _ROWS else ""), style="dim"))
    return table


def _label(one: Operation) -> str:
    """The name of an operation, or the first name of merged ones and the number of the others."""
    more = f" + {len(one.columns) - 1} more" if len(one.columns) > 1 else ""
    return printable(one.columns[0] if more else one.name, 200) + more


def _half_width(model: OperationsModel) -> str:
    if model.noise is Noise.PROPORTIONAL:
        return f"{100 * model.half_width:.1f} %"
    return f"{model.half_width:.4g} J" + (" · √(energy / J)" if model.noise is Noise.ROOT else "")


def _prefix(value_j: float) -> tuple[float, str]:
    size = abs(value_j)
    return next((each for each in _PREFIXES if size >= each[0]), _PREFIXES[-1] if size else _PREFIXES[0])


def _joules(value_j: float | None) -> str:
    if value_j is None:
        return "unknown"
    scale, unit = _prefix(value_j)
    return f"{value_j / scale:.4g} {unit}"


def _percent(value: float | None) -> str:
    return "unknown" if value is None else f"{100 * value:.1f} %"
