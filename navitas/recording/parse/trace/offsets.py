"""Relation of boottime to CLOCK_MONOTONIC: they differ by the time that the device was suspended."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from navitas.recording.parse.arrays import I64, Bool
from navitas.recording.parse.clock_triples import ClockTriples
from navitas.recording.parse.reasons import Reason
from navitas.recording.parse.trace.trace_tables import UNKNOWN, TimeSpans, Trace

# Clocks are read in sequence. An interrupted reading has a larger error than this, and a suspend takes longer.
_STEP_NS = 5_000_000
_MAX_JUMPS = 10_000


@dataclass(frozen=True, slots=True)
class ClockMapping:
    """A conversion of times by `monotonic`.

    Readings disagree by up to `residual_ns`. In the spans `uncertain` (on the trace's clock) the error may be larger.
    """

    monotonic: Callable[[I64], I64]
    residual_ns: int
    uncertain: TimeSpans


def constant_offset(offset_ns: int, residual_ns: int) -> ClockMapping:
    """Return the mapping of a clock that is ahead of monotonic by a constant."""
    none = np.empty(0, np.int64)
    return ClockMapping(lambda t_ns: t_ns - offset_ns, residual_ns, TimeSpans(none, none))


def map_boottime(trace: Trace, triples: ClockTriples, reasons: list[Reason]) -> ClockMapping | None:
    """Map boottime by the trace's snapshots and the run's triples. Monotonic stops while the device is suspended.

    The time of a suspend comes from suspend_resume events, otherwise from the longest pause in the events (with a reason).
    Returns None if no reading has both clocks.
    """
    boot_ns, offset = _readings(trace, triples)
    if not len(boot_ns):
        return None
    jumps = np.flatnonzero(np.abs(np.diff(offset)) > _STEP_NS)
    if len(jumps) > _MAX_JUMPS:
        reasons.append(Reason("trace_clocks_contradict", "readings of the trace's clocks contradict each other"))
        return None
    parts = np.split(offset, jumps + 1)
    level = np.array([int(np.median(part)) for part in parts], np.int64)
    residual_ns = max(int(np.abs(part - own).max()) for part, own in zip(parts, level, strict=True))
    stops, uncertain, guessed_ns = [], [], []
    pauses = _Pauses(trace)
    for jump, suspended_ns in zip(jumps, np.diff(level), strict=True):
        low, high = int(boot_ns[jump]), int(boot_ns[jump + 1])
        if suspended_ns < 0:
            uncertain.append((low, high))
            continue
        recorded = _recorded_suspends(trace.suspends, low, high, int(suspended_ns))
        if not recorded:
            from_ns, to_ns = pauses.longest(low, high)
            if to_ns - from_ns < suspended_ns - _STEP_NS:
                uncertain.append((low, high))
            recorded = [(to_ns, int(suspended_ns))]
            guessed_ns.append(int(suspended_ns))
        stops += recorded
    if np.any(np.diff(level) < 0):
        text = "boottime falls relative to monotonic, so some readings of the clocks are wrong"
        reasons.append(Reason("trace_clocks_contradict", text))
    if guessed_ns:
        times = f" in {len(guessed_ns)} pauses" if len(guessed_ns) > 1 else ""
        slept_s = sum(guessed_ns) / 1e9
        text = f"the device was suspended for {slept_s:.3f} s{times}; the time is inferred from the longest pause in the events"
        reasons.append(Reason("device_slept", text))
    return ClockMapping(_function(int(level[0]), stops), residual_ns, _spans(uncertain))


def _readings(trace: Trace, triples: ClockTriples) -> tuple[I64, I64]:
    """Return boottimes, in order, and their lead over monotonic, without single readings that contradict their neighbours."""
    snapshots = trace.snapshots
    own = (snapshots.boottime_ns >= 0) & (snapshots.monotonic_ns >= 0)
    known = triples.boottime_ns != UNKNOWN
    boot_ns = np.concatenate([snapshots.boottime_ns[own], triples.boottime_ns[known]])
    monotonic_ns = np.concatenate([snapshots.monotonic_ns[own], triples.monotonic_ns[known]])
    order = np.argsort(boot_ns, kind="stable")
    boot_ns, offset = boot_ns[order], (boot_ns - monotonic_ns)[order]
    outlier: Bool = np.zeros(len(offset), bool)
    outlier[1:-1] = (np.abs(offset[2:] - offset[:-2]) <= _STEP_NS) & (np.abs(offset[1:-1] - offset[:-2]) > _STEP_NS)
    return boot_ns[~outlier], offset[~outlier]


def _recorded_suspends(suspends: TimeSpans, low: int, high: int, suspended_ns: int) -> list[tuple[int, int]]:
    """Return (time of resume, duration) of each suspend between two readings, scaled to `suspended_ns` in total."""
    inside = (suspends.to_ns > low) & (suspends.from_ns < high)
    from_ns, to_ns = suspends.from_ns[inside], suspends.to_ns[inside]
    whole = int((to_ns - from_ns).sum())
    if not whole:
        return []
    share = (to_ns - from_ns) / whole
    return [
        (int(resumed_ns), round(suspended_ns * part)) for resumed_ns, part in zip(to_ns.tolist(), share.tolist(), strict=True)
    ]


class _Pauses:
    """Times without events. The events are sorted on the first request."""

    def __init__(self, trace: Trace) -> None:
        self._columns = (trace.switches.t_ns, trace.frequencies.t_ns, trace.idle.t_ns)
        self._t_ns: I64 | None = None

    def longest(self, low: int, high: int) -> tuple[int, int]:
        """Return the longest pause between two times."""
        if self._t_ns is None:
            self._t_ns = np.sort(np.concatenate(self._columns))
        first, end = np.searchsorted(self._t_ns, low, side="right"), np.searchsorted(self._t_ns, high)
        t_ns = np.concatenate([[low], self._t_ns[first:end], [high]])
        at = int(np.argmax(np.diff(t_ns)))
        return int(t_ns[at]), int(t_ns[at + 1])


def _function(ahead_ns: int, stops: list[tuple[int, int]]) -> Callable[[I64], I64]:
    """Return a function from boottime to monotonic.

    The difference is `ahead_ns` at first. Each of `stops` (end, duration) adds its duration to it.
    """
    if not stops:
        return lambda t_ns: t_ns - ahead_ns
    resumed_ns, suspended_ns = np.array(sorted(stops), np.int64).T
    begin = int(resumed_ns[0] - suspended_ns[0])
    knots = np.maximum.accumulate(np.column_stack([resumed_ns - suspended_ns, resumed_ns]).ravel() - begin)
    stopped_ns = np.column_stack([np.cumsum(suspended_ns) - suspended_ns, np.cumsum(suspended_ns)]).ravel()

    def monotonic(t_ns: I64) -> I64:
        stopped = np.interp((t_ns - begin).astype(np.float64), knots.astype(np.float64), stopped_ns.astype(np.float64))
        joined: I64 = t_ns - ahead_ns - np.rint(stopped).astype(np.int64)
        return joined

    return monotonic


def _spans(spans: list[tuple[int, int]]) -> TimeSpans:
    columns = np.array(spans, np.int64).reshape(-1, 2)
    return TimeSpans(columns[:, 0], columns[:, 1])
