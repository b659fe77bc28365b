"""Tables of what a device measures itself: its rails, and its energy consumers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from navitas.power.defects import MOST_W
from navitas.recording.parse.arrays import F64, I64
from navitas.recording.parse.clock_triples import ClockTriples
from navitas.recording.parse.device_states import NO_UID
from navitas.recording.parse.reasons import Reason


@dataclass(frozen=True, slots=True)
class EnergyConsumers:
    """Readings of consumers (AOSP: android.hardware.power.stats, EnergyConsumer). The device computes them from its rails.

    - `names` and `kinds`: of consumer k, such as `CPUCL0` and `CPU_CLUSTER`.
    - `t_ns`, `energy_j`: consumer k has used `energy_j[i, k]` in total at `t_ns[i]`.
    - `uid_consumer`, `uid`, `uid_t_ns`, `uid_energy_j`: rows of what a consumer has used in total for an app, in order of time.
    - `app_uid`: the uid of the profiled app, `NO_UID` if it is unknown.
    """

    names: tuple[str, ...]
    kinds: tuple[str, ...]
    t_ns: I64
    energy_j: F64
    uid_consumer: I64
    uid: I64
    uid_t_ns: I64
    uid_energy_j: F64
    app_uid: int = NO_UID


J_PER_UWS = 1e-6
_CELLS_LIMIT = 1 << 22
_LATE_S = 1.0
"""A reading may be this late, and then has the energy of a longer time."""
IMPOSSIBLE_GROWTH = (
    "rails: {count} readings went back, or jumped by more than a phone can use ({names}): such steps count as nothing"
)
"""The message of what `possible_growth` counts."""


@dataclass(frozen=True, slots=True)
class RailReadings:
    """Readings of an on-device rail monitor: rail `names[k]` has used `energy_j[i, k]` in total at `t_ns[i]`.

    `reasons` say how exact the monitor is, if it is not.
    """

    names: tuple[str, ...]
    t_ns: I64
    energy_j: F64
    reasons: tuple[Reason, ...] = ()


@dataclass(frozen=True, slots=True)
class SkippedReadings:
    """The numbers of skipped readings: torn ones, and whole ones with other names than most readings."""

    torn: int = 0
    others: int = 0


def alike(names: Sequence[Hashable | None], texts: Sequence[str]) -> tuple[list[int], SkippedReadings]:
    """Return the places of the readings that have the names of most readings, and the numbers of the others.

    A reading without names (None) or without the end of its last line is torn.
    """
    whole = [i for i, each in enumerate(names) if each is not None and texts[i].endswith("\n")]
    most = Counter(names[i] for i in whole).most_common(1)
    good = [i for i in whole if names[i] == most[0][0]]
    return good, SkippedReadings(len(texts) - len(whole), len(whole) - len(good))


def best_rails(found: Sequence[RailReadings], start_ns: int, end_ns: int) -> RailReadings | None:
    """Return the first of the sources with two readings in the run. If none has two, the one with most; None without sources."""

    def usable(one: RailReadings) -> tuple[int, int]:
        during = (one.t_ns >= start_ns) & (one.t_ns <= end_ns)
        return min(int(np.count_nonzero(during)), 2), min(len(one.t_ns), 2)

    return max(found, key=usable, default=None)


def possible_growth(rails: RailReadings) -> tuple[RailReadings, dict[str, int]]:
    """Return the rails without impossible growth, and the number of impossible readings by rail.

    A single reading that is not between its neighbors is damaged: its energy counts in the next interval. What is used while a
    counter restarts is unknown: a step back counts as 0, as does a step up of more than `MOST_W`.
    """
    before, after = rails.energy_j[:-2], rails.energy_j[2:]
    apart = np.zeros(rails.energy_j.shape, bool)
    apart[1:-1] = (before <= after) & ((rails.energy_j[1:-1] < before) | (rails.energy_j[1:-1] > after))
    read_j = np.where(apart, np.roll(rails.energy_j, 1, axis=0), rails.energy_j)
    step_j = np.diff(read_j, axis=0)
    most_j = MOST_W * (np.maximum(np.diff(rails.t_ns), 0) / 1e9 + _LATE_S)
    impossible = (step_j < 0) | (step_j > most_j[:, None])
    if not impossible.any() and not apart.any():
        return rails, {}
    total_j = np.cumsum(np.where(impossible, 0.0, step_j), axis=0)
    counts: Counter[str] = Counter()
    for name, count in zip(rails.names, (impossible.sum(axis=0) + apart.sum(axis=0)).tolist(), strict=True):
        counts[name] += count
    return replace(rails, energy_j=read_j[0] + np.concatenate([np.zeros((1, len(rails.names))), total_j])), dict(+counts)


def complete_readings(readings: Sequence[tuple[int, int, int]], columns: int) -> tuple[I64, F64] | None:
    """Return times, and joules by time and column, of readings (time, column, µWs).

    Begins at the first time at which all columns are known. Returns None if there are no readings, or more than any phone has.
    """
    if not readings:
        return None
    t_ns, column, energy = np.array(readings, np.int64).T
    times, row = np.unique(t_ns, return_inverse=True)
    if len(times) * columns > _CELLS_LIMIT:
        return None
    last_uws = np.full((len(times), columns), -1, np.int64)
    np.maximum.at(last_uws, (row, column), energy)
    known = np.where(last_uws >= 0, np.arange(len(times))[:, None], 0)
    last_uws = np.take_along_axis(last_uws, np.maximum.accumulate(known, axis=0), axis=0)
    complete = (last_uws >= 0).all(axis=1)
    return times[complete], last_uws[complete].astype(np.float64) * J_PER_UWS


def common_readings(series: Sequence[tuple[I64, F64]]) -> tuple[I64, F64] | None:
    """Return times, and joules by time and series, of series that are read at times of their own.

    The times are those of all series, from the latest first one to the earliest last one. Between its own readings, a series has
    constant power. Returns None with fewer than two such times, or more cells than any phone has.
    """
    first_ns = max((int(t_ns[0]) for t_ns, _ in series), default=0)
    last_ns = min((int(t_ns[-1]) for t_ns, _ in series), default=0)
    times = np.unique(np.concatenate([t_ns for t_ns, _ in series] or [np.zeros(0, np.int64)]))
    times = times[(times >= first_ns) & (times <= last_ns)]
    if len(times) < 2 or len(times) * len(series) > 2 * _CELLS_LIMIT:  # two chips have twice the times of one
        return None
    return times, np.column_stack([np.interp(times - first_ns, t_ns - first_ns, energy_j) for t_ns, energy_j in series])


_TIME = re.compile(r"t=(\d{1,15})\s*$", re.MULTILINE)
_RAIL = re.compile(r"CH\d{1,4}\(T=\d{1,19}\)\[([^\]\n]{1,64})\], ?(\d{1,18})\s*$", re.MULTILINE)
_MS_NS = 1_000_000
# Use the monitor's own time only if it is this close to the time of the block that contains it.
_NEAR_NS = 1_000_000_000


def parse_rails(t_ns: Sequence[int], texts: Sequence[str], clocks: ClockTriples) -> tuple[RailReadings | None, SkippedReadings]:
    """Return energy in joules (from µWs) by rail, and the numbers of skipped readings. The table is None if none is usable.

    Times are the monitor's own boottime if it can be converted, otherwise `t_ns`.
    """
    found = [_RAIL.findall(text) for text in texts]
    names = [tuple(name for name, _ in rows) for rows in found]
    good, skipped = alike([rails or None for rails in names], texts)
    if not good:
        return None, skipped
    times = np.array([t_ns[i] for i in good], np.int64)
    stamps = [_TIME.search(texts[i]) for i in good]
    boot_ns = np.array([int(stamp[1]) * _MS_NS if stamp else -1 for stamp in stamps], np.int64)
    own = clocks.from_boottime(boot_ns)
    if own is not None:
        times = np.where((boot_ns >= 0) & (np.abs(own - times) < _NEAR_NS), own, times)
    micro_joules = np.array([[int(value) for _, value in found[i]] for i in good], np.int64)
    return RailReadings(names[good[0]], np.maximum.accumulate(times), micro_joules.astype(np.float64) * J_PER_UWS), skipped
