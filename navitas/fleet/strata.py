"""Stage *strata*: extra drains of the requested apps by client, version, screen and network."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from navitas.fleet.designs import blocks
from navitas.fleet.memberships import AppLists, first_samples, owners
from navitas.fleet.pairs import RunLists, pairs_of, runs_in, samples_in
from navitas.fleet.stages import Fleet, Progress, no_progress, run_stage
from navitas.fleet.statistics import I64, Bool
from navitas.fleet.stratum_sums import SUMS, PairConditions, screen_and_network, stratum_sums
from navitas.fleet.units import StageTask
from navitas.fleet.usage import ClientColumns
from navitas.fleet.wanted_apps import StrataRequest

SUSPECTS, OTHERS = "strata", "other_strata"
"""Folders of the stage's results: for all hogs and apps with bugs, which are read once for all commands, and for other apps."""
_VERSION = "11"
STRATA = pa.schema(
    [
        pa.field("client", pa.int64()),
        pa.field("app", pa.int32()),
        pa.field("package", pa.int32()),
        pa.field("screen", pa.int8()),
        pa.field("network", pa.int8()),
        *(pa.field(name, pa.float64()) for name in SUMS),
    ]
)
"""By client, package, screen (number of ends with the screen on) and network: `stratum_sums.SUMS`."""


@dataclass(frozen=True, slots=True)
class StrataTask(StageTask):
    """Units whose strata are missing or out of date. `app_of` maps packages to apps, and `has_version` says which have one."""

    request: StrataRequest
    app_of: NDArray[np.int32]
    has_version: Bool

    def table(self, samples: pa.Table, begins_s: int) -> pa.Table:
        """A unit's `STRATA`."""
        request, app_of = self.request, self.app_of
        samples = request.apps.of_clients(samples)
        parsed = samples_in(samples)
        used = pairs_of(parsed).among(parsed.time_s >= begins_s)
        clients = parsed.client[first_samples(parsed.client)]
        wanted = request.apps.table(clients, request.app)
        packages = request.packages(app_of)
        number_of = np.full(len(app_of), -1, np.int32)
        number_of[packages] = np.arange(len(packages))
        needed = (wanted | (request.effect_ppm_s != 0))[:, np.searchsorted(request.app, app_of[packages])]
        runs = runs_in(samples, number_of, app_of[packages]).of_owners(owners(parsed.client), needed)
        runs = with_versions(runs, parsed.client, app_of[packages], self.has_version[packages])
        conditions = PairConditions.of(samples, used)
        rows = ClientColumns(STRATA)
        for block, designs in blocks(samples, parsed, used, runs, len(packages), with_trend=True):
            for design in designs:
                app = app_of[packages[design.app]]
                is_wanted = wanted[np.searchsorted(clients, design.client), np.searchsorted(request.app, app)]
                if is_wanted.any():
                    column, condition, *sums = stratum_sums(block, design, app, conditions, request, np.flatnonzero(is_wanted))
                    rows.add(design.client, app[column], packages[design.app[column]], *screen_and_network(condition), *sums)
        return rows.table()


def bring_up_to_date(fleet: Fleet, folder: str, request: StrataRequest, progress: Progress = no_progress) -> None:
    """Compute the requested strata in a folder, unless they exist. Calls `progress` with buckets done and in total.

    Raises `FleetError`.
    """
    run_stage(fleet, partial(_tasks, fleet, folder, request), progress)


def _tasks(fleet: Fleet, folder: str, request: StrataRequest) -> Iterator[StrataTask]:
    app_of, key = fleet.app_of, f"{_VERSION} {request.digest()}"
    has_version = np.zeros(len(app_of), bool)
    has_version[fleet.packages["id"].to_numpy()] = pc.not_equal(fleet.packages["version"], "").to_numpy()
    for bucket in fleet.buckets:
        own = request.for_bucket(bucket, fleet.store.buckets)
        yield StrataTask(fleet.stale_jobs(bucket, folder, key), fleet.store.work / folder, key, own, app_of, has_version)


def with_versions(runs: RunLists, client: I64, app_of: NDArray[np.integer], has_version: Bool) -> RunLists:
    """The same running times, by the version that the client ran last before each sample, or else first after it.

    Numbers in the lists are places in `app_of`, which maps them to apps, and in `has_version`.
    """
    if all(has_version[lists.app].all() for lists in runs.kinds()):
        return runs
    return runs.changed(_Seen(runs.apps, client, app_of, has_version).versioned)


class _Seen:
    """Where the versions of apps are in lists of running apps: by client, app and sample."""

    def __init__(self, lists: AppLists, client: I64, app_of: NDArray[np.integer], has_version: Bool) -> None:
        self._app_of, self._has_version, self._samples = app_of.astype(np.int64), has_version, len(client)
        self._owner = owners(client)
        self._width = int(app_of.max(initial=0)) + 1
        entries = np.flatnonzero(has_version[lists.app])
        key = self._key(lists, entries)
        order = np.argsort(key, kind="stable")
        self._seen, self._number = key[order], lists.app[entries][order]

    def versioned(self, lists: AppLists) -> AppLists:
        """The lists with versions where they are known."""
        unknown = np.flatnonzero(~self._has_version[lists.app])
        if not len(unknown) or not len(self._number):
            return lists
        wanted = self._key(lists, unknown)
        after = np.searchsorted(self._seen, wanted, side="right")
        number = lists.app.copy()
        for place in (np.minimum(after, len(self._number) - 1), np.maximum(after - 1, 0)):
            same = self._seen[place] // self._samples == wanted // self._samples
            number[unknown[same]] = self._number[place[same]]
        return replace(lists, app=number)

    def _key(self, lists: AppLists, entries: I64) -> I64:
        sample = np.repeat(np.arange(self._samples), np.diff(lists.offset))[entries]
        return (self._owner[sample] * self._width + self._app_of[lists.app[entries]]) * self._samples + sample
