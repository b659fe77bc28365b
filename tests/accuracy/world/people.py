"""What a person does with a phone: sleep, outdoors, screen sessions with brightness, and evenings."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from world.catalog import DAY_S, MINUTE_S
from world.regimes import Regime
from world.spans import Floats, Spans, covers, difference, intersection, merged, union
from world.streams import log_uniform

HOUR_S = 3600.0
# Relative rates of sessions by local hour.
_BY_HOUR = np.array(
    [0.5, 0.3, 0.2, 0.2, 0.3, 0.5, 0.8, 1.1, 1.2, 1.0, 0.9, 1.0, 1.3, 1.1, 0.9, 0.9, 1.0, 1.2, 1.3, 1.5, 1.6, 1.6, 1.4, 1.0]
)
_ASLEEP_RATE = 0.02
_SESSION_SIGMA = 1.2
_LONGEST_SESSION_S = HOUR_S


@dataclass(frozen=True, slots=True)
class Person:
    """A person's times. `brightness` belongs to `lit`: the screen sessions, split where the person goes in or out."""

    utc_offset_s: float
    asleep: Spans
    outdoors: Spans
    sessions: Spans
    lit: Spans
    brightness: Floats


def draw_person(regime: Regime, rng: np.random.Generator) -> Person:
    """Draw what one person does in all days."""
    end_s = regime.days * DAY_S
    offset_s = float(rng.integers(-8, 10)) * HOUR_S
    midnights = np.arange(-1, regime.days + 2) * DAY_S - offset_s
    bed_h, sleep_h = rng.uniform(-2.5, 1.5), rng.uniform(6.0, 9.0)
    beds = midnights + (bed_h + rng.normal(0.0, 0.5, len(midnights))) * HOUR_S
    asleep = merged(beds, beds + (sleep_h + rng.normal(0.0, 0.4, len(beds))) * HOUR_S, end_s)
    outdoors = difference(_blocks(regime.outdoors_per_day, 20.0, 90.0, end_s, rng), asleep)
    sessions = _sessions(asleep, offset_s, end_s, rng)
    if regime.trip_share:
        sessions = union(sessions, _trips(outdoors[rng.random(len(outdoors)) < regime.trip_share], rng))
    inside, outside = difference(sessions, outdoors), intersection(sessions, outdoors)
    taste = rng.beta(3.0, 4.0)
    values = np.concatenate([np.clip(rng.normal(taste, 0.08, len(inside)), 0.02, 1.0), rng.uniform(0.85, 1.0, len(outside))])
    lit = np.concatenate([inside, outside])
    order = np.argsort(lit[:, 0])
    return Person(offset_s, asleep, outdoors, sessions, lit[order], np.round(values[order], 3))


def daily(  # noqa: PLR0917
    days: int,
    utc_offset_s: float,
    start_h: tuple[float, float],
    end_h: tuple[float, float],
    share: float,
    rng: np.random.Generator,
) -> Spans:
    """Draw one span on a share of the days, with uniform starts and ends in local hours."""
    midnights = np.arange(-1, days + 1) * DAY_S - utc_offset_s
    starts = midnights + rng.uniform(*start_h, len(midnights)) * HOUR_S
    ends = midnights + rng.uniform(*end_h, len(midnights)) * HOUR_S
    keep = rng.random(len(midnights)) < share
    return merged(starts[keep], ends[keep], days * DAY_S)


def _blocks(per_day: float, low_min: float, high_min: float, end_s: float, rng: np.random.Generator) -> Spans:
    starts = rng.uniform(-HOUR_S, end_s, rng.poisson(per_day * end_s / DAY_S))
    return merged(starts, starts + rng.uniform(low_min, high_min, len(starts)) * MINUTE_S, end_s)


def _trips(outdoors: Spans, rng: np.random.Generator) -> Spans:
    """Draw sessions of 10 to 40 minutes, one within each of these times."""
    starts = outdoors[:, 0] + MINUTE_S
    return merged(starts, np.minimum(starts + rng.uniform(10.0, 40.0, len(starts)) * MINUTE_S, outdoors[:, 1] - MINUTE_S))


def _sessions(asleep: Spans, offset_s: float, end_s: float, rng: np.random.Generator) -> Spans:
    """Draw screen sessions: arrivals by hour; a session that would start within another starts after it."""
    use_h = log_uniform(rng, 1.0, 8.0)
    median_s = np.clip(120.0 * np.exp(rng.normal(0.0, 0.2)) * (use_h / 2.8) ** 0.25, 60.0, 240.0)
    per_day = use_h * HOUR_S / (median_s * np.exp(_SESSION_SIGMA**2 / 2) * 0.9)
    bins = np.arange(0.0, end_s + 1.0, 900.0)
    hours = ((bins[:-1] + offset_s) % DAY_S // HOUR_S).astype(np.int64)
    rates = (_BY_HOUR * np.exp(rng.normal(0.0, 0.3, 24)))[hours] * np.where(covers(asleep, bins[:-1]), _ASLEEP_RATE, 1.0)
    # Some days have more use than others.
    rates *= np.exp(rng.normal(0.0, 0.25, int(end_s // DAY_S) + 2))[((bins[:-1] + offset_s) // DAY_S).astype(np.int64) + 1]
    cumulated = np.concatenate([[0.0], np.cumsum(rates)])
    count = rng.poisson(per_day * end_s / DAY_S)
    arrivals = np.interp(np.sort(rng.random(count)) * cumulated[-1], cumulated, bins)
    lengths = np.minimum(median_s * np.exp(rng.normal(0.0, _SESSION_SIGMA, count)), _LONGEST_SESSION_S)
    busy = np.cumsum(lengths + rng.exponential(20.0, count) + 2.0)
    before = np.concatenate([[0.0], busy[:-1]])
    starts = np.maximum.accumulate(arrivals - before) + before if count else arrivals
    return merged(starts, starts + np.maximum(lengths, 2.0), end_s)
