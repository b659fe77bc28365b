"""`navitas vitals`: Google Play's bad-behaviour metrics of battery use, from a dump, a bug report or a recording."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Literal

import click

from navitas.android.batterystats.numbers import is_app
from navitas.base.errors import ExitCode, UsageError
from navitas.base.json_text import fields
from navitas.base.untrusted_text import printable, printable_line
from navitas.cli.compare.energy_limit import fail_on_option
from navitas.cli.habits.commands import NavitasCommand
from navitas.cli.habits.files import json_option, write_json
from navitas.cli.habits.messages import failed_check, next_step, shell_word, unknown_check, warning
from navitas.cli.habits.option import option
from navitas.cli.habits.paths import READ_ANY_NAME, READ_FILE_ANY_NAME, TEXT, as_given
from navitas.cli.habits.shared_options import top_option
from navitas.cli.habits.standard_output import output_console
from navitas.cli.vitals.tables import (
    VERDICT_TEXTS,
    acquirers_table,
    alarms_table,
    apps_table,
    locks_table,
    radio_users_table,
    summary,
)
from navitas.insight.vitals.device_use import Bounds, WakeupAlarm
from navitas.insight.vitals.dump_warnings import DUMP_COMMAND
from navitas.insight.vitals.recorded_methods import Acquirer
from navitas.insight.vitals.report import AppVitals, VitalsReport, vitals_of_dump, vitals_of_recording
from navitas.insight.vitals.thresholds import VITALS, is_exempt
from navitas.insight.vitals.verdicts import VitalFigure

_LONGEST = 2000
_SCHEMA_VERSION = 1
FailOn = Literal["bad", "unknown"]


@click.command("vitals", cls=NavitasCommand, example="navitas vitals bugreport.zip --fail-on bad --package org.example.app")
@click.argument("source", type=READ_FILE_ANY_NAME, metavar="REC|BUGREPORT")
@option(
    "--recording",
    type=READ_ANY_NAME,
    metavar="RECORDING",
    help="Recording with hooks of an app in the bug report: adds the methods of its wake locks and alarms.",
)
@option("--package", type=TEXT, metavar="NAME", help="Only this app.")
@fail_on_option("bad", "Exit with code 1 if the behaviour of an app is bad; unknown: also if it is not known.")
@top_option(20)
@json_option
def command(
    *, source: Path, recording: Path | None, package: str | None, fail_on: FailOn | None, top: int, json_file: Path | None
) -> int:
    """Judge each app's wake locks, wake-ups, Wi-Fi scans and mobile data by the limits of Google Play.

    REC is a recording. BUGREPORT is a file of `adb bugreport` (zip or text) or of `adb shell dumpsys batterystats`, with -c or
    without, of Android 8 to 16; '-' is standard input.
    """
    if source.is_dir() and recording is not None:
        raise UsageError(
            f"--recording {recording}: {source} is a folder, and --recording needs a dump or a bug report",
            "Leave out --recording.",
        )
    report = vitals_of_recording(source) if source.is_dir() else vitals_of_dump(source, recording)
    if package is not None:
        report = _only(report, package)
    if write_json(json_file, **_document(as_given(source), recording, report)):
        _print(report, top)
    for one in report.warnings:
        warning(f"{one.code}: {printable_line(one.message, _LONGEST)}\n         {printable_line(one.remedy, _LONGEST)}")
    failed = failing(report.apps, fail_on)
    if failed or (fail_on == "unknown" and not any(is_app(app.uid) for app in report.apps)):
        is_bad = any(app.verdict == "bad" for app in failed)
        (failed_check if is_bad else unknown_check)(_failure(failed), _remedy(report, source, failed))
        return ExitCode.CHECK_FAILED
    next_step(_remedy(report, source, report.apps))
    return ExitCode.OK


def failing(apps: Sequence[AppVitals], fail_on: FailOn | None) -> list[AppVitals]:
    """Return the apps that fail the check. Parts of the system never do."""
    verdicts = {None: (), "bad": ("bad",), "unknown": ("bad", "not_known")}[fail_on]
    return [app for app in apps if app.verdict in verdicts and is_app(app.uid)]


def _only(report: VitalsReport, package: str) -> VitalsReport:
    apps = tuple(app for app in (*report.apps, *report.idle) if package in (app.name, *app.packages))
    if not apps:
        raise UsageError(
            f"no app {printable(package)} in this file",
            "Leave out --package for a list of all apps. A history names uids only, such as u0a123.",
        )
    return replace(report, apps=apps)


def _print(report: VitalsReport, top: int) -> None:
    console = output_console()
    console.print(summary(report), "", apps_table(report, top), sep="\n")
    tables = (
        locks_table(report, top),
        alarms_table(report, top),
        acquirers_table(report.acquirers or (), top),
        radio_users_table(report.radio_users or (), top),
    )
    for table in tables:
        if table.rows:
            console.print("", table, sep="\n")


def _failure(apps: Sequence[AppVitals]) -> str:
    if not apps:
        return "the file shows no app"
    first = apps[0]
    more = f", and {len(apps) - 1:,} other apps" if len(apps) > 1 else ""
    return f"the behaviour of {printable(first.name)} is {VERDICT_TEXTS[first.verdict]}{more}"


def _remedy(report: VitalsReport, source: Path, apps: Sequence[AppVitals]) -> str:
    """The next command: with methods if there are none yet, or for a better dump."""
    shown = shell_word(as_given(source))
    if any(one.code in ("no_statistics", "no_users") for one in report.warnings):
        return f"{DUMP_COMMAND}, then navitas vitals stats.txt --recording {shown}" if source.is_dir() else DUMP_COMMAND
    named = next((app.packages[0] for app in apps if app.packages and is_app(app.uid)), "PACKAGE")
    if report.acquirers is None:
        return f"navitas record {shell_word(named)} --record hooks, then navitas vitals {shown} --recording DIR"
    if source.is_dir():
        return f"navitas report {shown} --view tree --component wakelock"
    if any(one.code == "other_app" for one in report.warnings):
        return f"navitas record {shell_word(named)} --record hooks, then navitas vitals {shown} --recording DIR"
    return "see the methods above, and the remedies in docs/vitals.md"


def _document(source: Path, recording: Path | None, report: VitalsReport) -> dict[str, object]:
    """Return the JSON document. docs/vitals.md describes its fields."""
    use = report.use
    return {
        "schema_version": _SCHEMA_VERSION,
        "file": str(source),
        "recording": str(source if source.is_dir() else recording) if source.is_dir() or recording else None,
        "source": use.source,
        "on_battery_ms": use.on_battery_ms,
        "screen_off_ms": use.screen_off_ms,
        "limits": [asdict(vital) for vital in VITALS],
        "warnings": [asdict(warning) for warning in report.warnings],
        "apps": [_app(report, app) for app in report.apps],
        "acquirers": None if report.acquirers is None else [_acquirer(one) for one in report.acquirers],
        "recorded_alarms": None if report.alarms is None else [asdict(one) for one in report.alarms],
        "radio_users": None if report.radio_users is None else [asdict(one) for one in report.radio_users],
    }


def _app(report: VitalsReport, app: AppVitals) -> dict[str, object]:
    locks = [
        {
            **asdict(lock),
            "is_exempt": is_exempt(lock.tag),
            "acquired_in": [_acquirer(one) for one in report.acquirers_of(app, lock.tag)] or None,
        }
        for lock in sorted(app.use.locks, key=lambda one: -one.held_ms)
    ]
    alarms = [_alarm(report, app, alarm) for alarm in sorted(app.use.alarms, key=lambda one: -one.count)]
    return {
        "uid": app.uid,
        "packages": list(app.packages),
        "is_app": is_app(app.uid),
        "is_recorded": app.is_recorded,
        "verdict": app.verdict,
        "vitals": [_figure(figure) for figure in app.figures],
        "wifi_background_bytes": _bounds(app.use.wifi_bytes),
        "wake_locks": locks,
        "alarms": alarms,
    }


def _alarm(report: VitalsReport, app: AppVitals, alarm: WakeupAlarm) -> dict[str, object]:
    recorded = report.alarm_of(app, alarm.tag)
    setters = None if recorded is None else [asdict(one) for one in recorded.set_in] or None
    return {**asdict(alarm), "set_in": setters, "recorded_j": None if recorded is None else recorded.energy_j}


def _figure(figure: VitalFigure) -> dict[str, object]:
    return {
        "name": figure.vital.name,
        **fields(figure, "verdict", "reason"),
        "amount": _bounds(figure.amount),
        "rate": _bounds(figure.rate),
        "is_extrapolated": figure.is_extrapolated,
    }


def _bounds(bounds: Bounds | None) -> dict[str, object] | None:
    return None if bounds is None else {"low": bounds.low, "high": bounds.high, "why": bounds.why or None}


def _acquirer(one: Acquirer) -> dict[str, object]:
    return {**asdict(one), "tags": list(one.tags)}
