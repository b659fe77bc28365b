"""The energy that rails or a power meter measured during a run, and the intervals between their readings."""

from __future__ import annotations

import csv
import math
import re
from array import array
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from navitas.base.errors import UsageError
from navitas.base.regular_files import open_regular
from navitas.energy.attribute.curves import Curve
from navitas.power.defects import MOST_W
from navitas.recording.parse.arrays import F64, I64, cumulative
from navitas.recording.parse.tables import RunTables

_MAX_ROWS = 20_000_000
_LINE_BYTES = 1 << 18
_UNIT_OF = {"unix": "s", "time": "s", "power": "w", "current": "a", "voltage": "v"}
_SCALES = {"": 1.0, "m": 1e-3, "u": 1e-6}
_QUANTITY = re.compile(rf"({'|'.join(_UNIT_OF)})(?![a-z])", re.IGNORECASE)
_UNIT = re.compile(r"(?<![a-z0-9])([mu]?)([swav])(?![a-z0-9])", re.IGNORECASE)
_BRACKETS = ("(", "[")
_MOST_TITLE = 200
_COLUMNS = "time_s or unix_s, and power_w, or current_a and voltage_v (also with m or u, as in power_mw)"
_STEP_S = 0.1
_FINE_STEPS = 21
_ENDS = 20
"""A twentieth of the run, at each end, may lie outside of the readings."""
_LEAST_CORRELATION = 0.5
_NS_PER_S = 1e9
_MOST_S = 1e11
"""Times beyond it are damage: 3,000 years."""
_MOST_DAMAGED = 0.01
"""The share of readings that may be impossible. If there are more, their unit is wrong."""
_UNIX = "Give a column unix_s with the times of the UNIX clock."
_TIMES = "Give a column time_s instead of unix_s: the run is then found by its load."


@dataclass(frozen=True, slots=True)
class MeterReadings:
    """Power by time, ascending. `is_unix`: the times are those of the UNIX clock, else from an unknown start.

    `skipped` counts the lines that could not be used.
    """

    name: str
    t_s: F64
    power_w: F64
    is_unix: bool
    skipped: int

    def energy(self, offset_s: float) -> Curve:
        """The cumulative energy, with times moved by an offset to CLOCK_MONOTONIC. Between readings, power changes linearly."""
        steps_j = np.diff(self.t_s) * (self.power_w[1:] + self.power_w[:-1]) / 2
        t_ns = np.rint((self.t_s + offset_s) * _NS_PER_S).astype(np.int64)
        t_ns, first = np.unique(t_ns, return_index=True)
        return Curve(t_ns, cumulative(steps_j)[first])


def read_power_meter(path: Path) -> MeterReadings:
    """Read a CSV file with a header. Lines with anything but numbers, and impossible readings, are skipped and counted.

    Raises `UsageError` if the file cannot be read, lacks a column, has fewer than two readings, or many impossible ones.
    """
    try:
        with open_regular(path) as raw:
            # A longer line arrives in pieces. Its first piece has fields that the CSV reader refuses, or is skipped.
            lines = iter(lambda: raw.readline(_LINE_BYTES), b"")
            return _read_rows(path, (line.decode("utf-8", "replace") for line in lines))
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror}", "Check the path.") from error


