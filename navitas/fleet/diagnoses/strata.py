"""Stage *strata*: extra drains of the requested apps by client, version, screen and network.

A hog has strata on all clients. An app with bugs has strata on its affected clients and on a random control group, because
few clients have the bug. Of all its other clients, only the fact that they have a contrast is kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from navitas.fleet.diagnoses.stratum_sums import CHANGING, SUMS, Conditions, PairConditions, Strata, client_strata
from navitas.fleet.engine.base import statement
from navitas.fleet.findings.hogs import Hogs
from navitas.fleet.findings.single_apps import MIN_WEIGHT_S
from navitas.fleet.findings.wanted_apps import StrataRequest, WantedApps, steady
from navitas.fleet.regression.designs import Numbers, blocks
from navitas.fleet.regression.memberships import AppLists, first_samples, owners
from navitas.fleet.regression.pairs import Pairs, RunLists, pairs_of, samples_in
from navitas.fleet.regression.presence import wanted_runs
from navitas.fleet.regression.usage import SCREENS, ClientColumns, client_schema
from navitas.fleet.stages import Fleet, added, run_stage
from navitas.fleet.statistics import I64, Bool
from navitas.fleet.units import StageTask

SUSPECTS, OTHERS = "strata", "other_strata"
"""Folders of the stage's results: for all hogs and apps with bugs, which are read once for all commands, and for other apps."""
_VERSION = "12"
STRATA = client_schema(SUMS, pa.float64(), app=pa.int32(), package=pa.int32(), screen=pa.int8(), network=pa.int8())
"""By client, package, screen (number of ends with the screen on) and network: `stratum_sums.SUMS`."""
CONTROL_SIZE = 256
"""Size of the random control group of an app with bugs, affected clients included."""
_ROWS_AT_ONCE = 1 << 22
_CONTRASTED = f"""
SELECT contrast.client, contrast.app FROM contrast JOIN chosen ON contrast.app = chosen.app
WHERE w0 + w1 + w2 + w3 + w4 >= {MIN_WEIGHT_S}
"""
_COUNTS = f"""
SELECT app, COUNT(*) AS number FROM (
    SELECT app FROM {{folder}} UNION ALL SELECT app FROM ({_CONTRASTED}) AS contrasted
) AS both_kinds GROUP BY app
"""
_LOWEST = f"""
SELECT app, client FROM (
    SELECT app, client, ROW_NUMBER() OVER (PARTITION BY app ORDER BY client) AS place FROM ({_CONTRASTED}) AS contrasted
) AS numbered WHERE place <= {CONTROL_SIZE}
"""


@dataclass(frozen=True, slots=True)
class StrataTask(StageTask):
    """Units whose strata are missing or out of date. `app_of` maps packages to apps, and `has_version` says which have one."""

    SCHEMA: ClassVar = STRATA

    request: StrataRequest
    app_of: NDArray[np.int32]
    has_version: Bool

    @staticmethod
    def conditions(samples: pa.Table, pairs: Pairs, begins_s: int) -> Conditions:
        """The conditions that divide an app's pairs into strata. `begins_s` is the begin of the unit."""
        return PairConditions.of(samples, pairs)

    def table(self, samples: pa.Table, presence: pa.Table, begins_s: int) -> pa.Table:
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
        runs = wanted_runs(samples, presence, parsed.client, number_of, needed, app_of[packages])
        runs = with_versions(runs, parsed.client, app_of[packages], self.has_version[packages])
        conditions = self.conditions(samples, used, begins_s)
        rows = ClientColumns(self.SCHEMA)
        for block, designs in blocks(samples, parsed, used, runs, Numbers(len(packages)), with_trend=True):
            parts = []
            for design in designs:
                package = packages[design.app]
                app = app_of[package]
                is_wanted = wanted[np.searchsorted(clients, design.client), np.searchsorted(request.app, app)]
                if is_wanted.any():
                    parts.append(client_strata(block, design, app, package, conditions, request, np.flatnonzero(is_wanted)))
            if parts:
                made = Strata.joined(parts)
                rows.add(made.client, made.app, made.package, *conditions.keys(made.condition), *made.sums(block.left))
        return rows.table()


def bring_up_to_date(fleet: Fleet, folder: str, request: StrataRequest, task: type[StrataTask] = StrataTask) -> None:
    """Compute the requested strata in a folder, unless they exist. Raises `FleetError`."""
    app_of, key = fleet.app_of, f"{_VERSION} {request.digest()}"
    has_version = np.zeros(len(app_of), bool)
    has_version[fleet.packages["id"].to_numpy()] = pc.not_equal(fleet.packages["version"], "").to_numpy()

    def tasks() -> Iterator[StrataTask]:
        for bucket in fleet.buckets:
            own = request.for_bucket(bucket, fleet.store.buckets)
            yield task(fleet.stale_jobs(bucket, folder, key), folder, key, own, app_of, has_version)

    run_stage(fleet, tasks)


