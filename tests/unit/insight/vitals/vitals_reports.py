"""Vitals of texts, for tests."""

from __future__ import annotations

from pathlib import Path

from vitals_dumps import APP, DAY, HOUR

from navitas.insight.vitals.report import AppVitals, VitalsReport, vitals_of_dump


def report_of(folder: Path, text: str) -> VitalsReport:
    path = folder / "dump.txt"
    path.write_text(text)
    return vitals_of_dump(path)


def app_of(report: VitalsReport, uid: int = APP) -> AppVitals:
    return next(app for app in report.apps if app.uid == uid)


def statistics(*lines: str, on_battery_ms: int = DAY, screen_off_ms: int = 20 * HOUR) -> str:
    """A dump in checkin form with these lines of one app."""
    times = f"9,0,l,bt,0,{on_battery_ms},0,{on_battery_ms},0,0,{screen_off_ms},0"
    return "\n".join(("9,0,i,vers,36,214,A,A", times, *(f"9,{APP},l,{line}" for line in lines))) + "\n"
