"""The tables of `navitas power calibrate`."""

from __future__ import annotations

from collections.abc import Sequence

from navitas.calibrate.calibration import Calibration
from navitas.calibrate.special_steps import ComponentCurrents
from navitas.report.terminal.fitted_table import Column, FittedTable
from navitas.report.terminal.paragraph import Paragraph
from navitas.untrusted_text import printable

_LONGEST = 300
_UNKNOWN = "–"


def calibration_table(found: Calibration) -> FittedTable:
    """Errors of each source by cluster: of the profile, at fitted points, and at points left out of the fit."""
    columns = [
        Column("Measured by", text=True),
        Column("Cluster", text=True),
        Column("Points", drop=2),
        Column("Before"),
        Column("Fitted points", drop=5),
        Column("Held out"),
        Column("90th percentile", drop=3),
        Column("Interpolated", drop=1),
        Column("90th percentile", drop=4),
    ]
    table = FittedTable("Median error of the power", columns)
    for each in found.errors:
        cluster = "all" if each.cluster is None else str(each.cluster)
        figures = each.before, each.fitted, each.held_out, each.held_out_p90, each.interpolated, each.interpolated_p90
        shares = map(_percent, figures)
        table.add(printable(each.source, _LONGEST), cluster, f"{each.points:,}", *shares)
    for number, prior in enumerate(found.prior):
        if any(each.cluster == number and each.interpolated is not None for each in found.errors):
            curve = f"the profile's curve by {100 * prior:.0f} %" if prior else "straight lines"
            table.notes.append(Paragraph(f"Cluster {number}: currents between measured frequencies follow {curve}.", style="dim"))
    for one in found.disagreements:
        text = (
            f"{printable(one.second, _LONGEST)} differs from {printable(one.first, _LONGEST)} in cluster {one.cluster} by "
            f"{100 * one.lowest:+.0f} … {100 * one.highest:+.0f} % (median {100 * one.median:+.0f} %, {one.points} points)."
        )
        table.notes.append(Paragraph(text, style="dim"))
    return table


def currents_table(found: Sequence[ComponentCurrents]) -> FittedTable:
    """Currents of components other than the CPU, by special test runs."""
    columns = [Column("Entry", text=True), Column("Current"), Column("Steps", drop=2), Column("Held out", drop=1)]
    table = FittedTable("Other components", columns)
    for each in found:
        for entry, milliamps in each.entries.items():
            table.add(printable(entry, _LONGEST), f"{milliamps:.3g} mA", str(each.steps), _percent(each.held_out))
    return table


def _percent(share: float | None) -> str:
    return _UNKNOWN if share is None else f"{100 * share:.1f} %"
