"""The JSON document of `navitas vitals`. docs/vitals.md describes its fields."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

from navitas.batterystats.numbers import is_app
from navitas.vitals.acquirers import Acquirer
from navitas.vitals.device_use import Bounds, WakeupAlarm
from navitas.vitals.report import AppVitals, VitalsReport
from navitas.vitals.thresholds import VITALS, is_exempt
from navitas.vitals.verdicts import VitalFigure

SCHEMA_VERSION = 1


def vitals_document(source: Path, recording: Path | None, report: VitalsReport) -> object:
    """Return the document."""
    use = report.use
    return {
        "schema_version": SCHEMA_VERSION,
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
        "verdict": figure.verdict,
        "reason": figure.reason,
        "amount": _bounds(figure.amount),
        "rate": _bounds(figure.rate),
        "is_extrapolated": figure.is_extrapolated,
    }


def _bounds(bounds: Bounds | None) -> dict[str, object] | None:
    return None if bounds is None else {"low": bounds.low, "high": bounds.high, "why": bounds.why or None}


def _acquirer(one: Acquirer) -> dict[str, object]:
    return {**asdict(one), "tags": list(one.tags)}
