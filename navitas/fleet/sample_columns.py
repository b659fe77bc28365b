"""A table of samples as arrays, in order of client and time."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from navitas.fleet.memberships import AppLists, check_known
from navitas.fleet.pairs import Bool, ClientSamples
from navitas.fleet.schema import I64
from navitas.fleet.statistics import F64

PAIR_COLUMNS = ["client", "time_s", "level_ppm", "state", "screen", "uptime_s"]
"""Columns from which pairs are computed."""
RUN_COLUMNS = ["apps", "running_apps", "running_ms", "foreground_apps", "foreground_ms"]
"""Columns that say which apps ran."""


@dataclass(frozen=True, slots=True)
class RunLists:
    """Which apps ran: those at each sample, and counters of running and foreground time in ms, if any sample has them.

    `running_known` and `foreground_known` say which samples have the counters: that of running time for each app in the list.
    """

    apps: AppLists
    running: AppLists | None
    running_known: Bool
    foreground: AppLists | None
    foreground_known: Bool

    def of_owners(self, owner: NDArray[np.integer], wanted: Bool) -> RunLists:
        """As `AppLists.of_owners`."""
        apps = self.apps.of_owners(owner, wanted)
        running, foreground = (
            None if lists is None else lists.of_owners(owner, wanted) for lists in (self.running, self.foreground)
        )
        return replace(self, apps=apps, running=running, foreground=foreground)

    def kinds(self) -> list[AppLists]:
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


def runs_in(table: pa.Table, number_of: NDArray[np.int32], app_of: NDArray[np.integer] | None = None) -> RunLists:
    """The lists of an ordered table. `number_of` maps packages to the numbers to use; those with a negative one are left out.

    `app_of` maps these numbers to apps, of which several can be versions of one. Without it, each number is an app.
    Raises `UnknownPackage`.
    """
    apps = _lists(table["apps"], number_of)
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
    return _lists(apps, number_of, flat), known


def _are_complete(apps: AppLists, running: AppLists, app_of: NDArray[np.integer] | None) -> Bool:
    """Whether each app of a sample also has a counter there. Counters name no versions."""
    listed, counted = (one.app if app_of is None else app_of[one.app] for one in (apps, running))
    size = int(max(listed.max(initial=-1), counted.max(initial=-1))) + 1
    of_listed, of_counted = (np.repeat(np.arange(len(one.offset) - 1), np.diff(one.offset)) for one in (apps, running))
    missing = ~np.isin(of_listed * size + listed, of_counted * size + counted)
    return np.asarray(np.bincount(of_listed[missing], minlength=len(apps.offset) - 1) == 0)


def _lists(column: pa.ChunkedArray, number_of: NDArray[np.int32], value: F64 | None = None) -> AppLists:
    lists = packages_in(column)
    check_known(lists.app, len(number_of))
    return replace(lists, value=value).numbered(number_of)
