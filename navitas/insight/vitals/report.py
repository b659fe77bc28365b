"""Vitals of a dump, a bug report or a recording: verdicts on each app, joined with the methods of a recording."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from navitas.android.batterystats.numbers import is_app
from navitas.base.errors import RecordingError
from navitas.energy.analyze.load import analyze, load_tables
from navitas.insight.vitals.device_use import Bounds, DeviceUse, UidUse, app_name, merged_use
from navitas.insight.vitals.dump_use import RunHistory, read_dump_use, run_histories
from navitas.insight.vitals.dump_warnings import (
    VitalsCode,
    VitalsWarning,
    damaged_lines,
    missing_statistics,
    other_app,
)
from navitas.insight.vitals.recorded_methods import (
    Acquirer,
    RadioUser,
    RecordedAlarm,
    acquirers_of,
    radio_users_of,
    recorded_alarms,
)
from navitas.insight.vitals.verdicts import Verdict, VitalFigure, figures_of, verdict_of
from navitas.recording.store import open_recording

_LOSSES: frozenset[VitalsCode] = frozenset({"cut_off", "no_users", "left_out"})
"""Warnings of dumps in which an app's use can be missing."""


@dataclass(frozen=True, slots=True)
class AppVitals:
    """The metrics of one uid, and the use that they are computed from. `is_recorded`: the recording is of this app."""

    uid: int
    name: str
    packages: tuple[str, ...]
    verdict: Verdict
    figures: tuple[VitalFigure, ...]
    use: UidUse
    is_recorded: bool


@dataclass(frozen=True, slots=True)
class VitalsReport:
    """Vitals of all apps, the worst first. `acquirers`, `alarms` and `radio_users` are of the recording, None without one.

    `idle` are apps that the dump names, but that did nothing on battery.
    """

    use: DeviceUse
    apps: tuple[AppVitals, ...]
    warnings: tuple[VitalsWarning, ...]
    acquirers: tuple[Acquirer, ...] | None = None
    alarms: tuple[RecordedAlarm, ...] | None = None
    radio_users: tuple[RadioUser, ...] | None = None
    idle: tuple[AppVitals, ...] = ()

    def acquirers_of(self, app: AppVitals, tag: str) -> tuple[Acquirer, ...]:
        """Return the methods of the recording that acquired a wake lock of this name."""
        return tuple(one for one in self.acquirers or () if tag in one.tags) if app.is_recorded else ()

    def alarm_of(self, app: AppVitals, tag: str) -> RecordedAlarm | None:
        """Return the alarm of the recording with this tag; None if the recording has no such alarm."""
        named = (one for one in self.alarms or () if one.tag == tag and one.kind != "job")
        return next(named, None) if app.is_recorded else None


@dataclass(frozen=True, slots=True)
class RecordedRuns:
    """What a recording adds: its histories, the app's packages and uids, and the methods that acquired, set or used something."""

    histories: tuple[RunHistory, ...]
    acquirers: tuple[Acquirer, ...]
    packages: frozenset[str]
    uids: frozenset[int]
    alarms: tuple[RecordedAlarm, ...] = ()
    radio_users: tuple[RadioUser, ...] = ()


def vitals_of_dump(path: Path, recording: Path | None = None) -> VitalsReport:
    """Return the vitals of a dump or bug report. A recording of one of its apps adds methods and energies.

    Raises `RecordingError` and `PowerProfileError`, as `navitas.load` does.
    """
    use, warnings = read_dump_use(path)
    recorded = None if recording is None else _recorded(recording)
    report = _report(use, warnings, recorded, by_uid=False)
    if recorded is None or any(app.is_recorded for app in (*report.apps, *report.idle)):
        return report
    return replace(report, warnings=(*report.warnings, other_app(recorded.packages)))


def vitals_of_recording(path: Path) -> VitalsReport:
    """Return the vitals in the runs of a recording, by the histories that it has.

    Raises `RecordingError` if there are none, and the errors of `vitals_of_dump`.
    """
    recorded = _recorded(path)
    if not recorded.histories:
        raise RecordingError(
            f"{path}: this recording has no history of batterystats",
            "Record on a phone with --record sampling, hooks or both; or name a dump or bug report, and add --recording.",
        )
    use = merged_use([history.use() for history in recorded.histories])
    warnings = list(missing_statistics(is_begun=False, has_users=False, has_time=bool(use.on_battery_ms), is_text=False))
    for history in recorded.histories:
        warnings += damaged_lines(history.lines, uses_history=True, dropped=history.dropped)
    return _report(use, tuple(dict.fromkeys(warnings)), recorded, by_uid=True)


def _recorded(path: Path) -> RecordedRuns:
    loaded = load_tables(path)
    recording = open_recording(path)
    histories, profile = tuple(run_histories(recording, loaded.parsed.runs)), analyze(loaded)
    return RecordedRuns(
        histories,
        acquirers_of(loaded, profile, histories),
        frozenset(run.package for run in recording.manifest.runs),
        frozenset(history.uid for history in histories if history.uid >= 0),
        recorded_alarms(profile),
        radio_users_of(loaded, profile),
    )


def _report(use: DeviceUse, warnings: Sequence[VitalsWarning], recorded: RecordedRuns | None, *, by_uid: bool) -> VitalsReport:
    packages = {**use.idle, **use.packages}

    def app(one: UidUse) -> AppVitals:
        """A uid is the same in another dump only by chance, a package always."""
        named, figures = packages.get(one.uid, ()), figures_of(one, use.on_battery_ms)
        is_recorded = recorded is not None and (one.uid in recorded.uids if by_uid else bool(recorded.packages & {*named}))
        return AppVitals(one.uid, app_name(one.uid, packages), named, verdict_of(figures), figures, one, is_recorded)

    ranked = tuple(sorted(map(app, use.uids), key=_rank))
    is_whole = use.source == "statistics" and not any(one.code in _LOSSES for one in warnings)
    none = Bounds.exactly(0.0) if is_whole else None
    idle = tuple(app(UidUse(uid, none, none, none, none, none)) for uid in sorted(use.idle))
    if recorded is None:
        return VitalsReport(use, ranked, tuple(warnings), idle=idle)
    return VitalsReport(use, ranked, tuple(warnings), recorded.acquirers, recorded.alarms, recorded.radio_users, idle)


def _rank(app: AppVitals) -> tuple[bool, bool, bool, float, int]:
    """Bad ones first, then those that the recording is of, then other apps by how near they are to a limit."""
    nearest = max(figure.share_of_limit for figure in app.figures)
    return app.verdict != "bad", not app.is_recorded, not is_app(app.uid), -nearest, app.uid
