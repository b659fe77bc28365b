"""Counters of power over time: of components, of the threads with most energy, and of power rails, in mW."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from navitas.energy.analyze.profile import Profile
from navitas.energy.analyze.timeline import round_step_ns
from navitas.energy.attribute.curves import Curve, added
from navitas.recording.parse.arrays import F64, I64
from navitas.report.perfetto.run_tracks import RunTracks
from navitas.report.perfetto.trace_packets import TracePackets

MOST_THREADS = 64
"""The number of threads of a run, and other owners of energy, that have a counter."""
_MOST_VALUES = 300_000
_MOST_STEPS, _LEAST_STEPS = 2_000, 20
_UNIT, _DECIMALS = "mW", 6
_MW_PER_J_AND_NS = 1e12


class Series(NamedTuple):
    """A name, and the mean power between times in mW."""

    track: int
    name: str
    power_mw: F64


@dataclass(frozen=True, slots=True)
class PowerCounters:
    """Writes the counters of runs. `runs` is their number: the counters of all together have a bounded number of values."""

    profile: Profile
    packets: TracePackets
    runs: int

    def write(self, tracks: RunTracks) -> int:
        """Write the counters of a run. Returns the number of its threads that have none because others used more energy."""
        entry = tracks.entry
        names = self.profile.components
        steps = _MOST_VALUES // (max(self.runs, 1) * (len(names) + MOST_THREADS))
        span_ns = max(entry.end_ns - entry.start_ns, 1)
        step_ns = round_step_ns(span_ns, min(max(steps, _LEAST_STEPS), _MOST_STEPS))
        timelines = self.profile.timelines(run=entry.id, step_ns=step_ns)
        edges_ns = timelines.edges_ns
        for name, power_w in zip(names, timelines.power_w.T, strict=True):
            self._write(tracks, edges_ns, Series(tracks.process, f"power of {name}", power_w * 1e3))
        curves = [(owner, curve) for owner in tracks.owners.tolist() if (curve := self._curve(owner)).t_ns.size]
        curves.sort(key=lambda pair: -pair[1].value[-1])
        for owner, curve in curves[:MOST_THREADS]:
            self._write(tracks, edges_ns, Series(tracks.track(owner), "power", _power_mw(curve, edges_ns)))
        for series, rail_edges_ns in self._rails(tracks, edges_ns):
            self._write(tracks, rail_edges_ns, series)
        return max(len(curves) - MOST_THREADS, 0)

    def _curve(self, owner: int) -> Curve:
        ledger = self.profile.ledger
        return added([ledger.curves.curve(owner, number) for number in range(len(ledger.components))])

    def _rails(self, tracks: RunTracks, edges_ns: I64) -> Iterator[tuple[Series, I64]]:
        rails = tracks.rails
        if rails is None or len(rails.t_ns) < 2:
            return
        low, high = rails.t_ns[0], rails.t_ns[-1]
        inner = edges_ns[(edges_ns > low) & (edges_ns < high)]
        # Readings are rarer than steps, or as rare: the power between two readings is all that is known.
        edges_ns = rails.t_ns if len(rails.t_ns) <= len(inner) + 2 else np.concatenate([[low], inner, [high]])
        for name, energy_j in zip(rails.names, rails.energy_j.T, strict=True):
            curve = Curve(rails.t_ns, energy_j)
            yield Series(tracks.process, f"rail {name}", _power_mw(curve, edges_ns)), edges_ns

    def _write(self, tracks: RunTracks, edges_ns: I64, series: Series) -> None:
        """Write the values that differ from those before them, and 0 at the end."""
        power_mw = np.append(np.round(series.power_mw, _DECIMALS), 0.0)
        changed = np.flatnonzero(np.diff(power_mw, prepend=0.0))
        if not len(changed):
            return
        track = self.packets.counter(series.track, series.name, _UNIT)
        for t_ns, value in zip(tracks.boottime_ns(edges_ns[changed]).tolist(), power_mw[changed].tolist(), strict=True):
            self.packets.value(t_ns, track, value)


def _power_mw(curve: Curve, edges_ns: I64) -> F64:
    return np.asarray(np.diff(curve.at(edges_ns)) / np.diff(edges_ns).clip(1) * _MW_PER_J_AND_NS, np.float64)
