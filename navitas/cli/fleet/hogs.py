"""`navitas fleet hogs` and `bugs`: apps that drain the battery on every phone, or far more on one client than on others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

import click
import numpy as np

from navitas.base.errors import UsageError
from navitas.base.units import counted, unbroken
from navitas.base.untrusted_text import printable
from navitas.cli.fleet.dry_run import NO_STATE, STATE_REMEDY
from navitas.cli.fleet.engines import FleetChoice, fleet_of, fleet_options, hogs_of, reading
from navitas.cli.fleet.paper import model_option, paper_bugs, paper_hogs
from navitas.cli.fleet.rows import Outputs, output_options
from navitas.cli.habits.commands import NavitasCommand
from navitas.cli.habits.option import option
from navitas.cli.habits.paths import TEXT
from navitas.cli.habits.row_tables import rows_table
from navitas.cli.habits.standard_output import output_console
from navitas.fleet.diagnoses.versions import find_versions
from navitas.fleet.figures import number, probability, with_interval
from navitas.fleet.files import FleetError
from navitas.fleet.findings.bugs import FDR_LIMIT as BUG_FDR_LIMIT
from navitas.fleet.findings.bugs import find_bugs
from navitas.fleet.findings.hogs import FDR_LIMIT, MIN_SHARE, Claim, Hogs, warnings_of
from navitas.fleet.findings.results import PERCENT_H, AppRow, BugRow, HogRow, R, app_rows, bug_rows, hog_rows, of_enough_clients
from navitas.fleet.stages import Fleet
from navitas.fleet.statistics import I64
from navitas.fleet.store import find_app, is_state_known
from navitas.report.terminal.fitted_table import Column, FittedTable
from navitas.report.terminal.paragraph import Paragraph

_NOT_YET = (
    "No app can be judged yet. An app needs three clients with half an hour both with it and without it. "
    "--app and --json show what is known of each."
)


def clean_limit_percent_h(hogs: Hogs) -> float:
    """An app whose whole interval is at most this extra drain is clean."""
    return MIN_SHARE * hogs.usual_ppm_s * PERCENT_H


def not_yet(fleet: Fleet) -> str:
    """Why no app can be judged."""
    return _NOT_YET if is_state_known(fleet.store) else f"No app can be judged: {NO_STATE}."


def verdict_of(fleet: Fleet, hogs: Hogs, app: str) -> AppRow:
    """The verdict on an app. Raises `FleetError` if no sample has it, or if no pair of samples that counts has it."""
    find_app(fleet.store, app, fleet.app_names)
    for row in app_rows(fleet, hogs):
        if row.app == app:
            return row
    if not is_state_known(fleet.store):
        raise FleetError(f"{fleet.store.path}: {app} cannot be judged: {NO_STATE}", STATE_REMEDY)
    when = " in this period" if fleet.store.period.folder else ""
    raise FleetError(
        f"{fleet.store.path}: no client runs {app} while its battery discharges{when}",
        "See `navitas fleet rates` for the pairs of samples that count.",
    )


def judged_app(fleet: Fleet, hogs: Hogs, app: str) -> I64:
    """The number of an app, or nothing if too few clients ran both with it and without it: its contrasts are noise then."""
    chosen: I64 = hogs.app[(hogs.app == find_app(fleet.store, app, fleet.app_names)) & np.isfinite(hogs.false_rate)]
    return chosen


def verdict_paragraph(row: AppRow, limit_percent_h: float) -> Paragraph:
    """The verdict with what it is based on. An app that is not judged has the number of clients instead of an interval."""
    if row.verdict in (Claim.FEW, Claim.ALWAYS):
        enough = unbroken(counted(row.contrasted_clients, "client"))
        ran = unbroken(counted(row.clients, "client"))
        text = f"{ran}, and {enough} of the three that are needed, with half an hour both with it and without it"
    elif row.verdict == Claim.SHORT:
        ran = unbroken(counted(row.clients, "client"))
        text = f"{ran}; its runs are far shorter than the time between samples. Samples with running_s would show it"
    elif row.verdict == Claim.SCREEN and row.extra_percent_h is None:
        ran = unbroken(counted(row.clients, "client"))
        text = f"{ran}; it runs just when the screen is on. Samples with screen_on_s may show it"
    else:
        extra = with_interval(row.extra_percent_h, row.extra_low_percent_h, row.extra_high_percent_h, 2)
        limit = unbroken(f"{number(limit_percent_h, 2)} %/h")
        text = f"extra {unbroken(f'{extra} %/h')}, {unbroken(counted(row.clients, 'client'))}; clean is below {limit}"
        if row.verdict in (Claim.CLEAN, Claim.UNCLEAR) and row.drains_below_percent_h is not None:
            text = f"it drains less than {unbroken(f'{number(row.drains_below_percent_h, 2)} %/h')}; {text}"
        if row.verdict == Claim.PARTNER and row.runs_with:
            text += f"; it runs along with {printable(row.runs_with)}"
    return Paragraph(f"{printable(row.app)}: {row.verdict}; {text}")


@click.command("hogs", cls=NavitasCommand, example="navitas fleet hogs fleet --top 5 --csv hogs.csv")
@fleet_options
@option("--app", type=TEXT, metavar="PACKAGE", help="Only this app: its verdict, hog or not.")
@output_options
@model_option
def command(*, choice: FleetChoice, model: str, app: str | None, outputs: Outputs) -> None:
    """List apps that drain the battery faster on every phone, and the battery life gained without them."""
    if model == "paper":
        for name, is_given in (("--app", app is not None), ("--min-clients", outputs.min_clients > 1)):
            if is_given:
                raise UsageError(f"{name} does not apply to --method paper", "Leave out one of them.")
    with fleet_of(choice) as fleet:
        if model == "paper":
            paper_hogs(fleet, outputs)
            return
        hogs = hogs_of(fleet)
        chosen = None if app is None else verdict_of(fleet, hogs, app)
        with reading(fleet, "reading versions") as shown:
            versions = find_versions(shown, hogs, find_bugs(fleet, hogs))
        rows = _of_app(app, hog_rows(fleet, hogs, versions.since))
        by_version = of_enough_clients(_of_app(app, versions.rows), outputs.min_clients)
        verdicts = [chosen] if chosen else app_rows(fleet, hogs)
    if chosen:  # The note counts what the text would show.
        verdicts, rows = outputs.kept(verdicts), of_enough_clients(rows, outputs.min_clients)
    else:
        verdicts, rows = of_enough_clients(verdicts, outputs.min_clients), outputs.kept(rows)
    usual = hogs.usual_ppm_s * PERCENT_H
    judged = int(np.isfinite(hogs.false_rate).sum())
    about: dict[str, object] = {
        "apps": len(hogs.app),
        "judged_apps": judged,
        "usual_drain_percent_h": usual,
        "clean_limit_percent_h": clean_limit_percent_h(hogs),
        "false_discovery_limit": FDR_LIMIT,
        "warnings": warnings_of(hogs),
    }
    lists = {"versions": [one.as_json() for one in by_version], "verdicts": [one.as_json() for one in verdicts]}
    if not outputs.write(HogRow, rows, **about, **lists):
        return
    if chosen is not None:
        output_console().print(*(verdict_paragraph(row, clean_limit_percent_h(hogs)) for row in verdicts), sep="\n")
        return
    if not judged:
        click.echo(not_yet(fleet))
        return
    title = f"Hogs: {len(rows)} of {judged:,} apps that can be judged; the usual drain is {unbroken(f'{usual:.1f} %/h')}"
    table = hogs_table(title, rows, outputs.top)
    table.notes += [Paragraph(_others(hogs), style="dim"), *map(Paragraph, warnings_of(hogs))]
    output_console().print(table)


def _of_app(app: str | None, rows: Sequence[R]) -> Sequence[R]:
    """The rows about an app; all rows for None."""
    return rows if app is None else [row for row in rows if getattr(row, "app", None) == app]


def _others(hogs: Hogs) -> str:
    """How many of the other apps have which verdict."""
    counts = Counter(str(claim) for claim in hogs.claim.tolist())
    texts = [f"{counts[claim]:,} {claim}{_excluded(hogs, claim)}" for claim in Claim if counts[claim] and claim != Claim.HOG]
    return f"Other apps: {'; '.join(texts)} (all: --json)" if texts else "No other apps."


def _excluded(hogs: Hogs, claim: Claim) -> str:
    """What the intervals of clean and of unclear apps exclude."""
    below = hogs.excluded_ppm_s[hogs.claim == claim] * PERCENT_H
    if claim not in (Claim.CLEAN, Claim.UNCLEAR):
        return ""
    half, most = (unbroken(f"{number(value, 2)} %/h") for value in (np.median(below), below.max()))
    return f" (half drain less than {half}, all less than {most})"


def hogs_table(title: str, rows: Sequence[HogRow], top: int) -> FittedTable:
    """Hogs by app, with the drain and the battery life gained without the app."""
    columns: dict[Column, Callable[[HogRow], str]] = {
        Column("App", text=True): lambda row: row.app,
        Column("Clients", drop=4): lambda row: f"{row.clients:,}",
        Column("Pairs", drop=7): lambda row: f"{row.pairs:,}",
        Column("Drain %/h", drop=5): lambda row: number(row.drain_percent_h),
        Column("Extra %/h (95 %)", drop=1): lambda row: with_interval(
            row.extra_percent_h, row.extra_low_percent_h, row.extra_high_percent_h, 2
        ),
        Column("Gain min (95 %)"): lambda row: with_interval(row.gain_min, row.gain_low_min, row.gain_high_min),
        Column("Gain %", drop=6): lambda row: with_interval(row.gain_percent, row.gain_low_percent, row.gain_high_percent),
        Column("Since", drop=2, text=True): lambda row: row.since_version or "",
        Column("FDR", drop=3): lambda row: probability(row.false_discovery_rate),
    }
    return rows_table(title, columns, rows, top)


@click.command("bugs", cls=NavitasCommand, example="navitas fleet bugs fleet --json bugs.json")
@fleet_options
@output_options
@model_option
def bugs(*, choice: FleetChoice, model: str, outputs: Outputs) -> None:
    """List apps on clients where they drain far more than on others. A hog can have bugs, too.

    Sorted by the lower confidence bound of the extra drain, largest first.
    """
    outputs.check_not_by_client("bugs")
    with fleet_of(choice) as fleet:
        if model == "paper":
            paper_bugs(fleet, outputs)
            return
        hogs = hogs_of(fleet)
        rows = bug_rows(fleet, find_bugs(fleet, hogs))
    if not outputs.write(BugRow, rows, false_discovery_limit=BUG_FDR_LIMIT):
        return
    output_console().print(bugs_table(rows, outputs.top))


def bugs_table(rows: Sequence[BugRow], top: int) -> FittedTable:
    """Bugs by client and app, with the drain and the battery life gained if the bug is fixed."""
    columns: dict[Column, Callable[[BugRow], str]] = {
        Column("Client", text=True): lambda row: row.client,
        Column("App", text=True): lambda row: row.app,
        Column("Pairs", drop=4): lambda row: f"{row.pairs:,}",
        Column("Drain %/h", drop=3): lambda row: number(row.drain_percent_h),
        Column("Extra %/h (95 %)", drop=1): lambda row: with_interval(
            row.extra_percent_h, row.extra_low_percent_h, row.extra_high_percent_h, 1
        ),
        Column("Gain min (95 %)"): lambda row: with_interval(row.gain_min, row.gain_low_min, row.gain_high_min),
        Column("FDR", drop=2): lambda row: probability(row.false_discovery_rate),
    }
    return rows_table(f"Bugs: {counted(len(rows), 'pair')} of a client and an app", columns, rows, top)
