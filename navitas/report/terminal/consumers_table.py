"""The table that compares estimates with the device's own power statistics."""

from __future__ import annotations

from navitas.analyze.profile import Profile
from navitas.report.component_notes import CONSUMERS_NOTE
from navitas.report.terminal.fitted_table import Column, FittedTable
from navitas.report.terminal.paragraph import Paragraph
from navitas.report.units import joules
from navitas.untrusted_text import printable


def consumers_table(profile: Profile) -> FittedTable:
    """Return each component that the device has energy consumers of, with the estimate for the same time.

    Those that used nothing, and are estimated to use nothing, are left out.
    """
    table = FittedTable(
        "Energy consumers of the device",
        [
            Column("Component", text=True),
            Column("Device"),
            Column("Estimate"),
            Column("Device (app)", drop=1),
            Column("Estimate (app)", drop=1),
        ],
    )
    for one in [one for one in profile.consumers if one.is_used]:
        app = joules(one.app_j)
        table.add(printable(one.component), joules(one.energy_j), joules(one.estimate_j), app, joules(one.app_estimate_j))
    if table.rows:
        table.notes.append(Paragraph(CONSUMERS_NOTE, style="dim"))
    return table
