"""Control columns of pairs: what else drains the battery, as far as samples show it.

A client's own regression on these columns (`within.py`) explains its drain without apps. What an app drains is what is left.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from navitas.fleet.pairs import Bool
from navitas.fleet.schema import I64
from navitas.fleet.statistics import F64

COLUMNS = ["network", "screen_on_ms", "mobile_ms", "wifi_ms", "brightness", "saver"]
"""Columns of samples that are read, in addition to those of pairs."""
ONE, SCREEN_ENDS = 0, 1
"""Places of two controls: the intercept, and the share of ends with the screen on."""
_DAY_S = 86_400


@dataclass(frozen=True, slots=True)
class Controls:
    """Controls of pairs: `columns` has a row for each pair. `screen_known` says where the time with the screen on is known."""

    columns: F64
    screen_known: Bool


def controls_of(samples: pa.Table, screen: Bool, time_s: I64, row: I64) -> Controls:
    """The controls of the pairs that end at samples `row`. Each share is of the pair's time, or else of its two ends.

    - an intercept
    - the share of ends with the screen on
    - the share of time with the screen on, alone and times brightness, where it is known, and whether it is known
    - the shares of time on Wi-Fi and on mobile networks
    - whether battery saver is on
    - the hour of the day, as two harmonics; an unknown time zone shifts only their phases
    """
    seconds = (time_s[row] - time_s[row - 1]).astype(np.float64)
    on = _share_of_time(samples["screen_on_ms"], row, seconds)
    known = np.isfinite(on)
    lit = np.where(known, on, 0.0)
    brightness = _mean_of_ends(_floats(samples["brightness"]), row)
    networks = [_network(samples, name, row, seconds) for name in ("wifi", "mobile")]
    angle = (time_s[row] - seconds / 2) * (2 * np.pi / _DAY_S)
    columns = [
        np.ones(len(row)),
        _mean_of_ends(screen.astype(np.float64), row),
        lit,
        known.astype(np.float64),
        lit * brightness,
        *networks,
        _mean_of_ends(_floats(samples["saver"]), row),
        *(wave(harmonic * angle) for harmonic in (1, 2) for wave in (np.sin, np.cos)),
    ]
    return Controls(np.stack(columns, axis=1), known)


def _network(samples: pa.Table, name: str, row: I64, seconds: F64) -> F64:
    """The share of time on a network: from its counter, or else the share of ends."""
    timed = _share_of_time(samples[f"{name}_ms"], row, seconds)
    at_ends = _mean_of_ends(_floats(pc.equal(samples["network"], name)), row)
    return np.where(np.isfinite(timed), timed, at_ends)


def _share_of_time(counter: pa.ChunkedArray, row: I64, seconds: F64) -> F64:
    """The share of each pair's time by a counter in ms. NaN where it is unknown, went back, or exceeds the time."""
    if counter.null_count == len(counter):
        return np.full(len(row), np.nan)
    value = np.asarray(counter.cast(pa.float64()).to_numpy(), np.float64)
    share = (value[row] - value[row - 1]) / (1000 * seconds)
    tolerance = 1 + 2 / seconds  # Times of samples are whole seconds.
    with np.errstate(invalid="ignore"):
        return np.where((share >= 0) & (share <= tolerance), np.minimum(share, 1.0), np.nan)


def _mean_of_ends(value: F64, row: I64) -> F64:
    return np.asarray((value[row] + value[row - 1]) / 2)


def _floats(column: pa.ChunkedArray) -> F64:
    """Numbers; 0 where they are unknown."""
    return np.asarray(pc.fill_null(column.cast(pa.float64()), 0.0).to_numpy(), np.float64)
