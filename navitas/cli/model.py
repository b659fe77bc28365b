"""`navitas model`: power models of components, and models of the energy of operations."""

from __future__ import annotations

from pathlib import Path

import click

from navitas.analyze.fitting.fit_components import FitRequest, fit_components
from navitas.analyze.fitting.measured_energy import read_power_meter
from navitas.analyze.load import load_tables
from navitas.cli.commands import NavitasCommand, NavitasGroup
from navitas.cli.files import check_regular_or_new, write_to
from navitas.cli.json_output import check_json, json_option, write_json
from navitas.cli.messages import next_step, note, shell_word, warning
from navitas.cli.model_advise import command as advise_command
from navitas.cli.model_apply import command as apply_command
from navitas.cli.model_blocks import command as blocks_command
from navitas.cli.model_cases import command as cases_command
from navitas.cli.model_census import census
from navitas.cli.model_count import command as count_command
from navitas.cli.model_fit import command as fit_command
from navitas.cli.model_predict import command as predict_command
from navitas.cli.model_rank import classes, rank
from navitas.cli.option import option
from navitas.cli.options import Finite
from navitas.cli.paths import READ_ANY_NAME, READ_FILE_ANY_NAME, WRITE_ANY_NAME
from navitas.cli.progress import ConsoleProgress
from navitas.cli.standard_output import output_console
from navitas.errors import UsageError
from navitas.power.fitted_model import FittedGroup, FittedModel, listed
from navitas.report.terminal.fitted_table import Column, FittedTable
from navitas.report.terminal.paragraph import Paragraph
from navitas.report.units import unbroken
from navitas.untrusted_text import printable, printable_line

_UNITS = {"W": "W", "J/MB": "J/MB", "1": "×"}


@click.group("model", cls=NavitasGroup)
def command() -> None:
    """Fit models to measured power and energy."""


command.add_command(fit_command)
command.add_command(apply_command)
command.add_command(census)
command.add_command(cases_command)
command.add_command(count_command)
command.add_command(rank)
command.add_command(classes)
command.add_command(blocks_command)
command.add_command(predict_command)
command.add_command(advise_command)


@command.group("components", cls=NavitasGroup)
def components() -> None:
    """Fit the linear model of components: P = base + Σ CᵢPᵢ."""


@components.command("fit", cls=NavitasCommand, example="navitas model components fit navitas-recordings/* -o model.json")
@click.argument("recordings", type=READ_ANY_NAME, nargs=-1, required=True, metavar="RECORDING...")
@option("-o", "--output", required=True, type=WRITE_ANY_NAME, metavar="FILE", help="File of the model.")
@option("--meter", type=READ_FILE_ANY_NAME, metavar="FILE", help="CSV file of a power meter. [the phone's rails]")
@option("--total", is_flag=True, help="Fit to the sum of all rails, not component by component.")
@option(
    "--interval",
    "interval_s",
    type=Finite(min=0.05, max=3600),
    default=1.0,
    show_default=True,
    metavar="S",
    help="The length of the intervals.",
)
@json_option
def fit(
    *, recordings: tuple[Path, ...], output: Path, meter: Path | None, total: bool, interval_s: float, json_file: Path | None
) -> None:
    """Estimate coefficients of components from recordings with measured power.

    Other commands use the file with --power-model, for components that the power profile has no figures of.
    """
    is_text = check_json(json_file)
    check_regular_or_new(output)
    if meter is not None and total:
        raise UsageError("--meter and --total exclude each other, since a meter measures the whole phone", "leave one out")
    readings = None if meter is None else read_power_meter(meter)
    with ConsoleProgress(only_live=True) as progress:
        progress.stage("reading the recordings")
        loaded = [load_tables(path) for path in recordings]
        progress.stage("fitting")
        found = fit_components(loaded, FitRequest(interval_s, total, readings))
    document = found.model.model_dump_json(indent=1)
    write_to(output, lambda out: print(document, file=out))
    write_json(json_file, output=str(output), model=found.model.model_dump(mode="json"), notes=found.notes)
    if readings is not None and readings.skipped:
        warning(f"{printable_line(readings.name, 200)}: {readings.skipped:,} lines are not readings and were skipped")
    for text in found.notes:
        warning(printable(text, 1000))
    if is_text:
        _print(found.model)
        next_step(f"navitas report RECORDING --power-model {shell_word(output)}")


def _print(model: FittedModel) -> None:
    console = output_console()
    for group in model.groups:
        console.print(coefficients_table(group))
        for text in group.notes:
            warning(printable(text, 1000))
    note("All coefficients are estimates. ± is their standard error.")


def coefficients_table(group: FittedGroup) -> FittedTable:
    """Coefficients of components that were measured together, with their standard errors and how well they fit."""
    title = f"{', '.join(group.components)}, measured by {printable(listed(group.measured_by), 300)}"
    columns = [Column("Parameter", text=True), Column("Coefficient"), Column("±", drop=1), Column("Inflation", drop=2)]
    table = FittedTable(title, columns)
    table.add("base", f"{group.base_w:.4g} W", f"{group.base_error_w:.2g}", "")
    for each in group.coefficients:
        inflation = "" if each.inflation is None else f"{each.inflation:.1f}"
        value = f"{each.value:.4g} {_UNITS[each.unit]}"
        table.add(printable(each.parameter), value, f"{each.standard_error:.2g}", inflation)
    error = "unknown" if group.held_out_error is None else f"{100 * group.held_out_error:.1f} %"
    quality = [
        f"{group.intervals:,} intervals",
        f"R² {group.r2:.3f}",
        f"residual {group.rmse_w:.3g} W",
        f"held-out error {error}",
    ]
    table.notes.append(Paragraph(", ".join(map(unbroken, quality)), style="dim"))
    return table
