"""Readings of Android's power monitors by the app: rails, and energy consumers (AOSP: PowerStatsService, SystemHealthManager).

Android caches readings for 20 s (30 s in some releases), or 250 ms for apps with ACCESS_FINE_POWER_MONITORS. A reading lies below
the true one by a random part of the energy since the reading before: 1 − Beta(50, 1), so 1/51 on average, at most 10 J.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from navitas.parse.arrays import F64, I64
from navitas.parse.clock_triples import ClockTriples
from navitas.parse.counters import Readings
from navitas.parse.energy_consumers import EnergyConsumers
from navitas.parse.findings import TORN, Findings
from navitas.parse.rail_readings import RailReadings, complete_readings
from navitas.parse.reasons import Reason
from navitas.recording.manifest import Manifest

KIND = "power_monitors"
"""The kind of their source in the manifest."""
_LINE = re.compile(r"([01]) (\d{1,12}) (-1|\d{1,18}) (\S.{0,63})")
_CHANNEL = re.compile(r"\[(.+)\](?::.*)?")
_CONSUMER, _RAIL = "0", "1"
_CPU = re.compile(r"CPU(?:/\d+)?")
_NS_PER_MS = 1_000_000
_MOST = 256
_OLDEST_NS, _NEWEST_NS = 3_600_000_000_000, 1_000_000_000
"""A reading may be so much older than its record, since Android caches it, or newer, since clocks differ."""
_FINE_NS = 10_000_000_000
_REMEDY = "Record more than 40 s. On Android 17 and later, let the app request ACCESS_FINE_POWER_MONITORS (docs/android.md)."


@dataclass(frozen=True, slots=True)
class PowerMonitors:
    """What the app read in a run: rails and consumers, each None without two readings.

    `is_short` if there are rails, with fewer than two readings in the run.
    """

    rails: RailReadings | None = None
    consumers: EnergyConsumers | None = None
    is_short: bool = False


def read_monitors(
    manifest: Manifest, processes: Sequence[dict[int, Readings]], clocks: ClockTriples, findings: Findings, *, since_ns: int
) -> PowerMonitors:
    """Return what a run's processes read. All processes of an app get the same readings."""
    ids = [source.id for source in manifest.sources if source.kind == KIND]
    monitors, skipped = parse_monitors([one[number] for one in processes for number in ids if number in one], clocks, since_ns)
    message = "power monitors: {count} torn or impossible readings of single monitors were skipped"
    findings.add_loss("rail_readings", skipped, message, TORN)
    return monitors


def warn_of_short_run(monitors: PowerMonitors, findings: Findings) -> None:
    """Add a warning if a run whose only source of rails are power monitors was too short for them."""
    if monitors.is_short:
        message = (
            "power rails are unknown: Android's power monitors, which change every 20 s, had fewer than two readings in the run"
        )
        findings.warn("power_monitors", message, _REMEDY)


def parse_monitors(readings: Sequence[Readings], clocks: ClockTriples, since_ns: int) -> tuple[PowerMonitors, int]:
    """Return rails and consumers, and the number of skipped lines: torn ones, impossible ones, and those of too many monitors.

    Times are boottimes, converted by the clock triples. Devices without boottimes there (virtual phones) never sleep.
    Readings from before `since_ns`, which Android had cached, are left out: the power before the run would count as the run's.
    """
    skipped = 0
    columns: dict[tuple[str, str], int] = {}
    rows = array("q")  # four numbers a row
    for reading in readings:
        for recorded_ns, data in zip(reading.t_ns, reading.texts, strict=True):
            *lines, rest = data.decode("utf-8", "replace").split("\n")
            skipped += bool(rest)
            for line in lines:
                match = _LINE.fullmatch(line)
                if match is None or ((match[1], match[4]) not in columns and len(columns) >= 2 * _MOST):
                    skipped += 1
                elif match[3] != "-1":
                    column = columns.setdefault((match[1], match[4]), len(columns))
                    rows.extend((recorded_ns, int(match[2]) * _NS_PER_MS, column, int(match[3])))
    table = np.frombuffer(rows, np.int64).reshape(-1, 4)
    own = clocks.from_boottime(table[:, 1])
    t_ns = table[:, 1] if own is None else own
    possible = (t_ns > table[:, 0] - _OLDEST_NS) & (t_ns < table[:, 0] + _NEWEST_NS) & (t_ns > 0)
    skipped += int(np.count_nonzero(~possible))
    kept = np.column_stack([t_ns, table[:, 2], table[:, 3]])[possible & (t_ns >= since_ns)]
    rails, lost_rails = _rails(kept, columns)
    consumers, lost_consumers = _consumers(kept, columns)
    has_rails = any(kind == _RAIL for kind, _ in columns)
    return PowerMonitors(rails, consumers, has_rails and rails is None), skipped + lost_rails + lost_consumers


def _rails(rows: I64, columns: dict[tuple[str, str], int]) -> tuple[RailReadings | None, int]:
    names, found, lost = _of_type(_RAIL, rows, columns)
    if found is None or len(found[0]) < 2:
        return None, lost
    plain = tuple(match[1] if (match := _CHANNEL.fullmatch(name)) else name for name in names)
    return RailReadings(plain, *found, reasons=_noise(found[0])), lost


def _consumers(rows: I64, columns: dict[tuple[str, str], int]) -> tuple[EnergyConsumers | None, int]:
    names, found, lost = _of_type(_CONSUMER, rows, columns)
    if found is None or len(found[0]) < 2:
        return None, lost
    none = np.zeros(0, np.int64)
    kinds = tuple("CPU_CLUSTER" if _CPU.fullmatch(name) else name.partition("/")[0] for name in names)
    energy_j = np.maximum.accumulate(found[1], axis=0)
    return EnergyConsumers(names, kinds, found[0], energy_j, none, none, none, none.astype(np.float64)), lost


def _of_type(kind: str, rows: I64, columns: dict[tuple[str, str], int]) -> tuple[tuple[str, ...], tuple[I64, F64] | None, int]:
    """Return the names of the monitors with readings, their table, and the number of readings that no table can hold."""
    own = {column: name for (each, name), column in columns.items() if each == kind}
    used = [column for column in np.unique(rows[:, 1]).tolist() if column in own]
    chosen = rows[np.isin(rows[:, 1], used)]
    place = np.searchsorted(np.array(used, np.int64), chosen[:, 1])
    found = complete_readings(np.column_stack([chosen[:, 0], place, chosen[:, 2]]), len(used))
    if found is None or not len(found[0]):
        return (), None, len(chosen)
    return tuple(own[column] for column in used), found, 0


def _noise(t_ns: I64) -> tuple[Reason, ...]:
    fine = float(np.median(np.diff(t_ns))) < _FINE_NS
    period = "about every 0.25 s" if fine else "every 20 s or more"
    text = f"the rails are Android's power monitors: new readings {period}; each lacks 2 % of the energy since the one before"
    return (Reason("power_monitor_noise", f"{text} on average, at most 10 J"),)