def with_versions(runs: RunLists, client: I64, app_of: NDArray[np.integer], has_version: Bool) -> RunLists:
    """The same running times, by the version that the client ran last before each sample, or else first after it.

    Numbers in the lists are places in `app_of`, which maps them to apps, and in `has_version`.
    """
    if all(has_version[lists.app].all() for lists in runs.kinds()):
        return runs
    return runs.changed(_Seen(runs.listed(), client, app_of, has_version).versioned)


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


def random_clients(clients: I64) -> I64:
    """The clients with the lowest numbers. Numbers are hashes, so this is a random sample that stays the same."""
    return np.sort(clients)[:CONTROL_SIZE]


def request_for(fleet: Fleet, hogs: Hogs, apps: I64, affected: Mapping[int, I64]) -> StrataRequest:
    """The request for the strata of these apps; of those in `affected`, on its clients and a random control group."""
    client, app = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    if affected:
        lowest = fleet.query_clients(_LOWEST, chosen=_chosen([*affected]))
        for one, own in affected.items():
            drawn = random_clients(lowest["client"].to_numpy()[lowest["app"].to_numpy() == one])
            client.append(np.union1d(own, drawn))
            app.append(np.full(len(client[-1]), one))
    whole = np.union1d(np.union1d(apps, [*affected]), hogs.app[hogs.is_hog]).astype(np.int64)
    whole = whole[np.isin(whole, hogs.app)]  # Other apps have no pairs.
    place = np.searchsorted(hogs.app, whole)
    return StrataRequest(
        apps=WantedApps(
            np.setdiff1d(np.intersect1d(apps, whole), [*affected]).astype(np.int64), np.concatenate(client), np.concatenate(app)
        ),
        app=whole,
        by_class=steady(hogs.evidence.by_class[place]),
        effect_ppm_s=steady(np.where(hogs.is_hog, hogs.effect.value, 0.0)[place]),
    )


def prepared(fleet: Fleet, hogs: Hogs, affected: Mapping[int, I64], apps: I64, is_suspect: Bool) -> Iterator[tuple[str, I64]]:
    """Yield the folders that have the strata of `apps`, with those in each. Reads samples if strata are missing.

    `is_suspect` marks those that are read together with all hogs, and with all apps in `affected` on single clients.
    """
    suspects, others = apps[is_suspect], apps[~is_suspect]
    if len(suspects):
        request = request_for(fleet, hogs, hogs.app[hogs.is_hog], affected)
        bring_up_to_date(fleet, SUSPECTS, request)
        yield SUSPECTS, suspects
    if len(others):
        bring_up_to_date(fleet, OTHERS, request_for(fleet, hogs, others, {}))
        yield OTHERS, others


def rows_of(fleet: Fleet, folder: str, apps: Sequence[int], affected: Mapping[int, I64]) -> pa.Table:
    """The strata by app, client and condition. The order is fixed, because it decides how sums round.

    `contrasted` is true where the client has a contrast of the app. Of apps in `affected`, each such client has an empty row
    that says so, in addition to its strata.
    """
    table = fleet.query_clients(statement("conditions", folder=folder), folder, chosen=_chosen(apps))
    single = [app for app in apps if app in affected]
    is_single = pc.is_in(table["app"], pa.array(single, pa.int32()))
    table = table.append_column("contrasted", pc.and_(pc.greater(table["w"], 0.0), pc.invert(is_single)))
    if single:
        contrasted = fleet.query_clients(_CONTRASTED, chosen=_chosen(single))
        table = pa.concat_tables([table, _empty_rows(contrasted, table.schema)])
    client, package, screen, network, app = (table[name].to_numpy() for name in ("client", "package", "screen", "network", "app"))
    condition = (package.astype(np.int64) * SCREENS + screen) * (CHANGING + 1) + network
    return table.take(np.lexsort((condition, client, app)))


def groups(fleet: Fleet, folder: str, apps: I64, affected: Mapping[int, I64]) -> Iterator[list[int]]:
    """The apps in order, split into groups whose rows fit into memory. An app that does not fit is a separate group."""
    found = fleet.query_clients(_COUNTS.format(folder=folder), folder, chosen=_chosen([*affected]))
    found = added(found, ["app"], ["number"])
    rows = dict(zip(found["app"].to_pylist(), found["number"].to_pylist(), strict=True))
    group: list[int] = []
    size = 0
    for app in apps.tolist():
        if group and size + rows.get(app, 0) > _ROWS_AT_ONCE:
            yield group
            group, size = [], 0
        group.append(app)
        size += rows.get(app, 0)
    yield group


def _chosen(apps: Sequence[int]) -> pa.Table:
    return pa.table({"app": pa.array(apps, pa.int32())})


def _empty_rows(contrasted: pa.Table, schema: pa.Schema) -> pa.Table:
    """A row without sums for each client and app, with an unknown condition."""
    size = contrasted.num_rows
    unknown, zeros = np.full(size, -1), np.zeros(size)
    columns = dict.fromkeys(schema.names, zeros) | dict.fromkeys(("package", "screen", "network"), unknown)
    columns |= {name: contrasted[name] for name in ("client", "app")} | {"contrasted": np.ones(size, bool)}
    return pa.table(columns).cast(schema)
