"""Readings of Android's power monitors by the app: rails, and energy consumers (AOSP: PowerStatsService, SystemHealthManager).

Android caches readings for 20 s (30 s in some releases), or 250 ms for apps with ACCESS_FINE_POWER_MONITORS. A reading lies below
the true one by a random part of the energy since the reading before: 1 − Beta(50, 1), so 1/51 on average, at most 10 J.
Each monitor has times of its own: rails of one meter chip share them, and chips are read one after the other.
"""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from navitas.recording.manifest import Manifest
from navitas.recording.parse.arrays import F64, I64
from navitas.recording.parse.clock_triples import ClockTriples
from navitas.recording.parse.counters import Readings
from navitas.recording.parse.findings import TORN, Findings
from navitas.recording.parse.rail_readings import (
    IMPOSSIBLE_GROWTH,
    J_PER_UWS,
    EnergyConsumers,
    RailReadings,
    common_readings,
    possible_growth,
)
from navitas.recording.parse.reasons import Reason

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
_PARTIAL_REMEDY = "The energy of these monitors is not in the rails. Record again, or longer."

_Series: TypeAlias = tuple[I64, F64]


@dataclass(frozen=True, slots=True)
class PowerMonitors:
    """What the app read in a run: rails and consumers, each None without two readings.

    `is_short` if there are rails, each with fewer than two readings in the run. `impossible` and `partial` are numbers of
    readings by monitor: those of rails that `possible_growth` finds, and those of monitors left out, since they are known for at
    most half of the time of others.
    """

    rails: RailReadings | None = None
    consumers: EnergyConsumers | None = None
    is_short: bool = False
    impossible: Mapping[str, int] = field(default_factory=dict)
    partial: Mapping[str, int] = field(default_factory=dict)


def read_monitors(
    manifest: Manifest, processes: Sequence[dict[int, Readings]], clocks: ClockTriples, findings: Findings, *, since_ns: int
) -> PowerMonitors:
    """Return what a run's processes read. All processes of an app get the same readings."""
    ids = [source.id for source in manifest.sources if source.kind == KIND]
    monitors, skipped = parse_monitors([one[number] for one in processes for number in ids if number in one], clocks, since_ns)
    message = "power monitors: {count} torn or impossible readings of single monitors were skipped"
    findings.add_loss("rail_readings", skipped, message, TORN)
    message = "power monitors: {count} readings of monitors that are known for at most half of the time were left out ({names})"
    findings.add_losses_by_name("rail_readings", monitors.partial, message, _PARTIAL_REMEDY)
    findings.add_losses_by_name("rail_readings", monitors.impossible, IMPOSSIBLE_GROWTH, TORN)
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
    partial: Counter[str] = Counter()
    own_rails = _by_monitor(_RAIL, kept, columns)
    impossible = _without_impossible(own_rails)
    rails, lost_rails = _rails(_lasting(own_rails, partial))
    consumers, lost_consumers = _consumers(_lasting(_by_monitor(_CONSUMER, kept, columns), partial))
    is_short = any(kind == _RAIL for kind, _ in columns) and all(len(one[0]) < 2 for one in own_rails.values())
    return PowerMonitors(rails, consumers, is_short, impossible, partial), skipped + lost_rails + lost_consumers


def _by_monitor(kind: str, rows: I64, columns: dict[tuple[str, str], int]) -> dict[str, _Series]:
    """Return each monitor's own readings, in order of time: the highest one of each time."""
    ordered = rows[np.lexsort((rows[:, 2], rows[:, 0], rows[:, 1]))]
    repeated = (ordered[:-1, :2] == ordered[1:, :2]).all(axis=1)
    ordered = ordered[np.append(~repeated, True)] if len(ordered) else ordered
    t_ns, energy_j = ordered[:, 0], ordered[:, 2].astype(np.float64) * J_PER_UWS
    ends = np.searchsorted(ordered[:, 1], np.arange(len(columns) + 1)).tolist()
    return {
        name: (t_ns[ends[column] : ends[column + 1]], energy_j[ends[column] : ends[column + 1]])
        for (each, name), column in columns.items()
        if each == kind and ends[column] < ends[column + 1]
    }


def _without_impossible(series: dict[str, _Series]) -> dict[str, int]:
    """Correct each rail's own readings, before times of others come between them. Returns the numbers of impossible ones."""
    counts: Counter[str] = Counter()
    for name, (t_ns, energy_j) in series.items():
        rails, impossible = possible_growth(RailReadings((_plain(name),), t_ns, energy_j[:, None]))
        series[name] = t_ns, rails.energy_j[:, 0]
        counts.update(impossible)
    return counts


def _lasting(series: dict[str, _Series], partial: Counter[str]) -> dict[str, _Series]:
    """Return the monitors that are known for more than half of the time of the one that is known longest: all have a time in
    common. Adds the numbers of readings of others to `partial`."""
    longest = max(series.values(), key=lambda one: int(one[0][-1] - one[0][0]), default=None)
    if longest is None or len(longest[0]) < 2:
        return series
    first_ns, last_ns = int(longest[0][0]), int(longest[0][-1])
    found = {}
    for name, (t_ns, energy_j) in series.items():
        if 2 * (min(int(t_ns[-1]), last_ns) - max(int(t_ns[0]), first_ns)) > last_ns - first_ns:
            found[name] = t_ns, energy_j
        else:
            partial[_plain(name)] += len(t_ns)
    return found


def _rails(series: dict[str, _Series]) -> tuple[RailReadings | None, int]:
    found, lost = _common(series)
    if found is None:
        return None, lost
    return RailReadings(tuple(map(_plain, series)), *found, reasons=_noise(series)), lost


def _consumers(series: dict[str, _Series]) -> tuple[EnergyConsumers | None, int]:
    found, lost = _common(series)
    if found is None:
        return None, lost
    none = np.zeros(0, np.int64)
    kinds = tuple("CPU_CLUSTER" if _CPU.fullmatch(name) else name.partition("/")[0] for name in series)
    return EnergyConsumers(tuple(series), kinds, *found, none, none, none, none.astype(np.float64)), lost


def _common(series: dict[str, _Series]) -> tuple[tuple[I64, F64] | None, int]:
    """Return all monitors' table, and the number of readings that no table can hold."""
    readings = [len(t_ns) for t_ns, _ in series.values()]
    found = common_readings(list(series.values()))
    return found, sum(readings) if found is None and max(readings, default=0) > 1 else 0


def _plain(name: str) -> str:
    """Return a rail's name as the other sources have it."""
    return match[1] if (match := _CHANNEL.fullmatch(name)) else name


def _noise(series: dict[str, _Series]) -> tuple[Reason, ...]:
    fine = float(np.median([np.median(np.diff(t_ns)) for t_ns, _ in series.values()])) < _FINE_NS
    period = "about every 0.25 s" if fine else "every 20 s or more"
    text = f"the rails are Android's power monitors: new readings {period}; each lacks 2 % of the energy since the one before"
    return (Reason("power_monitor_noise", f"{text} on average, at most 10 J"),)
