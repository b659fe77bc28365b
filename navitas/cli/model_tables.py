"""Tables of `navitas model fit` and `navitas model apply`."""

from __future__ import annotations

from navitas.regress.apply import Predictions
from navitas.regress.model_file import Operation, OperationsModel
from navitas.regress.noise import Noise
from navitas.report.terminal.fitted_table import Column, FittedTable
from navitas.report.terminal.paragraph import Paragraph
from navitas.untrusted_text import printable

TOP = 30
_ROWS = 20
_PREFIXES = ((1.0, "J"), (1e-3, "mJ"), (1e-6, "µJ"), (1e-9, "nJ"), (1e-12, "pJ"))


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
    for one in model.operations[:TOP]:
        total += one.share
        scale, unit = _prefix(one.cost_j or one.standard_error_j)
        cost, error = f"{one.cost_j / scale:.4g} {unit}", f"{one.standard_error_j / scale:.2g} {unit}"
        table.add(_label(one), f"{100 * one.share:.1f} %", f"{100 * total:.1f} %", cost, error, one.status)
    known = sum(one.identifiable for one in model.operations if one.columns)
    merged = sum(one.status == "merged" for one in model.operations)
    single = sum(len(one.columns) for one in model.operations)
    more = f"{len(model.operations) - TOP} more rows in --json. " if len(model.operations) > TOP else ""
    text = f"{more}{known} of {single} operations are identifiable; merged terms: {merged}. ± is the standard error."
    table.notes.append(Paragraph(text, style="dim"))
    return table


def scores_table(model: OperationsModel) -> FittedTable:
    """Errors of the families and of simple predictions in cross-validation. The selected family is marked."""
    columns = [
        Column("Prediction", text=True),
        Column("Training", drop=1),
        Column("Validation"),
        Column("±", drop=2),
        Column("Mean error", drop=3),
    ]
    table = FittedTable("Mean relative error (NMAE) in cross-validation", columns)
    for one in model.scores:
        name = printable(one.family, 80) + (" (selected)" if one.family == model.family else "")
        table.add(name, _percent(one.training), _percent(one.validation), _percent(one.standard_error), _joules(one.mean_j))
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
