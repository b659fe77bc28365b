"""`navitas fleet check` and `compare`: whether a version of an app drains more than the one before, and a period than another."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import click
import numpy as np

from navitas.base.errors import UsageError
from navitas.cli.compare.energy_limit import end_check, fail_on_option
from navitas.cli.fleet.engines import FleetChoice, fleet_of, fleet_options, hogs_of, reading
from navitas.cli.fleet.hogs import clean_limit_percent_h
from navitas.cli.fleet.rows import Outputs, output_options
from navitas.cli.habits.commands import NavitasCommand, warn_about_settings
from navitas.cli.habits.option import option, renamed
from navitas.cli.habits.paths import TEXT
from navitas.cli.habits.row_tables import rows_table
from navitas.cli.habits.shared_options import Finite
from navitas.cli.habits.standard_output import output_console
from navitas.fleet.diagnoses.drain_changes import ChangeRow, CheckRow, changes_of, check_versions
from navitas.fleet.figures import number, probability, with_interval
from navitas.fleet.findings.bugs import find_bugs
from navitas.fleet.findings.hogs import Hogs
from navitas.fleet.period import Period
from navitas.fleet.store import find_app
from navitas.report.terminal.fitted_table import Column, FittedTable

_NO_VERSION = (
    "fewer than three clients run it, or there is no version before it with three clients",
    "Leave out --app-version to list the versions that are compared.",
)
_NO_VERSIONS = ("it has no two versions with three clients each", "Collect samples with versions, from more clients.")


@click.command("check", cls=NavitasCommand, example="navitas fleet check fleet --app org.example.app")
@fleet_options
@option(
    "--app", "apps", type=TEXT, multiple=True, from_project=False, metavar="PACKAGE", help="Only this app; repeatable. [all hogs]"
)
@option("--app-version", "version", type=TEXT, from_project=False, metavar="VERSION", help="Only this version.")
@renamed("--version", "--app-version")
@option(
    "--limit",
    "limit_percent_h",
    type=Finite(min=0),
    metavar="PERCENT_H",
    help="Fail only if a version drains more by this many %/h. [2 % of what all phones drain, as for hogs]",
)
@fail_on_option("above", "above: only if a version drains more. unknown: also if nothing is compared. [unknown]")
@output_options
def check(
    *,
    choice: FleetChoice,
    apps: tuple[str, ...],
    version: str | None,
    limit_percent_h: float | None,
    fail_on: str | None,
    outputs: Outputs,
) -> int:
    """Check that no version of an app drains more than the one before. The exit code is 1 if one does, or if that is unknown.

    The one before is the last earlier version with three clients. It is unknown if an app of --app, or --app-version, was not
    compared; without them, if there are hogs and no version was compared.
    """
    warn_about_settings("limit", "since", "until")
    with fleet_of(choice) as fleet:
        hogs = hogs_of(fleet)
        limit_percent_h = clean_limit_percent_h(hogs) if limit_percent_h is None else limit_percent_h
        chosen = (
            np.array([find_app(fleet.store, app, fleet.app_names) for app in apps], np.int64) if apps else hogs.app[hogs.is_hog]
        )
        with reading(fleet, "reading versions") as shown:
            checked = check_versions(shown, hogs, find_bugs(fleet, hogs), np.unique(chosen), limit_percent_h)
    checked = [row for row in checked if version is None or row.version == version]
    failed = sum(row.drains_more for row in checked)
    missing = _not_compared(checked, apps, version, has_hogs=bool(hogs.is_hog.any()))
    rows = outputs.kept(checked)
    if outputs.write(CheckRow, rows, limit_percent_h=limit_percent_h, failed=failed, not_compared=missing):
        drain = "drains" if failed == 1 else "drain"
        limit = f" (by over {limit_percent_h:.2g} %/h)" if limit_percent_h else ""
        title = f"Versions compared with the ones before: {failed:,} of {len(checked):,} {drain} more{limit}"
        output_console().print(checks_table(title, rows, outputs.top))
    reason, remedy = _NO_VERSIONS if version is None else _NO_VERSION
    unknown = (f"{', '.join(missing)}: not compared: {reason}", remedy) if missing else None
    return end_check(unknown, is_above=failed > 0, fails_unknown=fail_on != "above")


def _not_compared(checked: Sequence[CheckRow], apps: Sequence[str], version: str | None, *, has_hogs: bool) -> list[str]:
    """What the command line names and was not compared: apps with the version, if any."""
    with_version = "" if version is None else f" {version}"
    compared = {row.app for row in checked}
    if not apps and not checked and (has_hogs or version is not None):
        return ["all hogs" if version is None else f"version {version} of all hogs"]
    return [f"{app}{with_version}" for app in dict.fromkeys(apps) if app not in compared]


def checks_table(title: str, rows: Sequence[CheckRow], top: int) -> FittedTable:
    """Versions compared with the ones before; those that drain more come first."""
    columns: dict[Column, Callable[[CheckRow], str]] = {
        Column("App", text=True): lambda row: row.app,
        Column("Version", text=True, drop=1): lambda row: row.version,
        Column("Before", text=True, drop=3): lambda row: row.before,
        Column("Clients", drop=4): lambda row: f"{row.clients:,}",
        Column("More %/h (95 %)"): lambda row: with_interval(
            row.more_percent_h, row.more_low_percent_h, row.more_high_percent_h, 2
        ),
        Column("FDR", drop=5): lambda row: probability(row.false_discovery_rate),
        Column("Result", text=True, drop=2): lambda row: "drains more" if row.drains_more else "",
    }
    return rows_table(title, columns, sorted(rows, key=lambda row: not row.drains_more), top)


@click.command("compare", cls=NavitasCommand, example="navitas fleet compare fleet --at 2026-03-01")
@fleet_options
@option("--at", type=TEXT, required=True, metavar="DATE", help="The day or time that separates the two periods (UTC).")
@output_options
def compare(*, choice: FleetChoice, at: str, outputs: Outputs) -> None:
    """Compare the extra drains of apps before a day with those from that day on. --since and --until limit both periods."""
    moment_s = Period.parse(at, None).since_s
    if not choice.period.since_s < moment_s < choice.period.until_s:
        raise UsageError(f"--at {at} is not between --since and --until", "Give a day within the period.")
    before, names = _hogs(replace(choice, period=replace(choice.period, until_s=moment_s)))
    after, _ = _hogs(replace(choice, period=replace(choice.period, since_s=moment_s)))
    rows = outputs.kept(changes_of(before, after, names))
    if outputs.write(ChangeRow, rows, at_s=moment_s):
        output_console().print(changes_table(rows, outputs.top))


def changes_table(rows: Sequence[ChangeRow], top: int) -> FittedTable:
    """The apps whose drain changed significantly."""
    columns: dict[Column, Callable[[ChangeRow], str]] = {
        Column("App", text=True): lambda row: row.app,
        Column("Clients", drop=2): lambda row: f"{row.clients:,}",
        Column("Before %/h", drop=1): lambda row: number(row.before_percent_h, 2),
        Column("After %/h", drop=1): lambda row: number(row.after_percent_h, 2),
        Column("Change %/h (95 %)"): lambda row: with_interval(
            row.change_percent_h, row.change_low_percent_h, row.change_high_percent_h, 2
        ),
        Column("FDR", drop=3): lambda row: probability(row.false_discovery_rate),
    }
    significant = [row for row in rows if row.is_significant]
    title = f"Changed drains: {len(significant):,} of {len(rows):,} apps that can be judged in both periods"
    return rows_table(title, columns, significant, top)


def _hogs(choice: FleetChoice) -> tuple[Hogs, dict[int, str]]:
    with fleet_of(choice) as fleet:
        return hogs_of(fleet), fleet.app_names
