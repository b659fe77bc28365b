"""Control columns of pairs: what else drains the battery, as far as samples show it.

A client's own regression on these columns (`within.py`) explains its drain without apps. What an app drains is what is left.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from navitas.fleet.regression.memberships import first_samples, owners
from navitas.fleet.statistics import F64, I64, Bool

COLUMNS = ["network", "screen_on_ms", "mobile_ms", "wifi_ms", "brightness", "saver", "os"]
"""Columns of samples that are read, in addition to those of pairs."""
ONE = 0
"""The place of the intercept."""
C128 = NDArray[np.complex128]
_WEEK_S = 7 * 86_400
HARMONICS = 4
"""Of the day. With two, an app that runs each evening would be charged for an evening's other drains."""
_UPGRADES = 2
"""Upgrades of the OS that have a control. Later ones in the same month count as the last of these."""
_LAG_S = 600.0
"""Fuel gauges smooth the level, so a pair can show what the screen drained up to this long before it."""


@dataclass(frozen=True, slots=True)
class ControlColumns:
    """What samples show of the phone's state: counters in ms are None if no sample has them, and NaN where one lacks them."""

    time_s: I64
    screen: F64
    screen_on_ms: F64 | None
    brightness: F64
    saver: F64
    networks: tuple[tuple[F64, F64 | None], ...]
    """For Wi-Fi and mobile networks: whether it is the active one, and its counter."""
    upgrades: I64
    """How many other OS versions the client had before."""
    with_trend: bool

    @classmethod
    def of(cls, samples: pa.Table, screen: Bool, time_s: I64, *, with_trend: bool = False) -> ControlColumns:
        """The columns of an ordered table. Controls of pairs include slow changes only `with_trend`."""
        networks = tuple(
            (_floats(pc.equal(samples["network"], name)), _counter(samples[f"{name}_ms"])) for name in ("wifi", "mobile")
        )
        brightness, saver = _floats(samples["brightness"]), _floats(samples["saver"])
        return cls(
            time_s,
            screen.astype(np.float64),
            _counter(samples["screen_on_ms"]),
            brightness,
            saver,
            networks,
            _upgrades(samples),
            with_trend,
        )

    def of_pairs(self, row: I64) -> tuple[F64, F64, F64]:
        """The controls of pairs that end at samples `row`, and the shares of ends and of time with the screen on.

        The latter is NaN where it is unknown. Controls have a row for each pair, and these columns, but none that is 0 in all
        pairs. Each share is of the pair's time, or else of its two ends.

        - an intercept
        - the share of ends with the screen on
        - the share of time with the screen on, alone and times brightness, where it is known, and whether it is known
        - the share of the pair before with the screen on, times the part of this pair that a fuel gauge may show late
        - the shares of time on Wi-Fi and on mobile networks
        - whether battery saver is on
        - whether the OS is a later one than at first, and a later one than that
        - the hour of the day, as four harmonics, and the day of the week, as one; an unknown time zone shifts only their phases
        - with a trend: slow changes in the time of all samples, as a cubic polynomial
        """
        seconds = (self.time_s[row] - self.time_s[row - 1]).astype(np.float64)
        on = _share_of_time(self.screen_on_ms, row, seconds)
        known = np.isfinite(on)
        lit = np.where(known, on, 0.0)
        timed = [(_share_of_time(counter, row, seconds), _mean_of_ends(active, row)) for active, counter in self.networks]
        before = np.append(0.0, np.where(np.diff(row) == 1, lit[:-1], 0.0))
        ends = _mean_of_ends(self.screen, row)
        columns = [
            np.ones(len(row)),
            ends,
            lit,
            known.astype(np.float64),
            lit * self._brightness(row),
            before * np.minimum(_LAG_S / seconds, 1.0),
            *(np.where(np.isfinite(share), share, at_ends) for share, at_ends in timed),
            _mean_of_ends(self.saver, row),
            *(_mean_of_ends((self.upgrades > number).astype(np.float64), row) for number in range(_UPGRADES)),
            *(self._trend(row) if self.with_trend else []),
        ]
        waves = _waves((self.time_s[row] - seconds / 2) * (2 * np.pi / _WEEK_S))
        columns = [column for column in columns if column.any()]
        return np.stack([*columns, *(wave.real for wave in waves), *(wave.imag for wave in waves)]).T, ends, on

    def _trend(self, row: I64) -> list[F64]:
        """The time of samples, from -1 at the first one of all to 1 at the last one, its square and its third power."""
        first, last = int(self.time_s.min()), int(self.time_s.max())
        time = np.asarray((2 * self.time_s[row] - first - last) / max(last - first, 1), np.float64)
        return [time, time * time, time * time * time]

    def _brightness(self, row: I64) -> F64:
        """The brightness of the time with the screen on in each pair. With the screen off, a sample has that of the last time."""
        return np.where(self.screen[row - 1] > 0, _mean_of_ends(self.brightness, row), self.brightness[row])


def _waves(angle: F64) -> list[C128]:
    """Harmonics of the day and one of the week, at these angles of the week. The real and imaginary parts are controls."""
    week = np.exp(1j * angle)
    half = week * week * week
    day = half * half * week
    waves = [day]
    while len(waves) < HARMONICS:
        waves.append(waves[-1] * day)
    return [*waves, week]


def _share_of_time(counter: F64 | None, row: I64, seconds: F64) -> F64:
    """The share of each pair's time by a counter in ms. NaN where it is unknown, went back, or exceeds the time."""
    if counter is None:
        return np.full(len(row), np.nan)
    share = (counter[row] - counter[row - 1]) / (1000 * seconds)
    tolerance = 1 + 2 / seconds  # Times of samples are whole seconds.
    with np.errstate(invalid="ignore"):
        return np.where((share >= 0) & (share <= tolerance), np.minimum(share, 1.0), np.nan)


def _upgrades(samples: pa.Table) -> I64:
    """How many other OS versions each sample's client had before. A sample that does not name one has the one before it."""
    client, system = samples["client"].to_numpy(), samples["os"].combine_chunks().dictionary_encode().indices
    named = np.flatnonzero(system.is_valid().to_numpy(zero_copy_only=False))
    owner, is_new = owners(client), np.zeros(len(client), np.int64)
    pairs = owner[named] * len(client) + system.drop_null().to_numpy()
    changed = np.flatnonzero(np.diff(pairs, prepend=-1))
    is_new[named[changed[np.unique(pairs[changed], return_index=True)[1]]]] = 1
    seen, first = np.cumsum(is_new), first_samples(client)
    return np.asarray(np.maximum(seen - (seen - is_new)[first][owner] - 1, 0), np.int64)


def _mean_of_ends(value: F64, row: I64) -> F64:
    return np.asarray((value[row] + value[row - 1]) / 2)


def _counter(column: pa.ChunkedArray) -> F64 | None:
    if column.null_count == len(column):
        return None
    return np.asarray(column.cast(pa.float64()).to_numpy(), np.float64)


def _floats(column: pa.ChunkedArray) -> F64:
    """Numbers; 0 where they are unknown."""
    return np.asarray(pc.fill_null(column.cast(pa.float64()), 0.0).to_numpy(), np.float64)