def _read_rows(path: Path, lines: Iterable[str]) -> MeterReadings:
    rows = csv.reader(lines)
    try:
        header = next(rows, [])
        columns = _header(path, header)
        found, skipped, impossible = array("d"), 0, 0
        for row in rows:
            if len(found) // len(columns) + skipped + impossible >= _MAX_ROWS:
                raise UsageError(f"{path}: has more than {_MAX_ROWS:,} rows", "Give fewer readings, such as 1000 per second.")
            try:
                values = [float(row[place]) * scale for place, scale in columns.values()]
            except (ValueError, IndexError):
                skipped += 1
                continue
            if not all(map(math.isfinite, values)):
                skipped += 1
                continue
            if abs(values[0]) > _MOST_S or abs(math.prod(values[1:])) > MOST_W:
                impossible += 1
                continue
            found.extend(values)
    except csv.Error as error:
        raise UsageError(f"{path}: line {rows.line_num}: {error}", f"Give a CSV file with the columns {_COLUMNS}.") from None
    if impossible > _MOST_DAMAGED * (impossible + len(found) // len(columns)):
        cause = f"{impossible:,} readings have more than {MOST_W:,.0f} W, or times that cannot be"
        raise UsageError(f"{path}: {cause}", "Check the units in the header, such as power_mw.")
    if len(found) < 2 * len(columns):
        raise UsageError(f"{path}: has fewer than two readings", f"Give a CSV file with the columns {_COLUMNS}.")
    table = np.array(found).reshape(-1, len(columns))
    table = table[np.argsort(table[:, 0], kind="stable")]
    power_w = table[:, 1] if table.shape[1] == 2 else table[:, 1] * table[:, 2]
    return MeterReadings(path.name, table[:, 0], power_w, "unix" in columns, skipped + impossible)


def _header(path: Path, header: list[str]) -> dict[str, tuple[int, float]]:
    """The place and scale of each column that counts: the time, then power, or current and voltage."""
    found: dict[str, tuple[int, float]] = {}
    for place, title in enumerate(header):
        column = _column(title)
        if column is not None:
            what, scale = column
            found.setdefault(what, (place, scale))
    times = [name for name in ("unix", "time") if name in found][:1]
    amounts = ["power"] if "power" in found else ["current", "voltage"]
    missing = [name for name in amounts if name not in found]
    if not times or missing:
        lacks = "a time" if not times else "power" if len(missing) == len(amounts) else missing[0]
        raise UsageError(f"{path}: line 1: no column for {lacks}", f"Give a CSV file with the columns {_COLUMNS}.")
    return {name: found[name] for name in (*times, *amounts)}


def _column(title: str) -> tuple[str, float] | None:
    """The quantity that a column's title names first with a unit of its own, and the unit's scale.

    A unit in brackets comes before other ones, the last one before earlier ones.
    """
    title = title[:_MOST_TITLE].replace("µ", "u").replace("μ", "u")
    for quantity in _QUANTITY.finditer(title):
        what = quantity[0].lower()
        units = [each for each in _UNIT.finditer(title, quantity.end()) if each[2].lower() == _UNIT_OF[what]]
        if units:
            best = max(units, key=lambda unit: (title[: unit.start()].rstrip().endswith(_BRACKETS), unit.start()))
            return what, _SCALES[best[1].lower()]
    return None


def find_offset(meter: MeterReadings, estimate: Curve, where: str) -> tuple[float, float]:
    """Find where a run is in the meter's readings: the offset in seconds, and the correlation with the run's estimate there.

    Raises `UsageError` if the run is longer than the readings, or if the correlation is below 0.5 everywhere.
    """
    remedy = "Give a column unix_s with the times of the UNIX clock, or readings of the whole run with changing load."
    length_s = (estimate.t_ns[-1] - estimate.t_ns[0]) / _NS_PER_S
    span_s = meter.t_s[-1] - meter.t_s[0]
    step_s = max(_STEP_S, span_s / 200_000)
    steps = int(length_s / step_s)
    skipped = max(1, steps // _ENDS)
    if steps < 4 * _ENDS or length_s > span_s * (1 + 1 / _ENDS):
        raise UsageError(f"{meter.name}: {span_s:.0f} s of readings cannot contain {where} ({length_s:.0f} s)", remedy)
    edges_ns = estimate.t_ns[0] + np.rint(np.arange(skipped, steps + 1 - skipped) * step_s * _NS_PER_S).astype(np.int64)
    wanted = np.diff(estimate.at(edges_ns))
    meter_edges = meter.t_s[0] + np.arange(int(span_s / step_s) + 1) * step_s
    energy = meter.energy(-float(meter.t_s[0]))
    read = np.diff(energy.at(np.rint((meter_edges - meter.t_s[0]) * _NS_PER_S).astype(np.int64)))
    correlation = _sliding_correlation(read, wanted)
    best = int(correlation.argmax()) if len(correlation) else 0
    if not len(correlation) or correlation[best] < _LEAST_CORRELATION:
        most = f"correlation at most {correlation.max(initial=0.0):.2f}"
        raise UsageError(f"{meter.name}: no part of the readings is like the estimate of {where} ({most})", remedy)
    offset_s = float(edges_ns[0]) / _NS_PER_S - float(meter_edges[best])
    fine_s = offset_s + np.linspace(-step_s, step_s, _FINE_STEPS)
    fine = [_correlation(np.diff(meter.energy(each).at(edges_ns)), wanted) for each in fine_s.tolist()]
    finest = int(np.argmax(fine))
    return float(fine_s[finest]), fine[finest]


def _correlation(one: F64, two: F64) -> float:
    one, two = one - one.mean(), two - two.mean()
    power = float(np.sqrt((one @ one) * (two @ two)))
    return float(one @ two) / power if power > 0 else 0.0


def _sliding_correlation(long: F64, short: F64) -> F64:
    """Pearson's correlation of `short` with each part of `long` of the same length."""
    size = len(short)
    centered = short - short.mean()
    length = 1 << (len(long) + size).bit_length()
    product = np.fft.irfft(np.fft.rfft(long - long.mean(), length) * np.conj(np.fft.rfft(centered, length)), length)
    shared = product[: len(long) - size + 1]
    sums, squares = (cumulative(each) for each in (long, long**2))
    total, power = (each[size:] - each[:-size] for each in (sums, squares))
    deviation = np.sqrt(np.maximum(power - total**2 / size, 0.0) * float(centered @ centered))
    return np.asarray(np.divide(shared, deviation, out=np.zeros(len(shared)), where=deviation > 1e-12), np.float64)


def rail_energy(run: RunTables, is_wanted: Callable[[str], bool]) -> Curve | None:
    """The cumulative energy of rails in a run; None if it does not have at least two readings of them."""
    rails = run.devices.rails
    if rails is None:
        return None
    own = [place for place, name in enumerate(rails.names) if is_wanted(name)]
    inside = np.flatnonzero((rails.t_ns >= run.start_ns) & (rails.t_ns <= run.end_ns))
    if not own or len(inside) < 2:
        return None
    t_ns, first = np.unique(rails.t_ns[inside], return_index=True)
    joules = np.maximum.accumulate(rails.energy_j[inside][:, own].sum(axis=1)[first])
    return Curve(t_ns, joules - joules[0])


def metered_energy(run: RunTables, name: str, estimate: Curve, meter: MeterReadings, notes: list[str]) -> Curve:
    """The energy that a meter measured during a run, at monotonic times.

    Without times of the UNIX clock, the run is found by its `estimate`, and a note says where. Raises `UsageError`.
    """
    if not meter.is_unix:
        if not estimate.t_ns.size:
            raise UsageError(f"{name}: without an estimate of the CPU, it cannot be found in {meter.name}", _UNIX)
        offset_s, correlation = find_offset(meter, estimate, name)
        begin_s = estimate.t_ns[0] / 1e9 - offset_s
        notes.append(f"{name}: begins at {begin_s:.1f} s of {meter.name} (correlation {correlation:.2f})")
    elif run.clocks.realtime_offset_ns is None:
        raise UsageError(f"{name}: has no reading of the UNIX clock, so it cannot be found in {meter.name}", _TIMES)
    else:
        offset_s = -run.clocks.realtime_offset_ns / 1e9
    energy = meter.energy(offset_s)
    inside = energy.t_ns[(energy.t_ns >= run.start_ns) & (energy.t_ns <= run.end_ns)]
    if len(inside) < 2:
        raise UsageError(f"{meter.name}: has no readings during {name}", "give the readings of the same time, or leave it out")
    if energy.between(int(inside[0]), int(inside[-1])) < 0:
        raise UsageError(
            f"{meter.name}: its mean power during {name} is below 0", "do not charge the phone, or invert the current's sign"
        )
    return Curve(inside, energy.at(inside))


def interval_edges(energy: Curve, interval_s: float) -> I64:
    """Edges of intervals from reading to reading, of about `interval_s` or the distance of readings, whichever is longer."""
    number = ((energy.t_ns - energy.t_ns[0]) / (interval_s * 1e9)).astype(np.int64)
    return energy.t_ns[np.unique(number, return_index=True)[1]]
