"""The tables of `navitas vitals`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from rich.text import Text

from navitas.android.batterystats.numbers import is_app
from navitas.base.units import UNKNOWN, byte_count, digits, duration, joules
from navitas.cli.habits.row_tables import rows_table
from navitas.insight.vitals.device_use import Bounds, HeldLock, WakeupAlarm
from navitas.insight.vitals.recorded_methods import Acquirer, RadioUser, RecordedAlarm
from navitas.insight.vitals.report import AppVitals, VitalsReport
from navitas.insight.vitals.thresholds import DAY_MS, HOUR_MS, VITALS, Vital, VitalName, is_exempt
from navitas.insight.vitals.verdicts import REASON_TEXTS, Verdict, is_extrapolated
from navitas.report.terminal.fitted_table import Cell, Column, FittedTable
from navitas.report.terminal.paragraph import Paragraph

VERDICT_TEXTS: dict[Verdict, str] = {"bad": "bad", "ok": "ok", "not_known": "not known"}
_STYLES: dict[Verdict, str] = {"bad": "bold red", "ok": "green", "not_known": "dim"}
_SHORT: dict[VitalName, str] = {
    "wake_locks": "wake locks", "wakeups": "wake-ups", "wifi_scans": "Wi-Fi scans", "mobile_bytes": "mobile data",
}  # fmt: skip
_EXTRAPOLATED = " (extrapolated)"
_EXTRAPOLATION = "Extrapolated: the time on battery is less than a day, so the verdict can change within a day."
_MINUTE_MS = 60_000


def time_text(value_ms: float) -> str:
    """Format a time: `3.21 h`, `12.5 min`, `4.56 s`."""
    if value_ms >= HOUR_MS:
        return f"{digits(value_ms / HOUR_MS)} h"
    return f"{digits(value_ms / _MINUTE_MS)} min" if value_ms >= _MINUTE_MS else duration(value_ms * 1e6)


def summary(report: VitalsReport) -> Paragraph:
    """What the figures are of: the time on battery, and where it comes from."""
    use = report.use
    origin = "the history, without statistics" if use.source == "history" else "the statistics since the last charge"
    on_battery = f"{time_text(use.on_battery_ms)} on battery" if use.on_battery_ms else "no time on battery"
    is_known = bool(use.on_battery_ms) and use.screen_off_ms is not None
    dark = f", {time_text(use.screen_off_ms or 0.0)} of it with the screen off" if is_known else ""
    return Paragraph(f"From {origin}: {on_battery}{dark}. Wake locks count on battery with the screen off.")


def apps_table(report: VitalsReport, top: int) -> FittedTable:
    """The rates and the verdict of each app, the worst first; then parts of the system."""
    apps = [app for app in report.apps if is_app(app.uid)]
    bad = sum(app.verdict == "bad" for app in apps)
    columns: dict[Column, Callable[[AppVitals], Cell]] = {
        Column("App", text=True): lambda row: row.name,
        Column("Locks/day"): partial(_rate, 0),
        Column("Wake-ups/h", drop=2): partial(_rate, 1),
        Column("Scans/h", drop=4): partial(_rate, 2),
        Column("Mobile/day", drop=3): partial(_rate, 3),
        Column("Verdict", wrap=True): _verdict,
    }
    table = rows_table(f"Vitals: the behaviour of {bad:,} of {len(apps):,} apps is bad", columns, report.apps, top)
    if table.rows:
        reasons = dict.fromkeys(figure.reason for app in report.apps[:top] for figure in app.figures if figure.reason)
        table.notes.append(Paragraph(_limits(), style="dim"))
        if any(is_extrapolated(app.figures) for app in report.apps[:top]):
            table.notes.append(Paragraph(_EXTRAPOLATION, style="dim"))
        if reasons:
            table.notes.append(Paragraph(f"Not known: {'; '.join(map(REASON_TEXTS.__getitem__, reasons))}.", style="dim"))
    return table


def locks_table(report: VitalsReport, top: int) -> FittedTable:
    """The longest wake locks, with the methods that acquired them if a recording shows them.

    A history also has the time at which they were held with the screen on, or on a charger.
    """
    locks = sorted(
        ((lock, app) for app in report.apps for lock in app.use.locks), key=lambda one: (-one[0].held_ms, -(one[0].all_ms or 0.0))
    )
    columns: dict[Column, Callable[[tuple[HeldLock, AppVitals]], Cell]] = {
        Column("Wake lock", text=True): lambda row: f"{row[0].tag} (exempt)" if is_exempt(row[0].tag) else row[0].tag,
        Column("App", drop=4, text=True): lambda row: row[1].name,
        Column("Held"): lambda row: time_text(row[0].held_ms),
        Column("Times", drop=3): lambda row: f"{row[0].count:,}",
    }
    if report.use.source == "history":
        columns[Column("In all", drop=2)] = lambda row: UNKNOWN if row[0].all_ms is None else time_text(row[0].all_ms)
    if report.acquirers is not None:
        columns[Column("Acquired in", drop=1, text=True)] = lambda row: (
            ", ".join(map(_method, report.acquirers_of(row[1], row[0].tag))) or UNKNOWN
        )
        columns[Column("Energy", drop=1)] = lambda row: _energy(report.acquirers_of(row[1], row[0].tag))
    table = rows_table("Longest partial wake locks, on battery with the screen off", columns, locks, top)
    table.key_share = 0.3
    if any(lock.is_first_only for lock, _ in locks):
        note = "This history names only the first of several wake locks: times are lower bounds."
        table.notes.append(Paragraph(note, style="dim"))
    return table


def _energy(methods: Sequence[Acquirer]) -> str:
    """The energy of methods, if all of it belongs to one wake lock."""
    energies = [one.energy_j for one in methods if one.energy_j is not None and len(one.tags) == 1]
    return joules(sum(energies)) if methods and len(energies) == len(methods) else UNKNOWN


def alarms_table(report: VitalsReport, top: int) -> FittedTable:
    """The alarms that woke the phone most often, with the methods that set them and their energy, if a recording shows them."""
    alarms = sorted(
        ((alarm, app) for app in report.apps for alarm in app.use.alarms),
        key=lambda one: (-one[0].count, -(one[0].all_count or 0)),
    )
    columns: dict[Column, Callable[[tuple[WakeupAlarm, AppVitals]], Cell]] = {
        Column("Alarm", text=True): lambda row: row[0].tag,
        Column("App", drop=4, text=True): lambda row: row[1].name,
        Column("Wake-ups"): lambda row: f"{row[0].count:,}",
    }
    if report.use.source == "history":
        columns[Column("In all", drop=2)] = lambda row: UNKNOWN if row[0].all_count is None else f"{row[0].all_count:,}"
    if report.alarms is not None:
        columns[Column("Set in", drop=1, text=True)] = lambda row: _set_in(report.alarm_of(row[1], row[0].tag))
        columns[Column("Energy", drop=1)] = lambda row: _recorded_energy(report.alarm_of(row[1], row[0].tag))
    return rows_table("Alarms that wake the phone, on battery", columns, alarms, top)


def _set_in(alarm: RecordedAlarm | None) -> str:
    short = {one: ".".join(one.name.split(".")[-2:]) for one in (alarm.set_in if alarm else ())}
    return ", ".join(f"{name} ({one.place})" if one.place else name for one, name in short.items()) or UNKNOWN


def _recorded_energy(recorded: RecordedAlarm | RadioUser | Acquirer | None) -> str:
    """The energy in the recording; of an alarm, of all that it started."""
    return UNKNOWN if recorded is None or recorded.energy_j is None else joules(recorded.energy_j)


def radio_users_table(users: Sequence[RadioUser], top: int) -> FittedTable:
    """The methods of the recording that scanned Wi-Fi networks or used the network."""
    columns: dict[Column, Callable[[RadioUser], Cell]] = {
        Column("Method", text=True): lambda row: row.name,
        Column("Place", drop=1, text=True): lambda row: row.place or UNKNOWN,
        Column("Scans", drop=2): lambda row: f"{row.scans:,}",
        Column("Bytes"): lambda row: byte_count(row.network_bytes),
        Column("Energy"): _recorded_energy,
    }
    table = rows_table("Methods that scanned or used the network, in the recording", columns, users, top)
    table.key_share = 0.3
    return table


def acquirers_table(acquirers: Sequence[Acquirer], top: int) -> FittedTable:
    """The methods of the recording that acquired wake locks."""
    columns: dict[Column, Callable[[Acquirer], Cell]] = {
        Column("Method", text=True): lambda row: row.name,
        Column("Place", drop=1, text=True): lambda row: row.place or UNKNOWN,
        Column("Calls", drop=2): lambda row: f"{row.calls:,}",
        Column("Held"): lambda row: time_text(row.held_ns / 1e6),
        Column("Energy"): _recorded_energy,
        Column("Wake locks", drop=3, text=True): lambda row: ", ".join(row.tags) or UNKNOWN,
    }
    table = rows_table("Methods that acquired wake locks, in the recording", columns, acquirers, top)
    table.key_share = 0.3
    return table


def amount_text(vital: Vital, value: float) -> str:
    """Format an amount in the unit of a metric."""
    if vital.unit == "count":
        return f"{value:.1f}" if value % 1 else f"{value:,.0f}"
    return time_text(value) if vital.unit == "ms" else byte_count(value)


def _rate(metric: int, app: AppVitals) -> Text:
    figure = app.figures[metric]
    text = UNKNOWN if figure.rate is None else _bounds(figure.vital, figure.rate)
    return Text(text, style=_STYLES[figure.verdict] if figure.verdict == "bad" else "")


def _bounds(vital: Vital, rate: Bounds) -> str:
    low = amount_text(vital, rate.low)
    if rate.high is None:
        return f"≥{low}"
    high = amount_text(vital, rate.high)
    return low if low == high else f"≤{high}" if not rate.low else f"{low}–{high}"


def _verdict(app: AppVitals) -> Text:
    bad = [_SHORT[figure.vital.name] for figure in app.figures if figure.verdict == "bad"]
    text = VERDICT_TEXTS[app.verdict] + (f": {', '.join(bad)}" if bad else "")
    return Text(text + (_EXTRAPOLATED if is_extrapolated(app.figures) else ""), style=_STYLES[app.verdict])


def _limits() -> str:
    def limit(vital: Vital) -> str:
        per = "a day" if vital.window_ms == DAY_MS else "an hour"
        least = "more than " if vital.is_exclusive else ""
        return f"{vital.title} {least}{amount_text(vital, vital.limit)} {per}"

    return f"Limits of Google Play: {'; '.join(map(limit, VITALS))}."


def _method(one: Acquirer) -> str:
    name = f"{one.class_name.rpartition('.')[2]}.{one.method}"
    return f"{name} ({one.place})" if one.place else name
