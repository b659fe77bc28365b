"""Stage *strata*: sums of pairs with the requested apps, by client, version, screen and network."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from navitas.fleet.files import is_made_from, read_table, write_table
from navitas.fleet.kernel import PairAmounts, Sums, first_samples, sums_by_package
from navitas.fleet.pairs import pairs_of
from navitas.fleet.schema import I64, NETWORKS
from navitas.fleet.stages import Fleet, remove_stale_files
from navitas.fleet.strata_request import StrataRequest
from navitas.fleet.units import BucketTask, UnitJob, samples_of
from navitas.fleet.usage import SCREENS, apps_in, ordered, samples_in

FOLDER = "strata"
"""Folder of the stage's results, and their table name in statements."""
CHANGING = len(NETWORKS)
"""The network of a pair whose ends differ, or of which one is unknown."""
COLUMNS = ["client", "time_s", "level_ppm", "state", "screen", "network", "uptime_s", "apps"]
_CLASSES = SCREENS * (CHANGING + 1)
_VERSION = "2"
_REQUEST = "request.parquet"
_AMOUNTS = ("seconds", "drop_ppm")
STRATA = pa.schema(
    [
        pa.field("client", pa.int64()),
        pa.field("package", pa.int32()),
        pa.field("screen", pa.int8()),
        pa.field("network", pa.int8()),
        *(pa.field(f"{ends}_{amount}", pa.int64()) for ends in ("both", "one", "changed") for amount in _AMOUNTS),
    ]
)
"""By client, package, screen (0 to 2) and network, as `usage.USAGE`. A null package stands for all pairs, in `both`."""


@dataclass(frozen=True, slots=True)
class StrataTask(BucketTask):
    """Units whose strata are missing or out of date. `app_of` maps packages to apps."""

    folder: Path
    request: StrataRequest
    app_of: NDArray[np.int32]

    def is_done(self, job: UnitJob) -> bool:
        """Whether the unit's result is up to date."""
        return is_made_from(self._file(job), self._inputs(job))

    def run(self) -> None:
        """Write the strata of each unit. Raises `FleetError` when files cannot be read or written."""
        for job, samples in samples_of(self.jobs, COLUMNS):
            made = strata_of(ordered(samples), job.begins_s, self.request, self.app_of)
            write_table(self._file(job), made, self._inputs(job))

    def _file(self, job: UnitJob) -> Path:
        return self.folder / f"{job.unit.folder}.parquet"

    def _inputs(self, job: UnitJob) -> str:
        return f"{_VERSION} {self.request.digest()} {job.inputs}"


def bring_up_to_date(
    fleet: Fleet, request: StrataRequest, progress: Callable[[int, int], None] = lambda done, total: None
) -> None:
    """Compute the requested strata that are missing, and call `progress` with buckets done and in total.

    Earlier requests are kept. Without a new request, new samples cost only their own units. Raises FleetError.
    """
    if not _stale_tasks(fleet, request)[1]:
        return
    with fleet.locked():
        whole, stale = _stale_tasks(fleet, request)  # Another process may have computed some strata, and requested more.
        count = 0

        def done(_: StrataTask) -> None:
            nonlocal count
            count += 1
            progress(count, len(stale))

        remove_stale_files(fleet)
        write_table(fleet.store.work / FOLDER / _REQUEST, whole.table(), _VERSION)
        fleet.engine.run(stale, done)


def _stale_tasks(fleet: Fleet, request: StrataRequest) -> tuple[StrataRequest, list[StrataTask]]:
    """The request with all earlier ones, and the tasks to run."""
    folder, app_of = fleet.store.work / FOLDER, fleet.app_of
    if is_made_from(folder / _REQUEST, _VERSION) and StrataRequest.is_table(before := read_table(folder / _REQUEST)):
        request |= StrataRequest.from_table(before)
    buckets = [(fleet.bucket_jobs(bucket), request.for_bucket(bucket, fleet.store.buckets)) for bucket in fleet.buckets]
    tasks = [StrataTask(jobs, folder, own, app_of) for jobs, own in buckets]
    left = [replace(task, jobs=tuple(job for job in task.jobs if not task.is_done(job))) for task in tasks]
    return request, [task for task in left if task.jobs]


def strata_of(samples: pa.Table, begins_s: int, request: StrataRequest, app_of: NDArray[np.int32]) -> pa.Table:
    """The strata of a unit's samples, which are in order of client and time. Samples before `begins_s` only begin pairs."""
    read = samples_in(samples)
    pairs, client = pairs_of(read), read.client
    own = pairs.counts & (read.time_s >= begins_s)
    # Drops are counted in steps of the level. Small numbers let the kernel pack twice as many sums into a word.
    step = max(int(np.gcd.reduce(pairs.drop_ppm)), 1)
    values = np.stack([pairs.seconds, pairs.drop_ppm // step]) * own
    amounts = PairAmounts(values, pairs.screen * np.intp(CHANGING + 1) + _networks(samples), _CLASSES)
    first = first_samples(client)
    tables = [STRATA.empty_table()]
    if len(first):
        total = amounts.by_client(first)
        none = np.zeros_like(total)
        tables.append(_table(client, Sums(first, np.zeros(len(first), np.int64), total, none, none), step, whole=True))
    for part in sums_by_package(client, request.select(apps_in(samples), client, app_of), amounts, app_of):
        tables.append(_table(client, part, step))
    return pa.concat_tables(tables)


def _table(client: I64, sums: Sums, step_ppm: int, *, whole: bool = False) -> pa.Table:
    """Rows for the classes that have pairs. Drops are multiplied by `step_ppm`. `whole` sums have no package."""
    ends = [one.reshape(_CLASSES, len(_AMOUNTS), -1) for one in (sums.both, sums.one, sums.changed)]
    kind, row = np.nonzero(ends[0][:, 0] | ends[1][:, 0])
    package = pa.nulls(len(row), pa.int32()) if whole else pa.array(sums.package[row], pa.int32())
    columns = [client[sums.client[row]], package, kind // (CHANGING + 1), kind % (CHANGING + 1)]
    amounts = [factor * one[kind, amount, row] for one in ends for amount, factor in enumerate((1, step_ppm))]
    return pa.table([*columns, *amounts], STRATA.names).cast(STRATA)


def _networks(samples: pa.Table) -> NDArray[np.int8]:
    """The network of each pair, if both ends have the same."""
    number = np.asarray(pc.fill_null(pc.index_in(samples["network"], pa.array(NETWORKS)), CHANGING).to_numpy(), np.int8)
    before = np.append(np.int8(CHANGING), number[:-1])[: len(number)]
    return np.where(number == before, number, np.int8(CHANGING)).astype(np.int8)
