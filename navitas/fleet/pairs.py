"""Consecutive samples of a client → pairs with a rate of discharge, or the reason why a pair has none."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from navitas.fleet.schema import I64, State

MAX_GAP_S = 6 * 3600
"""After a longer gap, it is unknown which apps ran."""
_CLOCK_TOLERANCE_S = 60
"""Tolerance between wall clock and uptime. A larger difference means a restart, or that the clock was set."""
REASONS = (
    "the battery was not discharging",
    "the phone was restarted",
    "the clock was set",
    "samples of one moment",
    "more than six hours apart",
    "the level rose",
)
"""Reasons why a pair has no rate. The first that applies counts."""

Bool = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class ClientSamples:
    """Samples in order of client and time. Unknown `screen` is off, unknown `uptime_s` is −1.

    `uptime_s` includes sleep (Android's elapsedRealtime).
    """

    client: I64
    time_s: I64
    level_ppm: I64
    state: NDArray[np.int8]
    screen: Bool
    uptime_s: I64


@dataclass(frozen=True, slots=True)
class Pairs:
    """One pair for each sample: the previous sample and itself. If `counts` is false, it has no rate; seconds and drop are 0.

    `screen` is the number of ends with the screen on. `reason` is an index into `REASONS`, or −1 for pairs that count.
    """

    counts: Bool
    seconds: I64
    drop_ppm: I64
    screen: NDArray[np.int8]
    reason: NDArray[np.int8]

    def among(self, chosen: Bool) -> Pairs:
        """The same pairs, of which only these count."""
        counts = self.counts & chosen
        amounts = (self.seconds * counts, self.drop_ppm * counts, self.screen * counts)
        return Pairs(counts, *amounts, self.reason)

    def refused(self, among: Bool) -> dict[str, int]:
        """The number of these pairs by reason."""
        count = np.bincount(self.reason[among & (self.reason >= 0)], minlength=len(REASONS)).tolist()
        return {reason: number for reason, number in zip(REASONS, count, strict=True) if number}


def pairs_of(samples: ClientSamples) -> Pairs:
    """Find pairs during which the battery discharged (paper 5, section 2.3). A client's first sample ends no pair."""
    size = len(samples.client)
    is_pair = np.zeros(size, bool)
    is_pair[1:] = samples.client[1:] == samples.client[:-1]
    seconds, drop = np.zeros(size, np.int64), np.zeros(size, np.int64)
    seconds[1:], drop[1:] = np.diff(samples.time_s), -np.diff(samples.level_ppm)
    discharging = samples.state == State.DISCHARGING
    both = np.zeros(size, bool)
    both[1:] = discharging[1:] & discharging[:-1]
    restarted, clock_set = _disturbed(samples.uptime_s, seconds)
    reason = np.full(size, -1, np.int8)
    for number, chosen in enumerate((~both, restarted, clock_set, seconds < 1, seconds > MAX_GAP_S, drop < 0)):
        reason[is_pair & chosen & (reason < 0)] = number
    left = is_pair & (reason < 0)
    screen = samples.screen.astype(np.int8)
    screen[1:] += samples.screen[:-1]
    return Pairs(left, np.where(left, seconds, 0), np.where(left, drop, 0), np.where(left, screen, 0).astype(np.int8), reason)


def _disturbed(uptime_s: I64, seconds: I64) -> tuple[Bool, Bool]:
    """Whether the phone restarted between the ends, and whether its clock was set. Uptime and clock then differ."""
    known, passed = np.zeros(len(uptime_s), bool), np.zeros(len(uptime_s), np.int64)
    known[1:] = (uptime_s[1:] >= 0) & (uptime_s[:-1] >= 0)
    passed[1:] = np.diff(uptime_s)
    apart = known & (np.abs(passed - seconds) > _CLOCK_TOLERANCE_S)
    restarted = apart & (uptime_s <= seconds + _CLOCK_TOLERANCE_S)  # The phone started after the first sample.
    return restarted, apart & ~restarted
