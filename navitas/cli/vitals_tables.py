"""The tables of `navitas vitals`."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from navitas.batterystats.numbers import is_app
from navitas.cli.fleet_rows import more_rows
from navitas.report.terminal.fitted_table import Column, FittedTable
from navitas.report.terminal.paragraph import Paragraph
from navitas.report.units import byte_count, digits, duration, joules
from navitas.untrusted_text import printable
from navitas.vitals.acquirers import Acquirer
from navitas.vitals.device_use import Bounds
from navitas.vitals.radio_users import RadioUser
from navitas.vitals.recorded_alarms import RecordedAlarm
from navitas.vitals.report import AppVitals, VitalsReport
from navitas.vitals.thresholds import DAY_MS, HOUR_MS, VITALS, Vital, VitalName, is_exempt
from navitas.vitals.verdicts import REASON_TEXTS, UnknownReason, Verdict, VitalFigure, is_extrapolated

VERDICT_TEXTS: dict[Verdict, str] = {"bad": "bad", "ok": "ok", "not_known": "not known"}
_STYLES: dict[Verdict, str] = {"bad": "bold red", "ok": "green", "not_known": "dim"}
_SHORT: dict[VitalName, str] = {
    "wake_locks": "wake locks", "wakeups": "wake-ups", "wifi_scans": "Wi-Fi scans", "mobile_bytes": "mobile data",
}  # fmt: skip
_UNKNOWN = "–"
_EXTRAPOLATED = " (extrapolated)"
_EXTRAPOLATION = "Extrapolated: the time on battery is less than a day, so the verdict can change within a day."
_LONGEST_NAME = 10_000
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
    columns = [
        Column("App", text=True),
        Column("Locks/day"),
        Column("Wake-ups/h", drop=2),
        Column("Scans/h", drop=4),
        Column("Mobile/day", drop=3),
        Column("Verdict", wrap=True),
    ]
    table = FittedTable(f"Vitals: the behaviour of {bad:,} of {len(apps):,} apps is bad", columns)
    for app in report.apps[:top]:
        name = printable(app.name, _LONGEST_NAME)
        table.add(name, *(_rate(figure) for figure in app.figures), _verdict(app))
    table.notes += more_rows(len(report.apps) - top)
    if table.rows:
        reasons = dict.fromkeys(figure.reason for app in report.apps[:top] for figure in app.figures if figure.reason)
        table.notes.append(Paragraph(_limits(), style="dim"))
        if any(is_extrapolated(app.figures) for app in report.apps[:top]):
            table.notes.append(Paragraph(_EXTRAPOLATION, style="dim"))
        table.notes += [Paragraph(f"Not known: {_reasons(list(reasons))}.", style="dim")] if reasons else []
    return table


def locks_table(report: VitalsReport, top: int) -> FittedTable:
    """The longest wake locks, with the methods that acquired them if a recording shows them.

    A history also has the time at which they were held with the screen on, or on a charger.
    """
    locks = sorted(
        ((lock, app) for app in report.apps for lock in app.use.locks), key=lambda one: (-one[0].held_ms, -(one[0].all_ms or 0.0))
    )
    has_all, has_methods = report.use.source == "history", report.acquirers is not None
    columns = [Column("Wake lock", text=True), Column("App", drop=4, text=True), Column("Held"), Column("Times", drop=3)]
    columns += [Column("In all", drop=2)] if has_all else []
    columns += [Column("Acquired in", drop=1, text=True), Column("Energy", drop=1)] if has_methods else []
    table = FittedTable("Longest partial wake locks, on battery with the screen off", columns, key_share=0.3)
    for lock, app in locks[:top]:
        tag = f"{lock.tag} (exempt)" if is_exempt(lock.tag) else lock.tag
        names = [printable(name, _LONGEST_NAME) for name in (tag, app.name)]
        cells = [*names, time_text(lock.held_ms), f"{lock.count:,}"]
        cells += [_UNKNOWN if lock.all_ms is None else time_text(lock.all_ms)] if has_all else []
        table.add(*cells, *(_acquired_in(report.acquirers_of(app, lock.tag)) if has_methods else ()))
    table.notes += more_rows(len(locks) - top)
    if any(lock.is_first_only for lock, _ in locks):
        note = "This history names only the first of several wake locks: times are lower bounds."
        table.notes.append(Paragraph(note, style="dim"))
    return table


def _acquired_in(methods: Sequence[Acquirer]) -> tuple[str, str]:
    """The methods, and their energy if all of it belongs to this wake lock."""
    energies = [one.energy_j for one in methods if one.energy_j is not None and len(one.tags) == 1]
    names = printable(", ".join(map(_method, methods)) or _UNKNOWN, _LONGEST_NAME)
    return names, joules(sum(energies)) if methods and len(energies) == len(methods) else _UNKNOWN


def alarms_table(report: VitalsReport, top: int) -> FittedTable:
    """The alarms that woke the phone most often, with the methods that set them and their energy, if a recording shows them."""
    alarms = sorted(
        ((alarm, app) for app in report.apps for alarm in app.use.alarms),
        key=lambda one: (-one[0].count, -(one[0].all_count or 0)),
    )
    has_all, has_methods = report.use.source == "history", report.alarms is not None
    columns = [Column("Alarm", text=True), Column("App", drop=4, text=True), Column("Wake-ups")]
    columns += [Column("In all", drop=2)] if has_all else []
    columns += [Column("Set in", drop=1, text=True), Column("Energy", drop=1)] if has_methods else []
    table = FittedTable("Alarms that wake the phone, on battery", columns)
    for alarm, app in alarms[:top]:
        cells = [printable(name, _LONGEST_NAME) for name in (alarm.tag, app.name)] + [f"{alarm.count:,}"]
        cells += [_UNKNOWN if alarm.all_count is None else f"{alarm.all_count:,}"] if has_all else []
        table.add(*cells, *(_set_in(report.alarm_of(app, alarm.tag)) if has_methods else ()))
    table.notes += more_rows(len(alarms) - top)
    return table


def _set_in(alarm: RecordedAlarm | None) -> tuple[str, str]:
    """The methods, and the energy of all that the alarm started in the recording."""
    if alarm is None:
        return _UNKNOWN, _UNKNOWN
    short = {one: ".".join(one.name.split(".")[-2:]) for one in alarm.set_in}
    names = [f"{name} ({one.place})" if one.place else name for one, name in short.items()]
    return printable(", ".join(names) or _UNKNOWN, _LONGEST_NAME), _UNKNOWN if alarm.energy_j is None else joules(alarm.energy_j)


def radio_users_table(users: Sequence[RadioUser], top: int) -> FittedTable:
    """The methods of the recording that scanned Wi-Fi networks or used the network."""
    columns = [Column("Method", text=True), Column("Place", drop=1, text=True), Column("Scans", drop=2), Column("Bytes")]
    table = FittedTable("Methods that scanned or used the network, in the recording", [*columns, Column("Energy")], key_share=0.3)
    for one in users[:top]:
        energy = _UNKNOWN if one.energy_j is None else joules(one.energy_j)
        texts = [printable(text, _LONGEST_NAME) for text in (one.name, one.place or _UNKNOWN)]
        table.add(*texts, f"{one.scans:,}", byte_count(one.network_bytes), energy)
    table.notes += more_rows(len(users) - top)
    return table


def acquirers_table(acquirers: Sequence[Acquirer], top: int) -> FittedTable:
    """The methods of the recording that acquired wake locks."""
    columns = [
        Column("Method", text=True),
        Column("Place", drop=1, text=True),
        Column("Calls", drop=2),
        Column("Held"),
        Column("Energy"),
        Column("Wake locks", drop=3, text=True),
    ]
    table = FittedTable("Methods that acquired wake locks, in the recording", columns, key_share=0.3)
    for one in acquirers[:top]:
        energy = _UNKNOWN if one.energy_j is None else joules(one.energy_j)
        texts = [printable(text, _LONGEST_NAME) for text in (one.name, one.place or _UNKNOWN, ", ".join(one.tags) or _UNKNOWN)]
        table.add(texts[0], texts[1], f"{one.calls:,}", time_text(one.held_ns / 1e6), energy, texts[2])
    table.notes += more_rows(len(acquirers) - top)
    return table


def amount_text(vital: Vital, value: float) -> str:
    """Format an amount in the unit of a metric."""
    if vital.unit == "count":
        return f"{value:.1f}" if value % 1 else f"{value:,.0f}"
    return time_text(value) if vital.unit == "ms" else byte_count(value)


def _rate(figure: VitalFigure) -> Text:
    text = _UNKNOWN if figure.rate is None else _bounds(figure.vital, figure.rate)
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


def _reasons(reasons: Sequence[UnknownReason]) -> str:
    return "; ".join(REASON_TEXTS[reason] for reason in reasons)


def _method(one: Acquirer) -> str:
    name = f"{one.class_name.rpartition('.')[2]}.{one.method}"
    return f"{name} ({one.place})" if one.place else name
