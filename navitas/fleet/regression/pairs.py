"""Samples of clients as arrays, and pairs of consecutive samples with a rate of discharge, or the reason why they have none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from navitas.fleet.regression.contradictions import contradictory_clients
from navitas.fleet.regression.memberships import AppLists, PresentApps, check_known
from navitas.fleet.schema import State
from navitas.fleet.statistics import F64, I64, Bool

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
    "samples of the phone contradict themselves",
)
"""Reasons why a pair has no rate. The first that applies counts."""
SET_ASIDE = len(REASONS) - 1
"""The reason of pairs that would count, were their phone not set aside (`contradictions.py`)."""

PAIR_COLUMNS = ["client", "time_s", "level_ppm", "state", "screen", "uptime_s"]
"""Columns from which pairs are computed."""
COUNTER_COLUMNS = ["running_apps", "running_ms", "foreground_apps", "foreground_ms"]
"""Columns that say how long apps ran."""


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
    """Find pairs during which the battery discharged (paper 5, section 2.3). A client's first sample ends no pair.

    Pairs of clients whose samples contradict themselves do not count.
    """
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
    contradictory = contradictory_clients(samples.client, is_pair & both & ~restarted, seconds, drop, clock_set)
    why = (~both, restarted, clock_set, seconds < 1, seconds > MAX_GAP_S, drop < 0, contradictory)
    for number, chosen in enumerate(why):
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


@dataclass(frozen=True, slots=True)
class RunLists:
    """Which apps ran: those at each sample, and counters of running and foreground time in ms, if any sample has them.

    `running_known` and `foreground_known` say which samples have the counters: that of running time for each app in the list.
    """

    apps: AppLists | PresentApps
    running: AppLists | None
    running_known: Bool
    foreground: AppLists | None
    foreground_known: Bool

    def listed(self) -> AppLists:
        """`apps` as lists."""
        return self.apps if isinstance(self.apps, AppLists) else self.apps.lists()

    def changed(self, change: Callable[[AppLists], AppLists]) -> RunLists:
        """The same with each list changed."""
        running, foreground = (None if lists is None else change(lists) for lists in (self.running, self.foreground))
        return replace(self, apps=change(self.listed()), running=running, foreground=foreground)

    def of_owners(self, owner: NDArray[np.integer], wanted: Bool) -> RunLists:
        """As `AppLists.of_owners`."""
        return self.changed(lambda lists: lists.of_owners(owner, wanted))

    def kinds(self) -> list[AppLists | PresentApps]:
        """The lists that exist."""
        return [lists for lists in (self.apps, self.running, self.foreground) if lists is not None]


def ordered(samples: pa.Table) -> pa.Table:
    """Samples in order of client and time."""
    client, time_s = (int64(samples[name]) for name in ("client", "time_s"))
    later = (client[1:] > client[:-1]) | ((client[1:] == client[:-1]) & (time_s[1:] >= time_s[:-1]))
    return samples if later.all() else samples.take(np.lexsort((time_s, client)))


def samples_in(table: pa.Table) -> ClientSamples:
    """The columns from which pairs are computed. The table must be ordered."""
    return ClientSamples(
        int64(table["client"]),
        int64(table["time_s"]),
        int64(table["level_ppm"]),
        int64(table["state"]).astype(np.int8),
        np.asarray(pc.fill_null(table["screen"], False).to_numpy()),
        int64(pc.fill_null(table["uptime_s"], -1)),
    )


def runs_in(table: pa.Table, apps: AppLists, number_of: NDArray[np.int32], app_of: NDArray[np.integer] | None = None) -> RunLists:
    """The lists of an ordered table, of which `apps` are those of running apps.

    `number_of` maps packages to the numbers to use; those with a negative one are left out. `app_of` maps these numbers to apps,
    of which several can be versions of one. Without it, each number is an app. Raises `UnknownPackage`.
    """
    running, running_known = _counters(table, "running", number_of)
    foreground, foreground_known = _counters(table, "foreground", number_of)
    if running is not None:
        running_known &= _are_complete(apps, running, app_of)
    return RunLists(apps, running, running_known, foreground, foreground_known)


def packages_in(column: pa.ChunkedArray) -> AppLists:
    """Lists of package numbers. A null is an empty list."""
    length = pc.fill_null(pc.list_value_length(column), 0).to_numpy()
    return AppLists(np.append(0, np.cumsum(length, dtype=np.int64)), pc.list_flatten(column).to_numpy())


def int64(column: pa.ChunkedArray) -> I64:
    """Integers of a column without nulls."""
    return np.asarray(column.to_numpy(), np.int64)


def _counters(table: pa.Table, name: str, number_of: NDArray[np.int32]) -> tuple[AppLists | None, Bool]:
    apps, value = table[f"{name}_apps"], table[f"{name}_ms"]
    known = np.asarray(pc.is_valid(apps).to_numpy(), np.bool_)
    if not known.any():
        return None, known
    flat = np.asarray(pc.list_flatten(value).to_numpy(), np.float64)
    return app_lists(apps, number_of, flat), known


def _are_complete(apps: AppLists, running: AppLists, app_of: NDArray[np.integer] | None) -> Bool:
    """Whether each app of a sample also has a counter there. Counters name no versions."""
    listed, counted = (one.app if app_of is None else app_of[one.app] for one in (apps, running))
    size = int(max(listed.max(initial=-1), counted.max(initial=-1))) + 1
    of_listed, of_counted = (np.repeat(np.arange(len(one.offset) - 1), np.diff(one.offset)) for one in (apps, running))
    missing = ~np.isin(of_listed * size + listed, of_counted * size + counted)
    return np.asarray(np.bincount(of_listed[missing], minlength=len(apps.offset) - 1) == 0)


def app_lists(column: pa.ChunkedArray, number_of: NDArray[np.int32], value: F64 | None = None) -> AppLists:
    """Lists of packages by the numbers to use, without those that have a negative one. Raises `UnknownPackage`."""
    lists = packages_in(column)
    check_known(lists.app, len(number_of))
    return replace(lists, value=value).numbered(number_of)
