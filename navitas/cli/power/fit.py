"""`navitas power fit`: fit the linear model of components, P = base + Σ CᵢPᵢ, to measured power."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import click

from navitas.base.errors import UsageError
from navitas.base.units import unbroken
from navitas.base.untrusted_text import printable, printable_line
from navitas.cli.habits.commands import NavitasCommand
from navitas.cli.habits.files import json_option, write_json, write_to
from navitas.cli.habits.messages import next_step, note, shell_word, warning
from navitas.cli.habits.option import option
from navitas.cli.habits.paths import READ_ANY_NAME, WRITE_REGULAR
from navitas.cli.habits.progress import ConsoleProgress
from navitas.cli.habits.row_tables import rows_table
from navitas.cli.habits.shared_options import interval_option, meter_option
from navitas.cli.habits.standard_output import output_console
from navitas.energy.analyze.fitting.fit_components import FitRequest, fit_components
from navitas.energy.analyze.fitting.measured_energy import read_power_meter
from navitas.energy.analyze.load import load_tables
from navitas.power.fitted_model import FittedCoefficient, FittedGroup, FittedModel, listed
from navitas.report.terminal.fitted_table import Cell, Column, FittedTable
from navitas.report.terminal.paragraph import Paragraph

_UNITS = {"W": "W", "J/MB": "J/MB", "1": "×"}
_INTERVAL_S = 1.0


@click.command("fit", cls=NavitasCommand, example="navitas power fit navitas-recordings/* -o model.json")
@click.argument("recordings", type=READ_ANY_NAME, nargs=-1, required=True, metavar="RECORDING...")
@option("-o", "--output", required=True, type=WRITE_REGULAR, metavar="FILE", help="File of the model.")
@meter_option
@option("--total", is_flag=True, help="Fit to the sum of all rails, not component by component.")
@interval_option
@json_option
def command(
    *,
    recordings: tuple[Path, ...],
    output: Path,
    meter: Path | None,
    total: bool,
    interval_s: float | None,
    json_file: Path | None,
) -> None:
    """Estimate coefficients of components from recordings with measured power.

    Other commands use the file with --power-model, for components that the power profile has no figures of.
    """
    if meter is not None and total:
        raise UsageError("--meter and --total exclude each other, since a meter measures the whole phone", "leave one out")
    readings = None if meter is None else read_power_meter(meter)
    with ConsoleProgress(only_live=True) as progress:
        progress.stage("reading the recordings")
        loaded = [load_tables(path) for path in recordings]
        progress.stage("fitting")
        fitted = fit_components(loaded, FitRequest(interval_s or _INTERVAL_S, total, readings))
    document = fitted.model.model_dump_json(indent=1)
    write_to(output, lambda out: print(document, file=out))
    is_text = write_json(json_file, output=str(output), model=fitted.model.model_dump(mode="json"), notes=fitted.notes)
    if readings is not None and readings.skipped:
        warning(f"{printable_line(readings.name, 200)}: {readings.skipped:,} lines are not readings and were skipped")
    for text in fitted.notes:
        warning(printable(text, 1000))
    if is_text:
        _print(fitted.model)
        next_step(f"navitas report RECORDING --power-model {shell_word(output)}")


def _print(model: FittedModel) -> None:
    for group in model.groups:
        output_console().print(coefficients_table(group))
        for text in group.notes:
            warning(printable(text, 1000))
    note("All coefficients are estimates. ± is their standard error.")


def coefficients_table(group: FittedGroup) -> FittedTable:
    """Coefficients of components that were measured together, with their standard errors and how well they fit."""
    title = f"{', '.join(group.components)}, measured by {printable(listed(group.measured_by), 300)}"
    columns: dict[Column, Callable[[FittedCoefficient], Cell]] = {
        Column("Parameter", text=True): lambda row: row.parameter,
        Column("Coefficient"): lambda row: f"{row.value:.4g} {_UNITS[row.unit]}",
        Column("±", drop=1): lambda row: f"{row.standard_error:.2g}",
        Column("Inflation", drop=2): lambda row: "" if row.inflation is None else f"{row.inflation:.1f}",
    }
    table = rows_table(title, columns, group.coefficients, len(group.coefficients))
    table.rows.insert(0, ("base", f"{group.base_w:.4g} W", f"{group.base_error_w:.2g}", ""))
    error = "unknown" if group.held_out_error is None else f"{100 * group.held_out_error:.1f} %"
    quality = [
        f"{group.intervals:,} intervals",
        f"R² {group.r2:.3f}",
        f"residual {group.rmse_w:.3g} W",
        f"held-out error {error}",
    ]
    table.notes.append(Paragraph(", ".join(map(unbroken, quality)), style="dim"))
    return table
