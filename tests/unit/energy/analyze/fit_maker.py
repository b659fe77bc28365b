"""Recordings whose measured power follows from known coefficients."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from attribution_maker import POLICIES, manifest, method_table, ns, run, thread
from hardware_maker import PHONE, counters, rails, states
from support.run_tables import changed, realtime_ahead

from navitas.energy.analyze.load import Loaded
from navitas.recording.parse.parsed_recording import ParsedRecording
from navitas.recording.parse.tables import RunTables

SECONDS = 120
MB = 1_000_000
REALTIME_OFFSET_NS = 1_700_000_000_000_000_000


def random_uses(seed: int, seconds: int = SECONDS) -> dict[str, np.ndarray]:
    """How much each second uses: CPU time, MB read and written, the lit screen, GNSS. They change independently."""
    random = np.random.default_rng(seed)
    return {
        "cpu": np.round(random.uniform(0, 1000, seconds)),
        "read": np.round(random.uniform(0, 8, seconds), 3),
        "written": np.round(random.uniform(0, 4, seconds), 3),
        "screen": (random.random(seconds) < 0.5).astype(float),
        "gnss": (random.random(seconds) < 0.4).astype(float),
    }


def tables_of(uses: Mapping[str, np.ndarray], power_w: Mapping[str, np.ndarray]) -> RunTables:
    """A run with these uses, and rails that measured this power in each second."""
    seconds = len(uses["cpu"])
    at = range(seconds + 1)
    clock = [(1000.0 * t, float(cpu)) for t, cpu in zip(at, _sums(uses["cpu"]), strict=True)]
    moved = [(0, 0, 0, 0)] + [
        (round(read * MB), 1, round(written * MB), 1)
        for read, written in zip(_sums(uses["read"])[1:], _sums(uses["written"])[1:], strict=True)
    ]
    rows = [(name, 1000.0 * t, 1000.0 * (t + 1)) for name in ("screen", "gnss") for t, is_on in enumerate(uses[name]) if is_on]
    made = run([thread(1, samples=clock)], [(0, 1000.0 * seconds)], end_ms=1000.0 * seconds)
    readings = [(1000.0 * t, tuple(_sums(watts)[t] for watts in power_w.values())) for t in at]
    return changed(
        made,
        io_counters=(counters([(1000.0 * t, moved[t]) for t in at], "storage"),),
        states=states(*rows) if rows else None,
        rails=rails(readings, list(power_w)) if power_w else None,
        clocks=realtime_ahead(REALTIME_OFFSET_NS - ns(0)),
    )


def recorded(*runs: RunTables, name: str = "made", model: str = "m") -> Loaded:
    """A recording of these runs, on the phone PHONE (1 V)."""
    numbered = tuple(replace(one, run_id=number) for number, one in enumerate(runs))
    made = manifest(1, policies=POLICIES)
    made = made.model_copy(update={"device": made.device.model_copy(update={"model": model})})
    return Loaded(Path(name), ParsedRecording(method_table(), numbered, (), ()), made, PHONE)


def noisy(watts: np.ndarray, seed: int, sigma_w: float = 0.02) -> np.ndarray:
    return np.maximum(watts + np.random.default_rng(seed + 10_000).normal(0, sigma_w, len(watts)), 0.0)


def _sums(values: np.ndarray | Sequence[float]) -> list[float]:
    return [0.0, *np.cumsum(values).tolist()]
