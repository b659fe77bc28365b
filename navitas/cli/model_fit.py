"""`navitas model fit`: fit a model of energy to a table of execution cases."""

from __future__ import annotations

from pathlib import Path

import click

from navitas.cli.commands import NavitasCommand
from navitas.cli.files import check_regular_or_new, write_to
from navitas.cli.json_output import check_json, json_option, write_json
from navitas.cli.messages import next_step, shell_word, warning
from navitas.cli.model_tables import operations_table, scores_table
from navitas.cli.option import option
from navitas.cli.options import Finite
from navitas.cli.paths import READ_FILE_ANY_NAME, TEXT, WRITE_ANY_NAME
from navitas.cli.progress import ConsoleProgress
from navitas.cli.standard_output import output_console
from navitas.errors import UsageError
from navitas.regress.families import NAMES
from navitas.regress.fit import fit_table
from navitas.regress.prepare import AUTO, LOSS_CHOICES, FitOptions
from navitas.regress.table import read_table
from navitas.untrusted_text import printable


@click.command("fit", cls=NavitasCommand, example="navitas model fit --table cases.csv --target energy_j -o model.json")
@option("--table", required=True, type=READ_FILE_ANY_NAME, metavar="FILE", help="CSV or Parquet file of cases.")
@option("--target", required=True, type=TEXT, metavar="COLUMN", help="Column with the energy in joules.")
@option("--group", type=TEXT, metavar="COLUMN", help="Column with groups that stay together in validation.")
@option("--ignore", multiple=True, type=TEXT, metavar="COLUMN", help="Column to leave out; repeatable.")
@option("--time", type=TEXT, metavar="COLUMN", help="Column to predict from alone, to compare. [by its name]")
@option("--family", type=click.Choice(NAMES), help="Kind of model. [the best in validation]")
@option(
    "--loss",
    type=click.Choice(LOSS_CHOICES),
    default=AUTO,
    show_default=True,
    help="Errors that count: in joules (squared), as shares of the energy, or between.",
)
@option(
    "--level",
    type=Finite(min=0.5, max=0.999),
    default=0.9,
    show_default=True,
    metavar="SHARE",
    help="Share of cases that intervals contain.",
)
@option("--drop-missing", is_flag=True, from_project=False, help="Leave out rows with empty cells.")
@option("-o", "--output", required=True, type=WRITE_ANY_NAME, metavar="FILE", section="Output", help="File of the model.")
@json_option
def command(
    *,
    table: Path,
    target: str,
    group: str | None,
    ignore: tuple[str, ...],
    time: str | None,
    family: str | None,
    loss: str,
    level: float,
    drop_missing: bool,
    output: Path,
    json_file: Path | None,
) -> None:
    """Estimate what each operation costs, from a table of execution cases.

    Each row is a case. One column has its energy, and the others have numbers of operations or other features.
    """
    is_text = check_json(json_file)
    check_regular_or_new(output)
    kept = [name for name in (target, group) if name is not None]
    wrong = [name for name in kept if name in ignore] or ([target] if target in (group, time) else [])
    if wrong:
        raise UsageError(f"column {wrong[0]!r} has two roles", "Name a column in one option only.")
    with ConsoleProgress(only_live=True) as progress:
        progress.stage("reading the table")
        cases = read_table(table, without=set(ignore) - {time})
        progress.stage("fitting")
        options = FitOptions(target, group, ignore, time, family, level, drop_missing, loss)
        model = fit_table(cases, options)
    document = model.model_dump_json(indent=1)
    write_to(output, lambda out: print(document, file=out))
    write_json(json_file, output=str(output), model=model.model_dump(mode="json"), notes=model.notes)
    for text in model.notes:
        warning(printable(text, 1000))
    if is_text:
        console = output_console()
        console.print(operations_table(model))
        console.print(scores_table(model))
        next_step(f"navitas model apply --model {shell_word(output)} --table FILE")
