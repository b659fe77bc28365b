"""Consecutive samples of a client → pairs that tell a rate of discharge, and why the others do not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from navitas.fleet.schema import I64, State

LONGEST_S = 6 * 3600
"""After a longer gap it is not known what ran."""

Bool = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Samples:
    """Samples in order of client and time; `screen` is off where it is not known, `uptime_s` −1."""

    client: I64
    time_s: I64
    level_ppm: I64
    state: NDArray[np.int8]
    screen: Bool
    uptime_s: I64


@dataclass(frozen=True, slots=True)
class Pairs:
    """A pair for each sample: of the one before it and itself. Where `counts` is false it tells no rate, seconds and drop are 0.

    `screen` is at how many of the two ends it was on.

    `refused` says how many pairs there were of each reason.
    """

    counts: Bool
    seconds: I64
    drop_ppm: I64
    screen: NDArray[np.int8]
    refused: Mapping[str, int]


def pairs_of(samples: Samples) -> Pairs:
    """Tell pairs during which the battery was discharging (paper 5, section 2.3); the first sample of a client ends none."""
    size = len(samples.client)
    seconds, drop = np.zeros(size, np.int64), np.zeros(size, np.int64)
    seconds[1:], drop[1:] = np.diff(samples.time_s), -np.diff(samples.level_ppm)
    discharging = samples.state == State.DISCHARGING
    both = np.zeros(size, bool)
    both[1:] = discharging[1:] & discharging[:-1]
    rebooted = np.zeros(size, bool)
    rebooted[1:] = (samples.uptime_s[1:] >= 0) & (samples.uptime_s[1:] < samples.uptime_s[:-1])
    left = np.zeros(size, bool)
    left[1:] = samples.client[1:] == samples.client[:-1]
    refused = {}
    reasons = {
        "the battery was not discharging": ~both,
        "the phone was restarted": rebooted,
        "samples of one moment": seconds < 1,
        "more than six hours apart": seconds > LONGEST_S,
        "the level rose": drop < 0,
    }
    for reason, chosen in reasons.items():
        refused[reason] = int(np.count_nonzero(left & chosen))
        left &= ~chosen
    screen = samples.screen.astype(np.int8)
    screen[1:] += samples.screen[:-1]
    return Pairs(left, np.where(left, seconds, 0), np.where(left, drop, 0), np.where(left, screen, 0).astype(np.int8), refused)
