"""The energy that rails or a power meter measured during a run, and the intervals between their readings."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from navitas.analyze.fitting.power_meter import MeterReadings, find_offset
from navitas.attribute.curves import Curve
from navitas.errors import UsageError
from navitas.parse.arrays import I64
from navitas.parse.tables import RunTables

_UNIX = "Give a column unix_s with the times of the UNIX clock."
_TIMES = "Give a column time_s instead of unix_s: the run is then found by its load."


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
