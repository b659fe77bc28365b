"""The verdict on one app as a line of text, and the app that `--app` names."""

from __future__ import annotations

from navitas.counts import counted
from navitas.fleet.figures import number, with_interval
from navitas.fleet.files import FleetError
from navitas.fleet.hogs import MIN_SHARE, Hogs
from navitas.fleet.names import find_app
from navitas.fleet.results import PERCENT_H, AppRow, app_names, app_rows
from navitas.fleet.stages import Fleet
from navitas.fleet.verdicts import Claim
from navitas.report.terminal.paragraph import Paragraph
from navitas.report.units import unbroken
from navitas.untrusted_text import printable

NOT_YET = "No app can be judged yet. An app needs three clients with half an hour both with it and without it."


def clean_limit_percent_h(hogs: Hogs) -> float:
    """An app whose whole interval is at most this extra drain is clean."""
    return MIN_SHARE * hogs.usual_ppm_s * PERCENT_H


def verdict_of(fleet: Fleet, hogs: Hogs, app: str) -> AppRow:
    """The verdict on an app. Raises `FleetError` if no sample has it, or if no pair of samples that counts has it."""
    find_app(fleet.store, app, app_names(fleet))
    for row in app_rows(fleet, hogs):
        if row.app == app:
            return row
    when = " in this period" if fleet.store.period.folder else ""
    raise FleetError(
        f"{fleet.store.path}: no client runs {app} while its battery discharges{when}",
        "See `navitas fleet rates` for the pairs of samples that count.",
    )


def verdict_paragraph(row: AppRow, limit_percent_h: float) -> Paragraph:
    """The verdict with what it is based on. An app that is not judged has the number of clients instead of an interval."""
    if row.verdict in (Claim.FEW, Claim.ALWAYS):
        enough = unbroken(counted(row.contrasted_clients, "client"))
        ran = unbroken(counted(row.clients, "client"))
        text = f"{ran}, and {enough} of the three that are needed, with half an hour both with it and without it"
    else:
        extra = with_interval(row.extra_percent_h, row.extra_low_percent_h, row.extra_high_percent_h, 2)
        limit = unbroken(f"{number(limit_percent_h, 2)} %/h")
        text = f"extra {unbroken(f'{extra} %/h')}, {unbroken(counted(row.clients, 'client'))}; clean is below {limit}"
        if row.verdict == Claim.PARTNER and row.runs_with:
            text += f"; it runs along with {printable(row.runs_with)}"
    return Paragraph(f"{printable(row.app)}: {row.verdict}; {text}")
